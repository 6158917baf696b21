"""Gradients of row kernels: ours are derived, the others are those of torch's autograd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch
import torch.nn.functional as F

from bench.cases import OURS, SLOW, Case
from bench.checks import WORST_FACTOR, Verdict, compare, poison
from bench.contenders import ours
from bench.contenders.common import DTYPES, compiled, empty, random, wide
from bench.contenders.peers import EPS, PEERS
from bench.measure import Lineup, Run

# Sums over all rows, added in any order.
SUM_TOLERANCE = 1e-4


def worst(found: Sequence[torch.Tensor], references: Sequence[torch.Tensor]) -> Verdict:
    """The verdict of the result that is furthest from its reference."""
    tolerances = [SUM_TOLERANCE if x.dtype == torch.float32 else None for x in found]
    verdicts = [compare(*each) for each in zip(found, references, tolerances, strict=True)]
    return max(verdicts, key=lambda v: max(v.error, v.worst / WORST_FACTOR) / v.tolerance)


def backward(
    inputs: Sequence[torch.Tensor],
    eager: Callable[..., torch.Tensor],
    by_ours: Callable[[torch.Tensor, Sequence[torch.Tensor]], Callable[[], object]],
    peers: str,
) -> Lineup:
    """The gradients by all inputs; by_ours(dy, gradients) gives a call that writes them.

    The gradient of a vector is a sum over rows: ours is f32.
    """
    dy = torch.randn_like(inputs[0])

    def gradients_by(function, inputs, dy):
        # Copies: some write gradients over what they take.
        leaves, dy = [x.detach().clone().requires_grad_() for x in inputs], dy.clone()
        result = function(*leaves)
        return lambda: torch.autograd.grad(result, leaves, dy, retain_graph=True)

    references = gradients_by(eager, wide(*inputs), dy.float())()

    def ours_run():
        found = [
            empty(*x.shape, dtype=torch.float32 if x.ndim == 1 else x.dtype) for x in inputs
        ]
        call = by_ours(dy, found)

        def check():
            poison(found)
            call()
            return worst(found, references)

        return Run(call, check)

    def peer_run(function):
        call = gradients_by(function, inputs, dy)
        return Run(call, lambda: worst(call(), references))

    contenders = {
        OURS: ours_run,
        "torch eager": lambda: peer_run(eager),
        SLOW: lambda: peer_run(compiled(eager)),
    }
    for name, make in PEERS.get(peers, {}).items():
        contenders[name] = lambda make=make: peer_run(make())
    return Lineup(contenders)


def matrix(case: Case) -> torch.Tensor:
    columns = case.shape.get("D") or case.shape["N"]
    return random(case.shape["M"], columns, dtype=DTYPES[case.dtype])


def softmax(case: Case) -> Lineup:
    x = matrix(case)
    return backward(
        [x],
        lambda x: F.softmax(x, -1),
        lambda dy, found: partial(ours.gradient("softmax"), x, dy, *found),
        "softmax",
    )


def rms_norm(case: Case) -> Lineup:
    x, d = matrix(case), case.shape["D"]
    weight = random(d, dtype=x.dtype)
    return backward(
        [x, weight],
        lambda x, weight: F.rms_norm(x, (d,), weight, EPS),
        lambda dy, found: partial(ours.gradient("rms_norm"), x, weight, dy, *found, EPS),
        "rms_norm",
    )


def layer_norm(case: Case) -> Lineup:
    x, d = matrix(case), case.shape["D"]
    weight, bias = (random(d, dtype=x.dtype) for _ in range(2))

    def by_ours(dy, found):
        dx, dweight, dbias = found
        kernel = ours.gradient("layer_norm")
        return lambda: kernel(
            x=x, weight=weight, bias=bias, dy=dy, dx=dx, dweight=dweight, dbias=dbias, eps=EPS
        )

    return backward(
        [x, weight, bias],
        lambda x, weight, bias: F.layer_norm(x, (d,), weight, bias, EPS),
        by_ours,
        "layer_norm",
    )


def gated(case: Case, eager: Callable[..., torch.Tensor], **settings: object) -> Lineup:
    gate, up = matrix(case), matrix(case)

    def by_ours(dy, found):
        return partial(ours.gradient(case.kernel), gate, up, dy, *found, **settings)

    return backward([gate, up], eager, by_ours, case.kernel)


def swiglu(case: Case) -> Lineup:
    return gated(case, lambda gate, up: F.silu(gate) * up)


def geglu(case: Case) -> Lineup:
    return gated(
        case, lambda gate, up: F.gelu(gate, approximate="tanh") * up, approximate=True
    )


KERNELS = {
    "softmax": softmax,
    "rms_norm": rms_norm,
    "layer_norm": layer_norm,
    "swiglu": swiglu,
    "geglu": geglu,
}


def lineup(case: Case) -> Lineup:
    return KERNELS[case.kernel](case)
