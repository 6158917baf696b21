"""Floats as 8-bit numbers and scales: x is about scale * q.

A scale is the largest magnitude of its elements, divided by the largest of q's dtype (448, 57344, or 127 for i8),
and q = x * (1 / scale), rounded to the nearest. Elements that are all 0 give zeros.

    quantise_rows    a scale for each row                        scales: [M]
    quantise_blocks  for each row and 128 columns                scales: [KB, M]
    quantise_tiles   for each 128 rows and 128 columns           scales: [MB, KB]
    quantise_tensor  one, of `largest`, the largest magnitude    scales: [1]
    reduce_absmax    largest[0] = max(|x|)                       largest: [1]

x: [M, K], q: [M, K], KB = cdiv(K, 128), MB = cdiv(M, 128); scales in f32. Blocks and tiles are what
matmul_block_scaled takes for a and b, tensors what matmul_scaled takes.
"""

from tilewright import *

M, K, MB, KB = dims("M K MB KB")
E = dtypes(bf16, f16, f32)
Q = dtypes(f8e4m3, f8e5m2, i8)
BLOCK = 128


@inline
def scale_of(largest):
    """Not so small that its inverse is infinite."""
    return maximum(largest, 2.0**-100) * (1 / 448 if Q == f8e4m3 else 1 / 57344 if Q == f8e5m2 else 1 / 127)


@inline
def rounded(v):
    return round(v).to(i8) if Q == i8 else v.to(Q)


@kernel
def quantise_rows(x: Tensor[E, M, K], q: Tensor[Q, M, K], scales: Tensor[f32, M], *, BR: tune[1, 2, 4, 8, 16] = 2):
    """One program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    v = x[rows, :].to(f32)
    scale = scale_of(max(abs(v), axis=1))
    q[rows, :] = rounded(v * (1 / scale)[:, None])
    scales[rows] = scale


@kernel
def quantise_blocks(x: Tensor[E, M, K], q: Tensor[Q, M, K], scales: Tensor[f32, KB, M],
                    *, BR: tune[8, 16, 32, 64] = 16):
    """One program per BR x 128 elements."""
    assert KB == cdiv(K, BLOCK), "scales must have a row for every 128 columns of x"
    k, m = grid(cdiv(K, BLOCK), cdiv(M, BR))
    rows, cols = block(m, BR), block(k, BLOCK)
    v = x[rows, cols].to(f32)
    scale = scale_of(max(abs(v), axis=1))
    q[rows, cols] = rounded(v * (1 / scale)[:, None])
    scales[k, rows] = scale


@kernel
def quantise_tiles(x: Tensor[E, M, K], q: Tensor[Q, M, K], scales: Tensor[f32, MB, KB]):
    """One program per 128 x 128 elements."""
    assert MB == cdiv(M, BLOCK) and KB == cdiv(K, BLOCK), "scales must have an element for every 128 x 128 of x"
    k, m = grid(cdiv(K, BLOCK), cdiv(M, BLOCK))
    rows, cols = block(m, BLOCK), block(k, BLOCK)
    v = x[rows, cols].to(f32)
    scale = scale_of(max(abs(v)))
    q[rows, cols] = rounded(v * (1 / scale))
    scales[m, k] = scale


@kernel
def reduce_absmax(x: Tensor[E, M, K], largest: Tensor[f32, 1], *, BR: tune[1, 2, 4] = 4, BK: tune[1024, 2048] = 1024):
    """One program per BR x BK elements."""
    start_at_zero(largest)
    k, m = grid(cdiv(K, BK), cdiv(M, BR))
    atomic_max(largest[0], max(abs(x[block(m, BR), block(k, BK)].to(f32))))


@kernel
def quantise_tensor(x: Tensor[E, M, K], largest: Tensor[f32, 1], q: Tensor[Q, M, K], scales: Tensor[f32, 1],
                    *, BR: tune[1, 2, 4] = 4, BK: tune[1024, 2048] = 1024):
    """One program per BR x BK elements."""
    k, m = grid(cdiv(K, BK), cdiv(M, BR))
    rows, cols = block(m, BR), block(k, BK)
    scale = scale_of(largest[0])
    q[rows, cols] = rounded(x[rows, cols].to(f32) * (1 / scale))
    if k == 0 and m == 0:
        scales[0] = scale
