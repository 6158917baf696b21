"""Products of operands with scales, beside cuBLASLt, which has one scale for all.

`kernel_of` makes our contender: the built-in kernel of the case, or another with its parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

from bench.cases import OURS, Case
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, empty, random
from bench.contenders.gemm import scaled
from bench.measure import Lineup

BLOCK = 128  # Columns of k, and rows of b, that share a scale.
KernelOf = Callable[[Case], Callable[..., None]]


def builtin(case: Case) -> Callable[..., None]:
    return partial(ours.kernel(case.kernel), **case.settings)


def powers_of_two(*shape: int) -> torch.Tensor:
    """Scales with which the reference may scale operands exactly."""
    return torch.exp2(random(*shape, dtype=torch.float32).round().clamp(-2, 2))


def as_a_whole(case: Case, kernel_of: KernelOf = builtin) -> Lineup:
    """c = scale * (a b^T), [M, K] by [N, K]."""
    m, n, k = (case.shape[name] for name in "MNK")
    a, b = (random(rows, k, dtype=DTYPES[case.dtype]) for rows in (m, n))
    out = empty(m, n, dtype=torch.bfloat16)
    reference = a.float() @ b.float().T

    def by_ours():
        kernel = kernel_of(case)
        return lambda: (kernel(a, b, out, 1.0), out)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "cuBLASLt": lambda: checked(scaled(a, b.T), reference),
            "cuBLASLt, fast sums": lambda: checked(scaled(a, b.T, fast_sums=True), reference),
        }
    )


def by_blocks(case: Case, kernel_of: KernelOf = builtin) -> Lineup:
    """c = a b^T with a scale for each BLOCK columns of a row of a, and each BLOCK^2 of b.

    The peers have one scale for all: they do less.
    """
    m, n, k = (case.shape[name] for name in "MNK")
    a, b = (random(rows, k, dtype=DTYPES[case.dtype]) for rows in (m, n))
    a_scales = powers_of_two(k // BLOCK, m)
    b_scales = powers_of_two(n // BLOCK, k // BLOCK)
    out = empty(m, n, dtype=torch.bfloat16)
    left = a.float() * a_scales.T.repeat_interleave(BLOCK, 1)
    right = b.float() * b_scales.repeat_interleave(BLOCK, 0).repeat_interleave(BLOCK, 1)
    reference = left @ right.T

    def by_ours():
        kernel = kernel_of(case)
        return lambda: (kernel(a, b, a_scales, b_scales, out), out)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "cuBLASLt": lambda: checked(scaled(a, b.T), a.float() @ b.float().T),
            "cuBLASLt, fast sums": lambda: checked(
                scaled(a, b.T, fast_sums=True), a.float() @ b.float().T
            ),
        }
    )


def mixed(case: Case, kernel_of: KernelOf = builtin) -> Lineup:
    """c = a w^T: w is b, in 8 bits, with a scale for each group of columns of a row, by default 64, or with
    `group` 0 for the row. No peer has it, so ours of w in the dtype of a is beside it."""
    m, n, k = (case.shape[name] for name in "MNK")
    group = case.settings.get("group", 64)
    columns = group or k
    a, b = random(m, k, dtype=DTYPES[case.dtype]), random(n, k, dtype=torch.float8_e4m3fn)
    b_scales = powers_of_two(k // columns, n)
    out = empty(m, n, dtype=a.dtype)
    w = (b.float() * b_scales.T.repeat_interleave(columns, 1)).to(a.dtype)
    reference = a.float() @ w.float().T

    def by_ours():
        kernel = kernel_of(case)
        return lambda: (kernel(a, b, b_scales, out), out)[1]

    def whole():
        kernel = ours.kernel("matmul_nt")
        return lambda: (kernel(a, w, out), out)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "matmul_nt": lambda: checked(whole(), reference, (out,)),
        }
    )


KERNELS = {"matmul_scaled": as_a_whole, "matmul_block_scaled": by_blocks, "matmul_mixed": mixed}


def lineup(case: Case) -> Lineup:
    return KERNELS[case.kernel](case)
