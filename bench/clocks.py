"""How one call is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

import torch

FLUSH_BYTES = 256 << 20  # Four times the L2 of an H200.
SPIN_HZ = 2.0e9  # Above the clock of the counter that the spin kernel waits by.


class DeviceClock:
    """GPU time between two events around a call, with the L2 flushed before.

    The flush reads, so that it leaves no dirty lines for the call to write back. A spin kernel then
    holds the GPU until the host has submitted the whole call: gaps that only the host's speed makes
    are not part of a kernel's time.

    Before, the GPU is warmed up by the calls themselves, as many of each: after a rest it runs for a
    while at clocks that it cannot hold.
    """

    WARM_SECONDS = 1.5
    WARM_CALLS = 8  # Of a kind in a row, so that the host keeps up.

    def __init__(self, device: str = "cuda") -> None:
        self.flush = torch.zeros(FLUSH_BYTES // 4, device=device)
        self.flushed = torch.empty((), device=device)
        self.spins: dict[int, int] = {}

    def prepare(self, call: Callable[[], object]) -> None:
        """Warms up, and learns how long the host takes to submit the call."""
        for _ in range(3):
            call()
        torch.cuda.synchronize()
        durations = []
        for _ in range(3):
            begin = time.perf_counter()
            call()
            durations.append(time.perf_counter() - begin)
            torch.cuda.synchronize()
        self.spins[id(call)] = int((2 * max(durations) + 50e-6) * SPIN_HZ)

    def warm_up(self, calls: Collection[Callable[[], object]]) -> None:
        end = time.monotonic() + self.WARM_SECONDS
        while time.monotonic() < end:
            for call in calls:
                for _ in range(self.WARM_CALLS):
                    call()
            torch.cuda.synchronize()

    def sample(self, call: Callable[[], object]) -> float:
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.sum(self.flush, dim=0, out=self.flushed)
        torch.cuda._sleep(self.spins[id(call)])
        start.record()
        call()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e3


class SustainedClock(DeviceClock):
    """As DeviceClock, at the clocks that the call itself can sustain.

    Kernels that keep the tensor cores busy draw more than the GPU's limit of power, so its clocks
    fall until they draw less: by how much depends on the kernel. Between samples of other calls, of
    flushes and of the host the GPU rests. So each sample comes behind the same call, back to back.
    """

    HEAT_SECONDS = 0.1
    HEAT_CALLS = 4  # Between looks at the time.

    def sample(self, call: Callable[[], object]) -> float:
        end = time.monotonic() + self.HEAT_SECONDS
        while time.monotonic() < end:
            for _ in range(self.HEAT_CALLS):
                call()
            torch.cuda.synchronize()
        return super().sample(call)


class CallClock:
    """Host time of one call among many, the GPU's time left out as long as it keeps up."""

    BATCH = 100  # Well under the launches that a stream queues before it blocks.

    def prepare(self, call: Callable[[], object]) -> None:
        for _ in range(2 * self.BATCH):
            call()
        torch.cuda.synchronize()

    def warm_up(self, calls: Collection[Callable[[], object]]) -> None:
        pass

    def sample(self, call: Callable[[], object]) -> float:
        begin = time.perf_counter()
        for _ in range(self.BATCH):
            call()
        duration = time.perf_counter() - begin
        torch.cuda.synchronize()
        return duration / self.BATCH * 1e6


class CompileClock:
    """Host time of one call and all that it starts."""

    def prepare(self, call: Callable[[], object]) -> None:
        pass

    def warm_up(self, calls: Collection[Callable[[], object]]) -> None:
        pass

    def sample(self, call: Callable[[], object]) -> float:
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) * 1e6


CLOCKS = {
    "device": DeviceClock,
    "sustained": SustainedClock,
    "call": CallClock,
    "compile": CompileClock,
}
