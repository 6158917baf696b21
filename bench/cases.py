"""What is measured. Plain data, so that suites can be listed and tested without a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

OURS = "tilewright"
# Takes tens of seconds to set up: only in cases that ask for it.
SLOW = "torch.compile"


@dataclass(frozen=True)
class Case:
    """One kernel at one shape, with the least work that it has to do."""

    kernel: str
    shape: Mapping[str, int]
    dtype: str
    settings: Mapping[str, object] = field(default_factory=dict)
    flops: float = 0
    bytes: float = 0
    slow_peers: bool = False  # Whether SLOW takes part.

    def title(self) -> str:
        """`matmul_nt M=4096 N=4096 K=4096 bf16`: names the case in tables and on the terminal."""
        sizes = [f"{name}={size}" for name, size in self.shape.items()]
        chosen = [
            name if value is True else f"{name}={value}"
            for name, value in self.settings.items()
            if value is not False
        ]
        return " ".join([self.kernel, *sizes, self.dtype, *chosen])


@dataclass(frozen=True)
class Metric:
    """How times are shown: a rate of work, or a time."""

    unit: str
    higher_is_better: bool

    def value(self, microseconds: float, flops: float, bytes: float) -> float:
        """Converts a time of a case with this much work."""
        if self.unit == "TFLOP/s":
            return flops / microseconds / 1e6
        if self.unit == "GB/s":
            return bytes / microseconds / 1e3
        return microseconds / 1e3 if self.unit == "ms" else microseconds


METRICS = {
    "TFLOP/s": Metric("TFLOP/s", True),
    "GB/s": Metric("GB/s", True),
    "us": Metric("us", False),
    "ms": Metric("ms", False),
}


@dataclass(frozen=True)
class Suite:
    """Cases that are measured alike and shown in one table."""

    name: str
    summary: str
    metric: str  # A key of METRICS.
    # "device": GPU time of one call; "call": host time; "compile": host time, waited for.
    clock: str
    rounds: int  # How often each contender is timed at most.
    cases: tuple[Case, ...]
    contenders: str = ""  # The module of bench/contenders; the one of the suite's name if empty.
