"""The K largest elements of each row, largest first, with their columns; of equals, the first.

    topk           values and indices
    topk_backward  dx[i, indices[i, k]] = dvalues[i, k], and 0 elsewhere

x, dx: [M, D], values, dvalues: [M, K], in the dtype of x, indices: [M, K], K at most D. NaN counts as infinity.
"""

from tilewright import *

M, D, K = dims("M D K")
E = dtypes(bf16, f16, f32)


@kernel
def topk(x: Tensor[E, M, D], values: Tensor[E, M, K], indices: Tensor[i32, M, K], *, BR: tune[1, 2, 4, 8] = 4):
    """One program per BR rows. Each step looks for the next behind the last, by value and column."""
    assert K <= D, "a row has fewer elements than are asked for"
    rows = block(grid(cdiv(M, BR)), BR)
    v, cols = x[rows, :].to(f32), iota(D)[None, :]
    v = where(v == v, v, inf)
    best, place = full((BR,), inf, f32), full((BR,), -1, i32)
    for k in range(K):
        behind = (v < best[:, None]) | ((v == best[:, None]) & (cols > place[:, None]))
        best = max(where(behind, v, -inf), axis=1)
        place = min(where(behind & (v == best[:, None]), cols, D), axis=1)
        values[rows, k] = best
        indices[rows, k] = place


@kernel
def topk_backward(indices: Tensor[i32, M, K], dvalues: Tensor[E, M, K], dx: Tensor[E, M, D],
                  *, BR: tune[1, 2, 4, 8] = 4):
    """One program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    found, cols = zeros((BR, D), f32), iota(D)[None, :]
    for k in range(K):
        found = where(cols == indices[rows, k][:, None], dvalues[rows, k].to(f32)[:, None], found)
    dx[rows, :] = found
