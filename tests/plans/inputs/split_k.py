"""c += a bᵀ, with the steps along K in `splits` parts: a program each, which adds what it has to c."""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(bf16, f16)


@kernel
def split_k(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[f32, M, N], splits: i32,
            *, BM: tune[64, 128] = 128, BN: tune[32, 64, 128, 256] = 128, BK: tune[32, 64] = 64):
    assert splits > 0, "there is a part at least"
    m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
    rows, cols = block(m, BM), block(n, BN)
    acc, steps = zeros((BM, BN), f32), cdiv(cdiv(K, BK), splits)
    for i in range(steps):
        depth = block(part * steps + i, BK)
        acc += dot(a[rows, depth], b[cols, depth].T)
    atomic_add(c[rows, cols], acc)
