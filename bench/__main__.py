"""Measures our kernels beside their peers.

    python -m bench --suite gemm attention --out bench/results/h200

Writes <suite>.json and <suite>.md for each suite into the folder, and prints the tables. Needs a
GPU; peers that are not installed are left out, and named.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench import machine, measure, results, table
from bench.cases import OURS, SLOW, Case, Suite
from bench.suites import SUITES

# Timing one case takes at most this long; three rounds are always made.
SECONDS_PER_CASE = 2.5
# Peers that are slow to set up are left out once this share of the time is used.
SLOW_SHARE = 0.75


@dataclass(frozen=True)
class Deadlines:
    """Until when peers that are slow to set up take part, and until when cases begin."""

    slow_peers: float
    all: float

    @classmethod
    def after(cls, minutes: float) -> Deadlines:
        now = time.monotonic()
        return cls(now + 60 * minutes * SLOW_SHARE, now + 60 * minutes)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--suite",
        nargs="+",
        choices=SUITES,
        default=list(SUITES),
        help="what to measure (default: everything)",
    )
    parser.add_argument("--case", default="", help="only the cases whose title contains this")
    parser.add_argument("--out", type=Path, help="where to write (default: bench/results/<gpu>)")
    parser.add_argument("--minutes", type=float, default=8, help="how long it may take in all")
    parser.add_argument(
        "--sustained",
        action="store_true",
        help="GPU time at the clocks that each contender sustains alone (docs/bench.md)",
    )
    parser.add_argument("--list", action="store_true", help="list the cases and stop")
    return parser.parse_args()


def progress(cases: list[Case], name: str) -> Iterator[Case]:
    """The cases: with a bar where somebody watches and tqdm is installed, else with a line each."""
    try:
        from tqdm import tqdm
    except ImportError:
        tqdm = None
    if tqdm and sys.stderr.isatty():
        yield from tqdm(cases, desc=name, unit="case")
        return
    for number, case in enumerate(cases, 1):
        print(f"{name} {number}/{len(cases)}: {case.title()}", file=sys.stderr, flush=True)
        yield case


@dataclass(frozen=True)
class Session:
    """How the cases of one suite are measured."""

    suite: Suite
    clock: measure.Clock
    sensors: Callable[[], tuple[float, float]] | None
    deadlines: Deadlines

    def row(self, case: Case) -> dict:
        """Measures a case. What keeps it from being measured is its result; the others go on."""
        try:
            return self.measured(case)
        except Exception as problem:  # noqa: BLE001 - of the GPU, of torch, of a peer's compiler
            failed = {OURS: measure.Result(missing=measure.describe(problem))}
            return measure.row_of(case, failed, self.suite.metric)

    def measured(self, case: Case) -> dict:
        contenders = importlib.import_module(
            f"bench.contenders.{self.suite.contenders or self.suite.name}"
        )
        lineup = contenders.lineup(case)
        lineup.sensors = self.sensors
        if not case.slow_peers or time.monotonic() > self.deadlines.slow_peers:
            lineup.contenders.pop(SLOW, None)
        suite = self.suite
        return measure.measure(
            case, lineup, self.clock, suite.metric, suite.rounds, SECONDS_PER_CASE
        )


def run_suite(suite: Suite, cases: list[Case], deadlines: Deadlines) -> list[dict]:
    """Measures the cases of one suite; a row each."""
    import torch

    from bench.clocks import CLOCKS

    sensors = machine.sensors() if suite.clock in ("device", "sustained") else None
    session = Session(suite, CLOCKS[suite.clock](), sensors, deadlines)
    rows = []
    for case in progress(cases, suite.name):
        if time.monotonic() > deadlines.all:
            print(f"out of time: {suite.name} ends before {case.title()}", file=sys.stderr)
            break
        rows.append(session.row(case))
        torch.cuda.empty_cache()
    return rows


def selected(options: argparse.Namespace) -> dict[str, list[Case]]:
    """The chosen cases by suite."""
    chosen = {
        name: [case for case in SUITES[name].cases if options.case in case.title()]
        for name in options.suite
    }
    return {name: cases for name, cases in chosen.items() if cases}


def sustained(suite: Suite) -> Suite:
    """The suite with the clock of `--sustained`, and a file of its own; host time is as it was."""
    if suite.clock != "device":
        return suite
    module = suite.contenders or suite.name
    return replace(suite, name=f"{suite.name}_sustained", clock="sustained", contenders=module)


def main() -> int:
    options = arguments()
    chosen = selected(options)
    if options.list:
        for name, cases in chosen.items():
            print(*(f"{name}: {case.title()}" for case in cases), sep="\n")
        return 0
    lacking = machine.missing()
    if lacking:
        print("bench cannot run here; it needs", "; ".join(lacking), file=sys.stderr)
        return 1
    measured_on = machine.describe()
    folder = options.out or machine.ROOT / "bench" / "results" / machine.slug(measured_on["gpu"])
    start, deadlines = time.monotonic(), Deadlines.after(options.minutes)
    for name, cases in chosen.items():
        begin = time.monotonic()
        suite = sustained(SUITES[name]) if options.sustained else SUITES[name]
        rows = run_suite(suite, cases, deadlines)
        if not rows:
            continue
        result = results.make(suite, measured_on, rows, time.monotonic() - begin)
        path = results.write(result, folder)
        path.with_suffix(".md").write_text(table.report(result) + "\n", encoding="utf-8")
        print(table.plain(result), f"{path}: {result['seconds']:.0f} s\n", sep="\n", flush=True)
    print(f"{time.monotonic() - start:.0f} s in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
