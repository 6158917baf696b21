"""The cross entropy of logits and labels, row by row, for vocabularies of any size.

lse_i = log(sum_j exp(z[i, j])), and with l the label of row i

    loss_i = (1 - smoothing) (lse_i - z[i, l]) + smoothing (lse_i - mean_j z[i, j]) + z_loss lse_i^2

(label smoothing: Szegedy et al., 2016; z-loss: Chowdhery et al., "PaLM", 2022). Rows whose label is `ignore`
have loss 0, lse 0 and gradient 0; every other label is one of 0 to V - 1. The gradient by z is

    dz[i, j] = dloss_i (exp(z[i, j] - lse_i) (1 + 2 z_loss lse_i) - smoothing / V - (1 - smoothing) (j = l))

    cross_entropy           loss and lse; logits are read once
    cross_entropy_gradient  loss, lse and dlogits for a dloss that is known ahead: both passes over a row in
                            one program. The second goes backwards: what the first has read last is what the
                            L2 cache still holds
    cross_entropy_backward  dlogits, from lse

logits, dlogits: [M, V], which may be one tensor; labels: [M]; loss, lse, dloss: [M]. Computed in f32.
"""

from tilewright import *

M, V = dims("M V")
E = dtypes(bf16, f16, f32)
I = dtypes(i64, i32)


@inline
def at_label(logits, rows, label, BR):
    """The logit of each row's label, and 0 for a label that is no column: the diagonal of rows by labels."""
    i = iota(BR)
    return sum(where(i[:, None] == i[None, :], logits[rows, label].to(f32), 0), axis=1)


@inline
def row_sums(logits, rows, blocks, smoothing, BR, BV):
    """lse, and the sum of all logits, which is 0 without smoothing."""
    peak, total, plain = full((BR,), LOWEST, f32), zeros((BR,), f32), zeros((BR,), f32)
    for j in range(blocks):
        cols = block(j, BV)
        z = load(logits[rows, cols], fill=-inf).to(f32)
        best = maximum(peak, max(z, axis=1))  # finite from the first: no inf - inf
        total = total * exp2((peak - best) * LOG2E) + sum(exp2((z - best[:, None]) * LOG2E), axis=1)
        peak = best
        if smoothing > 0:
            plain += sum(where(cols[None, :] < V, z, 0), axis=1)
    return peak + log(total), plain


@inline
def loss_of(lse, picked, plain, smoothing, z_loss):
    loss = lse - picked
    if smoothing > 0:
        loss = (1 - smoothing) * loss + smoothing * (lse - plain / V)
    if z_loss > 0:
        loss = loss + z_loss * lse * lse
    return loss


@inline
def derivative(z, cols, label, lse, dloss, smoothing, z_loss):
    p = exp2((z - lse[:, None]) * LOG2E)
    if z_loss > 0:
        p = p * (1 + 2 * z_loss * lse)[:, None]
    if smoothing > 0:
        p = p - smoothing / V
    return dloss[:, None] * where(cols[None, :] == label[:, None], p - (1 - smoothing), p)


@kernel
def cross_entropy(logits: Tensor[E, M, V], labels: Tensor[I, M], loss: Tensor[f32, M], lse: Tensor[f32, M],
                  ignore: i32 = -100, *, smoothing: const[float] = 0.0, z_loss: const[float] = 0.0,
                  BR: tune[1, 2, 4] = 1, BV: tune[1024, 2048, 4096, 8192] = 4096):
    """One program per BR rows. Rows that are ignored are not read where BR is 1."""
    rows = block(grid(cdiv(M, BR)), BR)
    label = labels[rows].to(i32)
    counts = label != ignore
    picked = at_label(logits, rows, label, BR)
    total, plain = row_sums(logits, rows, cdiv(V, BV) if any(counts) else 0, smoothing, BR, BV)
    loss[rows] = where(counts, loss_of(total, picked, plain, smoothing, z_loss), 0)
    lse[rows] = where(counts, total, 0)


@kernel
def cross_entropy_gradient(logits: Tensor[E, M, V], labels: Tensor[I, M], dloss: Tensor[f32, M],
                           loss: Tensor[f32, M], lse: Tensor[f32, M], dlogits: Tensor[E, M, V], ignore: i32 = -100,
                           *, smoothing: const[float] = 0.0, z_loss: const[float] = 0.0,
                           BR: tune[1, 2, 4] = 1, BV: tune[1024, 2048, 4096, 8192, 16384] = 16384):
    """One program per BR rows. Rows that are ignored are read once where BR is 1."""
    rows = block(grid(cdiv(M, BR)), BR)
    label = labels[rows].to(i32)
    counts = label != ignore
    blocks = cdiv(V, BV)
    picked = at_label(logits, rows, label, BR)
    total, plain = row_sums(logits, rows, blocks if any(counts) else 0, smoothing, BR, BV)
    loss[rows] = where(counts, loss_of(total, picked, plain, smoothing, z_loss), 0)
    lse[rows] = where(counts, total, 0)
    upstream = dloss[rows]
    for j in range(blocks):
        cols = block(blocks - 1 - j, BV)
        dz = derivative(logits[rows, cols].to(f32), cols, label, total, upstream, smoothing, z_loss)
        dlogits[rows, cols] = where(counts[:, None], dz, 0)


@kernel
def cross_entropy_backward(logits: Tensor[E, M, V], labels: Tensor[I, M], lse: Tensor[f32, M],
                           dloss: Tensor[f32, M], dlogits: Tensor[E, M, V], ignore: i32 = -100,
                           *, smoothing: const[float] = 0.0, z_loss: const[float] = 0.0,
                           BR: tune[1, 2, 4] = 1, BV: tune[1024, 2048, 4096, 8192] = 4096):
    """One program per BR x BV elements."""
    n, m = grid(cdiv(V, BV), cdiv(M, BR))
    rows, cols = block(m, BR), block(n, BV)
    label = labels[rows].to(i32)
    z = logits[rows, cols].to(f32)
    dz = derivative(z, cols, label, lse[rows], dloss[rows], smoothing, z_loss)
    dlogits[rows, cols] = where((label != ignore)[:, None], dz, 0)
