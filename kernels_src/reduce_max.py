"""Largest elements; NaN wins over every number.

    reduce_max       largest[0] = max(largest[0], max_i x[i])   x: [N], largest: [1], which the
                                                                caller sets to -inf
    reduce_max_rows  y[i] = max_j x[i, j]                       x: [M, D], y: [M]
"""

from tilewright import *

N, M, D = dims("N M D")
E = dtypes(bf16, f16, f32)


@kernel
def reduce_max(x: Tensor[E, N], largest: Tensor[f32, 1],
               *, PROGRAMS: tune[128, 256, 512, 1024] = 1024, BN: tune[1024, 2048, 4096] = 4096):
    """Each program takes every PROGRAMS-th block of BN elements, then raises the result to its maximum."""
    p = grid(PROGRAMS)
    best = full((BN,), -inf, f32)
    for i in range(p, cdiv(N, BN), PROGRAMS):
        best = maximum(best, load(x[block(i, BN)], fill=-inf).to(f32))
    atomic_max(largest[0], max(best))


@kernel
def reduce_max_rows(x: Tensor[E, M, D], y: Tensor[E, M], *, BR: tune[1, 2, 4, 8, 16] = 4):
    """One program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    y[rows] = max(x[rows, :].to(f32), axis=1)
