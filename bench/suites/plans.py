"""Kernels of the language with their plans, beside the programs by hand that the plans describe.

Each at the sizes of the suite `hopper` and at two more.
"""

from __future__ import annotations

from bench.cases import Case, Suite
from bench.suites.gemm import BYTES, product
from bench.suites.hopper import SUITE as BY_HAND
from bench.suites.hopper import heads, split_k, swiglu, triangular


def backward(m: int, t: int, d: int = 64) -> Case:
    """Five products over one head: q and do are [M, D], k and v [T, D]."""
    size, sums = BYTES["bf16"], BYTES["f32"]
    return Case("backward", {"M": m, "T": t, "D": d}, "bf16", flops=5 * 2.0 * m * t * d,
                bytes=float(d * (m + t) * 2 * size + d * (2 * t + m) * sums))


SUITE = Suite(
    name="plans",
    summary="kernels with the plans of tests/plans",
    metric="TFLOP/s",
    clock="device",
    rounds=60,
    cases=(
        *(product("gemm_persistent", "bf16", *size) for size in
          ((4096, 4096, 4096), (8192, 8192, 8192), (2048, 2048, 2048), (8192, 8192, 1024))),
        *(product("gemm_stream_k", "bf16", *size) for size in
          ((8192, 8192, 8192), (16384, 16384, 16384), (8192, 28672, 8192), (4000, 4104, 4104),
           (4096, 4096, 4096), (5120, 5120, 5120))),
        *(product("gemm_cooperative", "bf16", *size) for size in
          ((8192, 8192, 8192), (4096, 4096, 4096), (4096, 14336, 4096))),
        *(product("gemm_pingpong", "bf16", *size) for size in
          ((4096, 4096, 4096), (8192, 8192, 1024), (2048, 2048, 2048), (16384, 4096, 512))),
        *(product("gemm_e4m3", "f8e4m3", *size) for size in
          ((8192, 8192, 8192), (4096, 4096, 4096), (4096, 7168, 16384))),
        *(product("gemm_block_scaled", "f8e4m3", *size) for size in
          ((8192, 8192, 8192), (4096, 7168, 16384), (4096, 4096, 4096), (2048, 7168, 2048))),
        *(product("gemm_block_scaled_tall", "f8e4m3", *size) for size in
          ((4096, 7168, 16384), (8192, 8192, 8192), (4096, 4096, 4096))),
        *(triangular(*size) for size in
          ((4096, 4096, 4096), (8192, 8192, 8192), (2048, 2048, 2048), (4096, 14336, 4096))),
        *(split_k(*size) for size in
          ((512, 512, 16384, 8), (256, 512, 16384, 16), (1024, 1024, 8192, 2), (256, 2048, 7168, 4))),
        *(product("gemm_mixed", "bf16", *size) for size in
          ((4096, 8192, 8192), (16, 8192, 8192), (1024, 4096, 4096), (4096, 14336, 4096))),
        swiglu(8192, 14336, 4096), swiglu(4096, 14336, 4096), swiglu(2048, 4096, 2048),
        *(heads(program, s, d, causal) for program, d, causal, sizes in
          (("attention", 128, False, (4096, 4000, 2048, 16384)),
           ("attention_wide", 128, False, (4096, 2048, 8192)),
           ("attention_causal", 128, True, (4096, 2048, 16384)),
           ("attention_d64", 64, False, (4096, 2048, 8192)),
           ("attention_d64_causal", 64, True, (4096, 2048, 8192)),
           ("attention_d64_causal_narrow", 64, True, (4096, 2048, 8192)))
          for s in sizes),
        *(backward(m, t) for m, t in ((4096, 16896), (8192, 8448), (16384, 16384), (2048, 4096))),
    ),
)

PLANNED = Suite(
    name="planned",
    summary="attention as it is planned, beside the programs by hand",
    metric="TFLOP/s",
    clock="device",
    rounds=60,
    cases=tuple(case for case in BY_HAND.cases if case.kernel.startswith("attention")),
)
