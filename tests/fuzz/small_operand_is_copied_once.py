# RUN: tilewright fuzz --replay %s
# Operands smaller than the block's threads, and i8 ones that go through registers.
# tensor x0: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor x1: values [-4, 4] step 1, seed 2, error 0, padded
# tensor b0: values [-4, 4] step 1, seed 3, error 0, contiguous
# tensor b1: values [-4, 4] step 1, seed 4, error 0, misaligned
# tensor y0: error 0, contiguous
# tensor y1: error 0, contiguous
from tilewright import *


@kernel
def fuzz(x0: Tensor[f16, 8, 8], x1: Tensor[f16, 8, 8], b0: Tensor[i8, 8, 8], b1: Tensor[i8, 8, 8], y0: Tensor[f32, 8, 8], y1: Tensor[i32, 8, 8]):
    i = grid(1)
    y0[:, :] = dot(x0[:, :], x1[:, :])
    y1[:, :] = dot(b0[:, :], b1[:, :].T)
