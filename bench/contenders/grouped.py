"""Products of experts beside our product of one matrix with as many rows, and torch's own."""

from __future__ import annotations

from itertools import accumulate, pairwise

import torch

from bench import shapes
from bench.cases import OURS, Case
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, empty, random
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    """X experts; the uneven rows of each are drawn with a seed."""
    m, n, k, x = (case.shape[name] for name in "MNKX")
    dtype = DTYPES[case.dtype]
    a, b = random(m, k, dtype=dtype), random(x, n, k, dtype=dtype)
    ends = list(accumulate(shapes.uneven(m, x), initial=0))
    offsets = torch.tensor(ends, dtype=torch.int32, device=a.device)
    out = empty(m, n, dtype=dtype)
    parts = [a[start:stop].float() @ w.float().T for (start, stop), w in zip(pairwise(ends), b, strict=True)]
    reference = torch.cat(parts)

    def by_ours():
        product = ours.kernel("matmul_grouped")
        return checked(lambda: (product(a, b, offsets, out), out)[1], reference, (out,))

    def as_one():
        product = ours.kernel("matmul_nt")
        one = a.float() @ b[0].float().T
        return checked(lambda: (product(a, b[0], out), out)[1], one, (out,))

    contenders = {OURS: by_ours, "dense": as_one}
    if hasattr(torch, "_grouped_mm"):
        contenders["torch"] = lambda: checked(
            lambda: torch._grouped_mm(a, b.transpose(1, 2), offs=offsets[1:]), reference
        )
    return Lineup(contenders)
