"""o = softmax(z) v per head with z = scale * q k^T, and lse = log(sum(exp(z))).

q: [B, S, H, D], k: [B, T, G, D], v: [B, T, G, DV], o: [B, S, H, DV], lse: [B, H, S] (natural
logarithm). Head h of q reads head h // (H // G) of k and v. S and T are any; the last query sees the last key:

    causal       key t is visible to query s just if t <= s + T - S
    window > 0   ... and t > s + T - S - window
    prefix       ... or t < prefix[b]
    first        ... and t >= first[b, s], which does not fall along s (documents)
    mask         ... and mask(b, h, s, t), a function in place of the None below
    softcap > 0  z becomes softcap * tanh(z / softcap)
    slopes       ... and then z - slopes[h] * |s + T - S - t| (ALiBi)
    bias         ... and then z + bias[b, h, s, t]
    score        ... and then score(z, b, h, s, t), a function in place of the None below
    sinks        each sum has the term exp(sinks[h]) too, which stands for no key
    dropped > 0  of 256 p so many are 0, where random_bytes(seed[0], seed[1], b * H + h, s, t) is
                 less, and the others larger for it; not so in the sums

A row that sees nothing gives o = 0 and lse = -inf. Sums are in f32, p is rounded to the dtype of v.
"""

from tilewright import *

B, H, G, S, T, D, DV = dims("B H G S T D DV")
E = dtypes(bf16, f16, f32)
score, mask = None, None


@kernel
def attention(q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, DV],
              o: Tensor[E, B, S, H, DV], lse: Tensor[f32, B, H, S], scale: f32,
              slopes: Tensor[f32, H] | None = None, bias: Tensor[E, B, H, S, T] | None = None,
              sinks: Tensor[f32, H] | None = None, prefix: Tensor[i32, B] | None = None,
              seed: Tensor[i64, 2] | None = None, first: Tensor[i32, B, S] | None = None,
              *, causal: const[bool] = False, window: const[int] = 0, softcap: const[float] = 0.0,
              dropped: const[int] = 0, BM: tune[32, 64, 128] = 128, BN: tune[32, 48, 64, 80, 128] = 64):
    """softmax(scale * q k^T) v, one program per BM query rows of one head."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    m, h, b = grid(cdiv(S, BM), H, B)
    rows = block(m, BM)
    scored = softcap > 0 or slopes is not None or bias is not None or score is not None
    slope, place = (slopes[h], (rows + (T - S))[:, None].to(f32)) if slopes is not None else (0, 0)
    ahead = minimum(prefix[b], T) if prefix is not None else 0
    firsts = first[b, rows][:, None] if first is not None else 0
    most = first[b, min(m * BM + BM, S) - 1] if first is not None else 0
    key, offset = (seed[0], seed[1].to(i32)) if seed is not None else (0, 0)
    Q = q[b, rows, h, :]
    acc, peak, total = zeros((BM, DV), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(max(first[b, m * BM], 0) // BN if first is not None else 0, cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[b, cols, h // (H // G), :].T)
        s = s * scale if scored else s
        s = softcap * tanh(s / softcap, approximate=E != f32) if softcap > 0 else s
        s = s - slope * abs(place - cols[None, :].to(f32)) if slopes is not None else s
        s = s + bias[b, h, rows, cols].to(f32) if bias is not None else s
        s = score(s, b, h, rows[:, None], cols[None, :]) if score is not None else s
        visible = cols[None, :] < T
        visible = visible & (cols[None, :] <= rows[:, None] + (T - S)) if causal else visible
        visible = visible & (cols[None, :] > rows[:, None] + (T - S) - window) if window > 0 else visible
        visible = visible | (cols[None, :] < ahead) if prefix is not None else visible
        if first is not None:  # from `most` on, all rows see it
            visible = visible & ((cols[None, :] >= most) | (cols[None, :] >= firsts))
        visible = visible & mask(b, h, rows[:, None], cols[None, :]) if mask is not None else visible
        s = where(visible, s * ((1 if scored else scale) * LOG2E), -inf)
        best = maximum(peak, max(s, axis=1))  # finite from the first: no inf - inf
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        if dropped > 0:
            dice = random_bytes(key, offset, b * H + h, rows[:, None], cols[None, :])
            p = where(dice < dropped, 0, p)
        acc, peak = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :]), best
    logs = (peak + log2(total)) / LOG2E
    if sinks is not None:
        lead = logs - sinks[h]  # of the keys over what stands for none
        acc = acc * sigmoid(lead)[:, None]
        logs = maximum(lead, 0) + log(1 + exp(-abs(lead))) + sinks[h]
    o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None] * (256 / (256 - dropped)), 0)
    lse[b, h, rows] = logs
