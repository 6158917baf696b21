"""c = a b[x]^T, each row by the matrix of its expert x: the products of a mixture of experts.

a: [M, K], b: [X, N, K], c: [M, N]. Expert x has the rows offsets[x] to offsets[x + 1] of a and c;
offsets: [X + 1], from 0 on, and they do not fall. Rows behind the last expert's are not written.

Floats are summed in f32, i8 in i32; the sum is then cast to the dtype of c. With `tf32`, f32
operands are first rounded to tf32 (other dtypes ignore it).
"""

from tilewright import *

M, N, K, X, X1 = dims("M N K X X1")  # X1 is X + 1
E = dtypes(bf16, f16, f32, i8, f8e4m3, f8e5m2)
O = dtypes(bf16, f16, f32, i32)


@kernel
def matmul_grouped(a: Tensor[E, M, K], b: Tensor[E, X, N, K], offsets: Tensor[i32, X1],
                   c: Tensor[O, M, N], *, tf32: const[bool] = True, BM: tune[64, 128, 256] = 128,
                   BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a b[x]^T per expert x, one program per BM x BN tile of c."""
    assert X1 == X + 1, "offsets has one number more than there are experts"
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
        acc += dot(a[start:stop, :][rows, depth], b[x, cols, depth].T, tf32=tf32)
    c[start:stop, :][rows, cols] = acc.to(O)
