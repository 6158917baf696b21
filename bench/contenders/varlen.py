"""Attention of packed sequences beside ours of equal ones, at the rate of each length."""

from __future__ import annotations

from itertools import accumulate, pairwise

import torch

from bench import shapes
from bench.cases import OURS, Case
from bench.checks import compare, poison
from bench.contenders import ours
from bench.contenders.attention import exact
from bench.contenders.common import DTYPES, checked, empty, random
from bench.measure import Lineup, Run, Total


def lengths_of(case: Case) -> tuple[int, ...]:
    """B sequences of S tokens each; without S those of bench/shapes.py."""
    if "S" in case.shape:
        return (case.shape["S"],) * case.shape["B"]
    return shapes.SEQUENCES


def at_the_rates_of_equal_ones(q, k, v, o, lse, lengths: tuple[int, ...], causal: bool) -> Run:
    """The sum over the lengths of the time that as many tokens take in sequences of that length,
    divided by how many these are."""
    attention, tokens, h, d = ours.kernel("attention"), *q.shape

    def of(length: int):
        count = max(1, tokens // length)
        views = [x[: count * length].view(count, length, -1, d) for x in (q, k, v, o)]
        sums = lse.view(-1)[: count * h * length].view(count, h, length)

        def call():
            attention(*views, sums, d**-0.5, causal=causal)
            return views[3]

        return call, count

    parts = [of(length) for length in lengths]

    def check():
        verdicts = []
        for call, _ in parts:
            poison((o, lse))
            out = call()
            one = [x[: out.shape[1]][None] for x in (q, k, v)]
            verdicts.append(compare(out[:1], exact(*one, causal)))
        return min(verdicts, key=lambda verdict: verdict.correct)

    return Run(Total(tuple((call, 1 / count) for call, count in parts)), check)


def lineup(case: Case) -> Lineup:
    h, g, d = (case.shape[name] for name in "HGD")
    lengths, causal = lengths_of(case), bool(case.settings.get("causal"))
    ends = list(accumulate(lengths, initial=0))
    q, k, v = (random(ends[-1], heads, d, dtype=DTYPES[case.dtype]) for heads in (h, g, g))
    o, lse = torch.empty_like(q), empty(h, ends[-1])
    starts = torch.tensor(ends, dtype=torch.int32, device=q.device)
    parts = [[x[a:b][None] for x in (q, k, v)] for a, b in pairwise(ends)]
    reference = torch.cat([exact(*part, causal)[0] for part in parts])

    def by_ours():
        attention, most = ours.kernel("attention_varlen"), max(lengths)
        return lambda: (
            attention(q, k, v, starts, starts, o, lse, most, d**-0.5, causal=causal), o
        )[1]  # fmt: skip

    def as_equal_ones():
        return at_the_rates_of_equal_ones(q, k, v, o, lse, lengths, causal)

    return Lineup(
        {OURS: lambda: checked(by_ours(), reference, (o, lse)), "equal lengths": as_equal_ones}
    )
