"""y[i, j] = x[i, j] * rsqrt(mean_k x[i, k]^2 + eps) * weight[j].

x, y: [M, D], weight: [D], one dtype; computed in f32. x and y may be the same tensor.
"""

from tilewright import *

M, D = dims("M D")
E = dtypes(bf16, f16, f32)


@kernel
def rms_norm(x: Tensor[E, M, D], weight: Tensor[E, D], y: Tensor[E, M, D], eps: f32 = 1e-6,
             *, BR: tune[1, 2, 4, 8, 16] = 4):
    """Root-mean-square normalisation of each row, one program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    v = x[rows, :].to(f32)
    scale = rsqrt(sum(v * v, axis=1) / D + eps)
    y[rows, :] = v * scale[:, None] * weight[:].to(f32)
