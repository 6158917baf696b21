"""Programs of tests/hopper, written by hand on the `cta` level, beside NVIDIA's libraries."""

from __future__ import annotations

from dataclasses import replace

from bench.cases import Case, Suite
from bench.suites.attention import attention
from bench.suites.gemm import product


def swiglu(m: int, n: int, k: int) -> Case:
    """Two products of [M, K] by [N, K], and their gated product."""
    work = product("swiglu", "bf16", m, n, k, slow_peers=True)
    return replace(work, flops=2 * work.flops, bytes=2.0 * (m * k + 2 * n * k + m * n))


def triangular(m: int, n: int, k: int) -> Case:
    """A product with what is on and below the diagonal of [M, K]."""
    work, below = product("gemm_triangular", "bf16", m, n, k), sum(min(row + 1, k) for row in range(m))
    return replace(work, flops=2.0 * n * below, bytes=2.0 * (below + n * k + m * n))


def split_k(m: int, n: int, k: int, splits: int) -> Case:
    """A product of few tiles, added in f32 by `splits` blocks for each."""
    work = product("gemm_split_k", "bf16", m, n, k)
    return replace(work, shape={**work.shape, "splits": splits}, bytes=2.0 * (m * k + k * n) + 8.0 * m * n)


def heads(program: str, s: int, d: int, causal: bool) -> Case:
    """Attention over rows of 2048 numbers."""
    return replace(attention(s, 2048 // d, 2048 // d, d, causal), kernel=program)


SUITE = Suite(
    name="hopper",
    summary="programs written on the `cta` level",
    metric="TFLOP/s",
    clock="device",
    rounds=30,
    cases=(
        product("gemm_persistent", "bf16", 4096, 4096, 4096),
        product("gemm_stream_k", "bf16", 8192, 8192, 8192),
        product("gemm_stream_k", "bf16", 16384, 16384, 16384),
        product("gemm_stream_k", "bf16", 8192, 28672, 8192),
        product("gemm_stream_k", "bf16", 4000, 4104, 4104),
        product("gemm_persistent", "bf16", 8192, 8192, 8192),
        product("gemm_cooperative", "bf16", 8192, 8192, 8192),
        product("gemm_pingpong", "bf16", 4096, 4096, 4096),
        product("gemm_pingpong", "bf16", 8192, 8192, 1024),
        product("gemm_e4m3", "f8e4m3", 8192, 8192, 8192),
        product("gemm_block_scaled", "f8e4m3", 8192, 8192, 8192),
        product("gemm_block_scaled", "f8e4m3", 4096, 7168, 16384),
        product("gemm_block_scaled_tall", "f8e4m3", 4096, 7168, 16384),
        swiglu(8192, 14336, 4096),
        heads("attention", 4096, 128, causal=False),
        heads("attention_wide", 4096, 128, causal=False),
        heads("attention", 4000, 128, causal=False),
        heads("attention_causal", 4096, 128, causal=True),
        heads("attention_d64", 4096, 64, causal=False),
        heads("attention_d64_causal", 4096, 64, causal=True),
        heads("attention_d64_causal_narrow", 4096, 64, causal=True),
    ),
)
