# RUN: tilewright fuzz --replay %s
# Bounds of one index, once along the rows and once along the columns, are not one bound.
# dim D1 = 20
# dim M = 20
# tensor x0: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor y0: error 0, contiguous
from tilewright import *

D1, M = dims("D1 M")


@kernel
def fuzz(x0: Tensor[f32, M, M], y0: Tensor[f32, M, M]):
    i = grid(cdiv(M, 9))
    rows = block(i, 9)
    for k in range(cdiv(M, 9)):
        cols = block(k, 9)
        both = (rows[:, None] > 3) & (cols[None, :] > 3) & (cols[None, :] >= rows[:, None])
        y0[rows, cols] = where(both & (cols[None, :] == 7), x0[rows, cols], 1)
