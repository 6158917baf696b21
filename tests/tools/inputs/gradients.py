"""Kernels whose gradients are refused, or are not what differences are; and softmaxes of other forms."""

from tilewright import *

M, N = dims("M N")


@kernel
def doubled(x: Tensor[i32, N], y: Tensor[i32, N]):
    i = block(grid(cdiv(N, 64)), 64)
    y[i] = x[i] * 2


@kernel
def steps(x: Tensor[f32, N], y: Tensor[f32, N]):
    i = block(grid(cdiv(N, 64)), 64)
    y[i] = x[i] + floor(x[i] * 1e9) / 1e9


@kernel
def columns(x: Tensor[f32, M, N], y: Tensor[f32, M, N], *, BN: tune[16, 32] = 16):
    """A softmax down each column, whose powers are used beside it, so that its maximum counts."""
    cols = block(grid(cdiv(N, BN)), BN)
    v = x[:, cols]
    p = exp(v - max(v, axis=0)[None, :])
    y[:, cols] = p / sum(p, axis=0)[None, :] + p * 0.25


@kernel
def mean(x: Tensor[f32, M, N], w: Tensor[f32, M, N], y: Tensor[f32, M]):
    """A mean weighted by powers, of which no maximum is subtracted."""
    row = grid(M)
    p = exp2(x[row, :] * 0.5)
    y[row] = sum(w[row, :] * (p / sum(p)))
