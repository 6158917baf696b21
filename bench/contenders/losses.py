"""Cross entropies with their gradients: torch, eager and compiled, Liger, quack, FLA."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F

from bench.cases import OURS, SLOW, Case
from bench.checks import Verdict, compare, poison
from bench.contenders import ours
from bench.contenders.common import DTYPES, compiled, empty, functional, random
from bench.contenders.gradients import worst
from bench.contenders.peers import PEERS
from bench.measure import Lineup, Run

Tensors = tuple[torch.Tensor, ...]
Loss = Callable[..., torch.Tensor]


def logits_and_labels(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    m, v = case.shape["M"], case.shape["V"]
    logits = random(m, v, dtype=DTYPES[case.dtype])
    return logits, torch.randint(v, (m,), device=logits.device)


def rows_alone(case: Case) -> Lineup:
    """The loss of each row."""
    logits, labels = logits_and_labels(case)
    loss, lse = empty(len(logits)), empty(len(logits))
    return functional(
        [logits, labels],
        loss,
        lambda: partial(ours.kernel(case.kernel), logits, labels, loss, lse),
        lambda logits, labels: F.cross_entropy(logits.float(), labels, reduction="none"),
        tolerance=1e-4,
    )


def by_autograd(function: Loss, leaves: Tensors, labels: torch.Tensor, references: Tensors) -> Run:
    """The mean loss and its gradients by copies of the leaves: some write gradients over what they take."""
    inputs = [x.detach().clone().requires_grad_() for x in leaves]
    call = lambda: torch.autograd.grad(function(*inputs, labels), inputs)  # noqa: E731
    return Run(call, lambda: worst(call(), references))


def peers_of(
    name: str, eager: Loss, leaves: Tensors, labels: torch.Tensor, references: Tensors
) -> dict[str, Callable[[], Run]]:
    functions = {"torch eager": lambda: eager, SLOW: lambda: compiled(eager), **PEERS[name]}
    return {
        name: lambda make=make: by_autograd(make(), leaves, labels, references)
        for name, make in functions.items()
    }


def cross_entropy_gradient(case: Case) -> Lineup:
    logits, labels = logits_and_labels(case)
    rows = len(logits)

    def reference():
        gradient = torch.softmax(logits.float(), 1)
        gradient[torch.arange(rows, device=labels.device), labels] -= 1
        return gradient.div_(rows)

    def by_ours():
        kernel = ours.kernel(case.kernel)
        dloss = torch.full((1,), 1 / rows, device=logits.device).expand(rows)
        loss, lse, dlogits = empty(rows), empty(rows), torch.empty_like(logits)
        call = partial(kernel, logits, labels, dloss, loss, lse, dlogits)

        def check() -> Verdict:
            poison([dlogits])
            call()
            return worst((dlogits,), references)

        return Run(call, check)

    references = (reference(),)
    peers = peers_of("cross_entropy", F.cross_entropy, (logits,), labels, references)
    return Lineup({OURS: by_ours, **peers})


def cross_entropy_backward(case: Case) -> Lineup:
    logits, labels = logits_and_labels(case)
    lse, dloss = torch.logsumexp(logits.float(), 1), random(len(logits), dtype=torch.float32)
    dlogits = torch.empty_like(logits)

    def eager(logits, labels, lse, dloss):
        chosen = F.one_hot(labels, logits.shape[1])
        return ((logits.float() - lse[:, None]).exp() - chosen) * dloss[:, None]

    reference = eager(logits, labels, lse, dloss)

    def by_ours():
        call = partial(ours.kernel(case.kernel), logits, labels, lse, dloss, dlogits)

        def check():
            poison([dlogits])
            call()
            return compare(dlogits, reference)

        return Run(call, check)

    return Lineup({OURS: by_ours})


def linear_gradients(
    hidden: torch.Tensor, weight: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of the mean loss in f32, of so many rows at a time."""
    wide = weight.float()
    dhidden, dweight = torch.empty_like(hidden, dtype=torch.float32), torch.zeros_like(wide)
    for rows in torch.arange(len(hidden), device=wide.device).split(1024):
        part = hidden[rows].float()
        dz = torch.softmax(part @ wide.T, 1)
        dz[torch.arange(len(rows), device=wide.device), labels[rows]] -= 1
        dz /= len(hidden)
        dhidden[rows] = dz @ wide
        dweight += dz.T @ part
    return dhidden, dweight


def linear_cross_entropy(case: Case) -> Lineup:
    """The whole step from hidden states and a vocabulary's weight, ours too through autograd."""
    m, v, k = (case.shape[name] for name in "MVK")
    dtype = DTYPES[case.dtype]
    hidden, weight = random(m, k, dtype=dtype), random(v, k, dtype=dtype, scale=k**-0.5)
    labels = torch.randint(v, (m,), device=hidden.device)

    def eager(hidden, weight, labels):
        return F.cross_entropy((hidden @ weight.T).float(), labels)

    def by_ours():
        from tilewright.ops import linear_cross_entropy as function

        return by_autograd(function, leaves, labels, references)

    leaves, references = (hidden, weight), linear_gradients(hidden, weight, labels)
    peers = peers_of("linear_cross_entropy", eager, leaves, labels, references)
    return Lineup({OURS: by_ours, **peers})


KERNELS = {
    "cross_entropy": rows_alone,
    "cross_entropy_rows": rows_alone,
    "cross_entropy_gradient": cross_entropy_gradient,
    "cross_entropy_rows_gradient": cross_entropy_gradient,
    "cross_entropy_backward": cross_entropy_backward,
    "linear_cross_entropy": linear_cross_entropy,
}
