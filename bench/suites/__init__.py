"""The named suites. Each module states its cases as data; bench/contenders says who runs them."""

from __future__ import annotations

from bench.cases import Suite
from bench.suites import (
    attention,
    attentions,
    compile,
    gemm,
    hopper,
    launch,
    mlp,
    plans,
    products,
    rows,
)

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        *(module.SUITE for module in (gemm, mlp, attention, rows, launch, compile, hopper, plans)),
        plans.PLANNED,
        *(rows.BACKWARD, rows.LENGTHS, rows.SHORT_ROWS, rows.LOSSES, rows.OPTIMISER),
        *products.SUITES,
        mlp.GATED,
        *attentions.SUITES,
    )
}
