"""Host time of one warm call from Python, arguments checked, on a kernel that takes no time."""

from __future__ import annotations

from bench.cases import Case, Suite

SUITE = Suite(
    name="launch",
    summary="one call from Python, warm",
    metric="us",
    clock="call",
    rounds=200,
    cases=(Case("vector_add", {"N": 1024}, "bf16"),),
)
