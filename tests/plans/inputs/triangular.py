"""c = tril(a, diagonal) bᵀ: a is 0 where column and row differ by more than `diagonal`, and a tile takes the steps up
to the last element of its last row."""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(bf16, f16)


@kernel
def triangular(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[E, M, N], diagonal: i32,
               *, BM: tune[64, 128] = 128, BN: tune[32, 64, 128, 256] = 256, BK: tune[32, 64] = 64):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
        depth = block(k, BK)
        acc += dot(a[rows, depth], b[cols, depth].T)
    c[rows, cols] = acc
