"""Programs written on the `cta` level, beside cuBLAS, cuDNN and torch.compile."""

from __future__ import annotations

from collections.abc import Callable

import torch

from bench.cases import OURS, SLOW, Case
from bench.checks import TOLERANCES, compare, poison
from bench.contenders import attention, scaled
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.contenders.gemm import blas
from bench.contenders.mlp import Gated
from bench.contenders.scaled import KernelOf
from bench.machine import ROOT
from bench.measure import Lineup, Run


def program(case: Case) -> Callable[..., None]:
    """The kernel of tests/hopper/<kernel>.mlir."""
    import tilewright

    return tilewright.from_file(ROOT / "tests" / "hopper" / f"{case.kernel}.mlir")


def gemm(case: Case, kernel_of: KernelOf) -> Lineup:
    """c = a b^T, [M, K] by [N, K]."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    a, b, out = random(m, k, dtype=dtype), random(n, k, dtype=dtype), empty(m, n, dtype=torch.bfloat16)
    reference = a.float() @ b.float().T

    def by_ours():
        kernel = kernel_of(case)
        return lambda: (kernel(a, b, out), out)[1]

    contenders = {OURS: lambda: checked(by_ours(), reference, (out,))}
    for name in ("cuBLAS", "cuBLASLt"):
        contenders[name] = lambda name=name: checked(
            blas(name.lower(), a, b.T, out), reference, (out,)
        )
    return Lineup(contenders)


def triangular(case: Case, kernel_of: KernelOf) -> Lineup:
    """c = tril(a) b^T."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    a, b, out = random(m, k, dtype=dtype).tril(), random(n, k, dtype=dtype), empty(m, n, dtype=dtype)
    reference = a.float() @ b.float().T

    def by_ours():
        kernel = kernel_of(case)
        return lambda: (kernel(a, b, out, 0), out)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "cuBLAS": lambda: checked(blas("cublas", a, b.T, out), reference, (out,)),
        }
    )


def split_k(case: Case, kernel_of: KernelOf) -> Lineup:
    """c += a b^T in f32, with K in parts."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    a, b, out = random(m, k, dtype=dtype), random(n, k, dtype=dtype), empty(m, n)
    reference = a.float() @ b.float().T

    def by_ours() -> Run:
        kernel = kernel_of(case)
        call = lambda: (kernel(a, b, out, case.shape["splits"]), out)[1]  # noqa: E731

        def check():
            out.zero_()
            return compare(call(), reference)

        return Run(call, check)

    return Lineup({OURS: by_ours})


def swiglu(case: Case, kernel_of: KernelOf) -> Lineup:
    """The first half of a gated layer."""
    half = Gated(case)
    return Lineup(
        {
            OURS: lambda: half.by_ours(kernel_of(case)),
            "torch eager": lambda: half.by_torch(half.joined, half.both),
            SLOW: lambda: half.by_torch(compiled(half.joined), half.both),
        }
    )


def backward(case: Case, kernel_of: KernelOf) -> Lineup:
    """Attention backward without its softmax, for one head: dk and dv are stored, dq is added to."""
    m, t, d = (case.shape[name] for name in "MTD")
    q, do, k, v = (random(rows, d, dtype=torch.bfloat16, scale=d**-0.5) for rows in (m, m, t, t))
    dk, dv, dq = (empty(rows, d, dtype=torch.float32) for rows in (t, t, m))
    s = k.float() @ q.float().T
    ds = (s * (v.float() @ do.float().T)).bfloat16().float()
    reference = torch.cat([ds @ q.float(), s.bfloat16().float() @ do.float(), ds.T @ k.float()])

    def by_ours():
        kernel = kernel_of(case)

        def call():
            kernel(q, do, k, v, dk, dv, dq)

        def check():
            poison((dk, dv))
            dq.zero_()
            call()
            return compare(torch.cat([dk, dv, dq]), reference, TOLERANCES[torch.bfloat16])

        return Run(call, check)

    return Lineup({OURS: by_ours})


ALONE = {"gemm_triangular": triangular, "gemm_split_k": split_k}


def lineup(case: Case, kernel_of: KernelOf = program) -> Lineup:
    """`kernel_of` makes our contender: the program of the case, or what has its parameters."""
    if case.kernel.startswith("gemm_block_scaled"):
        return scaled.by_blocks(case, kernel_of)
    if case.kernel == "gemm_mixed":
        return scaled.mixed(case, kernel_of)
    if case.kernel == "gemm_e4m3":
        return scaled.as_a_whole(case, kernel_of)
    if case.kernel in ALONE:
        return ALONE[case.kernel](case, kernel_of)
    family = case.kernel.split("_")[0]
    if family == "attention":
        return attention.lineup(case, kernel_of)
    return {"gemm": gemm, "swiglu": swiglu, "backward": backward}[family](case, kernel_of)
