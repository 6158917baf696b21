"""The cost of a call: ours, Triton, torch."""

from __future__ import annotations

import torch

from bench.cases import OURS, Case
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, random
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    x, y = (random(case.shape["N"], dtype=DTYPES[case.dtype]) for _ in range(2))
    z = torch.empty_like(x)
    reference = x.float() + y.float()

    def by_triton():
        from bench.triton_kernels.rows import add_kernel

        grid, size = (1,), z.numel()
        return lambda x, y, z: add_kernel[grid](x, y, z, size, BLOCK=1024)

    def by_torch():
        return lambda x, y, z: torch.add(x, y, out=z)

    def bare(make):
        """The check returns the tensor; the timed call is nothing but the call."""
        function = make()
        run = checked(lambda: (function(x, y, z), z)[1], reference, (z,))
        run.call = lambda: function(x, y, z)
        return run

    return Lineup(
        {
            OURS: lambda: bare(lambda: ours.kernel("vector_add")),
            "Triton": lambda: bare(by_triton),
            "torch.add": lambda: bare(by_torch),
        }
    )
