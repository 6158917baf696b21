"""y[i, j] = x[i, j] - log(sum_k exp(x[i, k])).

x, y: [M, D], one dtype; computed in f32. x and y may be the same tensor.
"""

from tilewright import *

M, D = dims("M D")
E = dtypes(bf16, f16, f32)


@kernel
def log_softmax(x: Tensor[E, M, D], y: Tensor[E, M, D], *, BR: tune[1, 2, 4, 8, 16] = 2):
    """Logarithm of the softmax of each row, one program per BR rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    z = x[rows, :].to(f32)
    z = z - max(z, axis=1)[:, None]
    y[rows, :] = z - log(sum(exp2(z * LOG2E), axis=1))[:, None]
