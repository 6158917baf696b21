# RUN: tilewright fuzz --replay %s
# A loop that loads ahead leaves slots behind that hold nothing; the next time round begins after them.
# dim M = 40
# dim K = 72
# scalar n = 4
# tensor x: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor w: values [-4, 4] step 1, seed 2, error 0, contiguous
# tensor v: values [-4, 4] step 1, seed 3, error 0, misaligned
# tensor y: error 0, contiguous
from tilewright import *

M, K = dims("M K")


@kernel
def fuzz(x: Tensor[f16, M, K], w: Tensor[f16, K, 24], v: Tensor[f16, K, 24], y: Tensor[f32, 4, M, 24], n: i32):
    i = grid(cdiv(M, 16))
    rows = block(i, 16)
    for j in range(n):
        acc = zeros((16, 24), f32)
        for k in range(cdiv(K, 16)):
            deep = block(k, 16)
            a = x[rows, deep]
            acc += dot(a, w[deep, :]) + dot(a, v[deep, :])
        y[j, rows, :] = acc
