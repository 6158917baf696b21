"""y[i, j] = (v[i, j] - mean_i) * rsqrt(var_i + eps) * weight[j] + bias[j], where v is x or x + residual.

mean_i and var_i are those of row i of v (var divides by D). x, y: [M, D], weight and bias: [D], residual and
added: [M, D], each optional; one dtype, computed in f32. The sum is rounded to the dtype, as `added` receives
it, before it is normalised. y may be x or residual, and added the other of them.
"""

from tilewright import *

M, D = dims("M D")
E = dtypes(bf16, f16, f32)


@kernel
def layer_norm(x: Tensor[E, M, D], y: Tensor[E, M, D], eps: f32 = 1e-5,
               weight: Tensor[E, D] | None = None, bias: Tensor[E, D] | None = None,
               residual: Tensor[E, M, D] | None = None, added: Tensor[E, M, D] | None = None,
               *, BR: tune[1, 2, 4, 8, 16] = 2):
    """Layer normalisation of each row, one program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    v = x[rows, :].to(f32)
    if residual is not None:
        v = (v + residual[rows, :].to(f32)).to(E).to(f32)
    if added is not None:
        added[rows, :] = v
    centred = v - (sum(v, axis=1) / D)[:, None]
    variance = sum(centred * centred, axis=1) / D
    result = centred * rsqrt(variance + eps)[:, None]
    if weight is not None:
        result = result * weight[:].to(f32)
    if bias is not None:
        result = result + bias[:].to(f32)
    y[rows, :] = result
