# RUN: tilewright fuzz --replay %s
# A scan wants whole lines in one warp, the product that uses it another layout.
# dim D24 = 24
# dim D8 = 8
# tensor x0: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor y0: error 0, contiguous
# tensor y1: error 0, contiguous
from tilewright import *

D24, D8 = dims("D24 D8")


@kernel
def fuzz(x0: Tensor[f16, D24, D8], y0: Tensor[f32, D24, D8], y1: Tensor[f32, D24, D8]):
    i = grid(1)
    a = x0[:, :]
    b = full((8, 8), 1.0, f16)
    y0[:, :] = dot(a, b, cumsum(a.to(f32), axis=0))
    y1[:, :] = dot(cumsum(a, axis=0), b)
