"""The gated feed-forward layer: y = (silu(x gate^T) * (x up^T)) down^T, in two kernels, and its gradients.

    swiglu_mlp           h = silu(g) * u, g = x gate^T, u = x up^T    x: [M, K], gate and up: [N, K], h: [M, N]
    swiglu_mlp_down      y = h down^T                                 down: [K, N], y: [M, K]
    swiglu_mlp_backward  dg = dh * u * silu'(g), du = dh * silu(g), and h; g and u are computed again
    swiglu_mlp_input     dx = dg gate + du up

Sums and silu(v) = v / (1 + exp(-v)) in f32; h, dg and du are rounded to the dtype of x.
"""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(bf16, f16)


@kernel
def swiglu_mlp(x: Tensor[E, M, K], gate: Tensor[E, N, K], up: Tensor[E, N, K], h: Tensor[E, M, N],
               *, BM: tune[64, 128, 192] = 128, BN: tune[64, 96, 128] = 128, BK: tune[32, 64, 128] = 64):
    """Both products share the tiles of x, one program per BM x BN tile of h."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    g, u = zeros((BM, BN), f32), zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        X = x[rows, depth]
        g += dot(X, gate[cols, depth].T)
        u += dot(X, up[cols, depth].T)
    h[rows, cols] = g * sigmoid(g) * u


@kernel
def swiglu_mlp_down(h: Tensor[E, M, N], down: Tensor[E, K, N], y: Tensor[E, M, K],
                    *, BM: tune[64, 128, 256] = 128, BK: tune[64, 128, 256] = 128, BN: tune[32, 64, 128] = 64):
    """One program per BM x BK tile of y."""
    m, k = grid(cdiv(M, BM), cdiv(K, BK))
    rows, cols = block(m, BM), block(k, BK)
    acc = zeros((BM, BK), f32)
    for n in range(cdiv(N, BN)):
        depth = block(n, BN)
        acc += dot(h[rows, depth], down[cols, depth].T)
    y[rows, cols] = acc


@kernel
def swiglu_mlp_backward(x: Tensor[E, M, K], gate: Tensor[E, N, K], up: Tensor[E, N, K], dh: Tensor[E, M, N],
                        dg: Tensor[E, M, N], du: Tensor[E, M, N], h: Tensor[E, M, N],
                        *, BM: tune[64, 128, 192] = 128, BN: tune[64, 96, 128] = 64, BK: tune[32, 64, 128] = 64):
    """Both products share the tiles of x, one program per BM x BN tile of dg, du and h."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    g, u = zeros((BM, BN), f32), zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        X = x[rows, depth]
        g += dot(X, gate[cols, depth].T)
        u += dot(X, up[cols, depth].T)
    open = sigmoid(g)
    d = dh[rows, cols].to(f32)
    h[rows, cols] = g * open * u
    du[rows, cols] = d * g * open
    dg[rows, cols] = d * u * open * (1 + g * (1 - open))


@kernel
def swiglu_mlp_input(dg: Tensor[E, M, N], du: Tensor[E, M, N], gate: Tensor[E, N, K], up: Tensor[E, N, K],
                     dx: Tensor[E, M, K],
                     *, BM: tune[64, 128, 256] = 128, BK: tune[64, 128, 256] = 128, BN: tune[32, 64, 128] = 64):
    """One program per BM x BK tile of dx."""
    m, k = grid(cdiv(M, BM), cdiv(K, BK))
    rows, cols = block(m, BM), block(k, BK)
    acc = zeros((BM, BK), f32)
    for n in range(cdiv(N, BN)):
        depth = block(n, BN)
        acc += dot(dg[rows, depth], gate[depth, cols])
        acc += dot(du[rows, depth], up[depth, cols])
    dx[rows, cols] = acc
