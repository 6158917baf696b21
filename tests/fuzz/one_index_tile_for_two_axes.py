# RUN: tilewright fuzz --replay %s
# The same indices for two axes lie along the rows for one and along the columns for the other.
# dim D4 = 4
# tensor x: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor at: values [0, 3] step 1, seed 2, error 0, contiguous
# tensor y: error 0, contiguous
# tensor z: error 0, contiguous
from tilewright import *

D4 = dims("D4")


@kernel
def fuzz(x: Tensor[f32, D4, D4], at: Tensor[i32, D4], y: Tensor[f32, D4, D4], z: Tensor[f32, D4, D4]):
    i = grid(1)
    k = at[:]
    y[3 - iota(4), 3 - iota(4)] = x[:, :]
    z[:, :] = x[k, k]
