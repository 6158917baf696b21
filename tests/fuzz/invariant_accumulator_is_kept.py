# RUN: tilewright fuzz --replay %s
# A product that starts from the same tile in every iteration does not sum into that tile.
# scalar n = 3
# tensor x: values [-4, 4] step 1, seed 1, error 0, contiguous
# tensor w: values [-4, 4] step 1, seed 2, error 0, contiguous
# tensor y: error 0, contiguous
from tilewright import *


@kernel
def fuzz(x: Tensor[f16, 16, 16], w: Tensor[f16, 16, 16], y: Tensor[f32, 16, 16], n: i32):
    i = grid(1)
    start = dot(w[:, :], w[:, :])
    best = zeros((16, 16), f32)
    for k in range(n):
        best = maximum(best, dot((x[:, :].to(f32) * k).to(f16), w[:, :], start))
    y[:, :] = best
