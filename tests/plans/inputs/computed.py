"""Products of computed tiles, in places and ways that differ."""

from tilewright import *

M, N, K = dims("M N K")


@kernel
def in_front(x: Tensor[bf16, M, K], w: Tensor[f32, N, K], scale: f32, y: Tensor[f32, M, N],
             *, BM: tune[64, 128] = 64):
    """A right operand that is made once, in front of the loop that multiplies it."""
    m = grid(cdiv(M, BM))
    rows, W = block(m, BM), (w[block(0, 64), block(0, 64)] * scale).to(bf16)
    for n in range(cdiv(K, 64)):
        y[rows, block(n, 64)] = dot(x[rows, block(n, 64)], W.T)


@kernel
def both_read(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], y: Tensor[f32, M, N], z: Tensor[f32, M, N]):
    """What is squared for one product is the operand of another."""
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    rows, cols, plain, squared = block(m, 64), block(n, 64), zeros((64, 64), f32), zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        depth = block(k, 64)
        X, W = x[rows, depth], w[cols, depth]
        plain += dot(X, W.T)
        squared += dot(X, (W.to(f32) * W.to(f32)).to(bf16).T)
    y[rows, cols] = plain
    z[rows, cols] = squared


@kernel
def left_too(x: Tensor[f8e4m3, M, K], w: Tensor[f32, N, K], y: Tensor[f32, M, N]):
    """Both operands are computed, and one of them is read by something else."""
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    rows, cols, acc, sums = block(m, 64), block(n, 64), zeros((64, 64), f32), zeros(64, f32)
    for k in range(cdiv(K, 64)):
        depth = block(k, 64)
        W = (w[cols, depth] * 2).to(bf16)
        acc += dot((x[rows, depth].to(f32) * 0.5).to(bf16), W.T)
        sums += sum(W.to(f32), 1)
    y[rows, cols] = acc + sums[None, :]


@kernel
def carried(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], y: Tensor[f32, M, N]):
    """A right operand that a loop adds up."""
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    rows, cols, acc, W = block(m, 64), block(n, 64), zeros((64, 64), f32), zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        depth = block(k, 64)
        W += w[cols, depth].to(f32)
        acc += dot(x[rows, depth], W.to(bf16).T)
    y[rows, cols] = acc


@kernel
def in_a_branch(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], scales: Tensor[f32, N], y: Tensor[f32, M, N]):
    """A right operand that is made where a number says so."""
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    rows, cols, acc = block(m, 64), block(n, 64), zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        depth = block(k, 64)
        if scales[n] > 0:
            acc += dot(x[rows, depth], (w[cols, depth].to(f32) * scales[n]).to(bf16).T)
    y[rows, cols] = acc


@kernel
def behind(x: Tensor[bf16, M, K], w: Tensor[bf16, 64, K], u: Tensor[f32, 64, 64], y: Tensor[f32, M, 64]):
    """A right operand that is made behind a loop."""
    m = grid(cdiv(M, 64))
    rows, acc = block(m, 64), zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc += dot(x[rows, block(k, 64)], w[block(0, 64), block(k, 64)].T)
    y[rows, :] = dot(acc.to(bf16), (u[block(m, 64), :] * 2).to(bf16).T)


@kernel
def first(x: Tensor[bf16, M, K], w: Tensor[f32, N, K], u: Tensor[bf16, K, 64], y: Tensor[f32, M, 64]):
    """A product of such an operand, in front of a loop."""
    m = grid(cdiv(M, 64))
    rows, acc = block(m, 64), zeros((64, 64), f32)
    start = dot(x[rows, block(0, 64)], (w[block(m, 64), block(0, 64)] * 2).to(bf16).T).to(bf16)
    for k in range(cdiv(K, 64)):
        acc += dot(start, u[block(k, 64), :])
    y[rows, :] = acc


@kernel
def by_rows(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], scales: Tensor[f32, N], y: Tensor[f32, M, N],
            begin: i32):
    """What scales the operand is known in front of the loop, and used in a branch."""
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    rows, cols, acc = block(m, 64), block(n, 64), zeros((64, 64), f32)
    factors = scales[cols] * 2
    for k in range(cdiv(K, 64)):
        W = w[cols, block(k, 64)].to(f32)
        if k >= begin:
            W = W * factors[:, None]
        acc += dot(x[rows, block(k, 64)], W.to(bf16).T)
    y[rows, cols] = acc
