# RUN: tilewright fuzz --replay %s
# A loop takes columns by what it carries and carries a minimum of rows: two layouts meet in one value.
# scalar n = 2
# tensor x: values [0, 7] step 1, seed 1, error 0, contiguous
# tensor z: values [-8, 8] step 1, seed 3, error 0, contiguous
from tilewright import *


@kernel
def fuzz(x: Tensor[i32, 8, 8], z: Tensor[i32, 1], n: i32):
    i = grid(1)
    k, w = iota(8), 0
    while w < n:
        z[:] = z[:] + 1
        k = min(x[iota(8), 7 - k], axis=1)
        w += 1
