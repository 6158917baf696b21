"""Attention of B sequences of different lengths, packed behind each other, without padding.

q, o: [N, H, D], k, v: [M, G, D], lse: [H, N] (natural logarithm). Sequence b has the queries cu_q[b]
to cu_q[b + 1] and the keys cu_k[b] to cu_k[b + 1]; cu_q, cu_k: [B + 1], from 0 on, and they do not
fall. No sequence has more than max_q queries. Query head h reads head h // (H // G) of k and v.
Within each sequence, of S queries and T keys, the last query sees the last key:

    causal      key t is visible to query s just if t <= s + T - S
    window > 0  ... and t > s + T - S - window

A row that sees nothing gives o = 0 and lse = -inf. Sums are in f32, p is rounded to the dtype of v.
"""

from tilewright import *

N, M, H, G, D, B1 = dims("N M H G D B1")  # B1 is B + 1
E = dtypes(bf16, f16, f32)


@inline
def sequence(x, cu, b):
    return x[cu[b]:cu[b + 1], :, :]


@kernel
def attention_varlen(q: Tensor[E, N, H, D], k: Tensor[E, M, G, D], v: Tensor[E, M, G, D],
                     cu_q: Tensor[i32, B1], cu_k: Tensor[i32, B1], o: Tensor[E, N, H, D],
                     lse: Tensor[f32, H, N], max_q: i32, scale: f32,
                     *, causal: const[bool] = False, window: const[int] = 0,
                     BM: tune[32, 64, 128] = 128, BN: tune[32, 48, 64, 80, 128] = 64):
    """softmax(scale * q k^T) v per sequence, one program per BM query rows of one head."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    assert max_q >= 0, "max_q counts queries"
    j, h = grid(N // BM + B1 - 1, H)  # tiles of sequence b: from cu_q[b] // BM + b on, as many as it needs or one more
    b, behind = 0, B1 - 1
    while behind - b > 1:
        middle = (b + behind) // 2
        starts = cu_q[middle] // BM + middle <= j
        b, behind = middle if starts else b, behind if starts else middle
    m = max(j - cu_q[b] // BM - b, 0)
    queries, keys, values = sequence(q, cu_q, b), sequence(k, cu_k, b), sequence(v, cu_k, b)
    S, T = queries.shape[0], keys.shape[0]
    seen = T if m * BM < S else 0
    rows = block(m, BM)
    Q = queries[rows, h, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(seen, BN)):
        cols = block(n, BN)
        s = dot(Q, keys[cols, h // (H // G), :].T)
        visible = cols[None, :] < seen
        if causal:
            visible = visible & (cols[None, :] <= rows[:, None] + (T - S))
        if window > 0:
            visible = visible & (cols[None, :] > rows[:, None] + (T - S) - window)
        s = where(visible, s * (scale * LOG2E), -inf)
        best = maximum(peak, max(s, axis=1))  # finite from the first: no inf - inf
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc = acc * shrink[:, None] + dot(p.to(E), values[cols, h // (H // G), :])
        peak = best
    sequence(o, cu_q, b)[rows, h, :] = where(total[:, None] > 0, acc / total[:, None], 0)
    lse[:, cu_q[b]:cu_q[b + 1]][h, rows] = (peak + log2(total)) / LOG2E
