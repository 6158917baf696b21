"""Kernels whose rows blocks of a cluster cannot share."""

from tilewright import *

M, D = dims("M D")


@kernel
def running(x: Tensor[f32, M, D], y: Tensor[f32, M, D]):
    row = grid(M)
    v = x[row, :]
    y[row, :] = cumsum(v) / sum(v)


@kernel
def mirrored(x: Tensor[f32, M, D], y: Tensor[f32, M, D]):
    row = grid(M)
    y[row, :] = x[row, D - 1 - iota(D)] / D
    x[row, 0] = sum(y[row, :])
