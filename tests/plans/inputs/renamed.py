"""matmul_nt once more: other names, another order, another way to write the product."""

from tilewright import *

ROWS, COLUMNS, DEPTH = dims("ROWS COLUMNS DEPTH")
T = dtypes(bf16, f16)


@kernel
def linear(weights: Tensor[T, COLUMNS, DEPTH], result: Tensor[T, ROWS, COLUMNS],
           inputs: Tensor[T, ROWS, DEPTH],
           *, TALL: tune[128] = 128, WIDE: tune[128, 256] = 256, STEP: tune[64] = 64):
    """result = inputs weightsᵀ"""
    y, x = grid(cdiv(ROWS, TALL), cdiv(COLUMNS, WIDE))
    total = zeros((TALL, WIDE), f32)
    for step in range(cdiv(DEPTH, STEP)):
        w = weights[block(x, WIDE), block(step, STEP)]
        total = total + dot(inputs[block(y, TALL), block(step, STEP)], w.T)
    result[block(y, TALL), block(x, WIDE)] = total.to(T)
