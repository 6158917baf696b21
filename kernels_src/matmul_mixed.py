"""Products with a w that is kept in 8 bits: w[j, l] = b_scales[l // group, j] * b[j, l].

    matmul_mixed     c = a w^T    a: [M, K]   c: [M, N]
    matmul_mixed_nn  c = a w      a: [M, N]   c: [M, K]

b: [N, K], b_scales: [KB, N], where KB = cdiv(K, group). With `group` 0 a row has one scale, and KB = 1. w is
rounded to the dtype of a, but for a row's only scale in the first, which its sums are multiplied by; sums are
in f32.
"""

from tilewright import *

M, N, K, KB = dims("M N K KB")
E = dtypes(bf16, f16)
Q = dtypes(f8e4m3, f8e5m2, i8)


@kernel
def matmul_mixed(a: Tensor[E, M, K], b: Tensor[Q, N, K], b_scales: Tensor[f32, KB, N], c: Tensor[E, M, N],
                 *, group: const[int] = 64,
                 BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a w^T, one program per BM x BN tile of c."""
    if group > 0:
        assert KB == cdiv(K, group), "b_scales must have a row for every `group` columns of b"
        assert group % BK == 0, "a tile must lie in one group: BK must divide `group`"
    else:
        assert KB == 1, "b_scales must have one row"
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        if group > 0:
            scales = b_scales[k * BK // group, cols]
            w = b[cols, depth].to(f32) * scales[:, None]
            acc += dot(a[rows, depth], w.to(E).T)
        else:
            acc += dot(a[rows, depth], b[cols, depth].to(E).T)
    c[rows, cols] = acc if group > 0 else acc * b_scales[0, cols][None, :]


@kernel
def matmul_mixed_nn(a: Tensor[E, M, N], b: Tensor[Q, N, K], b_scales: Tensor[f32, KB, N], c: Tensor[E, M, K],
                    *, group: const[int] = 64,
                    BM: tune[64, 128, 256] = 128, BN: tune[32, 64, 128] = 64, BK: tune[32, 64, 128] = 64):
    """c = a w, one program per BM x BK tile of c."""
    if group > 0:
        assert KB == cdiv(K, group), "b_scales must have a row for every `group` columns of b"
        assert group % BK == 0, "a tile must lie in one group: BK must divide `group`"
    else:
        assert KB == 1, "b_scales must have one row"
    m, k = grid(cdiv(M, BM), cdiv(K, BK))
    rows, cols = block(m, BM), block(k, BK)
    acc = zeros((BM, BK), f32)
    for n in range(cdiv(N, BN)):
        depth = block(n, BN)
        scales = b_scales[k * BK // group if group > 0 else 0, depth]
        w = b[depth, cols].to(f32) * scales[:, None]
        acc += dot(a[rows, depth], w.to(E))
    c[rows, cols] = acc
