"""Attention once more: other names, another order of arguments and statements."""

from tilewright import *

BATCH, HEADS, GROUPS, QUERIES, KEYS, WIDTH = dims("BATCH HEADS GROUPS QUERIES KEYS WIDTH")
T = dtypes(bf16, f16)


@kernel
def lookup(values: Tensor[T, BATCH, KEYS, GROUPS, WIDTH], logs: Tensor[f32, BATCH, HEADS, QUERIES], factor: f32,
           keys: Tensor[T, BATCH, KEYS, GROUPS, WIDTH], found: Tensor[T, BATCH, QUERIES, HEADS, WIDTH],
           asked: Tensor[T, BATCH, QUERIES, HEADS, WIDTH],
           *, reach: const[int] = 0, LONG: tune[64, 128] = 64, ordered: const[bool] = False, TALL: tune[64, 128] = 128):
    assert HEADS % GROUPS == 0, "heads of queries are a multiple of those of keys"
    tile, head, batch = grid(cdiv(QUERIES, TALL), HEADS, BATCH)
    group = head // (HEADS // GROUPS)
    ahead = KEYS - QUERIES
    mine = block(tile, TALL)
    total, result, top = zeros((TALL,), f32), zeros((TALL, WIDTH), f32), full((TALL,), LOWEST, f32)
    Q = asked[batch, mine, head, :]
    for step in range(cdiv(KEYS, LONG)):
        theirs = block(step, LONG)
        V = values[batch, theirs, group, :]
        seen = theirs[None, :] < KEYS
        if ordered:
            seen = seen & (theirs[None, :] <= mine[:, None] + ahead)
        if reach > 0:
            seen = seen & (theirs[None, :] > mine[:, None] + ahead - reach)
        K = keys[batch, theirs, group, :]
        scores = where(seen, dot(Q, K.T) * (factor * LOG2E), -inf)
        before, top = top, maximum(top, max(scores, axis=1))
        weights = exp2(scores - top[:, None])
        less = exp2(before - top)
        result = result * less[:, None] + dot(weights.to(T), V)
        total = total * less + sum(weights, axis=1)
    found[batch, mine, head, :] = where(total[:, None] > 0, result / total[:, None], 0)
    logs[batch, head, mine] = (top + log2(total)) / LOG2E
