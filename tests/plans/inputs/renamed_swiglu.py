"""The gated products once more: other names, another order of arguments and statements."""

from tilewright import *

ROWS, COLUMNS, DEPTH = dims("ROWS COLUMNS DEPTH")
T = dtypes(bf16, f16)


@kernel
def gated(opened: Tensor[T, COLUMNS, DEPTH], hidden: Tensor[T, ROWS, COLUMNS], passed: Tensor[T, COLUMNS, DEPTH],
          inputs: Tensor[T, ROWS, DEPTH],
          *, STEP: tune[32, 64, 128] = 64, WIDE: tune[64, 128] = 128, TALL: tune[64, 128] = 128):
    down, across = grid(cdiv(ROWS, TALL), cdiv(COLUMNS, WIDE))
    values, gates = zeros((TALL, WIDE), f32), zeros((TALL, WIDE), f32)
    for step in range(cdiv(DEPTH, STEP)):
        P = passed[block(across, WIDE), block(step, STEP)]
        O = opened[block(across, WIDE), block(step, STEP)]
        I = inputs[block(down, TALL), block(step, STEP)]
        gates = gates + dot(I, O.T)
        values = values + dot(I, P.T)
    hidden[block(down, TALL), block(across, WIDE)] = gates * sigmoid(gates) * values
