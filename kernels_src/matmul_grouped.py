"""Each row by the matrix of its expert x: the products of a mixture of experts, and their gradients.

    matmul_grouped     c = a b[x]^T          a: [M, K]   b: [X, N, K]   c: [M, N]
    matmul_grouped_nn  c = a b[x]            a: [M, K]   b: [X, K, N]   c: [M, N]
    matmul_grouped_tn  c[x] = a[x]^T b[x]    a: [M, N]   b: [M, K]      c: [X, N, K]

Expert x has the rows offsets[x] to offsets[x + 1] of a, of b: [M, K] and of c: [M, N]; offsets: [X + 1],
from 0 on, and they do not fall. Rows behind the last expert's are not read, and not written. Of an expert
without rows, c[x] is 0.

Floats are summed in f32, i8 in i32; the sum is then cast to the dtype of c. With `tf32`, f32
operands are first rounded to tf32 (other dtypes ignore it).
"""

from tilewright import *

M, N, K, X, X1 = dims("M N K X X1")  # X1 is X + 1
E = dtypes(bf16, f16, f32, i8, f8e4m3, f8e5m2)
O = dtypes(bf16, f16, f32, i32)


@inline
def multiply(a, b, offsets, c, transpose_b, tf32, BM, BN, BK):
    j, n = grid(M // BM + X, cdiv(N, BN))  # tiles of x: from offsets[x] // BM + x on, as many as it needs or one more
    x, behind = 0, X
    while behind - x > 1:
        middle = (x + behind) // 2
        starts = offsets[middle] // BM + middle <= j
        x, behind = middle if starts else x, behind if starts else middle
    start, stop = offsets[x], offsets[x + 1]
    m = max(j - start // BM - x, 0)
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), i32 if E == i8 else f32)
    for k in range(cdiv(K, BK) if m * BM < stop - start else 0):
        depth = block(k, BK)
        B = b[x, cols, depth].T if transpose_b else b[x, depth, cols]
        acc += dot(a[start:stop, :][rows, depth], B, tf32=tf32)
    c[start:stop, :][rows, cols] = acc.to(O)


@kernel
def matmul_grouped(a: Tensor[E, M, K], b: Tensor[E, X, N, K], offsets: Tensor[i32, X1],
                   c: Tensor[O, M, N], *, tf32: const[bool] = True, BM: tune[64, 128, 256] = 128,
                   BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a b[x]^T per expert x, one program per BM x BN tile of c."""
    assert X1 == X + 1, "offsets has one number more than there are experts"
    multiply(a, b, offsets, c, True, tf32, BM, BN, BK)


@kernel
def matmul_grouped_nn(a: Tensor[E, M, K], b: Tensor[E, X, K, N], offsets: Tensor[i32, X1],
                      c: Tensor[O, M, N], *, tf32: const[bool] = True, BM: tune[64, 128, 256] = 128,
                      BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a b[x] per expert x, one program per BM x BN tile of c."""
    assert X1 == X + 1, "offsets has one number more than there are experts"
    multiply(a, b, offsets, c, False, tf32, BM, BN, BK)


@kernel
def matmul_grouped_tn(a: Tensor[E, M, N], b: Tensor[E, M, K], offsets: Tensor[i32, X1],
                      c: Tensor[O, X, N, K], *, tf32: const[bool] = True, BM: tune[64, 128, 256] = 128,
                      BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c[x] = a^T b over the rows of expert x, one program per BM x BN tile of c[x]."""
    assert X1 == X + 1, "offsets has one number more than there are experts"
    n, k, x = grid(cdiv(N, BM), cdiv(K, BN), X)
    start, stop = offsets[x], offsets[x + 1]
    rows, cols = block(n, BM), block(k, BN)
    acc = zeros((BM, BN), i32 if E == i8 else f32)
    for m in range(cdiv(stop - start, BK)):
        depth = block(m, BK)
        acc += dot(a[start:stop, :][depth, rows].T, b[start:stop, :][depth, cols], tf32=tf32)
    c[x, rows, cols] = acc.to(O)
