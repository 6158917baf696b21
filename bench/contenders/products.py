"""Products beside cuBLAS and cuBLASLt alone."""

from __future__ import annotations

from bench.cases import Case
from bench.contenders import gemm, scaled
from bench.contenders.common import without_compilers
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    family = scaled if case.kernel in scaled.KERNELS else gemm
    return without_compilers(family.lineup(case))
