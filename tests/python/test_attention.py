"""attention.py with its options, on the CPU reference beside sums in f64."""

import itertools
import math
import re

import numpy as np
import pytest

import tilewright as tw
from tilewright.kernel import borrowing

B, H, G, D = 2, 2, 1, 16
SEED = (0x123456789ABCDEF, -3)


# ===- Philox --------------------------------------------------------------------------------===


def philox(counter, key):
    """Philox4x32-7 of u64 arrays."""
    low = np.uint64(0xFFFFFFFF)
    c = [np.asarray(x, np.uint64) for x in counter]
    first, second = key
    for _ in range(7):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [b >> np.uint64(32) ^ c[1] ^ np.uint64(first), b & low,
             a >> np.uint64(32) ^ c[3] ^ np.uint64(second), a & low]
        first, second = first + 0x9E3779B9 & 0xFFFFFFFF, second + 0xBB67AE85 & 0xFFFFFFFF
    return c


def random_bytes(seed, offset, stream, row, column):
    call, byte = column // 64 * 4 + column // 2 % 4, column % 2 + column // 8 % 8 * 2
    counter = np.broadcast_arrays(*(np.int64(x) & 0xFFFFFFFF for x in (call, row, stream, offset)))
    words = np.stack(philox(counter, (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF)))
    byte = np.broadcast_to(byte, words[0].shape)
    word = np.take_along_axis(words, byte[None] // 4, 0)[0].astype(np.int64)
    return word >> byte % 4 * 8 & 255


@pytest.mark.parametrize("counter, key, words", [
    ([0] * 4, [0] * 2, "5f6fb709 0d893f64 4f121f81 4f730a48"),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, "5207ddc2 45165e59 4d8ee751 8c52f662"),
    ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0],
     "4dfccaba 190a87f0 c47362ba b6b5242a"),
])  # fmt: skip
def test_philox_gives_the_known_numbers(counter, key, words):
    assert " ".join(f"{int(x):08x}" for x in philox(counter, key)) == words


M, N = tw.dims("M N")


@tw.kernel
def dice(seed: tw.Tensor[tw.i64, 2], y: tw.Tensor[tw.i32, M, N], stream: tw.i32, first: tw.i32):
    m = tw.grid(tw.cdiv(M, 16))
    rows, cols = tw.block(m, 16), tw.span(first, 160)
    y[rows, tw.iota(160)] = tw.random_bytes(
        seed[0], seed[1].to(tw.i32), stream, rows[:, None], cols[None, :]
    )


@pytest.mark.parametrize("first", [0, 3, 64])
def test_random_bytes_are_those_of_philox(first):
    y = np.zeros((40, 160), np.int32)
    dice(np.array(SEED), y, 11, first)
    expected = random_bytes(*SEED, 11, np.arange(40)[:, None], first + np.arange(160)[None])
    assert (y == expected).all()
    assert y.min() == 0 and y.max() == 255 and abs(y.mean() - 127.5) < 2


# ===- Attention -----------------------------------------------------------------------------===


def halved(z, b, h, s, t):
    return z * 0.5 - tw.where((s + t) % 3 == b, 1.0, 0.25) * h


def odd(b, h, s, t):
    return (s + t + h) % 4 != 1


def numpy_halved(z, b, h, s, t):
    return z * 0.5 - np.where((s + t) % 3 == b, 1.0, 0.25) * h


OPTIONS = ("causal", "window", "prefix", "softcap", "slopes", "bias", "sinks", "dropped", "score",
           "mask", "first")  # fmt: skip
FUNCTIONS = {"score": (halved, "f32"), "mask": (odd, "bool")}


