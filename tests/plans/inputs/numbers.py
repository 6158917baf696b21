"""Masks over a number that each iteration reads."""

from tilewright import *

S, T, D = dims("S T D")


@kernel
def windowed(q: Tensor[bf16, S, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D], o: Tensor[bf16, S, D],
            x: Tensor[i32, T], *, BM: tune[128, 192] = 192, BN: tune[64] = 64):
    """Two windows, and a diagonal that is elsewhere for each block of keys."""
    m = grid(cdiv(S, BM))
    rows = block(m, BM)
    Q = q[rows, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[cols, :].T)
        visible = (cols[None, :] < T) & (cols[None, :] <= rows[:, None] + x[n])
        visible = visible & (cols[None, :] > rows[:, None] - 100) & (cols[None, :] > rows[:, None] // 2 - 60)
        s = where(visible, s, -inf)
        best = maximum(peak, max(s, axis=1))
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc, peak = acc * shrink[:, None] + dot(p.to(bf16), v[cols, :]), best
    o[rows, :] = where(total[:, None] > 0, acc / total[:, None], 0)


@kernel
def bounded(q: Tensor[bf16, S, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D], o: Tensor[bf16, S, D],
            x: Tensor[i32, T], *, BM: tune[128, 192] = 192, BN: tune[64] = 64):
    """A diagonal alone that is elsewhere for each block of keys."""
    m = grid(cdiv(S, BM))
    rows = block(m, BM)
    Q = q[rows, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[cols, :].T)
        s = where((cols[None, :] < T) & (cols[None, :] <= rows[:, None] + x[n]), s, -inf)
        best = maximum(peak, max(s, axis=1))
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc, peak = acc * shrink[:, None] + dot(p.to(bf16), v[cols, :]), best
    o[rows, :] = where(total[:, None] > 0, acc / total[:, None], 0)
