"""The cross entropy of logits z = hidden weight^T, which are never stored as a whole.

lse_i = log(sum_j exp(z[i, j])), and with l the label of row i

    loss_i = (1 - smoothing) (lse_i - z[i, l]) + smoothing (lse_i - mean_j z[i, j]) + z_loss lse_i^2

Rows whose label is `ignore` have loss 0, lse 0 and gradient 0; every other label is one of 0 to V - 1.

    linear_cross_entropy           parts[p, i] = log of the sum over part p of the vocabulary, of 128 words;
                                   sums[p, i] is the sum of its logits, for smoothing
    linear_cross_entropy_loss      loss and lse from the parts
    linear_cross_entropy_gradient  dlogits = dloss_i (exp(z - lse_i) (1 + 2 z_loss lse_i) - smoothing / V
                                   - (1 - smoothing) (j = l)), for the words from `first` on that weight has
    linear_cross_entropy_hidden    dhidden = dlogits weight, or with `more` dhidden += dlogits weight
    linear_cross_entropy_weight    dweight = dlogits^T hidden, or with `more` dweight += dlogits^T hidden
    linear_cross_entropy_scale     a gradient times that of the loss, in place

A backward pass takes the vocabulary in parts, whose dlogits fit into memory: for each, the third kernel, then
matmul_tn(dlogits, hidden) for these rows of dweight, then the fourth. It computes logits twice in all. Where
the gradient of the loss is known ahead, rows can be taken in parts instead: their logits by matmul_nt, their
dlogits in place by cross_entropy_rows_gradient (cross_entropy_gradient if the GPU can't hold a row), then
linear_cross_entropy_hidden and linear_cross_entropy_weight; logits are computed once. Both ways are
deterministic.

hidden: [M, K], weight: [V, K], labels: [M], parts, sums: [P, M] with P = cdiv(V, 128), loss, lse, dloss: [M],
dlogits: [M, C], dhidden: [M, K], dweight: [C, K], gradient: [M, K], factor: [1]; sums in f32.
"""

from tilewright import *

M, V, K, P, C = dims("M V K P C")
E = dtypes(bf16, f16, f32)
O = dtypes(f32, bf16, f16)
I = dtypes(i64, i32)
PART = 128


@inline
def logits(hidden, weight, rows, cols, BM, BN, BK):
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(hidden[rows, depth], weight[cols, depth].T)
    return acc


