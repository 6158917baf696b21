"""A product in tiles of 96x80x48, numbers of its text, beside ours of each matrix of the batch."""

from __future__ import annotations

from bench.cases import OURS, Case
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, empty, random
from bench.machine import ROOT
from bench.measure import Lineup


def lineup(case: Case) -> Lineup:
    """c = a b^T, [B, M, K] by [B, N, K]."""
    batch, m, n, k = (case.shape[name] for name in "BMNK")
    dtype = DTYPES[case.dtype]
    a, b = (random(batch, rows, k, dtype=dtype) for rows in (m, n))
    out = empty(batch, m, n, dtype=dtype)
    reference = a.float() @ b.float().transpose(1, 2)

    def by_ours():
        import tilewright

        product = tilewright.from_file(ROOT / "tests" / "plans" / "inputs" / "const_tiles.py")
        return lambda: (product(a, b, out), out)[1]

    def one_by_one():
        product = ours.kernel("matmul_nt")
        triples = list(zip(a, b, out, strict=True))

        def call():
            for each in triples:
                product(*each)
            return out

        return call

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (out,)),
            "matmul_nt": lambda: checked(one_by_one(), reference, (out,)),
        }
    )
