from tilewright import *

M, N, K = dims("M N K")


@kernel
def shifted(a: Tensor[bf16, M, K], b: Tensor[bf16, N, K], c: Tensor[bf16, M, N], first: i32, *,
            BM: tune[128] = 128, BN: tune[128] = 128, BK: tune[64] = 64):
    """A product that is stored from a column on."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        deep = block(k, BK)
        acc = acc + dot(a[rows, deep], b[cols, deep].T)
    c[rows, cols + first] = acc.to(bf16)
