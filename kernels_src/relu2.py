"""y = max(x, 0)^2, elementwise (So et al., "Primer", 2021).

x, y: [M, N], one dtype; computed in f32. Rows may be strided. x and y may be the same tensor.
"""

from tilewright import *

M, N = dims("M N")
E = dtypes(bf16, f16, f32)


@kernel
def relu2(x: Tensor[E, M, N], y: Tensor[E, M, N], *, BR: tune[1, 2, 4] = 1, BN: tune[1024, 2048, 4096] = 2048):
    """One program per BR x BN elements."""
    n, m = grid(cdiv(N, BN), cdiv(M, BR))
    rows, cols = block(m, BR), block(n, BN)
    v = maximum(x[rows, cols].to(f32), 0)
    y[rows, cols] = v * v
