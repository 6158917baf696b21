"""Random shapes are the same everywhere, and where they should be."""

import math
import statistics

from bench import shapes


def test_random_products_are_the_same_everywhere():
    drawn = shapes.products()
    assert len(drawn) == len(set(drawn)) == 40
    assert drawn[:3] == [(13512, 72, 3792), (152, 15192, 72), (8400, 2800, 7424)]
    assert drawn[-1] == (1832, 3144, 424)
    assert sum(map(math.prod, drawn)) == 721387540480
    assert shapes.products(count=2) == drawn[:2]
    assert shapes.products(seed=16) != drawn


def test_random_products_are_log_uniform_multiples_of_8():
    sizes = [size for shape in shapes.products(count=1000) for size in shape]
    assert all(64 <= size <= 16384 and size % 8 == 0 for size in sizes)
    assert 0.9 < statistics.median(sizes) / 1024 < 1.1  # The middle of 2^6 and 2^14.
    octaves = [sum(1 << i <= size < 2 << i for size in sizes) for i in range(6, 14)]
    assert all(0.8 < count / (len(sizes) / 8) < 1.2 for count in octaves)


def test_random_attentions_are_the_same_everywhere():
    drawn = shapes.attentions()
    assert len(drawn) == len(set(drawn)) == 40
    assert drawn[0] == shapes.Heads(b=8, s=888, h=13, d=64, causal=False)
    assert drawn[-1] == shapes.Heads(b=7, s=304, h=9, d=128, causal=True)
    assert sum(x.b * x.s * x.s * x.h * x.d for x in drawn) == 1830555557888
    assert shapes.attentions(count=2) == drawn[:2]


def test_random_attentions_have_2k_to_64k_tokens_and_4_to_64_heads():
    for drawn in shapes.attentions(count=1000):
        assert 2048 <= drawn.b * drawn.s <= 65536
        assert drawn.s >= 128 and drawn.s % 8 == 0
        assert 4 <= drawn.h <= 64
    kinds = [(drawn.d, drawn.causal) for drawn in shapes.attentions()]
    assert all(kinds.count((d, causal)) == 10 for d in (64, 128) for causal in (False, True))


def test_sequences_are_16k_tokens_of_all_octaves_from_64_to_4096():
    drawn = shapes.SEQUENCES
    assert (len(drawn), sum(drawn)) == (37, 16384)
    assert all(64 <= length <= 4096 for length in drawn)
    octaves = [sum(64 << i <= length < 128 << i for length in drawn) for i in range(6)]
    assert octaves == [12, 7, 8, 6, 3, 1]
