"""c = a b, with any of the operands stored transposed.

a: [M, K] (or [K, M] with transpose_a), b: [K, N] (or [N, K] with transpose_b), c: [M, N].
Floats sum in f32, i8 in i32. f32 operands are rounded to tf32 when tf32 is set.
"""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(bf16, f16, f32, i8, f8e4m3, f8e5m2)
O = dtypes(bf16, f16, f32, i32)


@kernel
def matmul(a: Tensor[E, M, K], b: Tensor[E, K, N], c: Tensor[O, M, N],
           *, tf32: const[bool] = True,
           BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a b, one program per BM x BN tile of c."""
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        acc += dot(a[rows, depth], b[depth, cols], tf32=tf32)
    c[rows, cols] = acc
