"""Random shapes, drawn with a seed: the same wherever they are drawn."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import pairwise

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


def uneven(total: int, parts: int, seed: int = 15) -> list[int]:
    """Rows of experts: their shares are log-uniform, the greatest up to eight times the least."""
    draw = random.Random(seed)
    shares = [log_uniform(draw, 1, 8) for _ in range(parts)]
    ends = [round(total * sum(shares[:part]) / sum(shares)) for part in range(parts + 1)]
    return [stop - start for start, stop in pairwise(ends)]


def documents(tokens: int, mean: int, seed: int = 16) -> list[int]:
    """Lengths of documents packed into a sequence, which is cut anywhere."""
    count = max(1, round(tokens / mean))
    cuts = sorted(random.Random(seed).sample(range(1, tokens), count - 1))
    return [stop - start for start, stop in pairwise([0, *cuts, tokens])]


# Lengths of 37 sequences of 16384 tokens: log-uniform from 64 to 4096.
SEQUENCES = (
    *(266, 179, 110, 277, 684, 665, 1832, 109, 162, 74, 70, 253, 3088, 68, 106, 83, 569, 404, 81),
    *(71, 759, 296, 66, 112, 520, 450, 1458, 1192, 267, 527, 312, 260, 102, 236, 218, 232, 226),
)


@dataclass(frozen=True)
class Heads:
    """B sequences of S tokens, H heads of size D."""

    b: int
    s: int
    h: int
    d: int
    causal: bool


def attentions(count: int = 40, seed: int = 16) -> list[Heads]:
    """2k to 64k tokens in sequences of 128 or more, 4 to 64 heads, each log-uniform.

    Head sizes and masks take turns.
    """
    draw = random.Random(seed)
    kinds = [(d, causal) for d in (64, 128) for causal in (False, True)]
    found: list[Heads] = []
    while len(found) < count:
        tokens = log_uniform(draw, 2048, 65536)
        s, h = size(draw, 128, tokens), round(log_uniform(draw, 4, 64))
        b = round(tokens / s)
        if 2048 <= b * s <= 65536:
            found.append(Heads(b, s, h, *kinds[len(found) % len(kinds)]))
    return found
