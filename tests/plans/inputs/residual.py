"""Products whose epilogue adds a tile, of another tensor or of the one that it stores."""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(bf16, f16)


@kernel
def linear_residual(a: Tensor[E, M, K], b: Tensor[E, N, K], r: Tensor[E, M, N], c: Tensor[E, M, N],
                    *, BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a b^T + r."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(a[rows, depth], b[cols, depth].T)
    c[rows, cols] = acc + r[rows, cols].to(f32)


@kernel
def linear_added(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[E, M, N],
                 *, BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c += a b^T."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(a[rows, depth], b[cols, depth].T)
    c[rows, cols] = acc + c[rows, cols].to(f32)
