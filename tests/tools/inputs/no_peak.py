from tilewright import *

M, D = dims("M D")
E = dtypes(bf16, f16, f32)


@kernel
def no_peak(x: Tensor[E, M, D], y: Tensor[E, M, D], *, BR: tune[1, 2] = 1):
    """Softmax of each row, without the maximum that keeps powers from overflowing."""
    rows = block(grid(cdiv(M, BR)), BR)
    p = exp(x[rows, :].to(f32))
    y[rows, :] = p / sum(p, axis=1)[:, None]
