from tilewright import *

M, N, K = dims("M N K")


@kernel
def columns(x: Tensor[bf16, M, N], y: Tensor[f32, M, N], a: i32 = 3, b: i32 = 50):
    """Of columns a to b, x goes one to the right in y; sums of what lies there are added."""
    rows = block(grid(cdiv(M, 16)), 16)
    X, Y = x[:, a:b], y[:, a:b]
    total = zeros((16,), f32)
    for j in range(cdiv(X.shape[1], 32)):
        cols = block(j, 32)
        Y[rows, cols + 1] = X[rows, cols].to(f32)
        total += sum(X[rows, cols].to(f32), axis=1)
    atomic_add(Y[rows, 0], total)


@kernel
def product(a: Tensor[bf16, M, K], b: Tensor[bf16, K, N], c: Tensor[f32, M, N], first: i32 = 5, last: i32 = 70):
    """c of some rows, from some of k; a and b are cut along different axes."""
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    rows, cols = block(m, 64), block(n, 64)
    A, B, acc = a[first:, first:last], b[first:last, :], zeros((64, 64), f32)
    for k in range(cdiv(A.shape[1], 32)):
        acc += dot(A[rows, block(k, 32)], B[block(k, 32), cols])
    c[first:, :][rows, cols] = acc


@kernel
def windows(x: Tensor[f32, N], w: Tensor[f32, N, 32], y: Tensor[f32, N]):
    """Parts that a loop takes elsewhere each time, read and written in one tensor."""
    i = grid(1)
    for j in range(N - 2):
        part = y[j:j + 3]
        part[iota(4)] = part[iota(4) - 1] + x[j:][iota(4)] + w[j:j + 1, :][iota(4), 3]


@kernel
def banks(q: Tensor[bf16, M, 64], k: Tensor[bf16, N, 64], c: Tensor[f32, M, 64]):
    """A part per iteration, that copies run ahead to."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    for j in range(cdiv(N, 80)):
        acc += dot(q[rows, :], k[80 * j:80 * j + 40, :][iota(64), :].T)
    c[rows, :] = acc
