"""Measures one case: every contender is checked, then all are timed in turns."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from bench.cases import METRICS, OURS, Case
from bench.stats import Summary

Call = Callable[[], object]


@dataclass(frozen=True)
class Total:
    """Calls whose times are added up, each times its weight: what a mix of work would take."""

    parts: tuple[tuple[Call, float], ...]


def parts_of(call: Call | Total) -> tuple[tuple[Call, float], ...]:
    return call.parts if isinstance(call, Total) else ((call, 1.0),)


class Clock(Protocol):
    """Times calls; `prepare` is called once for a call, then `warm_up` with all, before samples."""

    def prepare(self, call: Call) -> None: ...

    def warm_up(self, calls: Collection[Call]) -> None: ...

    def sample(self, call: Call) -> float:
        """Microseconds of one call."""
        ...


@dataclass
class Result:
    """What is known of one contender after a case: times, or why there are none."""

    error: float | None = None
    worst: float | None = None
    correct: bool | None = None
    missing: str | None = None
    time: Summary | None = None
    watts: float | None = None
    clock_mhz: float | None = None

    def json(self) -> dict:
        """The fields that are known."""
        fields = {name: value for name, value in vars(self).items() if value is not None}
        if self.time is not None:
            fields["time"] = vars(self.time)
        return fields


@dataclass
class Run:
    """A contender made ready: `call` runs it once, `check` runs it and gives a Verdict."""

    call: Call | Total
    check: Callable[[], object]


@dataclass
class Lineup:
    """Who takes part in a case. One that cannot be made ready is missing, with the reason."""

    contenders: Mapping[str, Callable[[], Run]]
    # Reads what the GPU draws and at which clock it runs while it works: (watts, MHz).
    sensors: Callable[[], tuple[float, float]] | None = None


def describe(problem: BaseException) -> str:
    """The first line of an error, with its type where it has no text."""
    lines = str(problem).strip().splitlines()
    return (lines[0] if lines else type(problem).__name__)[:200]


def check_all(lineup: Lineup) -> tuple[dict[str, Result], dict[str, Call | Total]]:
    """Makes every contender ready and checks it; only those that are right may be timed."""
    results: dict[str, Result] = {}
    calls: dict[str, Call | Total] = {}
    for name, make in lineup.contenders.items():
        try:
            run = make()
            verdict = run.check()
        except Exception as problem:  # noqa: BLE001 - whatever a peer raises, the others go on
            results[name] = Result(missing=describe(problem))
            continue
        results[name] = Result(verdict.error, verdict.worst, verdict.correct)
        if verdict.correct:
            calls[name] = run.call
    return results, calls


def interleave(
    calls: Mapping[str, Call | Total],
    clock: Clock,
    rounds: int,
    seconds: float,
    after_each: Callable[[str], None] = lambda name: None,
) -> dict[str, list[float]]:
    """Times the calls in turns, so that what drifts (clocks, heat) touches all alike.

    Each round has them in another order: a GPU at the limit of its power runs slower behind a call
    that drew much, so nobody may always follow the same one. Ends after `rounds`, or after
    `seconds` and three rounds.
    """
    every = [part for call in calls.values() for part, _ in parts_of(call)]
    for part in every:
        clock.prepare(part)
    clock.warm_up(every)
    times: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    order = random.Random(0)
    begin = time.monotonic()
    for turn in range(rounds):
        if turn >= 3 and time.monotonic() - begin > seconds:
            break
        order.shuffle(names)
        for name in names:
            times[name].append(sum(clock.sample(part) * w for part, w in parts_of(calls[name])))
            after_each(name)
    return times


def measure(
    case: Case, lineup: Lineup, clock: Clock, metric: str, rounds: int, seconds: float
) -> dict:
    """One row of a suite's result: the case, and what is known of each contender.

    Ours and the fast peers are timed once more, without the others: those that are slow and draw
    little power would rest the GPU in between.
    """
    results, calls = check_all(lineup)

    def time_in_turns(names: Collection[str]) -> None:
        readings: dict[str, list[tuple[float, float]]] = {name: [] for name in names}

        def read(name: str) -> None:
            if lineup.sensors:
                readings[name].append(lineup.sensors())

        chosen = {name: calls[name] for name in names}
        for name, times in interleave(chosen, clock, rounds, seconds, read).items():
            results[name].time = Summary.of(times)
            if readings[name]:
                watts, clocks = zip(*readings[name], strict=True)
                results[name].watts = Summary.of(watts).median
                results[name].clock_mhz = Summary.of(clocks).median

    time_in_turns(list(calls))
    fast = fast_contenders(results)
    if OURS in fast and 1 < len(fast) < len(calls):
        time_in_turns(fast)
    else:
        fast = list(calls)
    return row_of(case, results, metric, fast)


def row_of(
    case: Case, results: Mapping[str, Result], metric: str, fast: Collection[str] = ()
) -> dict:
    """A result as JSON, with values in the suite's metric and our speed over the best peer's.

    The best peer is one of `fast`, which were timed together.
    """
    contenders = {name: result.json() for name, result in results.items()}
    for name, result in results.items():
        if result.time is not None:
            value = METRICS[metric].value(result.time.median, case.flops, case.bytes)
            contenders[name]["value"] = value
    row = {
        "title": case.title(),
        "kernel": case.kernel,
        "shape": dict(case.shape),
        "dtype": case.dtype,
        "settings": dict(case.settings),
        "flops": case.flops,
        "bytes": case.bytes,
        "metric": metric,
        "contenders": contenders,
    }
    peer = best_peer({name: results[name] for name in fast})
    ours = results.get(OURS)
    if peer is not None:
        row["best_peer"] = peer
        if ours is not None and ours.time is not None:
            row["ratio"] = results[peer].time.median / ours.time.median
    return row


FAST = 1.1  # Times the best peer's time, or less.


def fast_contenders(results: Mapping[str, Result]) -> list[str]:
    """Ours, and the peers that are nearly as fast as the best."""
    best = best_peer(results)
    limit = FAST * results[best].time.median if best else 0
    return [
        name
        for name, result in results.items()
        if result.time is not None and (name == OURS or result.time.median <= limit)
    ]


def best_peer(results: Mapping[str, Result]) -> str | None:
    """The fastest of the others that is right."""
    timed = [
        (result.time.median, name)
        for name, result in results.items()
        if name != OURS and result.time is not None
    ]
    return min(timed)[1] if timed else None
