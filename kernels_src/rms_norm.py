"""y[i, j] = v[i, j] * rsqrt(mean_k v[i, k]^2 + eps) * (weight[j] + shift), where v is x or x + residual.

x, y: [M, D], weight: [D], residual, added: [M, D], each optional; one dtype, computed in f32. The sum is
rounded to the dtype, as `added` receives it, before it is normalised. y may be x or residual, and added
the other of them.
"""

from tilewright import *

M, D = dims("M D")
E = dtypes(bf16, f16, f32)


@kernel
def rms_norm(x: Tensor[E, M, D], weight: Tensor[E, D], y: Tensor[E, M, D], eps: f32 = 1e-6,
             residual: Tensor[E, M, D] | None = None, added: Tensor[E, M, D] | None = None,
             *, shift: const[float] = 0.0, BR: tune[1, 2, 4, 8, 16] = 2):
    """Root-mean-square normalisation of each row, one program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    v = x[rows, :].to(f32)
    if residual is not None:
        v = (v + residual[rows, :].to(f32)).to(E).to(f32)
    if added is not None:
        added[rows, :] = v
    scale = rsqrt(sum(v * v, axis=1) / D + eps)
    y[rows, :] = v * scale[:, None] * (weight[:].to(f32) + shift)
