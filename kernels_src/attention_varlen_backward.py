"""The gradients of attention_varlen.py, where o and lse are its results and do and dlse their gradients.

    attention_varlen_backward_queries  dq, and deltas = sum(do * o) - dlse along each row
    attention_varlen_backward_keys     dk and dv for each head of queries alone, which need the deltas

Each weight p = exp(z - lse) is computed again. With dp = do v^T, the gradient by z is p * (dp - delta).
dk, dv: [M, H, D] are to be summed over the heads of queries that share one of keys; deltas: [H, N].
Other tensors are as attention_varlen.py has them. Gradients of rows of no sequence are not written. No
two programs add to one place.
Sums are in f32; p and the gradient by z are rounded to the dtype of q.
"""

from tilewright import *

N, M, H, G, D, B1 = dims("N M H G D B1")  # B1 is B + 1
E = dtypes(bf16, f16, f32)


@inline
def sequence(x, cu, b):
    return x[cu[b]:cu[b + 1], :, :]


@inline
def place(j, cu, size):
    """The sequence of tile j, and which of its tiles that is: those of b are from cu[b] // size + b on."""
    b, behind = 0, B1 - 1
    while behind - b > 1:
        middle = (b + behind) // 2
        starts = cu[middle] // size + middle <= j
        b, behind = middle if starts else b, behind if starts else middle
    return b, max(j - cu[b] // size - b, 0)


@inline
def weights(z, s, t, S, T, logs, scale, causal, window):
    """What is visible, and exp(scale z - logs), of a tile of q k^T.

    s and t are indices of queries and keys, and logs has the shape of s."""
    visible = (t < T) & (s < S)
    visible = visible & (t <= s + (T - S)) if causal else visible
    visible = visible & (t > s + (T - S) - window) if window > 0 else visible
    p = exp2(z * (scale * LOG2E) - where(logs > -inf, logs * LOG2E, 0))
    return visible, where(visible, p, 0)


@kernel
def attention_varlen_backward_queries(
        q: Tensor[E, N, H, D], k: Tensor[E, M, G, D], v: Tensor[E, M, G, D], cu_q: Tensor[i32, B1],
        cu_k: Tensor[i32, B1], o: Tensor[E, N, H, D], do: Tensor[E, N, H, D], lse: Tensor[f32, H, N],
        dq: Tensor[E, N, H, D], deltas: Tensor[f32, H, N], scale: f32,
        dlse: Tensor[f32, H, N] | None = None,
        *, causal: const[bool] = False, window: const[int] = 0,
        BM: tune[16, 32, 64, 128] = 64, BN: tune[16, 32, 64, 128] = 64):
    """One program per BM query rows of one head."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    j, h = grid(N // BM + B1 - 1, H)
    b, m = place(j, cu_q, BM)
    rows = block(m, BM)
    queries, keys, values = sequence(q, cu_q, b), sequence(k, cu_k, b), sequence(v, cu_k, b)
    S, T = queries.shape[0], keys.shape[0]
    dO, logs = sequence(do, cu_q, b)[rows, h, :], lse[:, cu_q[b]:cu_q[b + 1]][h, rows][:, None]
    delta = sum(dO.to(f32) * sequence(o, cu_q, b)[rows, h, :].to(f32), axis=1)
    delta = delta - dlse[:, cu_q[b]:cu_q[b + 1]][h, rows] if dlse is not None else delta
    deltas[:, cu_q[b]:cu_q[b + 1]][h, rows] = delta
    Q, acc = queries[rows, h, :], zeros((BM, D), f32)
    for n in range(cdiv(T if m * BM < S else 0, BN)):
        cols = block(n, BN)
        K = keys[cols, h // (H // G), :]
        visible, p = weights(dot(Q, K.T), rows[:, None], cols[None, :], S, T, logs, scale, causal, window)
        dz = where(visible, p * (dot(dO, values[cols, h // (H // G), :].T) - delta[:, None]), 0)
        acc += dot(dz.to(E), K)
    sequence(dq, cu_q, b)[rows, h, :] = acc * scale


@kernel
def attention_varlen_backward_keys(
        q: Tensor[E, N, H, D], k: Tensor[E, M, G, D], v: Tensor[E, M, G, D], cu_q: Tensor[i32, B1],
        cu_k: Tensor[i32, B1], do: Tensor[E, N, H, D], lse: Tensor[f32, H, N], deltas: Tensor[f32, H, N],
        dk: Tensor[E, M, H, D], dv: Tensor[E, M, H, D], scale: f32,
        *, causal: const[bool] = False, window: const[int] = 0,
        BM: tune[16, 32, 64, 128] = 64, BN: tune[16, 32, 64, 128] = 64):
    """One program per BN keys, for one head of queries."""
    assert H % G == 0, "query heads must be a multiple of key/value heads"
    j, h = grid(M // BN + B1 - 1, H)
    b, n = place(j, cu_k, BN)
    cols = block(n, BN)
    queries, gradients = sequence(q, cu_q, b), sequence(do, cu_q, b)
    S, T = queries.shape[0], cu_k[b + 1] - cu_k[b]
    K, V = sequence(k, cu_k, b)[cols, h // (H // G), :], sequence(v, cu_k, b)[cols, h // (H // G), :]
    dK, dV = zeros((BN, D), f32), zeros((BN, D), f32)
    for m in range(cdiv(S if n * BN < T else 0, BM)):
        rows = block(m, BM)
        Q, dO = queries[rows, h, :], gradients[rows, h, :]
        logs = lse[:, cu_q[b]:cu_q[b + 1]][h, rows][None, :]
        delta = deltas[:, cu_q[b]:cu_q[b + 1]][h, rows][None, :]
        visible, p = weights(dot(K, Q.T), rows[None, :], cols[:, None], S, T, logs, scale, causal, window)
        dz = where(visible, p * (dot(V, dO.T) - delta), 0)
        dV += dot(p.to(E), dO)
        dK += dot(dz.to(E), Q)
    sequence(dk, cu_k, b)[cols, h, :] = dK * scale
    sequence(dv, cu_k, b)[cols, h, :] = dV
