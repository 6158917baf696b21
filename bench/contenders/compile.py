"""Compile times: the contenders of the other suites, made to forget what they compiled."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace

from bench.cases import OURS, Case
from bench.contenders import (
    attention,
    attention_scaled,
    backwards,
    gemm,
    grouped,
    hopper,
    mlp,
    rows,
    scaled,
    varlen,
)
from bench.measure import Lineup, Run

# Holds the caches of one run; emptied when the process ends.
FOLDER = tempfile.TemporaryDirectory(prefix="tilewright-bench-")

LINEUPS = {
    "attention": attention.lineup,
    "attention_scaled": attention_scaled.lineup,
    "attention_varlen": varlen.lineup,
    **dict.fromkeys(("matmul", "matmul_nt", "matmul_tn", "matmul_tt"), gemm.lineup),
    "matmul_grouped": grouped.lineup,
    **dict.fromkeys(("gelu_linear", "swiglu_mlp"), mlp.lineup),
    **dict.fromkeys(rows.KERNELS, rows.lineup),
    **dict.fromkeys(scaled.KERNELS, scaled.lineup),
    **dict.fromkeys(backwards.MAKERS, backwards.lineup),
    **dict.fromkeys(("attention_wide", "gemm_persistent"), hopper.lineup),
}


def forget_ours(folder: str) -> None:
    os.environ["TILEWRIGHT_CACHE_DIR"] = folder  # Line-ups make new kernel objects.


def forget_triton(folder: str) -> None:
    import triton

    from bench import triton_kernels

    triton.knobs.cache.dir = folder
    triton_kernels.forget()


def anew(make: Callable[[], Run], forget: Callable[[str], None], cold: bool) -> Run:
    """A contender that compiles at every call, with an empty cache on disk or a filled one."""
    kept = tempfile.mkdtemp(dir=FOLDER.name)

    def fresh() -> Run:
        forget(tempfile.mkdtemp(dir=FOLDER.name) if cold else kept)
        return make()

    return Run(lambda: fresh().call(), lambda: fresh().check())


def by_triton(make: Callable[[], Run], cold: bool) -> Run:
    """Triton with one configuration: compiling several to choose one is not compared."""
    from bench.triton_kernels import attention, matmul, mlp
    from bench.triton_kernels.tuning import pinned

    run = anew(make, forget_triton, cold)

    def within(function):
        def call():
            with pinned(attention.attention_kernel, matmul.matmul_kernel, mlp.swiglu_kernel):
                return function()

        return call

    return Run(within(run.call), within(run.check))


def lineup(case: Case) -> Lineup:
    cold = case.settings["cache"] == "cold"
    others = LINEUPS[case.kernel](replace(case, settings={})).contenders
    contenders = {OURS: lambda: anew(others[OURS], forget_ours, cold)}
    if "Triton" in others:
        contenders["Triton"] = lambda: by_triton(others["Triton"], cold)
    return Lineup(contenders)
