from itertools import pairwise
from types import SimpleNamespace

import pytest

from bench.cases import Case
from bench.measure import Lineup, Run, Total, describe, interleave, measure

CASE = Case("matmul", {"M": 8}, "bf16", flops=1e7, bytes=1e4)


class FakeClock:
    """Each call says how long it takes."""

    def __init__(self):
        self.prepared = []
        self.warmed = []
        self.order = []

    def prepare(self, call):
        self.prepared.append(call())

    def warm_up(self, calls):
        self.warmed = [call() for call in calls]

    def sample(self, call):
        self.order.append(call())
        return call()


def run(microseconds, correct=True):
    verdict = SimpleNamespace(error=0.0 if correct else 1.0, worst=0.0, correct=correct)
    return Run(lambda: microseconds, lambda: verdict)


def failing(problem):
    def make():
        raise problem

    return make


def measured(contenders, sensors=None, rounds=4):
    return measure(CASE, Lineup(contenders, sensors), FakeClock(), "TFLOP/s", rounds, seconds=60)


def test_each_round_times_every_contender_once_and_none_always_follows_the_same():
    clock = FakeClock()
    interleave({"a": lambda: 1, "b": lambda: 2, "c": lambda: 3}, clock, rounds=20, seconds=60)
    assert clock.prepared == clock.warmed == [1, 2, 3]
    rounds = [tuple(clock.order[i : i + 3]) for i in range(0, 60, 3)]
    assert all(sorted(order) == [1, 2, 3] for order in rounds)
    followers = {pair for order in rounds for pair in pairwise(order)}
    assert len(followers) == 6


def test_timing_ends_early_but_not_before_three_rounds():
    times = interleave({"a": lambda: 1}, FakeClock(), rounds=100, seconds=0)
    assert len(times["a"]) == 3


def test_a_total_adds_the_times_of_its_calls_each_times_its_weight():
    clock = FakeClock()
    mix = Total(((lambda: 2.0, 0.5), (lambda: 3.0, 4.0)))
    times = interleave({"mix": mix, "a": lambda: 1.0}, clock, rounds=3, seconds=60)
    assert times == {"mix": [13.0] * 3, "a": [1.0] * 3}
    assert clock.prepared == clock.warmed == [2.0, 3.0, 1.0]


def test_row_has_times_rates_and_the_ratio_to_the_best_peer():
    row = measured(
        {"tilewright": lambda: run(2.0), "slow": lambda: run(9.0), "fast": lambda: run(1.0)}
    )
    assert row["best_peer"] == "fast"
    assert row["ratio"] == 0.5
    assert row["contenders"]["tilewright"]["value"] == pytest.approx(5.0)
    assert row["contenders"]["fast"]["time"] == {
        "median": 1.0,
        "min": 1.0,
        "max": 1.0,
        "samples": 4,
    }


def test_ours_and_fast_peers_are_timed_once_more_without_slow_ones():
    clock = FakeClock()
    times = {"tilewright": 5.0, "slow": 3.4, "fast": 3.0, "as fast": 3.2}
    contenders = {name: lambda time=time: run(time) for name, time in times.items()}
    row = measure(CASE, Lineup(contenders), clock, "TFLOP/s", rounds=4, seconds=60)
    assert sorted(clock.order[:16]) == [3.0] * 4 + [3.2] * 4 + [3.4] * 4 + [5.0] * 4
    assert sorted(clock.order[16:]) == [3.0] * 4 + [3.2] * 4 + [5.0] * 4
    assert row["best_peer"] == "fast"
    assert row["contenders"]["slow"]["time"]["median"] == 3.4


def test_fast_contenders_are_timed_once():
    clock = FakeClock()
    contenders = {"tilewright": lambda: run(2.0), "peer": lambda: run(3.0)}
    row = measure(CASE, Lineup(contenders), clock, "TFLOP/s", rounds=4, seconds=60)
    assert len(clock.order) == 8
    assert row["ratio"] == 1.5


def test_wrong_results_are_not_timed_and_are_no_peer():
    row = measured({"tilewright": lambda: run(2.0), "peer": lambda: run(1.0, correct=False)})
    assert row["contenders"]["peer"] == {"error": 1.0, "worst": 0.0, "correct": False}
    assert "best_peer" not in row and "ratio" not in row


def test_a_contender_that_fails_is_missing_with_its_reason():
    row = measured(
        {"tilewright": failing(RuntimeError("no such kernel\nmore")), "peer": lambda: run(1.0)}
    )
    assert row["contenders"]["tilewright"] == {"missing": "no such kernel"}
    assert row["best_peer"] == "peer" and "ratio" not in row


def test_power_and_clock_are_read_while_it_runs():
    row = measured({"peer": lambda: run(1.0)}, sensors=lambda: (650.0, 1800.0))
    assert row["contenders"]["peer"]["watts"] == 650.0
    assert row["contenders"]["peer"]["clock_mhz"] == 1800.0


def test_an_error_without_text_is_named_by_its_type():
    assert describe(KeyError()) == "KeyError"
