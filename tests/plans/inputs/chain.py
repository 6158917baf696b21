"""The product of a product: d = (q kᵀ) v, with the scores in the dtype of v."""

from tilewright import *

M, T, D = dims("M T D")


@kernel
def chain(q: Tensor[bf16, M, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D], d: Tensor[f32, M, D],
          *, BM: tune[64, 128] = 128, BN: tune[32, 64] = 64):
    rows = block(grid(cdiv(M, BM)), BM)
    Q, acc = q[rows, :], zeros((BM, D), f32)
    for n in range(cdiv(T, BN)):
        cols = block(n, BN)
        acc += dot(dot(Q, k[cols, :].T).to(bf16), v[cols, :])
    d[rows, :] = acc
