"""Attention forward over 16k tokens: head sizes 64 and 128, full and causal, grouped heads."""

from __future__ import annotations

from bench.cases import Case, Suite

TOKENS = 16384


def attention(s: int, h: int, g: int, d: int, causal: bool) -> Case:
    """TOKENS / s sequences of s tokens; a causal row counts half the products."""
    b = TOKENS // s
    return Case(
        "attention",
        {"B": b, "S": s, "H": h, "G": g, "D": d},
        "bf16",
        {"causal": causal},
        flops=4.0 * b * h * s * s * d / (2 if causal else 1),
        bytes=2.0 * b * s * d * (2 * h + 2 * g) + 4.0 * b * h * s,
    )


SUITE = Suite(
    name="attention",
    summary="attention forward, 16k tokens",
    metric="TFLOP/s",
    clock="device",
    rounds=30,
    cases=(
        *(
            attention(s, 2048 // d, 2048 // d, d, causal)
            for d in (64, 128)
            for causal in (False, True)
            for s in (1024, 2048, 4096, 8192)
        ),
        attention(4096, 32, 8, 128, causal=True),
    ),
)
