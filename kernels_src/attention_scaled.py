"""Attention of 8-bit floats, o = softmax(z) v per head, and lse = log(sum(exp(z))).

q: [B, S, H, D], k: [B, T, G, D], v: [B, T, G, DV], o: [B, S, H, DV], lse: [B, H, S] (natural
logarithm). Head h of q reads head h // (H // G) of k and v. Each head has a scale, of any
sign: q_scales: [B, H], k_scales, v_scales: [B, G]. So z = scale * (q_scales q) (k_scales k)^T, and
p is multiplied by v_scales v. S and T are any; the last query sees the last key:

    causal       key t is visible to query s just if t <= s + T - S
    window > 0   ... and t > s + T - S - window

A row that sees nothing gives o = 0 and lse = -inf. Sums are in f32, p is rounded to the dtype of v:
of 256 p, which fits in f8e4m3 and keeps more of what is small. Peaks are whole, so that rounding is
the same under each of them: it takes exponents as they are.
"""

from tilewright import *

B, H, G, S, T, D, DV = dims("B H G S T D DV")
E = dtypes(f8e4m3, f8e5m2)
O = dtypes(bf16, f16, f32)
RAISED = 8


@kernel
def attention_scaled(q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, DV],
                     q_scales: Tensor[f32, B, H], k_scales: Tensor[f32, B, G], v_scales: Tensor[f32, B, G],
                     o: Tensor[O, B, S, H, DV], lse: Tensor[f32, B, H, S], scale: f32,
                     *, causal: const[bool] = False, window: const[int] = 0,
                     BM: tune[32, 64, 128] = 128, BN: tune[32, 64, 128] = 64):
    """softmax(scale * q k^T) v, one program per BM query rows of one head."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    m, h, b = grid(cdiv(S, BM), H, B)
    g = h // (H // G)
    rows = block(m, BM)
    factor = scale * q_scales[b, h] * k_scales[b, g] * LOG2E
    Q = q[b, rows, h, :]
    acc, peak, total = zeros((BM, DV), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        visible = cols[None, :] < T
        visible = visible & (cols[None, :] <= rows[:, None] + (T - S)) if causal else visible
        visible = visible & (cols[None, :] > rows[:, None] + (T - S) - window) if window > 0 else visible
        s = where(visible, dot(Q, k[b, cols, g, :].T) * factor, -inf)
        best = maximum(peak, ceil(max(s, axis=1)) - RAISED)  # finite from the first: no inf - inf
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc, peak = acc * shrink[:, None] + dot(p.to(E), v[b, cols, g, :]), best
    o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None] * v_scales[b, g], 0)
    lse[b, h, rows] = (peak + log2(total)) / LOG2E
