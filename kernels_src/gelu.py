"""Gaussian error linear units, elementwise, as they are and as a gate.

    gelu   y = gelu(x)
    geglu  y = gelu(gate) * up

gelu(v) = v (1 + erf(v / sqrt 2)) / 2, or with `approximate`
          v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))) / 2 (Hendrycks and Gimpel, 2016).
x, gate, up, y: [M, N], one dtype; computed in f32. Rows may be strided, so that gate and up may be
the halves of one [M, 2 N] tensor. y may be one of the inputs.
"""

from tilewright import *

M, N = dims("M N")
E = dtypes(bf16, f16, f32)


@inline
def activated(v, approximate):
    if approximate:
        return 0.5 * v * (1 + tanh(sqrt(2 / PI) * (v + 0.044715 * v**3)))
    return 0.5 * v * (1 + erf(v * sqrt(0.5)))


@kernel
def gelu(x: Tensor[E, M, N], y: Tensor[E, M, N], *, approximate: const[bool] = False,
         BR: tune[1, 2, 4] = 1, BN: tune[1024, 2048, 4096] = 2048):
    """One program per BR x BN elements."""
    n, m = grid(cdiv(N, BN), cdiv(M, BR))
    rows, cols = block(m, BR), block(n, BN)
    y[rows, cols] = activated(x[rows, cols].to(f32), approximate)


@kernel
def geglu(gate: Tensor[E, M, N], up: Tensor[E, M, N], y: Tensor[E, M, N], *, approximate: const[bool] = False,
          BR: tune[1, 2, 4] = 1, BN: tune[1024, 2048, 4096] = 2048):
    """One program per BR x BN elements."""
    n, m = grid(cdiv(N, BN), cdiv(M, BR))
    rows, cols = block(m, BR), block(n, BN)
    y[rows, cols] = activated(gate[rows, cols].to(f32), approximate) * up[rows, cols].to(f32)
