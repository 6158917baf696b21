"""Attention of packed sequences: ours alone, for the time that it takes to compile."""

from __future__ import annotations

import torch

from bench.cases import OURS, Case
from bench.contenders import ours
from bench.contenders.attention import exact
from bench.contenders.common import DEVICE, DTYPES, checked, empty, random
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    """B sequences of S tokens each."""
    b, s, h, g, d = (case.shape[name] for name in "BSHGD")
    q, k, v = (random(b * s, heads, d, dtype=DTYPES[case.dtype]) for heads in (h, g, g))
    o, lse = torch.empty_like(q), empty(h, b * s)
    starts = torch.arange(0, b * s + 1, s, dtype=torch.int32, device=DEVICE)
    sequences = [x.view(b, s, -1, d) for x in (q, k, v)]
    reference = exact(*sequences, causal=False).view(b * s, h, d)

    def by_ours():
        attention = ours.kernel("attention_varlen")
        return lambda: (attention(q, k, v, starts, starts, o, lse, s, d**-0.5), o)[1]

    return Lineup({OURS: lambda: checked(by_ours(), reference, (o, lse))})
