"""The feed-forward layers of transformers, fused."""

from __future__ import annotations

from dataclasses import replace

from bench.cases import Case, Suite


def gelu_linear(m: int, n: int, k: int, approximate: bool, slow_peers: bool = False) -> Case:
    """y = gelu(x weight^T + bias)."""
    return Case(
        "gelu_linear",
        {"M": m, "N": n, "K": k},
        "bf16",
        {"approximate": approximate},
        flops=2.0 * m * n * k,
        bytes=2.0 * (m * k + n * k + n + m * n),
        slow_peers=slow_peers,
    )


def swiglu_mlp(m: int, n: int, k: int, slow_peers: bool = False) -> Case:
    """y = (silu(x gate^T) * (x up^T)) down^T; h goes through memory once each way."""
    return Case(
        "swiglu_mlp",
        {"M": m, "N": n, "K": k},
        "bf16",
        flops=6.0 * m * n * k,
        bytes=2.0 * (2 * m * k + 3 * n * k + 2 * m * n),
        slow_peers=slow_peers,
    )


def gate_and_up(m: int, n: int, k: int) -> Case:
    """h = silu(x gate^T) * (x up^T): the first kernel of swiglu_mlp alone."""
    whole = swiglu_mlp(m, n, k, slow_peers=True)
    return replace(
        whole,
        kernel="gate_and_up",
        flops=4.0 * m * n * k,
        bytes=2.0 * (m * k + 2 * n * k + m * n),
    )


SUITE = Suite(
    name="mlp",
    summary="fused feed-forward layers",
    metric="TFLOP/s",
    clock="device",
    rounds=30,
    cases=(
        gelu_linear(4096, 4096, 4096, approximate=False),
        gelu_linear(8192, 16384, 4096, approximate=True, slow_peers=True),
        gelu_linear(8192, 3072, 768, approximate=True),
        swiglu_mlp(4096, 11008, 4096, slow_peers=True),
        swiglu_mlp(8192, 14336, 4096),
    ),
)

GATED = Suite(
    name="gated_mlp",
    summary="gated feed-forward layers, and the first half of one",
    metric="TFLOP/s",
    clock="device",
    rounds=60,
    cases=(
        gate_and_up(8192, 14336, 4096),
        *(
            swiglu_mlp(*size, slow_peers=True)
            for size in ((8192, 14336, 4096), (16384, 4096, 1024), (64, 14336, 4096))
        ),
    ),
)