@kernel
def linear_cross_entropy(hidden: Tensor[E, M, K], weight: Tensor[E, V, K], parts: Tensor[f32, P, M],
                         sums: Tensor[f32, P, M] | None = None,
                         *, BM: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """One program per BM rows and part."""
    assert P == cdiv(V, PART), "parts must have a row for every 128 rows of weight"
    m, p = grid(cdiv(M, BM), P)
    rows, cols = block(m, BM), block(p, PART)
    z = logits(hidden, weight, rows, cols, BM, PART, BK)
    inside = (cols < V)[None, :]
    masked = where(inside, z, -inf)
    best = max(masked, axis=1)
    parts[p, rows] = best + log(sum(exp2((masked - best[:, None]) * LOG2E), axis=1))
    if sums is not None:
        sums[p, rows] = sum(where(inside, z, 0), axis=1)


@kernel
def linear_cross_entropy_loss(hidden: Tensor[E, M, K], weight: Tensor[E, V, K], labels: Tensor[I, M],
                              parts: Tensor[f32, P, M], loss: Tensor[f32, M], lse: Tensor[f32, M],
                              ignore: i32 = -100, sums: Tensor[f32, P, M] | None = None,
                              *, smoothing: const[float] = 0.0, z_loss: const[float] = 0.0,
                              BR: tune[8, 16, 32] = 16, BP: tune[32, 64, 128] = 64, BK: tune[64, 128, 256] = 128):
    """One program per BR rows."""
    assert (smoothing > 0) == (sums is not None), "smoothing needs sums, and nothing else does"
    rows = block(grid(cdiv(M, BR)), BR)
    label = labels[rows].to(i32)
    counts = label != ignore
    peak, total, plain = full((BR,), LOWEST, f32), zeros((BR,), f32), zeros((BR,), f32)
    for j in range(cdiv(P, BP)):
        peak = maximum(peak, max(load(parts[block(j, BP), rows], fill=-inf), axis=0))
    for j in range(cdiv(P, BP)):
        part = load(parts[block(j, BP), rows], fill=-inf)
        total += sum(exp2((part - peak[None, :]) * LOG2E), axis=0)
        if sums is not None:
            plain += sum(sums[block(j, BP), rows], axis=0)
    picked = zeros((BR,), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        picked += sum(hidden[rows, depth].to(f32) * weight[label, depth].to(f32), axis=1)
    logs = peak + log(total)
    result = logs - picked
    if smoothing > 0:
        result = (1 - smoothing) * result + smoothing * (logs - plain / V)
    if z_loss > 0:
        result = result + z_loss * logs * logs
    loss[rows] = where(counts, result, 0)
    lse[rows] = where(counts, logs, 0)


@kernel
def linear_cross_entropy_gradient(hidden: Tensor[E, M, K], weight: Tensor[E, C, K], labels: Tensor[I, M],
                                  lse: Tensor[f32, M], dloss: Tensor[f32, M], dlogits: Tensor[E, M, C],
                                  words: i32, first: i32 = 0, ignore: i32 = -100,
                                  *, smoothing: const[float] = 0.0, z_loss: const[float] = 0.0,
                                  BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128,
                                  BK: tune[32, 64, 128] = 64):
    """dlogits of the words `first` to `first + C` of `words`, one program per BM x BN tile."""
    m, n = grid(cdiv(M, BM), cdiv(C, BN))
    rows, cols = block(m, BM), block(n, BN)
    z = logits(hidden, weight, rows, cols, BM, BN, BK)
    label, logs = labels[rows].to(i32), lse[rows]
    p = exp2((z - logs[:, None]) * LOG2E)
    if z_loss > 0:
        p = p * (1 + 2 * z_loss * logs)[:, None]
    if smoothing > 0:
        p = p - smoothing / words
    chosen = cols[None, :] == (label - first)[:, None]
    dz = dloss[rows][:, None] * where(chosen, p - (1 - smoothing), p)
    dlogits[rows, cols] = where((label != ignore)[:, None], dz, 0)


@kernel
def linear_cross_entropy_hidden(dlogits: Tensor[E, M, C], weight: Tensor[E, C, K], dhidden: Tensor[O, M, K],
                                *, more: const[bool] = False, BM: tune[64, 128, 256] = 128,
                                BK: tune[64, 128, 256] = 128, BN: tune[32, 64, 128] = 64):
    """One program per BM x BK tile of dhidden."""
    m, k = grid(cdiv(M, BM), cdiv(K, BK))
    rows, cols = block(m, BM), block(k, BK)
    acc = zeros((BM, BK), f32)
    for n in range(cdiv(C, BN)):
        depth = block(n, BN)
        acc += dot(dlogits[rows, depth], weight[depth, cols])
    if more:
        acc = acc + dhidden[rows, cols].to(f32)
    dhidden[rows, cols] = acc


@kernel
def linear_cross_entropy_weight(dlogits: Tensor[E, M, C], hidden: Tensor[E, M, K], dweight: Tensor[O, C, K],
                                *, more: const[bool] = False, BC: tune[64, 128, 256] = 128,
                                BK: tune[64, 128, 256] = 128, BM: tune[32, 64, 128] = 64):
    """One program per BC x BK tile of dweight."""
    c, k = grid(cdiv(C, BC), cdiv(K, BK))
    words, cols = block(c, BC), block(k, BK)
    acc = zeros((BC, BK), f32)
    for m in range(cdiv(M, BM)):
        rows = block(m, BM)
        acc += dot(dlogits[rows, words].T, hidden[rows, cols])
    if more:
        acc = acc + dweight[words, cols].to(f32)
    dweight[words, cols] = acc


@kernel
def linear_cross_entropy_scale(gradient: Tensor[E, M, K], factor: Tensor[f32, 1], *, BR: tune[1, 2, 4, 8] = 2):
    """One program per BR rows. Nothing is read or written where the factor is 1."""
    rows = block(grid(cdiv(M, BR)), BR)
    if factor[0] != 1:
        gradient[rows, :] = gradient[rows, :].to(f32) * factor[0]
