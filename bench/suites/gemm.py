"""Matrix products: every storage order, ragged sizes, tf32 and 8-bit floats."""

from __future__ import annotations

from bench.cases import Case, Suite

BYTES = {"bf16": 2, "f16": 2, "f32": 4, "f8e4m3": 1, "i8": 1}
# Of a result that is not as wide as its operands.
RESULT_BYTES = {"f8e4m3": 2, "i8": 4}


def product(kernel: str, dtype: str, m: int, n: int, k: int, slow_peers: bool = False) -> Case:
    """c = a b, [M, K] by [K, N]. A product of 8-bit floats is written as bf16, of i8 as i32."""
    size = BYTES[dtype]
    result = RESULT_BYTES.get(dtype, size)
    return Case(
        kernel,
        {"M": m, "N": n, "K": k},
        dtype,
        flops=2.0 * m * n * k,
        bytes=size * (m * k + k * n) + result * m * n,
        slow_peers=slow_peers,
    )


def square(kernel: str, dtype: str, size: int, slow_peers: bool = False) -> Case:
    return product(kernel, dtype, size, size, size, slow_peers)


SUITE = Suite(
    name="gemm",
    summary="matrix products",
    metric="TFLOP/s",
    clock="device",
    rounds=30,
    cases=(
        square("matmul", "bf16", 4096, slow_peers=True),
        square("matmul_nt", "bf16", 4096),
        square("matmul", "bf16", 8192),
        square("matmul_nt", "bf16", 8192),
        square("matmul", "f16", 4096),
        square("matmul_nt", "f16", 4096),
        square("matmul_tn", "f16", 4096),
        square("matmul_tt", "f16", 4096),
        product("matmul_nt", "bf16", 4095, 4104, 4104),
        product("matmul", "bf16", 1000, 5000, 3000),
        square("matmul", "f32", 4096),
        square("matmul_nt", "f8e4m3", 8192),
    ),
)
