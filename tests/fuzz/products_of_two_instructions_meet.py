# RUN: tilewright fuzz --replay %s
# Where a product by fused multiply-adds meets one by mma, each keeps the layout of its instruction.
# tensor a: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor b: values [-4, 4] step 1, seed 2, error 0, contiguous
# tensor c: values [-4, 4] step 1, seed 3, error 0, contiguous
# tensor y: error 0, contiguous
from tilewright import *


@kernel
def fuzz(a: Tensor[f8e4m3, 24, 8], b: Tensor[f16, 24, 16], c: Tensor[f16, 8, 16], y: Tensor[f32, 24, 8]):
    i = grid(1)
    plain = dot(a[:, :], full((8, 8), 1.0, f8e4m3))
    y[:, :] = where(plain > 0, dot(b[:, :], c[:, :].T), 0)
