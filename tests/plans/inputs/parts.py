"""Products of sequences that are packed behind each other: what is read and written is part of a tensor."""

from tilewright import *

M, N, B1 = dims("M N B1")


@kernel
def packed(x: Tensor[bf16, M, 64], w: Tensor[bf16, N, 64], starts: Tensor[i32, B1], y: Tensor[bf16, M, N], longest: i32):
    m, n, b = grid(cdiv(longest, 64), cdiv(N, 64), B1 - 1)
    rows, cols = block(m, 64), block(n, 64)
    part = x[starts[b]:starts[b + 1], :]
    y[starts[b]:starts[b + 1], :][rows, cols] = dot(part[rows, :], w[cols, :].T)
