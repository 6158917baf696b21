"""y = silu(gate) * up, elementwise, silu(x) = x / (1 + exp(-x)).

gate, up, y: [M, N], one dtype; computed in f32. Rows may be strided, so that gate and up may be
the halves of one [M, 2 N] tensor.
"""

from tilewright import *

M, N = dims("M N")
E = dtypes(bf16, f16, f32)


@kernel
def swiglu(gate: Tensor[E, M, N], up: Tensor[E, M, N], y: Tensor[E, M, N],
           *, BR: tune[1, 2, 4] = 1, BN: tune[1024, 2048, 4096] = 2048):
    """One program per BR x BN elements."""
    n, m = grid(cdiv(N, BN), cdiv(M, BR))
    rows, cols = block(m, BR), block(n, BN)
    g = gate[rows, cols].to(f32)
    y[rows, cols] = g * sigmoid(g) * up[rows, cols].to(f32)