def chosen(names, s, t, dtype, rng):
    """Arguments of the kernel for some options."""
    values = {
        "causal": True,
        "window": 20,
        "prefix": np.array([t // 3, t + 5][:B], np.int32),
        "softcap": 1.5,
        "slopes": np.array([0.25, 0.03125], np.float32),
        "bias": rng.standard_normal((B, H, s, t)).astype(dtype),
        "sinks": np.array([0.5, -1.0], np.float32),
        "dropped": 77,
        "first": np.sort(rng.integers(0, max(t, 1), (B, s)).astype(np.int32), 1),
    }
    result = {name: values[name] for name in names if name in values}
    return result | ({"seed": np.array(SEED)} if "dropped" in names else {})


def reference(q, k, v, scale, names, options):
    """o and lse in f64."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    length, keys = q.shape[1], k.shape[1]
    s, t = np.arange(length)[:, None], np.arange(keys)[None]
    o, lse = np.zeros((*q.shape[:3], v.shape[3])), np.full((B, H, length), -np.inf)
    for b, h in itertools.product(range(B), range(H)):
        z = scale * q[b, :, h] @ k[b, :, h // (H // G)].T
        if "softcap" in names:
            z = options["softcap"] * np.tanh(z / options["softcap"])
        if "slopes" in names:
            z = z - options["slopes"][h] * abs(s + keys - length - t)
        if "bias" in names:
            z = z + options["bias"][b, h]
        if "score" in names:
            z = numpy_halved(z, b, h, s, t)
        seen = np.ones(z.shape, bool)
        if "causal" in names:
            seen &= t <= s + keys - length
        if "window" in names:
            seen &= t > s + keys - length - options["window"]
        if "prefix" in names:
            seen |= t < options["prefix"][b]
        if "first" in names:
            seen &= t >= options["first"][b][:, None]
        if "mask" in names:
            seen &= odd(b, h, s, t)
        p = np.where(seen, np.exp(z), 0)
        total = p.sum(1) + ("sinks" in names) * np.exp(options.get("sinks", [0] * H)[h])
        if "dropped" in names:
            kept = random_bytes(*SEED, b * H + h, s, t) >= options["dropped"]
            p = p * kept * 256 / (256 - options["dropped"])
        with np.errstate(divide="ignore"):
            lse[b, h] = np.log(total)
        o[b, :, h] = p @ v[b, :, h // (H // G)] / np.where(total > 0, total, 1)[:, None]
    return o, lse


def check(names, s, t, dtype=np.float32, tolerance=2e-5, values=D, **settings):
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((B, n, heads, d)).astype(dtype)
               for n, heads, d in ((s, H, D), (t, G, D), (t, G, values)))  # fmt: skip
    o, lse = np.zeros((B, s, H, values), dtype), np.zeros((B, H, s), np.float32)
    options = chosen(names, s, t, dtype, rng)
    functions = {name: FUNCTIONS[name] for name in names if name in FUNCTIONS}
    kernel = borrowing("attention", functions) if functions else tw.builtin("attention")
    scale = D**-0.5
    kernel(q, k, v, o, lse, scale, **options, **settings)
    expected, sums = reference(q, k, v, scale, names, options)
    np.testing.assert_allclose(o, expected, atol=tolerance, rtol=tolerance)
    np.testing.assert_allclose(lse, sums, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("s, t", [(1, 1), (63, 65), (64, 64), (65, 63), (127, 1), (1, 127),
                                  (127, 1000), (65, 130)])  # fmt: skip
@pytest.mark.parametrize("name", OPTIONS)
def test_option(name, s, t):
    check({name}, s, t)


@pytest.mark.parametrize("pair", list(itertools.combinations(OPTIONS, 2)), ids="+".join)
def test_pair_of_options(pair):
    check(set(pair), 65, 90, BM=32, BN=32)


def test_all_options_at_once():
    check(set(OPTIONS), 70, 50)
    check(set(OPTIONS), 70, 50, np.float16, 4e-3)


@pytest.mark.parametrize("values", [8, 24])
def test_values_of_another_size(values):
    check(set(), 65, 90, values=values)
    check(set(OPTIONS), 65, 90, values=values)


def test_long_rows():
    check(set(OPTIONS) - {"window"}, 1000, 1000)


def test_infinite_and_missing_numbers_stay_in_their_rows():
    rng = np.random.default_rng(1)
    q, k = (rng.standard_normal((1, n, 1, D)).astype(np.float32) for n in (5, 7))
    q[0, 2, 0, 3] = np.nan
    o, lse = np.zeros_like(q), np.zeros((1, 1, 5), np.float32)
    slopes, sinks = np.array([0.5], np.float32), np.array([1.0], np.float32)
    tw.builtin("attention")(q, k, k, o, lse, 0.25, slopes, None, sinks, softcap=2.0)
    assert np.isfinite(np.delete(o[0], 2, 0)).all()
    assert (np.isnan(lse[0, 0]) == (np.arange(5) == 2)).all()


# ===- Functions of the user -----------------------------------------------------------------===

S, T = tw.dims("S T")
SLOPE = 0.5
# Names that the kernel has too, with other meanings.
BM, rows, best = 3, 2.0, 1


@tw.inline
def distance(s, t):
    return abs((s + (T - S)).to(tw.f32) - t.to(tw.f32))


def sloped(z, b, h, s, t):
    return z - SLOPE * distance(s, t) * (rows - best)


def attend(**functions):
    dtypes = {"score": "f32", "mask": "bool"}
    kernel = borrowing("attention", {name: (f, dtypes[name]) for name, f in functions.items()})
    rng = np.random.default_rng(2)
    q, k = (rng.standard_normal((1, n, 1, D)).astype(np.float32) for n in (5, 7))
    o, lse = np.zeros_like(q), np.zeros((1, 1, 5), np.float32)
    kernel(q, k, k, o, lse, 0.25)
    slopes = np.array([SLOPE], np.float32)
    expected = np.zeros_like(q)
    tw.builtin("attention")(q, k, k, expected, lse, 0.25, slopes)
    return o, expected


def test_a_function_has_the_names_around_it():
    o, expected = attend(score=sloped)
    np.testing.assert_allclose(o, expected, atol=1e-6)


def test_a_function_may_close_over_numbers():
    factor = SLOPE

    def score(z, b, h, s, t):
        return z - factor * distance(s, t)

    o, expected = attend(score=score)
    np.testing.assert_allclose(o, expected, atol=1e-6)


def too_few(z, b, h, s):
    return z


def unknown_word(z, b, h, s, t):
    return z + nothing  # noqa: F821


def a_whole_number(z, b, h, s, t):
    return s - t


def too_large(z, b, h, s, t):
    return z[None, :, :] + tw.zeros((2, 1, 1), tw.f32)


def nothing_returned(b, h, s, t):
    pass


def wrong_sum(b, h, s, t):
    seen = s >= t
    return seen + seen


def line_of(function, offset=0):
    return f"test_attention.py:{function.__code__.co_firstlineno + offset}:"


@pytest.mark.parametrize("name, function, line, message", [
    ("score", too_few, 0, "`too_few` stands for `score`, which is called with 5 arguments, and has 4"),
    ("score", unknown_word, 1, "`nothing` is not defined"),
    ("score", a_whole_number, 0, "`a_whole_number` stands for `score` and has to return numbers of "
                                 "`f32`, not a 128x64 tile of `i32`"),
    ("score", too_large, 0, "has to return what its arguments make together, 128x64, not a "
                            "2x128x64 tile of `f32`"),
    ("mask", nothing_returned, 0, "has to return numbers of `bool`, not `None`"),
    ("mask", wrong_sum, 2, "bool"),
])  # fmt: skip
def test_errors_are_at_the_line_of_the_function(name, function, line, message):
    with pytest.raises(tw.CompileError) as error:
        attend(**{name: function})
    first, source, caret = str(error.value).splitlines()[:3]
    assert line_of(function, line) in first and message in first
    assert source.strip() and re.fullmatch(r" *\^", caret)


def test_a_function_is_a_def():
    with pytest.raises(tw.CompileError, match="a function of the tile language is a `def`"):
        attend(score=lambda z, b, h, s, t: z)
    with pytest.raises(tw.CompileError, match="is a `def`"):
        attend(score=math.exp)


def test_only_open_names_are_borrowed():
    with pytest.raises(tw.CompileError, match="the file has no `scored = None`"):
        borrowing("attention", {"scored": (sloped, "f32")})
