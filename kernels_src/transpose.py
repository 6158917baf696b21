"""y[b, j, i] = x[b, i, j].

x: [B, M, N], y: [B, N, M], one dtype.
"""

from tilewright import *

B, M, N = dims("B M N")
E = dtypes(bf16, f16, f32, f8e4m3, f8e5m2, i8)


@kernel
def transpose(x: Tensor[E, B, M, N], y: Tensor[E, B, N, M],
              *, BM: tune[32, 64, 128, 256] = 128, BN: tune[16, 32, 64] = 64):
    """One program per BM x BN tile of x."""
    n, m, b = grid(cdiv(N, BN), cdiv(M, BM), B)
    rows, cols = block(m, BM), block(n, BN)
    y[b, cols, rows] = x[b, rows, cols].T
