"""Programs written on the `cta` level: cuBLAS and cuBLASLt through torch."""

from __future__ import annotations

from bench.cases import OURS, Case
from bench.contenders.common import DTYPES, checked, empty, random
from bench.contenders.gemm import blas
from bench.machine import ROOT
from bench.measure import Lineup


def program(name: str):
    """The kernel of tests/hopper/<name>.mlir, compiled."""
    import tilewright

    schedule = tilewright.Schedule(ROOT / "tests" / "hopper" / f"{name}.mlir")
    schedule.prepare()
    return schedule


def lineup(case: Case) -> Lineup:
    """c = a b^T, [M, K] by [N, K]."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    a, b, out = random(m, k, dtype=dtype), random(n, k, dtype=dtype), empty(m, n, dtype=dtype)
    reference = a.float() @ b.float().T

    def by_ours():
        gemm = program(case.kernel)
        return lambda: (gemm(a, b, out), out)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "cuBLAS": lambda: checked(blas("cublas", a, b.T, out), reference, (out,)),
            "cuBLASLt": lambda: checked(blas("cublaslt", a, b.T, out), reference, (out,)),
        }
    )
