"""Linear attention to the last W keys, without a state: o = (q k^T where it is visible) v."""

from tilewright import *

D, S = dims("D S")


@kernel
def masked_chain(q: Tensor[bf16, S, D], k: Tensor[bf16, S, D], v: Tensor[bf16, S, D], o: Tensor[f32, S, D], W: i32):
    m = grid(cdiv(S, 128))
    rows = block(m, 128)
    Q = q[rows, :]
    acc = zeros((128, D), f32)
    for n in range(max(m * 128 - W, 0) // 64, min(cdiv(S, 64), m * 2 + 2)):
        cols = block(n, 64)
        s = dot(Q, k[cols, :].T) * 0.1
        visible = (cols[None, :] <= rows[:, None]) & (cols[None, :] >= rows[:, None] - W)
        acc += dot(where((cols[None, :] < S) & visible, s, 0).to(bf16), v[cols, :])
    o[rows, :] = acc
