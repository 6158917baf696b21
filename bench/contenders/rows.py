"""Kernels that memory bounds, row by row and as a whole: torch eager, torch.compile, Triton, Liger,
quack, FLA."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F

from bench.cases import OURS, SLOW, Case
from bench.checks import compare
from bench.contenders import elements, gradients, losses, ours
from bench.contenders.common import DTYPES, compiled, empty, functional, random
from bench.contenders.peers import EPS, PEERS
from bench.measure import Lineup, Run

SUM_TOLERANCE = 1e-4


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
        peers="softmax",
    )


def log_softmax(case: Case) -> Lineup:
    x = matrix(case)
    y = torch.empty_like(x)
    return functional(
        [x], y, lambda: partial(ours.kernel("log_softmax"), x, y), lambda x: F.log_softmax(x, -1)
    )


def add_rms_norm(case: Case) -> Lineup:
    x, residual, d = matrix(case), matrix(case), case.shape["D"]
    weight, y, added = random(d, dtype=x.dtype), torch.empty_like(x), torch.empty_like(x)

    def eager(x, weight, residual):
        total = x + residual
        return F.rms_norm(total, (d,), weight, EPS), total

    return functional(
        [x, weight, residual],
        (y, added),
        lambda: partial(ours.kernel("rms_norm"), x, weight, y, EPS, residual, added),
        eager,
        peers="add_rms_norm",
    )


def rms_norm(case: Case) -> Lineup:
    if case.settings.get("residual"):
        return add_rms_norm(case)
    x, d = matrix(case), case.shape["D"]
    weight, y = random(d, dtype=x.dtype), torch.empty_like(x)
    return functional(
        [x, weight],
        y,
        lambda: partial(ours.kernel("rms_norm"), x, weight, y, EPS),
        lambda x, weight: F.rms_norm(x, (d,), weight, EPS),
        lambda: partial(triton_rows().rms_norm, x, weight, y, EPS),
        peers="rms_norm",
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
        peers="layer_norm",
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
        peers="swiglu",
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


def whole(case: Case, eager, start: float | None = None) -> Lineup:
    """One number of all elements; with `start`, our kernel starts from what the result holds."""
    # All positive: a sum near 0 would have no digits to compare.
    x = random(case.shape["N"], dtype=DTYPES[case.dtype]).abs()
    result = empty(1)

    def by_ours():
        kernel = ours.kernel(case.kernel)

        def call():
            result.fill_(start)
            kernel(x, result)

        return partial(kernel, x, result) if start is None else call

    return functional([x], result, by_ours, eager, tolerance=SUM_TOLERANCE)


def reduce_sum(case: Case) -> Lineup:
    return whole(case, lambda x: x.sum(dim=0, keepdim=True, dtype=torch.float32))


def reduce_max(case: Case) -> Lineup:
    return whole(case, lambda x: x.amax(dim=0, keepdim=True), start=-torch.inf)


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

    def by_peer(function):
        # Some turn in place.
        pair = q.clone(), k.clone()
        call = partial(function, *pair, *tables)

        def check():
            for tensor, original in zip(pair, (q, k), strict=True):
                tensor.copy_(original)
            return compare(flattened(*call()).to(q.dtype), reference)

        return Run(call, check)

    def eager(q, k):
        return turned(q, *wide), turned(k, *wide)

    contenders = {
        OURS: by_ours,
        "torch eager": lambda: by_torch(eager),
        SLOW: lambda: by_torch(compiled(eager)),
    }
    for name, make in PEERS["rope"].items():
        contenders[name] = lambda make=make: by_peer(make())
    return Lineup(contenders)


KERNELS = {
    **elements.KERNELS,
    **losses.KERNELS,
    "softmax": softmax,
    "log_softmax": log_softmax,
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
    if case.settings.get("backward"):
        return gradients.lineup(case)
    return KERNELS[case.kernel](case)
