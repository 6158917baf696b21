# RUN: tilewright fuzz --replay %s
# Carried tiles that a loop hands on to one another change places as if all at once.
# dim M = 70
# scalar n = 4
# tensor x: values [-4, 4] step 1, seed 3, error 0, contiguous
# tensor y: error 0, contiguous
from tilewright import *

M = dims("M")


@kernel
def fuzz(x: Tensor[f16, 3, M], y: Tensor[f16, 3, M], n: i32):
    i = grid(cdiv(M, 48))
    rows = block(i, 48)
    a, b, c = x[0, rows], x[1, rows], x[2, rows]
    for k in range(n):
        a, b, c = b, c, a
    y[0, rows] = a
    y[1, rows] = b
    y[2, rows] = c
