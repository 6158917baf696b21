# RUN: tilewright fuzz --replay %s
# Sums of i64 cross lanes as 64 bits.
# dim M = 40
# tensor x: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor y: error 0, contiguous
# tensor z: error 0, contiguous
from tilewright import *

M = dims("M")


@kernel
def fuzz(x: Tensor[i64, M, 64], y: Tensor[i64, M], z: Tensor[i64, M, 64]):
    i = grid(cdiv(M, 16))
    rows = block(i, 16)
    y[rows] = sum(x[rows, :], axis=1) + argmax(x[rows, :], axis=1)
    z[rows, :] = cumsum(x[rows, :], axis=1)
