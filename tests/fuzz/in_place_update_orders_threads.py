# RUN: tilewright fuzz --replay %s
# Threads that hold the same element: one stores it, all load it, in every iteration.
# dim M = 7
# scalar n = 3
# tensor z: values [-8, 8] step 1, seed 3, error 0, contiguous
# tensor w: values [-8, 8] step 1, seed 4, error 0, contiguous
from tilewright import *

M = dims("M")


@kernel
def fuzz(z: Tensor[f32, M, 3], w: Tensor[i32, 3], n: i32):
    i = grid(cdiv(M, 3))
    rows = block(i, 3)
    for k in range(n):
        z[rows, iota(3)] = minimum(z[rows, iota(3)] + 1, 8)
        w[i] = minimum(w[i] + 1, 8)
