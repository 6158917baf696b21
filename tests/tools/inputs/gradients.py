"""Kernels whose gradients are refused, or are not what differences are."""

from tilewright import *

N = dims("N")


@kernel
def doubled(x: Tensor[i32, N], y: Tensor[i32, N]):
    i = block(grid(cdiv(N, 64)), 64)
    y[i] = x[i] * 2


@kernel
def steps(x: Tensor[f32, N], y: Tensor[f32, N]):
    i = block(grid(cdiv(N, 64)), 64)
    y[i] = x[i] + floor(x[i] * 1e9) / 1e9
