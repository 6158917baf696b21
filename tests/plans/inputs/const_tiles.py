"""Tiles of constant extents, and the batch as the first axis of the grid."""

from tilewright import *

B, M, N, K = dims("B M N K")


@kernel
def const_tiles(a: Tensor[bf16, B, M, K], b: Tensor[bf16, B, N, K], c: Tensor[bf16, B, M, N]):
    z, m, n = grid(B, cdiv(M, 96), cdiv(N, 80))
    rows, cols = block(m, 96), block(n, 80)
    acc = zeros((96, 80), f32)
    for k in range(cdiv(K, 48)):
        depth = block(k, 48)
        acc += dot(a[z, rows, depth], b[z, cols, depth].T)
    c[z, rows, cols] = acc.to(bf16)
