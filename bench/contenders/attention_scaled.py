"""Attention of 8-bit floats, a scale per head, beside cuDNN's in bf16 of what they stand for."""

from __future__ import annotations

import torch

from bench.cases import OURS, Case
from bench.contenders import attention, ours
from bench.contenders.common import DTYPES, checked, empty, random
from bench.measure import Lineup

# A weight keeps four digits in 8 bits: it is wrong by 1 / 32 in the mean, and so is a row of noise.
TOLERANCE = 0.05


def lineup(case: Case) -> Lineup:
    b, s, h, g, d = (case.shape[name] for name in "BSHGD")
    causal = bool(case.settings.get("causal"))
    q, k, v = (random(b, s, heads, d, dtype=DTYPES[case.dtype]) for heads in (h, g, g))
    scales = [torch.exp2(torch.arange(heads) % 3 - 1.0).to(q.device) for heads in (h, g, g)]
    meant = [(x.float() * y[:, None]).bfloat16() for x, y in zip((q, k, v), scales, strict=True)]
    o, lse = empty(b, s, h, d, dtype=torch.bfloat16), empty(b, h, s)
    reference = attention.exact(*meant, causal)

    def by_ours():
        kernel = ours.kernel("attention_scaled")
        rows = [y.expand(b, -1).contiguous() for y in scales]
        return lambda: (kernel(q, k, v, *rows, o, lse, d**-0.5, causal=causal), o)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (o, lse), TOLERANCE),
            "cuDNN, bf16": lambda: checked(attention.by_torch("cuDNN", *meant, causal), reference),
        }
    )
