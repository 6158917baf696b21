"""What type checkers make of kernels; the functions of Python go on meaning what they mean."""

from typing import assert_type

import tilewright as tw
from tilewright import *
from tilewright.language import Tile

M, N, K = dims("M N K")
E = dtypes(bf16, f16)


@inline
def halves(x):
    return x * 0.5, x / 2


@kernel
def every_word(a: Tensor[E, M, K], b: Tensor[E, K, N], ids: Tensor[i32, M], c: Tensor[f32, M, N],
               bias: Tensor[f32, N] | None = None, scale: f32 = 1.0, n: i32 = 3,
               *, flag: const[bool] = False, kind: const[int] = 0, BM: tune[64, 128] = 64):
    m, h = grid(cdiv(M, BM), 2)
    rows, cols = block(m, BM), span(h * 32, 32)
    assert_type(a[rows, :], Tile)
    assert_type(BM, tune[64, 128])
    acc = zeros((BM, 32), f32) + full((BM, 32), -inf, f32)
    for k in range(cdiv(K, 32)):
        acc += dot(a[rows, block(k, 32)], b[block(k, 32), cols], tf32=True)
    if bias is not None:
        acc = acc + bias[cols]
    if flag and n > 3:
        acc = where(acc > LOWEST, acc, load(c[rows, cols], fill=nan))
    peak = max(acc, axis=1) + min(acc, axis=1) + sum(acc, axis=1) + cumsum(acc, axis=1)[:, 0]
    found = any(acc > 0, axis=1) & all(acc < 1, axis=1)
    first = argmax(acc, axis=1) + argmin(acc, axis=-1) + iota(BM)
    x = exp(acc) + exp2(acc * LOG2E) + log(acc) + log2(acc) + sqrt(acc) + rsqrt(acc) + abs(acc)
    y = sin(PI * acc) + cos(acc) + tanh(acc) + erf(acc) + sigmoid(acc) + fma(acc, acc, 1.0)
    z = floor(x) + ceil(x) + round(x) + maximum(x, y) + minimum(x, 0)
    low, high = halves(z.to(f32))
    part = c[n:n + 8, :]
    part[rows, cols] = part[iota(8), cols] + part.shape[0]
    c[rows, cols] = where(found[:, None], peak[:, None] + low - high, first[:, None] % 8)
    c[ids[rows], cols] = acc.T.T.to(c.dtype) * scale
    atomic_add(c[rows, cols], acc)
    atomic_max(ids[rows], first)
    atomic_min(ids[rows], max(kind, 3))


assert_type(every_word, tw.Kernel)
assert_type(every_word.explain(tw.Spec((4, 4), bf16), target="sm_80"), str)
total: int = sum([1, 2, 3]) + max([1, 2]) + min(3, 4) + len(range(3)) + round(2.5)
truth: bool = any([True]) and all([])
