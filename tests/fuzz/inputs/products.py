"""Products as users write them, for `fuzz --found`: plans must be right for more than the built-in kernels."""

from tilewright import *

B, M, N, K, S, T, D = dims("B M N K S T D")


@kernel
def row_sums(a: Tensor[f16, K, M], b: Tensor[f16, N, K], c: Tensor[bf16, M, N], sums: Tensor[f32, M],
             *, BM: tune[64, 128] = 128, BN: tune[64, 128] = 128, BK: tune[32, 64] = 64):
    """An operand that is also reduced, and rows that do not suit TMA."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc, total = zeros((BM, BN), f32), zeros((BM,), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        A = a[depth, rows].T
        total += sum(A.to(f32), axis=1)
        acc += dot(A, b[cols, depth].T)
    c[rows, cols] = acc * sigmoid(acc)
    if n == 0:
        sums[rows] = total


@kernel
def two_products(a: Tensor[i8, M, K], b: Tensor[i8, K, N], d: Tensor[i8, N, K], c: Tensor[f32, M, N], alpha: f32,
                 *, BM: tune[64, 128] = 128, BN: tune[64, 128] = 64, BK: tune[64, 128] = 128):
    """Two sums of bytes, one of which needs a transposition on the way."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc, other = zeros((BM, BN), i32), zeros((BM, BN), i32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(a[rows, depth], b[depth, cols])
        other += dot(a[rows, depth], d[cols, depth].T)
    c[rows, cols] = acc.to(f32) * alpha - other.to(f32)


@kernel
def triangle(a: Tensor[bf16, B, M, K], b: Tensor[bf16, K, N], g: Tensor[f32, K], c: Tensor[bf16, B, N, M],
             *, BM: tune[64, 128] = 128, BN: tune[64, 128] = 128, BK: tune[32, 64] = 64):
    """A triangular operand that is scaled, one that the batch shares, and a transposed result."""
    m, n, z = grid(cdiv(M, BM), cdiv(N, BN), B)
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(min(cdiv(K, BK), cdiv(m * BM + BM, BK))):
        depth = block(k, BK)
        A = (a[z, rows, depth].to(f32) * g[depth][None, :]).to(bf16)
        acc += dot(where(depth[None, :] <= rows[:, None], A, 0), b[depth, cols])
    c[z, cols, rows] = maximum(acc, 0).T


@kernel
def distances(q: Tensor[bf16, S, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D], o: Tensor[bf16, S, D], slope: f32,
              *, BM: tune[64, 128] = 128, BN: tune[32, 64] = 64):
    """Attention with scores that are clamped, and lowered by a distance."""
    m = grid(cdiv(S, BM))
    rows = block(m, BM)
    Q = q[rows, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = minimum(maximum(dot(Q, k[cols, :].T) * 0.2, -20), 20)
        s = s - slope * abs(rows[:, None] - cols[None, :]).to(f32)
        s = where((cols[None, :] < T) & (cols[None, :] <= rows[:, None]), s * LOG2E, -inf)
        best = maximum(peak, max(s, axis=1))
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc, peak = acc * shrink[:, None] + dot(p.to(bf16), v[cols, :]), best
    o[rows, :] = where(total[:, None] > 0, acc / total[:, None], 0)


@kernel
def bounded(q: Tensor[bf16, S, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D], o: Tensor[bf16, S, D],
            lse: Tensor[f32, S], *, BM: tune[64, 128] = 128, BN: tune[32, 64] = 64):
    """Attention with scores that are clamped, and so need no maximum."""
    m = grid(cdiv(S, BM))
    rows = block(m, BM)
    Q = q[rows, :]
    acc, peak, total = zeros((BM, D), f32), full((BM,), LOWEST, f32), zeros((BM,), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        s = minimum(maximum(dot(Q, k[cols, :].T) * 0.2, -20), 20)
        s = where(cols[None, :] < T, s * LOG2E, -inf)
        best = maximum(peak, max(s, axis=1))
        p = exp2(s - best[:, None])
        shrink = exp2(peak - best)
        total = total * shrink + sum(p, axis=1)
        acc, peak = acc * shrink[:, None] + dot(p.to(bf16), v[cols, :]), best
    o[rows, :] = acc / total[:, None]
    lse[rows] = (peak + log2(total)) / LOG2E
