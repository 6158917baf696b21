"""Kernels that memory bounds: torch eager, torch.compile, Triton."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F

from bench.cases import OURS, SLOW, Case
from bench.checks import compare
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.measure import Lineup, Run

EPS = 1e-5
SUM_TOLERANCE = 1e-4


def functional(inputs, output, by_ours, eager, by_triton=None, tolerance=None) -> Lineup:
    """A kernel that writes `output` from `inputs`; `eager` says what it computes.

    by_ours() and by_triton() give calls that write `output`; torch allocates its result.
    """
    reference = eager(*(x.float() for x in inputs)).float()

    def writes(make):
        call = make()
        run = checked(lambda: (call(), output)[1], reference, (output,), tolerance)
        return Run(call, run.check)

    def by_compile():
        call = partial(compiled(eager), *inputs)
        return checked(call, reference, tolerance=tolerance)

    contenders = {
        OURS: lambda: writes(by_ours),
        "torch eager": lambda: checked(partial(eager, *inputs), reference, tolerance=tolerance),
        SLOW: by_compile,
    }
    if by_triton is not None:
        contenders["Triton"] = lambda: writes(by_triton)
    return Lineup(contenders)


def triton_rows():
    from bench.triton_kernels import rows

    return rows


def matrix(case: Case) -> torch.Tensor:
    return random(case.shape["M"], case.shape["D"], dtype=DTYPES[case.dtype])


def softmax(case: Case) -> Lineup:
    x = matrix(case)
    y = torch.empty_like(x)
    return functional(
        [x],
        y,
        lambda: partial(ours.kernel("softmax"), x, y),
        lambda x: F.softmax(x, -1),
        lambda: partial(triton_rows().softmax, x, y),
    )


def rms_norm(case: Case) -> Lineup:
    x, d = matrix(case), case.shape["D"]
    weight, y = random(d, dtype=x.dtype), torch.empty_like(x)
    return functional(
        [x, weight],
        y,
        lambda: partial(ours.kernel("rms_norm"), x, weight, y, EPS),
        lambda x, weight: F.rms_norm(x, (d,), weight, EPS),
        lambda: partial(triton_rows().rms_norm, x, weight, y, EPS),
    )


def layer_norm(case: Case) -> Lineup:
    x, d = matrix(case), case.shape["D"]
    weight, bias, y = random(d, dtype=x.dtype), random(d, dtype=x.dtype), torch.empty_like(x)
    return functional(
        [x, weight, bias],
        y,
        lambda: partial(ours.kernel("layer_norm"), x, y, EPS, weight, bias),
        lambda x, weight, bias: F.layer_norm(x, (d,), weight, bias, EPS),
        lambda: partial(triton_rows().layer_norm, x, weight, bias, y, EPS),
    )


def swiglu(case: Case) -> Lineup:
    shape = case.shape["M"], case.shape["N"]
    gate, up = (random(*shape, dtype=DTYPES[case.dtype]) for _ in range(2))
    y = torch.empty_like(gate)
    return functional(
        [gate, up],
        y,
        lambda: partial(ours.kernel("swiglu"), gate, up, y),
        lambda gate, up: F.silu(gate) * up,
        lambda: partial(triton_rows().swiglu, gate, up, y),
    )


def vector_add(case: Case) -> Lineup:
    x, y = (random(case.shape["N"], dtype=DTYPES[case.dtype]) for _ in range(2))
    z = torch.empty_like(x)
    return functional(
        [x, y],
        z,
        lambda: partial(ours.kernel("vector_add"), x, y, z),
        torch.add,
        lambda: partial(triton_rows().vector_add, x, y, z),
    )


def whole(case: Case, start: float, eager) -> Lineup:
    """One number of all elements; our kernels start from what the result holds."""
    # All positive: a sum near 0 would have no digits to compare.
    x = random(case.shape["N"], dtype=DTYPES[case.dtype]).abs()
    result = empty(1)

    def by_ours():
        kernel = ours.kernel(case.kernel)

        def call():
            result.fill_(start)
            kernel(x, result)

        return call

    return functional([x], result, by_ours, eager, tolerance=SUM_TOLERANCE)


def reduce_sum(case: Case) -> Lineup:
    return whole(case, 0, lambda x: x.sum(dim=0, keepdim=True, dtype=torch.float32))


def reduce_max(case: Case) -> Lineup:
    return whole(case, -torch.inf, lambda x: x.amax(dim=0, keepdim=True))


def reduce_rows(case: Case, eager) -> Lineup:
    x = matrix(case)
    y = empty(len(x), dtype=x.dtype)
    return functional([x], y, lambda: partial(ours.kernel(case.kernel), x, y), eager)


def reduce_sum_rows(case: Case) -> Lineup:
    return reduce_rows(case, lambda x: x.sum(-1))


def reduce_max_rows(case: Case) -> Lineup:
    return reduce_rows(case, lambda x: x.amax(-1))


def turned(x, cos, sin):
    """Pairs (j, j + D / 2) of x turned; cos and sin are [S, 1, D / 2]."""
    first, second = x.float().chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1).to(x.dtype)


def flattened(q, k):
    return torch.cat([q.flatten(), k.flatten()]).float()


def rope(case: Case) -> Lineup:
    b, s, h, g, d = (case.shape[name] for name in "BSHGD")
    q, k = (random(b, s, heads, d, dtype=DTYPES[case.dtype]) for heads in (h, g))
    frequencies = 10000.0 ** (-torch.arange(d // 2, device=q.device) * 2 / d)
    angles = torch.outer(torch.arange(s, device=q.device), frequencies)
    tables = angles.cos(), angles.sin()
    wide = [table[:, None, :] for table in tables]
    reference = flattened(turned(q.float(), *wide), turned(k.float(), *wide))

    def by_ours():
        # In place: turning the same tensors again and again keeps the size of their numbers.
        pair = q.clone(), k.clone()
        extra = tables if case.kernel == "rope" else ()
        call = partial(ours.kernel(case.kernel), *pair, *extra)

        def check():
            for tensor, original in zip(pair, (q, k), strict=True):
                tensor.copy_(original)
            call()
            return compare(flattened(*pair).to(q.dtype), reference)

        return Run(call, check)

    def by_torch(function):
        check = lambda: compare(flattened(*function(q, k)).to(q.dtype), reference)  # noqa: E731
        return Run(partial(function, q, k), check)

    def eager(q, k):
        return turned(q, *wide), turned(k, *wide)

    return Lineup(
        {
            OURS: by_ours,
            "torch eager": lambda: by_torch(eager),
            SLOW: lambda: by_torch(compiled(eager)),
        }
    )


KERNELS = {
    "softmax": softmax,
    "rms_norm": rms_norm,
    "layer_norm": layer_norm,
    "swiglu": swiglu,
    "vector_add": vector_add,
    "reduce_sum": reduce_sum,
    "reduce_max": reduce_max,
    "reduce_sum_rows": reduce_sum_rows,
    "reduce_max_rows": reduce_max_rows,
    "rope": rope,
    "rope_computed": rope,
}


def lineup(case: Case) -> Lineup:
    return KERNELS[case.kernel](case)
