# tensor x: values [-100, 100] step 1, seed 1, error 0, contiguous
# tensor y: error 0, contiguous
from tilewright import *


@kernel
def seventh(x: Tensor[f32, 20], y: Tensor[f32, 20]):
    i = grid(1)
    y[:] = x[:] / 7.0
