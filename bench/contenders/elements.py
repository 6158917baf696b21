"""Elementwise kernels, those that move elements, and the optimiser's step: torch, eager and compiled,
Liger, FLA."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import accumulate, pairwise

import torch
import torch.nn.functional as F

from bench import shapes
from bench.cases import OURS, SLOW, Case
from bench.checks import compare, poison
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, compiled, empty, functional, random
from bench.measure import Lineup, Run


def matrix(case: Case) -> torch.Tensor:
    columns = next(case.shape[name] for name in "DNK" if name in case.shape)
    return random(case.shape["M"], columns, dtype=DTYPES[case.dtype])


def mapped(case: Case, inputs: int, eager: Callable, **settings: object) -> Lineup:
    """A kernel of so many inputs and one output, all of one shape."""
    tensors = [matrix(case) for _ in range(inputs)]
    y = torch.empty_like(tensors[0])
    return functional(
        tensors,
        y,
        lambda: partial(ours.kernel(case.kernel), *tensors, y, **settings),
        eager,
        peers=case.kernel,
    )


def gelu(case: Case) -> Lineup:
    return mapped(case, 1, partial(F.gelu, approximate="tanh"), approximate=True)


def geglu(case: Case) -> Lineup:
    def eager(gate, up):
        return F.gelu(gate, approximate="tanh") * up

    return mapped(case, 2, eager, approximate=True)


def relu2(case: Case) -> Lineup:
    return mapped(case, 1, lambda x: F.relu(x).square())


def dropout(case: Case) -> Lineup:
    """What is dropped is each contender's own: what is kept must be right, and not too much."""
    x, dropped = matrix(case), 26
    y, share = torch.empty_like(x), dropped / 256
    seed = torch.tensor([1234, 0], device=x.device)

    def check_of(call):
        def check():
            poison([y])
            result = call()
            zeros = result == 0
            verdict = compare(result, torch.where(zeros, 0, x.float() / (1 - share)))
            allowed = 6 * (share / x.numel()) ** 0.5 + 1 / 256
            if abs(zeros.float().mean().item() - share) > allowed:
                raise ValueError("another share of the elements is 0 than asked for")
            return verdict

        return Run(call, check)

    def by_ours():
        kernel = ours.kernel("dropout")
        return check_of(lambda: (kernel(x, y, seed, dropped=dropped), y)[1])

    return Lineup(
        {OURS: by_ours, "torch eager": lambda: check_of(partial(F.dropout, x, share))}
    )


def embedding(case: Case) -> Lineup:
    n, v, d = (case.shape[name] for name in "NVD")
    weight = random(v, d, dtype=DTYPES[case.dtype])
    ids = torch.randint(v, (n,), device=weight.device)
    y = empty(n, d, dtype=weight.dtype)
    return functional(
        [ids, weight], y, lambda: partial(ours.kernel("embedding"), ids, weight, y), F.embedding
    )


def transpose(case: Case) -> Lineup:
    b, m, n = (case.shape[name] for name in "BMN")
    x = random(b, m, n, dtype=DTYPES[case.dtype])
    y = empty(b, n, m, dtype=x.dtype)
    return functional(
        [x],
        y,
        lambda: partial(ours.kernel("transpose"), x, y),
        lambda x: x.transpose(1, 2).contiguous(),
    )


def topk(case: Case) -> Lineup:
    x, k = matrix(case), case.shape["K"]
    values, indices = empty(len(x), k, dtype=x.dtype), empty(len(x), k, dtype=torch.int32)

    def by_ours():
        kernel = ours.kernel("topk")
        return checked(
            lambda: (kernel(x, values, indices), torch.gather(x, 1, indices.long()))[1],
            reference,
            (values, indices),
        )

    reference = torch.topk(x, k).values.float()
    return Lineup(
        {
            OURS: by_ours,
            "torch eager": lambda: checked(lambda: torch.topk(x, k).values, reference),
        }
    )


def topk_backward(case: Case) -> Lineup:
    x, k = matrix(case), case.shape["K"]
    indices, dvalues = torch.topk(x, k).indices, random(len(x), k, dtype=x.dtype)
    dx = torch.empty_like(x)

    def eager(indices, dvalues):
        return dvalues.new_zeros(x.shape).scatter_(1, indices, dvalues)

    return functional(
        [indices, dvalues],
        dx,
        lambda: partial(ours.kernel("topk_backward"), indices.int(), dvalues, dx),
        eager,
    )


# Quantised numbers, multiplied by their scales again, are compared with the input: the last bit of
# a magnitude is worth a sixteenth of it.
COARSE = 0.04
MOST = 448.0


def quantised(case: Case, scales_shape, eager, again) -> Lineup:
    """eager(x) gives numbers and scales; again(q, scales) what they stand for."""
    x = matrix(case)
    q, scales = empty(*x.shape, dtype=torch.float8_e4m3fn), empty(*scales_shape)
    reference = x.float()

    def by_ours():
        kernel = ours.kernel(case.kernel)
        call = partial(kernel, x, q, scales)
        check = checked(lambda: (call(), again(q, scales))[1], reference, (scales,), COARSE)
        return Run(call, check.check)

    def by_torch(function):
        call = partial(function, x)
        return Run(call, checked(lambda: again(*call()), reference, tolerance=COARSE).check)

    return Lineup(
        {
            OURS: by_ours,
            "torch eager": lambda: by_torch(eager),
            SLOW: lambda: by_torch(compiled(eager)),
        }
    )


