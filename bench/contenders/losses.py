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

# So many words' gradients are in memory at once: 6 % of 128256.
WORDS = 8192


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


def trained(
    leaves: tuple[torch.Tensor, ...],
    labels: torch.Tensor,
    eager: Callable[..., torch.Tensor],
    by_ours: Callable[[], tuple[Callable[[], object], tuple[torch.Tensor, ...]]],
    peers: str,
    references: tuple[torch.Tensor, ...],
) -> Lineup:
    """The mean loss and its gradients by the leaves; by_ours() gives a call and what it writes."""

    def peer_run(function):
        inputs = [x.detach().requires_grad_() for x in leaves]
        call = lambda: torch.autograd.grad(function(*inputs, labels), inputs)  # noqa: E731
        return Run(call, lambda: worst(call(), references))

    def ours_run():
        call, found = by_ours()

        def check() -> Verdict:
            poison(found)
            call()
            return worst(found, references)

        return Run(call, check)

    contenders = {
        OURS: ours_run,
        "torch eager": lambda: peer_run(eager),
        SLOW: lambda: peer_run(compiled(eager)),
    }
    for name, make in PEERS[peers].items():
        contenders[name] = lambda make=make: peer_run(make())
    return Lineup(contenders)


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
        return partial(kernel, logits, labels, dloss, loss, lse, dlogits), (dlogits,)

    return trained((logits,), labels, F.cross_entropy, by_ours, "cross_entropy", (reference(),))


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


class Linear:
    """Hidden states and a vocabulary's weight: the loss and its gradients, in parts of the words."""

    def __init__(self, case: Case):
        m, v, k = (case.shape[name] for name in "MVK")
        dtype = DTYPES[case.dtype]
        self.hidden = random(m, k, dtype=dtype)
        self.weight = random(v, k, dtype=dtype, scale=k**-0.5)
        self.labels = torch.randint(v, (m,), device=self.hidden.device)
        self.parts = empty(-(-v // 128), m)
        self.loss, self.lse = empty(m), empty(m)
        self.dhidden, self.dweight = empty(m, k), torch.empty_like(self.weight)
        self.dlogits = empty(m * min(v, WORDS), dtype=dtype)
        self.dloss = torch.full((1,), 1 / m, device=self.hidden.device).expand(m)

    def forward(self) -> Callable[[], torch.Tensor]:
        first, second = (
            ours.kernel(name) for name in ("linear_cross_entropy", "linear_cross_entropy_loss")
        )

        def call():
            first(self.hidden, self.weight, self.parts)
            second(self.hidden, self.weight, self.labels, self.parts, self.loss, self.lse)
            return self.loss

        return call

    def backward(self) -> Callable[[], object]:
        gradient = ours.kernel("linear_cross_entropy_gradient")
        by_rows = ours.kernel("linear_cross_entropy_hidden")
        by_words = ours.kernel("matmul_tn")
        m, v = len(self.hidden), len(self.weight)

        def call():
            for start in range(0, v, WORDS):
                weight = self.weight[start : start + WORDS]
                dlogits = self.dlogits[: m * len(weight)].view(m, -1)
                gradient(
                    self.hidden, weight, self.labels, self.lse, self.dloss, dlogits, v, start
                )
                by_words(dlogits, self.hidden, self.dweight[start : start + WORDS])
                by_rows(dlogits, weight, self.dhidden, more=start > 0)

        return call

    def reference(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Gradients in f32, of so many rows at a time."""
        weight = self.weight.float()
        dhidden, dweight = torch.empty_like(self.dhidden), torch.zeros_like(weight)
        for rows in torch.arange(len(self.hidden), device=weight.device).split(1024):
            hidden = self.hidden[rows].float()
            dz = torch.softmax(hidden @ weight.T, 1)
            dz[torch.arange(len(rows), device=weight.device), self.labels[rows]] -= 1
            dz /= len(self.hidden)
            dhidden[rows] = dz @ weight
            dweight += dz.T @ hidden
        return dhidden, dweight


def linear_cross_entropy(case: Case) -> Lineup:
    """The whole step; `dhidden` is f32 here, and its gradient's rounding is that of dlogits."""
    every = Linear(case)

    def eager(hidden, weight, labels):
        return F.cross_entropy((hidden @ weight.T).float(), labels)

    def by_ours():
        forward, backward = every.forward(), every.backward()
        rounded = torch.empty_like(every.hidden)

        def call():
            forward()
            backward()
            rounded.copy_(every.dhidden)

        return call, (rounded, every.dweight)

    leaves = (every.hidden, every.weight)
    return trained(
        leaves, every.labels, eager, by_ours, "linear_cross_entropy", every.reference()
    )


KERNELS = {
    "cross_entropy": rows_alone,
    "cross_entropy_rows": rows_alone,
    "cross_entropy_gradient": cross_entropy_gradient,
    "cross_entropy_rows_gradient": cross_entropy_gradient,
    "cross_entropy_backward": cross_entropy_backward,
    "linear_cross_entropy": linear_cross_entropy,
}
