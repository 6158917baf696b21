"""A kernel with its plan, and the program by hand: the same line-up twice, ours and nobody else."""

from __future__ import annotations

from collections.abc import Callable

from bench.cases import OURS, Case
from bench.contenders import hopper
from bench.machine import ROOT
from bench.measure import Lineup

# The kernel that a program of tests/hopper means.
MEANT = {
    "gemm_e4m3": "matmul_scaled",
    "gemm_block_scaled": "matmul_block_scaled",
    "gemm_mixed": "matmul_mixed",
    "gemm": "matmul_nt",
    "gemm_triangular": "triangular",
    "gemm_split_k": "split_k",
    "swiglu": "swiglu_mlp",
    "attention": "attention",
    "backward": "backward",
}


def meant_by(program: str) -> str:
    """The kernel of the longest name in MEANT with which the program's begins."""
    return MEANT[max((name for name in MEANT if program.startswith(name)), key=len)]


def planned(case: Case) -> Callable[..., None]:
    """The kernel that the case's program means, built in or of tests/plans, with its plan."""
    import tilewright

    plans, name = ROOT / "tests" / "plans", meant_by(case.kernel)
    source = plans / "inputs" / f"{name}.py"  # of a kernel that is not built in
    kernel = tilewright.from_file(source) if source.exists() else tilewright.builtin(name)
    kernel = kernel.configured(plan=plans / f"{case.kernel}.plan")
    return lambda *arguments: kernel(*arguments, **case.settings)


def lineup(case: Case, kernel_of: Callable[[Case], Callable[..., None]] = planned) -> Lineup:
    """`kernel_of` makes our contender, with the parameters of the program."""
    ours, by_hand = hopper.lineup(case, kernel_of), hopper.lineup(case)
    return Lineup({OURS: ours.contenders[OURS], "by hand": by_hand.contenders[OURS]})
