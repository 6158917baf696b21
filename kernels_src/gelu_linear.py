"""A linear layer with gelu, v = x weight^T + bias, and the gradient by v.

    gelu_linear           y = gelu(v)
    gelu_linear_backward  dv = dy * gelu'(v), where v is computed again

gelu(v) = v (1 + erf(v / sqrt 2)) / 2, or with `approximate`
          v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))) / 2.
x: [M, K], weight: [N, K], bias: [N] (optional), y, dy, dv: [M, N]; sums and gelu in f32.
"""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(bf16, f16, f32)


@inline
def gelu(v, approximate):
    if approximate:
        return 0.5 * v * (1 + tanh(sqrt(2 / PI) * (v + 0.044715 * v**3)))
    return 0.5 * v * (1 + erf(v * sqrt(0.5)))


@inline
def slope(v, approximate):
    if approximate:
        t = tanh(sqrt(2 / PI) * (v + 0.044715 * v**3))
        return 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * sqrt(2 / PI) * (1 + 3 * 0.044715 * v**2)
    return 0.5 * (1 + erf(v * sqrt(0.5))) + v * exp(-0.5 * v * v) * sqrt(0.5 / PI)


@kernel
def gelu_linear(x: Tensor[E, M, K], weight: Tensor[E, N, K], y: Tensor[E, M, N],
                bias: Tensor[E, N] | None = None,
                *, approximate: const[bool] = False,
                BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """One program per BM x BN tile of y."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(x[rows, depth], weight[cols, depth].T)
    if bias is not None:
        acc += bias[cols].to(f32)
    y[rows, cols] = gelu(acc, approximate)


@kernel
def gelu_linear_backward(x: Tensor[E, M, K], weight: Tensor[E, N, K], dy: Tensor[E, M, N], dv: Tensor[E, M, N],
                         bias: Tensor[E, N] | None = None,
                         *, approximate: const[bool] = False,
                         BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """One program per BM x BN tile of dv."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(x[rows, depth], weight[cols, depth].T)
    if bias is not None:
        acc += bias[cols].to(f32)
    dv[rows, cols] = dy[rows, cols].to(f32) * slope(acc, approximate)
