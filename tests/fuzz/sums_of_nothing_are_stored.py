# RUN: tilewright fuzz --replay %s
# Programs without a loop still ask for the number of blocks that leave sums.
# scalar K0 = 1
# scalar M = 1
# scalar N = 1
# tensor a0: values [-4, 4] step 1, seed 0, error 0, contiguous
from tilewright import *


@kernel
def fuzz(a0: Tensor[i32, 1], K0: i32, M: i32, N: i32):
    start_at_zero(a0)
    i, j = grid(cdiv(M, 1), cdiv(N, 1))
    rows = block(i, 1)
    cols = block(j, 1)
    acc0 = zeros((1, 8), f32)
    for k0 in range(cdiv(K0, 8)):
        r0 = block(k0, 8)
        acc0 += zeros((1, 8), f32)
    atomic_add(a0[iota(1)], zeros((1,), i32))
