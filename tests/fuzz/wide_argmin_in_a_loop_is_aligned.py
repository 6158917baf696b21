# RUN: tilewright fuzz --replay %s
# In a loop a reduction uses two places in turns: numbers of 5 warps, each behind 8 bytes, take 60 bytes.
# dim D2 = 2
# dim D33 = 33
# dim N = 1
# tensor y0: error 0, contiguous
# tensor x0: values [-4, 4] step 1, seed 0, error 0, contiguous
# tensor x1: values [0, 1] step 1, seed 0, error 0, contiguous
# tensor y1: error 0, contiguous
from tilewright import *

D2, D33, N = dims("D2 D33 N")


@kernel
def fuzz(y0: Tensor[f32, 1, N, D33], x0: Tensor[i64, N], x1: Tensor[bool, D2], y1: Tensor[f32, 1, 1]):
    i, j = grid(1, cdiv(N, 33))
    cols = block(j, 33)
    y0[i, cols, :] = zeros((33, 33), f32)
    for k0 in range(0, 2, 1):
        if x1[argmin(x0[cols], axis=0)]:
            y1[j, i] = k0.to(f32)
