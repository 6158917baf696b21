"""Rotary position embedding of q and k, in place or into other tensors.

Pair j of a head at position p turns by the angle p * base^(-2 j / D):

    x1' = x1 cos - x2 sin        x2' = x2 cos + x1 sin

and with `inverse` back, as a gradient does. Pairs are (j, j + R) or, interleaved, (2 j, 2 j + 1),
j < R; elements from 2 R on stay as they are.
q: [B, S, H, D], k: [B, S, G, D]; row s is at position s + offset. Computed in f32.

    rope           cos, sin: [P, R], the table of angles by position
    rope_computed  R = D / 2, angles computed from `base`
    rope_into, rope_computed_into
                   the same, into q_out and k_out
"""

from tilewright import *

B, S, H, G, D, P, R = dims("B S H G D P R")
E = dtypes(bf16, f16, f32)
T = dtypes(f32, bf16, f16)


@inline
def pairs(n, interleaved):
    if interleaved:
        return 2 * iota(n), 2 * iota(n) + 1
    return iota(n), span(n, n)


@inline
def rotate(x, y, b, rows, HB, first, second, c, s, copied=0):
    """y = x with its pairs turned, HB heads at a time; the last `copied` elements of a head stay as they are."""
    c, s = c[:, None, :], s[:, None, :]
    for n in range(cdiv(x.shape[2], HB)):
        heads = block(n, HB)
        x1, x2 = x[b, rows, heads, first].to(f32), x[b, rows, heads, second].to(f32)
        y[b, rows, heads, first] = x1 * c - x2 * s
        y[b, rows, heads, second] = x2 * c + x1 * s
        if copied > 0:
            y[b, rows, heads, span(D - copied, copied)] = x[b, rows, heads, span(D - copied, copied)]


@kernel
def rope(q: Tensor[E, B, S, H, D], k: Tensor[E, B, S, G, D],
         cos_table: Tensor[T, P, R], sin_table: Tensor[T, P, R], offset: i32 = 0,
         *, interleaved: const[bool] = False, inverse: const[bool] = False, BS: tune[1, 2, 4, 8, 16, 32] = 1,
         HB: tune[1, 2, 4, 8, 16] = 16):
    """One program per BS positions of one sequence, HB heads at a time: its angles serve every head."""
    assert 2 * R <= D, "the table has more pairs than a head"
    i, b = grid(cdiv(S, BS), B)
    rows = block(i, BS)
    first, second = pairs(R, interleaved)
    c, s = cos_table[rows + offset, :].to(f32), sin_table[rows + offset, :].to(f32)
    s = -s if inverse else s
    rotate(q, q, b, rows, HB, first, second, c, s)
    rotate(k, k, b, rows, HB, first, second, c, s)


@kernel
def rope_computed(q: Tensor[E, B, S, H, D], k: Tensor[E, B, S, G, D],
                  base: f32 = 10000.0, offset: i32 = 0,
                  *, interleaved: const[bool] = False, inverse: const[bool] = False, BS: tune[1, 2, 4, 8, 16, 32] = 1,
                  HB: tune[1, 2, 4, 8, 16] = 16):
    """One program per BS positions of one sequence, HB heads at a time: its angles serve every head."""
    assert D % 2 == 0, "a head needs an even number of elements"
    i, b = grid(cdiv(S, BS), B)
    rows = block(i, BS)
    first, second = pairs(D // 2, interleaved)
    frequency = exp2(iota(D // 2).to(f32) * (log2(base) * (-2 / D)))
    angle = (rows + offset)[:, None].to(f32) * frequency[None, :]
    c, s = cos(angle), sin(-angle if inverse else angle)
    rotate(q, q, b, rows, HB, first, second, c, s)
    rotate(k, k, b, rows, HB, first, second, c, s)


@kernel
def rope_into(q: Tensor[E, B, S, H, D], k: Tensor[E, B, S, G, D],
              cos_table: Tensor[T, P, R], sin_table: Tensor[T, P, R],
              q_out: Tensor[E, B, S, H, D], k_out: Tensor[E, B, S, G, D], offset: i32 = 0,
              *, interleaved: const[bool] = False, inverse: const[bool] = False, BS: tune[1, 2, 4, 8, 16, 32] = 1,
              HB: tune[1, 2, 4, 8, 16] = 16):
    """One program per BS positions of one sequence, HB heads at a time: its angles serve every head."""
    assert 2 * R <= D, "the table has more pairs than a head"
    i, b = grid(cdiv(S, BS), B)
    rows = block(i, BS)
    first, second = pairs(R, interleaved)
    c, s = cos_table[rows + offset, :].to(f32), sin_table[rows + offset, :].to(f32)
    s = -s if inverse else s
    rotate(q, q_out, b, rows, HB, first, second, c, s, copied=D - 2 * R)
    rotate(k, k_out, b, rows, HB, first, second, c, s, copied=D - 2 * R)


@kernel
def rope_computed_into(q: Tensor[E, B, S, H, D], k: Tensor[E, B, S, G, D],
                       q_out: Tensor[E, B, S, H, D], k_out: Tensor[E, B, S, G, D],
                       base: f32 = 10000.0, offset: i32 = 0,
                       *, interleaved: const[bool] = False, inverse: const[bool] = False, BS: tune[1, 2, 4, 8, 16, 32] = 1,
                       HB: tune[1, 2, 4, 8, 16] = 16):
    """One program per BS positions of one sequence, HB heads at a time: its angles serve every head."""
    assert D % 2 == 0, "a head needs an even number of elements"
    i, b = grid(cdiv(S, BS), B)
    rows = block(i, BS)
    first, second = pairs(D // 2, interleaved)
    frequency = exp2(iota(D // 2).to(f32) * (log2(base) * (-2 / D)))
    angle = (rows + offset)[:, None].to(f32) * frequency[None, :]
    c, s = cos(angle), sin(-angle if inverse else angle)
    rotate(q, q_out, b, rows, HB, first, second, c, s)
    rotate(k, k_out, b, rows, HB, first, second, c, s)
