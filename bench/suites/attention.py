"""Attention forward over 16k tokens: head sizes 64 and 128, full and causal, grouped heads."""

from __future__ import annotations

from bench import shapes
from bench.cases import Case, Suite

TOKENS = 16384


def pairs(s: int, causal: bool, window: int, documents: int) -> float:
    """Queries and keys that see each other; of a causal row half are counted."""
    if documents:
        return sum(length**2 / 2 for length in shapes.documents(s, documents))
    if window:  # Before the window is full, a query sees those up to itself.
        full = max(s - window, 0)
        return full * window + (s - full) * (s - full + 1) / 2
    return s * s / (2 if causal else 1)


def attention(
    s: int, h: int, g: int, d: int, causal: bool, b: int | None = None, window: int = 0,
    documents: int = 0, dv: int | None = None
) -> Case:  # fmt: skip
    """b sequences of s tokens, or TOKENS / s. A window and documents, of that many tokens in the
    mean, are of a causal mask. Values have d numbers, or dv."""
    b = b or TOKENS // s
    masks = {"causal": causal, "window": window, "documents": documents}
    settings = {name: value for name, value in masks.items() if value or name == "causal"}
    values = {"DV": dv} if dv else {}
    dv = dv or d
    return Case(
        "attention",
        {"B": b, "S": s, "H": h, "G": g, "D": d, **values},
        "bf16",
        settings,
        flops=2.0 * b * h * (d + dv) * pairs(s, causal, window, documents),
        bytes=2.0 * b * s * (d + dv) * (h + g) + 4.0 * b * h * s,
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
