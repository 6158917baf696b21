# RUN: tilewright fuzz --replay %s
# A constant that has a name is broadcast to a tile, and used as a scalar behind it.
# dim D8 = 8
# tensor x0: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor y0: error 0, contiguous
# tensor y1: error 0, contiguous
from tilewright import *

D8 = dims("D8")


@kernel
def fuzz(x0: Tensor[f16, D8], y0: Tensor[f16, D8], y1: Tensor[f32, 1]):
    i = grid(1)
    half = (0.5).to(f16)
    y0[:] = x0[:] + half
    y1[i] = half.to(f32)
