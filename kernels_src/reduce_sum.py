"""Sums, in f32.

    reduce_sum       total[0] = sum_i x[i]       x: [N], total: [1]
    reduce_sum_rows  y[i] = sum_j x[i, j]        x: [M, D], y: [M]
"""

from tilewright import *

N, M, D = dims("N M D")
E = dtypes(bf16, f16, f32)
O = dtypes(bf16, f16, f32)


@kernel
def reduce_sum(x: Tensor[E, N], total: Tensor[f32, 1],
               *, PROGRAMS: tune[128, 256, 512, 1024] = 1024, BN: tune[1024, 2048, 4096] = 4096):
    """Each program adds every PROGRAMS-th block of BN elements, then adds its sum to the total."""
    start_at_zero(total)
    p = grid(PROGRAMS)
    acc = zeros((BN,), f32)
    for i in range(p, cdiv(N, BN), PROGRAMS):
        acc += x[block(i, BN)].to(f32)
    atomic_add(total[0], sum(acc))


@kernel
def reduce_sum_rows(x: Tensor[E, M, D], y: Tensor[O, M], *, BR: tune[1, 2, 4, 8, 16] = 4):
    """One program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    y[rows] = sum(x[rows, :].to(f32), axis=1)
