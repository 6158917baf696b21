# RUN: tilewright fuzz --replay %s
# What a reduction leaves is where its source was; a scan or a sum that a loop carries wants it elsewhere.
# dim M = 20
# dim K = 17
# tensor x: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor w: values [-4, 4] step 1, seed 2, error 0, contiguous
# tensor y: error 0, contiguous
# tensor z: error 0, contiguous
from tilewright import *

M, K = dims("M K")


@kernel
def fuzz(x: Tensor[f16, M, 16], w: Tensor[f16, K, 16], y: Tensor[f16, M], z: Tensor[f32, M]):
    i = grid(cdiv(M, 16))
    rows = block(i, 16)
    y[rows] = cumsum(sum(full((2, 16), 1.0, f16), axis=0))
    total, peak = zeros((16, 1), f32), zeros((16, 8), f32)
    for k in range(cdiv(K, 8)):
        cols = block(k, 8)
        s = dot(x[rows, :], w[cols, :].T)
        peak = maximum(peak, dot(s.to(f16), w[cols, iota(8)]))
        total = total + sum(s, axis=1)[:, None]
    z[rows] = sum(total + peak, axis=1)
