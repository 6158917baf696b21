"""A product whose steps are shorter than the rows that a plan would load."""

from tilewright import *

M, N, K = dims("M N K")


@kernel
def narrow(a: Tensor[bf16, M, K], b: Tensor[bf16, N, K], c: Tensor[bf16, M, N], cols: i32 = 0, *,
           BK: tune[16, 32] = 32):
    m, n = grid(cdiv(M, 64), cdiv(N, 16))
    assert BK <= 32, "two steps of an instruction"
    acc = zeros((64, 16), f32)
    for k in range(cdiv(K, BK)):
        acc += dot(a[block(m, 64), block(k, BK)], b[block(n, 16), block(k, BK)].T)
    c[block(m, 64), block(n, 16)] = acc.to(bf16)
