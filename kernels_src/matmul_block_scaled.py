"""c = a b^T of operands with block scales: for every 128 columns, one for each row of a and one for
each 128 rows of b.

    c[i, j] = sum over blocks k of a_scales[k, i] * b_scales[j // 128, k]
                                   * (sum over the columns l of block k of a[i, l] * b[j, l])

a: [M, K], b: [N, K], a_scales: [KB, M], b_scales: [NB, KB], c: [M, N], where KB = cdiv(K, 128) and
NB = cdiv(N, 128). Floats are summed in f32, i8 in i32 within a block and in f32 after it.
"""

from tilewright import *

M, N, K, NB, KB = dims("M N K NB KB")
E = dtypes(f8e4m3, f8e5m2, i8)
O = dtypes(bf16, f16, f32)
BLOCK = 128


@kernel
def matmul_block_scaled(a: Tensor[E, M, K], b: Tensor[E, N, K],
                        a_scales: Tensor[f32, KB, M], b_scales: Tensor[f32, NB, KB], c: Tensor[O, M, N],
                        *, BM: tune[64, 128, 192] = 128, BN: tune[64, 128] = 128):
    """c = a b^T, each block's sum scaled on its own; one program per BM x BN tile of c."""
    assert KB == cdiv(K, BLOCK), "scales must be given for every 128 columns of a and b"
    assert NB == cdiv(N, BLOCK), "b_scales must have a row for every 128 rows of b"
    assert BLOCK % BN == 0, "a tile must lie in one block of b: BN must divide 128"
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(KB):
        depth = block(k, BLOCK)
        scales = a_scales[k, rows] * b_scales[n * BN // BLOCK, k]
        acc += dot(a[rows, depth], b[cols, depth].T).to(f32) * scales[:, None]
    c[rows, cols] = acc
