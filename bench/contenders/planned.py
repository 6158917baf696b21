"""A built-in kernel as the compiler plans it, and the program by hand for the same task."""

from __future__ import annotations

from collections.abc import Callable

from bench.cases import Case
from bench.contenders import plans
from bench.measure import Lineup


def chosen(case: Case) -> Callable[..., None]:
    """The built-in kernel that the case's program means, with the plan of a plain call."""
    import tilewright

    kernel = tilewright.builtin(plans.meant_by(case.kernel))
    return lambda *arguments: kernel(*arguments, **case.settings)


def lineup(case: Case) -> Lineup:
    return plans.lineup(case, chosen)
