"""Attention beside cuDNN and FlashAttention-2: lengths, head sizes, a window, random shapes."""

from __future__ import annotations

from dataclasses import replace

from bench import shapes
from bench.cases import Case, Suite
from bench.suites.attention import TOKENS, attention

WIDTH = 2048  # Numbers of a token: as many heads as fit.


def heads(s: int, d: int, causal: bool) -> Case:
    h = WIDTH // d
    return attention(s, h, h, d, causal)


def with_option(option: str) -> Case:
    """Causal attention with one of what attention.py offers; `plain` is without."""
    plain = attention(4096, 16, 16, 128, causal=True)
    return replace(plain, settings={**plain.settings, "option": option})


def scaled(s: int, d: int, causal: bool) -> Case:
    """Of 8-bit floats; a byte each of q, k and v."""
    plain = heads(s, d, causal)
    numbers = TOKENS * WIDTH
    return replace(
        plain, kernel="attention_scaled", dtype="f8e4m3", bytes=plain.bytes - 3 * numbers
    )


def varlen(lengths: tuple[int, ...], h: int, d: int) -> Case:
    """Causal sequences of these lengths, packed behind each other."""
    each = [attention(s, h, h, d, causal=True, b=1) for s in lengths]
    return Case(
        "attention_varlen",
        {"N": sum(lengths), "B": len(lengths), "H": h, "G": h, "D": d},
        "bf16",
        {"causal": True},
        flops=sum(case.flops for case in each),
        bytes=sum(case.bytes for case in each),
    )


def suite(name: str, summary: str, cases: tuple[Case, ...]) -> Suite:
    return Suite(name, summary, "TFLOP/s", "device", rounds=60, cases=cases, contenders="attentions")


SUITES = (
    suite(
        "attention_lengths",
        "attention forward, 16k tokens, short and long sequences",
        (
            *(heads(s, 128, c) for c in (False, True) for s in (512, 2048, 4096, 16384)),
            *(heads(s, 64, c) for c in (False, True) for s in (2048, 4096, 16384)),
            attention(4096, 32, 8, 128, causal=True),
            attention(8192, 64, 8, 128, causal=True),
        ),
    ),
    suite(
        "attention_batches",
        "causal attention forward, sequences of 2048",
        tuple(
            attention(2048, h, h, 128, causal=True, b=b)
            for b, h in ((8, 16), (4, 16), (8, 12), (1, 32))
        ),
    ),
    suite(
        "attention_sizes",
        "attention forward, 16k tokens, other head sizes",
        (
            *(heads(s, 256, c) for c in (False, True) for s in (2048, 4096, 16384)),
            *(heads(4096, d, c) for c in (False, True) for d in (80, 96, 160, 192)),
            *(attention(4096, 16, 16, 192, c, dv=128) for c in (False, True)),
        ),
    ),
    suite(
        "attention_masks",
        "attention forward with masks, 16k tokens",
        (
            attention(16384, 16, 16, 128, causal=True, window=1024),
            attention(16384, 16, 16, 128, causal=True, documents=1000),
        ),
    ),
    replace(
        suite(
            "attention_options",
            "causal attention forward with options",
            tuple(
                with_option(x) for x in ("plain", "softcap", "slopes", "sinks", "bias", "dropout")
            ),
        ),
        contenders="attention_options",
    ),
    replace(
        suite(
            "attention_varlen",
            "causal attention forward, sequences of 37 lengths",
            (varlen(shapes.SEQUENCES, WIDTH // 128, 128),),
        ),
        contenders="varlen",
    ),
    replace(
        suite(
            "attention_scaled",
            "attention forward of 8-bit floats, 16k tokens",
            tuple(scaled(s, 128, c) for c in (False, True) for s in (4096, 16384)),
        ),
        contenders="attention_scaled",
    ),
    suite(
        "random_attention",
        "attention forward, random shapes of 2k to 64k tokens",
        tuple(attention(x.s, x.h, x.h, x.d, x.causal, x.b) for x in shapes.attentions()),
    ),
)
