"""y[i, j] = exp(x[i, j] - max_k x[i, k]) / sum_k exp(x[i, k] - max_k x[i, k]).

x, y: [M, D], one dtype; computed in f32. x and y may be the same tensor.
"""

from tilewright import *

M, D = dims("M D")
E = dtypes(bf16, f16, f32)


@kernel
def softmax(x: Tensor[E, M, D], y: Tensor[E, M, D], *, BR: tune[1, 2, 4, 8, 16] = 2):
    """Softmax of each row, one program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    z = x[rows, :].to(f32) * LOG2E
    p = exp2(z - max(z, axis=1)[:, None])
    y[rows, :] = p / sum(p, axis=1)[:, None]
