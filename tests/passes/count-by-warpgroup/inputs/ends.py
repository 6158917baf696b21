"""Loops that rows end elsewhere than at their own key, or not at all."""

from tilewright import *

S, T, D = dims("S T D")


@kernel
def prefixed(q: Tensor[bf16, S, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D], o: Tensor[bf16, S, D],
             ahead: i32, *, BM: tune[64, 128, 192] = 192, BN: tune[16, 64] = 64):
    """Each row sees the keys up to its own, and the first `ahead` ones."""
    m = grid(cdiv(S, BM))
    rows = block(m, BM)
    Q = q[rows, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[cols, :].T)
        s = where((cols[None, :] <= rows[:, None]) | (cols[None, :] < minimum(ahead, T)), s, -inf)
        best = maximum(peak, max(s, axis=1))
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc, peak = acc * shrink[:, None] + dot(p.to(bf16), v[cols, :]), best
    o[rows, :] = acc / total[:, None]


@kernel
def from_start(q: Tensor[bf16, S, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D], o: Tensor[bf16, S, D],
               first: Tensor[i32, S], *, BM: tune[64, 128, 192] = 192, BN: tune[16, 64] = 64):
    """Each row sees the keys from its first on. The loop begins with that of the first row."""
    m = grid(cdiv(S, BM))
    rows = block(m, BM)
    Q = q[rows, :]
    starts = first[rows][:, None]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(max(first[m * BM], 0) // BN, cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[cols, :].T)
        s = where((cols[None, :] < T) & (cols[None, :] >= starts), s, -inf)
        best = maximum(peak, max(s, axis=1))
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc, peak = acc * shrink[:, None] + dot(p.to(bf16), v[cols, :]), best
    o[rows, :] = acc / total[:, None]


@kernel
def read_by_columns(q: Tensor[bf16, S, D], k: Tensor[bf16, T, D], o: Tensor[f32, S, D], sums: Tensor[f32, D],
                    *, BM: const[int] = 128, BN: const[int] = 64):
    """Sums of products, and their sums over all rows."""
    m = grid(cdiv(S, BM))
    rows = block(m, BM)
    Q = q[rows, :]
    acc = zeros((BM, BN), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[cols, :].T)
        acc = acc + where(cols[None, :] < T, s, 0.0)
    o[rows, :] = acc
    atomic_add(sums[:], sum(acc, axis=0))
