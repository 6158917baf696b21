"""The gradients of attention.py, where o and lse are its results and do and dlse their gradients.

    attention_backward_queries  dq, dbias, and deltas = sum(do * o) - dlse along each row
    attention_backward_keys     dk and dv for each head of queries alone, which need the deltas

Each weight p = exp(z - lse) is computed again. With dp = do v^T, the gradient by z is p * (dp - delta).
dk: [B, T, H, D] and dv: [B, T, H, DV] are to be summed over the heads of queries that share one of keys;
deltas: [B, H, S]. Other tensors, masks and what becomes of scores are as attention.py has them, without
`score`. dropped > 0: what was dropped is, in p for dv and in dp. A row that sees nothing has no part in
any gradient. No two programs add to one place.
Sums are in f32; p and the gradient by z are rounded to the dtype of q.
"""

from tilewright import *

B, H, G, S, T, D, DV = dims("B H G S T D DV")
E = dtypes(bf16, f16, f32)
mask = None


@inline
def weights(z, b, h, s, t, logs, scale, slope, bias, ahead, firsts, causal, window, softcap):
    """Of a tile of q k^T: what is visible, the weights, and the derivative of scores by it, less the factor `scale`.

    s and t are indices of queries and keys, and logs is lse, of the shape of s."""
    slant = 1.0
    z = z * scale
    if softcap > 0:
        bend = tanh(z / softcap, approximate=E != f32)
        z, slant = softcap * bend, 1 - bend * bend
    z = z - slope * abs(s + (T - S) - t).to(f32) if slope is not None else z
    z = z + bias.to(f32) if bias is not None else z
    visible = t < T
    visible = visible & (t <= s + (T - S)) if causal else visible
    visible = visible & (t > s + (T - S) - window) if window > 0 else visible
    visible = visible | (t < ahead) if ahead is not None else visible
    visible = visible & (t >= firsts) if firsts is not None else visible
    visible = visible & mask(b, h, s, t) if mask is not None else visible
    p = exp2(z * LOG2E - where(logs > -inf, logs * LOG2E, 0))
    return visible, where(visible, p, 0), slant


@inline
def kept(x, seed, stream, s, t, dropped):
    if dropped > 0:
        dice = random_bytes(seed[0], seed[1].to(i32), stream, s, t)
        return where(dice < dropped, 0, x * (256 / (256 - dropped)))
    return x


@kernel
def attention_backward_queries(
        q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, DV], o: Tensor[E, B, S, H, DV],
        do: Tensor[E, B, S, H, DV], lse: Tensor[f32, B, H, S], dq: Tensor[E, B, S, H, D],
        deltas: Tensor[f32, B, H, S], scale: f32, dlse: Tensor[f32, B, H, S] | None = None,
        slopes: Tensor[f32, H] | None = None, bias: Tensor[E, B, H, S, T] | None = None,
        prefix: Tensor[i32, B] | None = None, seed: Tensor[i64, 2] | None = None,
        first: Tensor[i32, B, S] | None = None, dbias: Tensor[E, B, H, S, T] | None = None,
        *, causal: const[bool] = False, window: const[int] = 0, softcap: const[float] = 0.0,
        dropped: const[int] = 0, BM: tune[16, 32, 64, 128] = 64, BN: tune[16, 32, 64, 128] = 64):
    """One program per BM query rows of one head."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    m, h, b = grid(cdiv(S, BM), H, B)
    rows = block(m, BM)
    slope = slopes[h] if slopes is not None else None
    ahead = minimum(prefix[b], T) if prefix is not None else None
    firsts = first[b, rows][:, None] if first is not None else None
    Q, dO, logs = q[b, rows, h, :], do[b, rows, h, :], lse[b, h, rows][:, None]
    delta = sum(dO.to(f32) * o[b, rows, h, :].to(f32), axis=1)
    delta = delta - dlse[b, h, rows] if dlse is not None else delta
    deltas[b, h, rows] = delta
    acc = zeros((BM, D), f32)
    start = 0
    if first is not None and dbias is None:  # which is written for all keys
        start = max(first[b, m * BM], 0) // BN
    for n in range(start, cdiv(T, BN)):
        cols = block(n, BN)
        s, t = rows[:, None], cols[None, :]
        K = k[b, cols, h // (H // G), :]
        added = bias[b, h, rows, cols] if bias is not None else None
        visible, p, slant = weights(dot(Q, K.T), b, h, s, t, logs, scale, slope, added, ahead, firsts,
                                    causal, window, softcap)
        dp = kept(dot(dO, v[b, cols, h // (H // G), :].T), seed, b * H + h, s, t, dropped)
        dz = p * (dp - delta[:, None])
        if dbias is not None:
            dbias[b, h, rows, cols] = where(visible, dz, 0)
        acc += dot(where(visible, dz * slant, 0).to(E), K)
    dq[b, rows, h, :] = acc * scale


@kernel
def attention_backward_keys(
        q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, DV],
        do: Tensor[E, B, S, H, DV], lse: Tensor[f32, B, H, S], deltas: Tensor[f32, B, H, S],
        dk: Tensor[E, B, T, H, D], dv: Tensor[E, B, T, H, DV], scale: f32,
        slopes: Tensor[f32, H] | None = None, bias: Tensor[E, B, H, S, T] | None = None,
        prefix: Tensor[i32, B] | None = None, seed: Tensor[i64, 2] | None = None,
        first: Tensor[i32, B, S] | None = None,
        *, causal: const[bool] = False, window: const[int] = 0, softcap: const[float] = 0.0,
        dropped: const[int] = 0, BM: tune[16, 32, 64, 128] = 64, BN: tune[16, 32, 64, 128] = 64):
    """One program per BN keys, for one head of queries."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    n, h, b = grid(cdiv(T, BN), H, B)
    cols = block(n, BN)
    t = cols[:, None]
    slope = slopes[h] if slopes is not None else None
    ahead = minimum(prefix[b], T) if prefix is not None else None
    K, V = k[b, cols, h // (H // G), :], v[b, cols, h // (H // G), :]
    dK, dV = zeros((BN, D), f32), zeros((BN, DV), f32)
    for m in range(cdiv(S, BM)):
        rows = block(m, BM)
        s = rows[None, :]
        Q, dO, logs = q[b, rows, h, :], do[b, rows, h, :], lse[b, h, rows][None, :]
        firsts = first[b, rows][None, :] if first is not None else None
        added = bias[b, h, rows, cols].T if bias is not None else None
        visible, p, slant = weights(dot(K, Q.T), b, h, s, t, logs, scale, slope, added, ahead, firsts,
                                    causal, window, softcap)
        dp = kept(dot(V, dO.T), seed, b * H + h, s, t, dropped)
        dz = where(visible, p * (dp - deltas[b, h, rows][None, :]) * slant, 0)
        dV += dot(kept(p, seed, b * H + h, s, t, dropped).to(E), dO)
        dK += dot(dz.to(E), Q)
    dk[b, cols, h, :] = dK * scale
    dv[b, cols, h, :] = dV
