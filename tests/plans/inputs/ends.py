"""Ends of all kinds: y = x wᵀ is stored, added to a total, and so is each step's part of it."""

from tilewright import *

M, N, K = dims("M N K")


@kernel
def ends(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], y: Tensor[bf16, M, N], total: Tensor[f32, M, N],
         parts: Tensor[f32, M, N], *, BM: tune[64, 128] = 64, BN: tune[32, 64] = 64):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols, acc = block(m, BM), block(n, BN), zeros((BM, BN), f32)
    for k in range(cdiv(K, 64)):
        part = dot(x[rows, block(k, 64)], w[cols, block(k, 64)].T)
        atomic_add(parts[rows, cols], part)
        acc += part
    atomic_add(total[rows, cols], acc)
    y[rows, cols] = acc
