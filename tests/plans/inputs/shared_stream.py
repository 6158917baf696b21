"""A stream that a product reads, and a sum of rows beside it."""

from tilewright import *

M, N, K = dims("M N K")


@kernel
def shared_stream(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], y: Tensor[bf16, M, N]):
    m, n = grid(cdiv(M, 128), cdiv(N, 128))
    acc, sums = zeros((128, 128), f32), zeros((128,), f32)
    for k in range(cdiv(K, 64)):
        X = x[block(m, 128), block(k, 64)]
        acc += dot(X, w[block(n, 128), block(k, 64)].T)
        sums += sum(X.to(f32), axis=1)
    y[block(m, 128), block(n, 128)] = (acc + sums[:, None]).to(bf16)
