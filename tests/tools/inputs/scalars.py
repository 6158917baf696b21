"""y is x, at least `low`, of the first `count` elements; with `negate` the other sign."""

from tilewright import *

N = dims("N")


@kernel
def clamp(x: Tensor[f32, N], y: Tensor[f32, N], low: f32, count: i32, negate: bool):
    i = block(grid(cdiv(N, 256)), 256)
    z = where(i < count, maximum(x[i], low), 0.0)
    y[i] = where(negate, -z, z)
