"""Programs of tests/hopper, written by hand on the `cta` level, beside NVIDIA's libraries."""

from __future__ import annotations

from bench.cases import Suite
from bench.suites.gemm import product

SUITE = Suite(
    name="hopper",
    summary="programs written on the `cta` level",
    metric="TFLOP/s",
    clock="device",
    rounds=30,
    cases=tuple(
        product(program, "bf16", *shape)
        for shape in (
            (4096, 4096, 4096),
            (8192, 8192, 8192),
            (16384, 16384, 16384),
            (8192, 28672, 8192),
            (4000, 4104, 4104),
        )
        for program in ("gemm_cooperative", "gemm_persistent")
    ),
)
