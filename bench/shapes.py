"""Random shapes, drawn with a seed: the same wherever they are drawn."""

from __future__ import annotations

import math
import random

STEP = 8


def log_uniform(draw: random.Random, least: float, most: float) -> float:
    """Between the ends, as likely in each octave."""
    return math.exp(draw.uniform(math.log(least), math.log(most)))


def size(draw: random.Random, least: int, most: float) -> int:
    """A multiple of STEP."""
    return STEP * round(log_uniform(draw, least, most) / STEP)


def products(
    count: int = 40, seed: int = 15, least: int = 64, most: int = 16384
) -> list[tuple[int, int, int]]:
    """(M, N, K), each log-uniform."""
    draw = random.Random(seed)
    return [tuple(size(draw, least, most) for _ in range(3)) for _ in range(count)]
