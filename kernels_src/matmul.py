"""c = a b, each operand row-major as given or stored transposed.

    matmul     a: [M, K]   b: [K, N]   c: [M, N]
    matmul_nt  a: [M, K]   b: [N, K]
    matmul_tn  a: [K, M]   b: [K, N]
    matmul_tt  a: [K, M]   b: [N, K]

Floats are summed in f32, i8 in i32; the sum is then cast to the dtype of c. With `tf32`, f32
operands are first rounded to tf32 (other dtypes ignore it).
"""

from tilewright import *

M, N, K = dims("M N K")
E = dtypes(bf16, f16, f32, i8, f8e4m3, f8e5m2)
O = dtypes(bf16, f16, f32, i32)


@inline
def multiply(a, b, c, transpose_a, transpose_b, tf32, BM, BN, BK):
    m, n = grid(cdiv(M, BM), cdiv(N, BN))
    rows, cols = block(m, BM), block(n, BN)
    acc = zeros((BM, BN), i32 if E == i8 else f32)
    for k in range(cdiv(K, BK)):
        depth = block(k, BK)
        A = a[depth, rows].T if transpose_a else a[rows, depth]
        B = b[cols, depth].T if transpose_b else b[depth, cols]
        acc += dot(A, B, tf32=tf32)
    c[rows, cols] = acc.to(O)


@kernel
def matmul(a: Tensor[E, M, K], b: Tensor[E, K, N], c: Tensor[O, M, N],
           *, tf32: const[bool] = True,
           BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a b, one program per BM x BN tile of c."""
    multiply(a, b, c, False, False, tf32, BM, BN, BK)


@kernel
def matmul_nt(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[O, M, N],
              *, tf32: const[bool] = True,
              BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a b^T, the layout of a linear layer."""
    multiply(a, b, c, False, True, tf32, BM, BN, BK)


@kernel
def matmul_tn(a: Tensor[E, K, M], b: Tensor[E, K, N], c: Tensor[O, M, N],
              *, tf32: const[bool] = True,
              BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a^T b."""
    multiply(a, b, c, True, False, tf32, BM, BN, BK)


@kernel
def matmul_tt(a: Tensor[E, K, M], b: Tensor[E, N, K], c: Tensor[O, M, N],
              *, tf32: const[bool] = True,
              BM: tune[64, 128, 256] = 128, BN: tune[64, 128, 256] = 128, BK: tune[32, 64, 128] = 64):
    """c = a^T b^T."""
    multiply(a, b, c, True, True, tf32, BM, BN, BK)
