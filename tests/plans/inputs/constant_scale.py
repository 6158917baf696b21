"""Attention whose scale is a constant: no launch has another."""

from tilewright import *
B, H, S, T, D = dims("B H S T D")

@kernel
def constant_scale(q: Tensor[bf16, B, S, H, D], k: Tensor[bf16, B, T, H, D], v: Tensor[bf16, B, T, H, D],
        o: Tensor[bf16, B, S, H, D], *, BM: tune[128] = 128, BN: tune[128] = 128):
    m, h, b = grid(cdiv(S, BM), H, B)
    rows = block(m, BM)
    Q = q[b, rows, h, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = dot(Q, k[b, cols, h, :].T) * (0.125 * LOG2E)
        s = where(cols[None, :] < T, s, -inf)
        best = maximum(peak, max(s, axis=1))
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc = acc * shrink[:, None] + dot(p.to(bf16), v[b, cols, h, :])
        peak = best
    o[b, rows, h, :] = acc / total[:, None]
