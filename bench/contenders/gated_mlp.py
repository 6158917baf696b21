"""Gated feed-forward layers beside torch, eager and compiled."""

from __future__ import annotations

from bench.cases import Case
from bench.contenders import mlp
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    every = mlp.lineup(case).contenders
    return Lineup({name: make for name, make in every.items() if name != "Triton"})
