"""What is kept of repeated measurements."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


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
