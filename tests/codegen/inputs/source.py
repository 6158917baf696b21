def kernel():
    acc = full((2,), 1.0)
    barrier()
