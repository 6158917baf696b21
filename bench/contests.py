"""Plans of one kernel and shape, timed in turns."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench import measure

if TYPE_CHECKING:
    import torch

# Of a case: what it is called with, what is timed, and what stood beside it.
KNOWN = {"kernel", "sizes", "causal", "plans", "peer_us"}
ROUNDS, SECONDS = 20, 1.0  # Of a shape's plans in turns: the most, or three rounds.


@dataclass
class Planned:
    """A plan of a shape: what it should take, if known, and what it does, or why that is not."""

    text: str
    predicted: float | None = None
    us: float | None = None
    dropped: str | None = None

    def json(self) -> dict:
        known = {"us": self.us, "dropped": self.dropped, "predicted_us": self.predicted}
        return {**{k: value for k, value in known.items() if value is not None}, "plan": self.text}


@dataclass
class Problem:
    """What a kernel is called with. `reference` fills the inputs, and gives what comes out."""

    arguments: Sequence
    outputs: tuple[torch.Tensor, ...]  # The first is compared.
    reference: Callable[[], torch.Tensor]
    settings: Mapping[str, object] = field(default_factory=dict)


def product(sizes: Mapping[str, int]) -> Problem:
    """c = a b^T, in bf16."""
    import torch

    from bench.contenders import common

    m, n, k = (sizes[name] for name in "MNK")
    a, b, c = (
        common.empty(*shape, dtype=torch.bfloat16) for shape in ((m, k), (n, k), (m, n))
    )

    def reference():
        a.normal_()
        b.normal_()
        return a.float() @ b.float().T

    return Problem((a, b, c), (c,), reference)


def attention(sizes: Mapping[str, int], causal: bool) -> Problem:
    """Attention in bf16; as many queries as keys."""
    import torch

    from bench.contenders import attention as attentions
    from bench.contenders import common

    b, s, h, g, d = (sizes[name] for name in "BSHGD")
    if (t := sizes.get("T", s)) != s:
        raise ValueError(f"attention: plans for {t} keys of {s} queries cannot be timed again")
    q, k, v, o = (
        common.empty(b, s, *shape, dtype=torch.bfloat16)
        for shape in ((h, d), (g, d), (g, sizes.get("DV", d)), (h, sizes.get("DV", d)))
    )
    lse = common.empty(b, h, s)

    def reference():
        for x in (q, k, v):
            x.normal_()
        return attentions.exact(q, k, v, causal)

    return Problem((q, k, v, o, lse, d**-0.5), (o, lse), reference, {"causal": causal})


class Contest:
    """The plans of one shape on the GPU, compiled while others are timed.

    They are plans of one kernel, which has the code of shapes with the same plan once.
    """

    def __init__(self, kernel, problem: Problem, plans: Sequence[Planned]) -> None:
        self.kernel, self.problem, self.plans = kernel, problem, plans
        self.compiling: list[Future] = []

    def compile(self, pool: ThreadPoolExecutor) -> None:
        def prepare(text: str):
            kernel = self.kernel.configured(plan=text)
            kernel.prepare(*self.problem.arguments, **self.problem.settings)
            return kernel

        self.compiling = [pool.submit(prepare, plan.text) for plan in self.plans]

    def lineup(self) -> measure.Lineup:
        """Each plan by its number."""
        from bench.contenders.common import checked

        problem = self.problem
        reference, outputs = problem.reference(), problem.outputs

        def ready(future: Future):
            kernel = future.result()

            def call():
                kernel(*problem.arguments, **problem.settings)
                return outputs[0]

            return checked(call, reference, outputs)

        return measure.Lineup(
            {
                str(number): lambda future=future: ready(future)
                for number, future in enumerate(self.compiling)
            }
        )

    def hold(self, clock: measure.Clock) -> None:
        """Checks and times the plans; what does not compile or is wrong is dropped."""
        outcomes, calls = measure.check_all(self.lineup())
        for number, plan in enumerate(self.plans):
            outcome = outcomes[str(number)]
            plan.dropped = outcome.missing or (None if outcome.correct else "it is wrong")
        if calls:
            for number, times in measure.interleave(calls, clock, ROUNDS, SECONDS).items():
                self.plans[int(number)].us = statistics.median(times)


def contest_of(case: Mapping) -> Contest:
    """Of a case of a file of results: its kernel, sizes and plans.

    Raises ValueError for a kernel, or an input, that it does not know how to call.
    """
    from bench.contenders import ours

    kernel, sizes = case["kernel"], case["sizes"]
    if unknown := sorted(set(case) - KNOWN):
        raise ValueError(f"{kernel}: plans for {', '.join(unknown)} cannot be timed again")
    made = {
        "matmul_nt": lambda: product(sizes),
        "attention": lambda: attention(sizes, case["causal"]),
    }
    if kernel not in made:
        raise ValueError(f"{kernel}: only plans of {' and '.join(made)} can be timed again")
    plans = [Planned(plan["plan"], plan.get("predicted_us")) for plan in case["plans"]]
    return Contest(ours.kernel(kernel), made[kernel](), plans)
