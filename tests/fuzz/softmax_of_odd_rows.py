# RUN: tilewright fuzz --replay %s
# The padding of a row is -inf in its maximum and 0 in the sum of its exponentials: of rows in part
# behind the last, under masks, of other maxima, and beside sums of the row itself.
# dim M = 5
# tensor x0: values [-2, 2] step 1, seed 1, error 0, contiguous
# tensor y0: error 0, contiguous
# tensor y1: error 0, contiguous
# tensor y2: error 0, contiguous
# tensor y3: error 0, contiguous
from tilewright import *

M = dims("M")


@kernel
def fuzz(x0: Tensor[bf16, M, 11], y0: Tensor[f32, M, 11], y1: Tensor[f32, M], y2: Tensor[f32, M], y3: Tensor[f32, M]):
    rows = block(grid(cdiv(M, 2)), 2)
    z = x0[rows, :].to(f32)
    e = exp2(z - max(z, axis=1)[:, None])
    y0[rows, :] = e * 0.5
    y1[rows] = sum(e, axis=1) + sum(z, axis=1)
    below = where(iota(11)[None, :] <= rows[:, None], z, -inf)
    y2[rows] = sum(exp2(below - max(below, axis=1)[:, None]), axis=1)
    y3[rows] = sum(exp2(z - max(below, axis=1)[:, None]), axis=1) + sum(z * z, axis=1)
