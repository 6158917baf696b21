"""y[i, j] = 0 for `dropped` of 256 elements, at random, and x[i, j] * 256 / (256 - dropped) for the others.

Element (i, j) is dropped where random_bytes(seed[0], seed[1], 0, i, j) is less than `dropped`: the same
seed, a number and an offset, drops the same elements, so that the gradient is this kernel on dy.
x, y: [M, N], one dtype; seed: [2]. x and y may be the same tensor.
"""

from tilewright import *

M, N = dims("M N")
E = dtypes(bf16, f16, f32)


@kernel
def dropout(x: Tensor[E, M, N], y: Tensor[E, M, N], seed: Tensor[i64, 2],
            *, dropped: const[int] = 26, BR: tune[1, 2, 4] = 1, BN: tune[1024, 2048, 4096] = 2048):
    """One program per BR x BN elements."""
    assert dropped >= 0 and dropped < 256, "at least one of 256 elements must be kept"
    n, m = grid(cdiv(N, BN), cdiv(M, BR))
    rows, cols = block(m, BR), block(n, BN)
    dice = random_bytes(seed[0], seed[1].to(i32), 0, rows[:, None], cols[None, :])
    y[rows, cols] = where(dice < dropped, 0, x[rows, cols].to(f32) * (256 / (256 - dropped)))
