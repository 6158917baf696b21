"""c = scale * (a b^T): a product of tensors that have one scale each, of which `scale` is the product.

a: [M, K], b: [N, K], c: [M, N]. Sums are in f32; they are scaled, then cast to the dtype of c.
"""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(f8e4m3, f8e5m2, bf16, f16, f32)
O = dtypes(bf16, f16, f32)


@kernel
def matmul_scaled(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[O, M, N], scale: f32,
                  *, BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = scale * (a b^T), one program per BM x BN tile of c."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(a[rows, depth], b[cols, depth].T)
    c[rows, cols] = scale * acc
