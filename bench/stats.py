"""What is kept of repeated measurements."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratios:
    """What is kept of a suite's ratios: the least, whose it is, and the mean."""

    least: float
    of: str
    mean: float  # The geometric one: half and twice as fast cancel out.
    count: int

    @classmethod
    def over(cls, ratios: Mapping[str, float]) -> Ratios:
        """Raises ValueError if there are no ratios."""
        if not ratios:
            raise ValueError("no ratios to summarise")
        title = min(ratios, key=lambda title: ratios[title])
        return cls(ratios[title], title, statistics.geometric_mean(ratios.values()), len(ratios))


@dataclass(frozen=True)
class Summary:
    """Median and extremes of one contender's times, in microseconds."""

    median: float
    min: float
    max: float
    samples: int

    @classmethod
    def of(cls, times: Sequence[float]) -> Summary:
        """Raises ValueError if there are no times."""
        if not times:
            raise ValueError("no times to summarise")
        return cls(statistics.median(times), min(times), max(times), len(times))
