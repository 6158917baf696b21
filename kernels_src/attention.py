"""o = softmax(scale * q k^T) v per head, and lse = log(sum(exp(scale * q k^T))).

q, o: [B, S, H, D], k, v: [B, T, G, D], lse: [B, H, S] (natural logarithm). Query head h reads head
h // (H // G) of k and v. Lengths S and T are any; the last query sees the last key:

    causal      key t is visible to query s just if t <= s + T - S
    window > 0  ... and t > s + T - S - window

A row that sees nothing gives o = 0 and lse = -inf. Sums are in f32, p is rounded to the dtype of v.
"""

from tilewright import *

B, H, G, S, T, D = dims("B H G S T D")
E = dtypes(bf16, f16, f32)


@kernel
def attention(q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, D],
              o: Tensor[E, B, S, H, D], lse: Tensor[f32, B, H, S], scale: f32,
              *, causal: const[bool] = False, window: const[int] = 0,
              BM: tune[32, 64, 128] = 128, BN: tune[32, 48, 64, 80, 128] = 64):
    """softmax(scale * q k^T) v, one program per BM query rows of one head."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    m, h, b = grid(cdiv(S, BM), H, B)
    rows = block(m, BM)
    Q = q[b, rows, h, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[b, cols, h // (H // G), :].T)
        visible = cols[None, :] < T
        if causal:
            visible = visible & (cols[None, :] <= rows[:, None] + (T - S))
        if window > 0:
            visible = visible & (cols[None, :] > rows[:, None] + (T - S) - window)
        s = where(visible, s * (scale * LOG2E), -inf)
        best = maximum(peak, max(s, axis=1))  # finite from the first: no inf - inf
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
        peak = best
    o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None], 0)
    lse[b, h, rows] = (peak + log2(total)) / LOG2E
