# RUN: tilewright fuzz --replay %s
# Where a whole row is -inf, less its maximum it is NaN, and so is its padding: a comparison, or a
# selection of a column that is none, must not let that through.
# dim M = 5
# scalar N = 11
# tensor x0: values [-2, 2] step 1, seed 1, error 0, contiguous
# tensor y0: error 0, contiguous
# tensor y1: error 0, contiguous
# tensor y2: error 0, contiguous
from tilewright import *

M = dims("M")


@kernel
def fuzz(x0: Tensor[bf16, M, 11], y0: Tensor[f32, M], y1: Tensor[f32, M], y2: Tensor[f32, M], N: i32):
    rows = block(grid(cdiv(M, 2)), 2)
    z = where(rows[:, None] > 1, x0[rows, :].to(f32), -inf)
    d = z - max(z, axis=1)[:, None]
    y0[rows] = sum(where(d != d, 1.0, 0.0), axis=1)
    y1[rows] = sum(where(iota(11)[None, :] == N, exp2(d), 0), axis=1)
    y2[rows] = max(where(iota(11)[None, :] == N, d, -inf), axis=1)
