"""Programs written on the `cta` level, beside cuBLAS, cuDNN and torch.compile."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

from bench.cases import OURS, SLOW, Case
from bench.contenders import attention
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.contenders.gemm import blas, scaled
from bench.machine import ROOT
from bench.measure import Lineup


def program(case: Case) -> Callable[..., None]:
    """The kernel of tests/hopper/<kernel>.mlir."""
    import tilewright

    return tilewright.from_file(ROOT / "tests" / "hopper" / f"{case.kernel}.mlir")


def gemm(case: Case) -> Lineup:
    """c = a b^T, [M, K] by [N, K]; 8-bit operands with a scale for the result."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    a, b, out = random(m, k, dtype=dtype), random(n, k, dtype=dtype), empty(m, n, dtype=torch.bfloat16)
    reference = a.float() @ b.float().T
    scale = (1.0,) if dtype.itemsize == 1 else ()

    def by_ours():
        kernel = program(case)
        return lambda: (kernel(a, b, out, *scale), out)[1]

    contenders = {OURS: lambda: checked(by_ours(), reference, (out,))}
    if dtype.itemsize == 1:
        contenders["cuBLASLt"] = lambda: checked(scaled(a, b.T), reference)
    else:
        for name in ("cuBLAS", "cuBLASLt"):
            contenders[name] = lambda name=name: checked(
                blas(name.lower(), a, b.T, out), reference, (out,)
            )
    return Lineup(contenders)


SCALED = 128  # Columns of k, and rows of b, that share a scale.


def block_scaled(case: Case) -> Lineup:
    """c = a b^T in 8 bits, with a scale for each SCALED columns of a row of a and each SCALED^2 of b.

    The peer has one scale for all: it does less.
    """
    m, n, k = (case.shape[name] for name in "MNK")
    a, b = (random(rows, k, dtype=DTYPES[case.dtype]) for rows in (m, n))
    # Powers of two, so that the reference may scale the operands exactly.
    a_scales = torch.exp2(torch.randint(-2, 3, (k // SCALED, m), device=a.device).float())
    b_scales = torch.exp2(torch.randint(-2, 3, (n // SCALED, k // SCALED), device=a.device).float())
    out = empty(m, n, dtype=torch.bfloat16)
    left = a.float() * a_scales.T.repeat_interleave(SCALED, 1)
    right = b.float() * b_scales.repeat_interleave(SCALED, 0).repeat_interleave(SCALED, 1)
    reference = left @ right.T

    def by_ours():
        kernel = program(case)
        return lambda: (kernel(a, b, a_scales, b_scales, out), out)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "cuBLASLt": lambda: checked(scaled(a, b.T), a.float() @ b.float().T),
        }
    )


def swiglu(case: Case) -> Lineup:
    """h = silu(x gate^T) * (x up^T): the first half of a gated layer."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    x, h = random(m, k, dtype=dtype), empty(m, n, dtype=dtype)
    gate, up = (random(n, k, dtype=dtype, scale=k**-0.5) for _ in range(2))
    both = torch.cat([gate, up])
    reference = F.silu(x.float() @ gate.float().T) * (x.float() @ up.float().T)

    def eager(x, both):
        g, u = F.linear(x, both).split(n, dim=1)
        return F.silu(g) * u

    def by_ours():
        kernel = program(case)
        return lambda: (kernel(x, gate, up, h), h)[1]

    def by_compile():
        layer = compiled(eager)
        return lambda: layer(x, both)

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (h,)),
            "torch eager": lambda: checked(lambda: eager(x, both), reference),
            SLOW: lambda: checked(by_compile(), reference),
        }
    )


def lineup(case: Case) -> Lineup:
    if case.kernel.startswith("gemm_block_scaled"):
        return block_scaled(case)
    family = case.kernel.split("_")[0]
    if family == "attention":
        return attention.lineup(case, program)
    return {"gemm": gemm, "swiglu": swiglu}[family](case)
