"""A product to which a tensor of its size is added, beside torch's: in one kernel, or in two."""

from __future__ import annotations

import torch

from bench.cases import OURS, Case
from bench.contenders.common import DTYPES, checked, empty, random
from bench.machine import ROOT
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    """c = a b^T + r, [M, K] by [N, K]."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    a, b, r = random(m, k, dtype=dtype), random(n, k, dtype=dtype), random(m, n, dtype=dtype)
    out = empty(m, n, dtype=dtype)
    reference = a.float() @ b.float().T + r.float()

    def by_ours():
        import tilewright

        inputs = ROOT / "tests" / "plans" / "inputs"
        product = tilewright.from_file(f"{inputs}/residual.py:{case.kernel}")
        return lambda: (product(a, b, r, out), out)[1]

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "torch.addmm": lambda: checked(
                lambda: torch.addmm(r, a, b.T, out=out), reference, (out,)
            ),
            "torch eager": lambda: checked(
                lambda: torch.matmul(a, b.T, out=out).add_(r), reference, (out,)
            ),
        }
    )
