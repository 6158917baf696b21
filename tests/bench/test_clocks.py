"""The order of what the clocks do, on a GPU that is made up."""

import pytest

torch = pytest.importorskip("torch")

from bench import clocks  # noqa: E402


@pytest.fixture
def deeds(monkeypatch):
    """What is asked of the GPU, in order; 1.5 ms pass between two events."""
    log = []

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            log.append("event")

        def synchronize(self):
            log.append("wait")

        def elapsed_time(self, stop):
            return 1.5

    monkeypatch.setattr(clocks, "FLUSH_BYTES", 64)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: log.append(("spin", cycles)))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: log.append("wait"))
    monkeypatch.setattr(torch, "sum", lambda x, dim, out: log.append("flush"))
    return log


def test_device_time_is_between_events_after_a_flush_and_a_spin(deeds):
    clock = clocks.DeviceClock("cpu")
    call = lambda: deeds.append("call")  # noqa: E731
    clock.prepare(call)
    deeds.clear()
    assert clock.sample(call) == 1500.0
    assert [deed for deed in deeds if deed[0] != "spin"] == [
        "flush", "event", "call", "event", "wait"]  # fmt: skip
    assert deeds[1][0] == "spin" and deeds[1][1] >= 50e-6 * clocks.SPIN_HZ


def test_the_gpu_is_warmed_up_by_as_many_of_each_call(deeds, monkeypatch):
    monkeypatch.setattr(clocks.DeviceClock, "WARM_SECONDS", 0.01)
    clock = clocks.DeviceClock("cpu")
    clock.warm_up([lambda: deeds.append("a"), lambda: deeds.append("b")])
    turn = ["a"] * clock.WARM_CALLS + ["b"] * clock.WARM_CALLS + ["wait"]
    assert deeds and deeds == turn * (len(deeds) // len(turn))


def test_a_sustained_call_comes_behind_others_of_its_own(deeds, monkeypatch):
    monkeypatch.setattr(clocks.SustainedClock, "HEAT_SECONDS", 0.01)
    clock = clocks.SustainedClock("cpu")
    call = lambda: deeds.append("call")  # noqa: E731
    clock.prepare(call)
    deeds.clear()
    assert clock.sample(call) == 1500.0
    heat, timed = deeds[: deeds.index("flush")], deeds[deeds.index("flush") :]
    turn = ["call"] * clock.HEAT_CALLS + ["wait"]
    assert heat and heat == turn * (len(heat) // len(turn))
    assert timed.count("call") == 1


def test_call_time_is_the_mean_of_a_batch_that_is_not_waited_for(deeds):
    clock = clocks.CallClock()
    assert clock.sample(lambda: deeds.append("call")) > 0
    assert deeds == ["call"] * clock.BATCH + ["wait"]


def test_compile_time_waits_for_the_result(deeds):
    clocks.CompileClock().sample(lambda: deeds.append("call"))
    assert deeds == ["call", "wait"]
