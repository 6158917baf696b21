"""y = factor x."""

from tilewright import *

N = dims("N")
E = dtypes(f32, f16)


@kernel
def scale(x: Tensor[E, N], y: Tensor[E, N], factor: f32, *, BN: tune[256, 512] = 256):
    """y = factor x, one program per BN elements."""
    i = grid(cdiv(N, BN))
    y[block(i, BN)] = x[block(i, BN)].to(f32) * factor


@kernel
def copy(x: Tensor[E, N], y: Tensor[E, N], *, BN: tune[256, 512] = 256):
    """y = x, one program per BN elements."""
    i = grid(cdiv(N, BN))
    y[block(i, BN)] = x[block(i, BN)]
