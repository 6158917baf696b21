# RUN: tilewright fuzz --replay %s
# A row behind the last is 0, also where the padding of its columns is -inf for a maximum.
# dim M = 5
# tensor x0: values [-4, -1] step 1, seed 1, error 0, contiguous
# tensor y0: error 0, contiguous
# tensor y1: error 0, contiguous
# tensor y2: error 0, contiguous
# tensor y3: error 0, contiguous
from tilewright import *

M = dims("M")


@kernel
def fuzz(x0: Tensor[f32, M, 11], y0: Tensor[f32, M], y1: Tensor[f32, M], y2: Tensor[f32, 2, M],
         y3: Tensor[f32, M, 3]):
    rows = block(grid(cdiv(M, 2)), 2)
    y0[rows] = max(x0[rows + 1, :], axis=1)
    y1[rows] = max(x0[rows, :], axis=1)
    last = full((2,), 1.0, f32)
    for k in range(2):
        y2[k, rows + 1 - k] = last
        last = max(x0[rows + 1 - k, :], axis=1)
    behind = max(x0[block(M, 1), :], axis=1)  # one row for all
    y3[rows, :] = zeros((2, 3), f32) + behind[:, None]
