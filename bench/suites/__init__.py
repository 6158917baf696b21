"""The named suites. Each module states its cases as data; bench/contenders says who runs them."""

from __future__ import annotations

from bench.cases import Suite
from bench.suites import attention, compile, gemm, hopper, launch, mlp, plans, rows

SUITES: dict[str, Suite] = {
    module.SUITE.name: module.SUITE
    for module in (gemm, mlp, attention, rows, launch, compile, hopper, plans)
}
