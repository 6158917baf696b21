"""Attention beside PyTorch's alone: cuDNN, FlashAttention-2, and with a window FlexAttention."""

from __future__ import annotations

from bench.cases import Case
from bench.contenders import attention
from bench.contenders.common import without_compilers
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    return without_compilers(attention.lineup(case))
