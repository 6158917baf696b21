"""Uses a name that it does not define."""

from tilewright import *

N = dims("N")


@kernel
def broken(x: Tensor[f32, N], y: Tensor[f32, N]):
    """y = x + missing."""
    i = grid(N)
    y[i] = x[i] + missing