def quantise_rows(case: Case) -> Lineup:
    def eager(x):
        scales = x.float().abs().amax(1) / MOST
        return (x.float() / scales[:, None]).to(torch.float8_e4m3fn), scales

    return quantised(
        case, (case.shape["M"],), eager, lambda q, scales: q.float() * scales[:, None]
    )


def quantise_blocks(case: Case) -> Lineup:
    m, k = case.shape["M"], case.shape["K"]
    blocks = k // 128  # K is a multiple of 128 here.

    def eager(x):
        parts = x.float().view(m, blocks, 128)
        scales = parts.abs().amax(2) / MOST
        return (parts / scales[:, :, None]).view(m, k).to(torch.float8_e4m3fn), scales.T

    def again(q, scales):
        return (q.float().view(m, blocks, 128) * scales.T[:, :, None]).view(m, k)

    return quantised(case, (blocks, m), eager, again)


def quantise_tiles(case: Case) -> Lineup:
    m, k = case.shape["M"], case.shape["K"]  # Multiples of 128.

    def tiles(x):
        return x.view(m // 128, 128, k // 128, 128)

    def eager(x):
        parts = tiles(x.float())
        scales = parts.abs().amax((1, 3)) / MOST
        q = (parts / scales[:, None, :, None]).view(m, k)
        return q.to(torch.float8_e4m3fn), scales

    def again(q, scales):
        return (tiles(q.float()) * scales[:, None, :, None]).view(m, k)

    return quantised(case, (m // 128, k // 128), eager, again)


def quantise_tensor(case: Case) -> Lineup:
    """With the pass over the tensor that finds its largest magnitude."""
    x = matrix(case)
    q, scales, largest = empty(*x.shape, dtype=torch.float8_e4m3fn), empty(1), empty(1)
    reference = x.float()

    def by_ours():
        search, kernel = ours.kernel("reduce_absmax"), ours.kernel("quantise_tensor")

        def call():
            search(x, largest)
            kernel(x, largest, q, scales)

        check = checked(lambda: (call(), q.float() * scales)[1], reference, (scales,), COARSE)
        return Run(call, check.check)

    def eager():
        scale = x.float().abs().amax() / MOST
        return (x.float() / scale).to(torch.float8_e4m3fn), scale

    def by_torch():
        def again():
            q, scale = eager()
            return q.float() * scale

        return Run(eager, checked(again, reference, tolerance=COARSE).check)

    return Lineup({OURS: by_ours, "torch eager": by_torch})


def reduce_absmax(case: Case) -> Lineup:
    x = matrix(case)
    largest = empty(1)

    def by_ours():
        return partial(ours.kernel("reduce_absmax"), x, largest)

    return functional([x], largest, by_ours, lambda x: x.abs().amax().view(1))


RATE, BETAS, SMALL, DECAY = 1e-3, (0.9, 0.999), 1e-8, 0.1


def adamw(case: Case) -> Lineup:
    """A step on X tensors of N elements together, of which each contender has copies of its own."""
    count, parts = case.shape["N"], case.shape.get("X", 1)
    ends = list(accumulate(shapes.uneven(count, parts), initial=0))
    dtype = DTYPES[case.dtype]
    param, grad = random(count, dtype=dtype), random(count, dtype=dtype)

    def fresh():
        pieces = []
        for start, stop in pairwise(ends):
            pieces.append(torch.nn.Parameter(param[start:stop].clone()))
            pieces[-1].grad = grad[start:stop].clone()
        return pieces

    def by_torch(**how):
        def made():
            pieces = fresh()
            return pieces, torch.optim.AdamW(
                pieces, lr=RATE, betas=BETAS, eps=SMALL, weight_decay=DECAY, **how
            )

        _, optimiser = made()

        def check():
            pieces, one = made()
            one.step()
            return compare(torch.cat([piece.detach() for piece in pieces]), reference)

        return Run(optimiser.step, check)

    # The first step goes by the sign of the gradient.
    wide = grad.float()
    reference = param.float() * (1 - RATE * DECAY) - RATE * wide / (wide.abs() + SMALL)

    def by_ours():
        device = param.device
        offsets = torch.tensor(ends, dtype=torch.int32, device=device)
        rates, decays = (torch.full((parts,), value, device=device) for value in (RATE, DECAY))
        kernel = ours.kernel(case.kernel)

        def step(state):
            if case.kernel == "adamw":
                kernel(*state, RATE, 1, *BETAS, SMALL, DECAY)
            else:
                kernel(*state, offsets, rates, decays, 1, *BETAS, SMALL)

        def state():
            return param.clone(), grad, torch.zeros_like(wide), torch.zeros_like(wide)

        kept = state()

        def check():
            own = state()
            step(own)
            return compare(own[0], reference)

        return Run(lambda: step(kept), check)

    return Lineup(
        {
            OURS: by_ours,
            "torch, fused": lambda: by_torch(fused=True),
            "torch, foreach": lambda: by_torch(foreach=True),
        }
    )


KERNELS = {
    "gelu": gelu,
    "geglu": geglu,
    "relu2": relu2,
    "dropout": dropout,
    "embedding": embedding,
    "transpose": transpose,
    "topk": topk,
    "topk_backward": topk_backward,
    "quantise_rows": quantise_rows,
    "quantise_blocks": quantise_blocks,
    "quantise_tiles": quantise_tiles,
    "quantise_tensor": quantise_tensor,
    "reduce_absmax": reduce_absmax,
    "adamw": adamw,
    "adamw_grouped": adamw,
}
