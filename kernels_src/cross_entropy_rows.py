"""The cross entropy of logits and labels, row by row, for rows that fit in registers.

lse_i = log(sum_j exp(z[i, j])), and with l the label of row i

    loss_i = (1 - smoothing) (lse_i - z[i, l]) + smoothing (lse_i - mean_j z[i, j]) + z_loss lse_i^2

Rows whose label is `ignore` have loss 0 and lse 0; every other label is one of 0 to V - 1.

    cross_entropy_rows           loss and lse
    cross_entropy_rows_gradient  loss, lse and dlogits for a dloss that is known ahead: logits are read
                                 once, dlogits are written once

logits, dlogits: [M, V], which may be one tensor; labels: [M]; loss, lse, dloss: [M]. Computed in f32. The
derived gradient of the first gives dlogits from dloss and dlse. cross_entropy.py takes rows in parts.
"""

from tilewright import *

M, V = dims("M V")
E = dtypes(bf16, f16, f32)
I = dtypes(i64, i32)


@inline
def forward(z, label, counts, smoothing, z_loss):
    """loss, lse, and lse also where the label is ignored."""
    peak = max(z, axis=1)
    lse = peak + log(sum(exp2((z - peak[:, None]) * LOG2E), axis=1))
    result = lse - sum(where(iota(V)[None, :] == label[:, None], z, 0), axis=1)
    if smoothing > 0:
        result = (1 - smoothing) * result + smoothing * (lse - sum(z, axis=1) / V)
    if z_loss > 0:
        result = result + z_loss * lse * lse
    return where(counts, result, 0), where(counts, lse, 0), lse


@kernel
def cross_entropy_rows(logits: Tensor[E, M, V], labels: Tensor[I, M], loss: Tensor[f32, M], lse: Tensor[f32, M],
                       ignore: i32 = -100, *, smoothing: const[float] = 0.0, z_loss: const[float] = 0.0,
                       BR: tune[1, 2, 4, 8] = 1):
    """One program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    label = labels[rows].to(i32)
    loss[rows], lse[rows], _ = forward(logits[rows, :].to(f32), label, label != ignore, smoothing, z_loss)


@kernel
def cross_entropy_rows_gradient(logits: Tensor[E, M, V], labels: Tensor[I, M], dloss: Tensor[f32, M],
                                loss: Tensor[f32, M], lse: Tensor[f32, M], dlogits: Tensor[E, M, V],
                                ignore: i32 = -100,
                                *, smoothing: const[float] = 0.0, z_loss: const[float] = 0.0,
                                BR: tune[1, 2, 4, 8] = 1):
    """One program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    label = labels[rows].to(i32)
    counts = label != ignore
    upstream = dloss[rows]
    z = logits[rows, :].to(f32)
    loss[rows], lse[rows], logs = forward(z, label, counts, smoothing, z_loss)
    p = exp2((z - logs[:, None]) * LOG2E)  # again: rows of probabilities would take twice the registers of z
    if z_loss > 0:
        p = p * (1 + 2 * z_loss * logs)[:, None]
    if smoothing > 0:
        p = p - smoothing / V
    dz = upstream[:, None] * where(iota(V)[None, :] == label[:, None], p - (1 - smoothing), p)
    dlogits[rows, :] = where(counts[:, None], dz, 0)
