"""Products of sequences that are packed behind each other: what lies behind one is 0 to it, though the
next one begins there."""

from tilewright import *

N, P, Q = dims("N P Q")
E = dtypes(bf16)


@kernel
def gradients(x: Tensor[E, N, P], y: Tensor[E, N, Q], c: Tensor[f32, P, Q], length: i32,
              *, BM: tune[64, 128] = 64, BN: tune[64, 128] = 64, BK: tune[32, 64] = 64):
    """c = the sum over sequences b of (b + 1) x_b^T y_b."""
    m, n, b = grid(cdiv(P, BM), cdiv(Q, BN), cdiv(N, length))
    rows, cols = block(m, BM), block(n, BN)
    xs, ys = x[b * length:(b + 1) * length, :], y[b * length:(b + 1) * length, :]
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(xs.shape[0], BK)):
        depth = block(k, BK)
        acc += dot(xs[depth, rows].T, ys[depth, cols])
    atomic_add(c[rows, cols], acc * (b + 1))


@kernel
def outer(x: Tensor[E, N, P], y: Tensor[E, Q, P], c: Tensor[E, N, Q], length: i32,
          *, start: const[int] = 0,
          BM: tune[64, 128] = 64, BN: tune[64, 128] = 64, BK: tune[32, 64] = 64):
    """c_b = x_b y^T, in rows from `start` on."""
    m, n, b = grid(cdiv(length, BM), cdiv(Q, BN), cdiv(N, length))
    rows, cols = span(m * BM + start, BM), block(n, BN)
    xs = x[b * length:(b + 1) * length, :]
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(P, BK)):
        depth = block(k, BK)
        acc += dot(xs[rows, depth], y[cols, depth].T)
    c[b * length:(b + 1) * length, :][rows, cols] = acc
