"""Products beside cuBLAS and cuBLASLt: many sizes, few rows, orders and dtypes, random shapes.

Those with scales, and with tiles that the text states, have peers of their own.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from bench import shapes
from bench.cases import Case, Suite
from bench.suites.gemm import BYTES, product, square

LARGE = (
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (16384, 16384, 16384),
    (8192, 28672, 8192),
    (8192, 8192, 28672),
    (4096, 14336, 4096),
    (4096, 4096, 14336),
    (16384, 64000, 1024),
    (5120, 5120, 5120),
    (12288, 4096, 4096),
)
# Few tiles, a deep sum, tails, rows that no cache line ends, rows that TMA cannot read.
AWKWARD = (
    (2048, 2048, 2048),
    (1024, 1024, 16384),
    (1000, 5000, 3000),
    (4000, 4104, 4104),
    (4095, 4097, 4099),
)
FEW = (1, 4, 16, 64, 128, 256)
WEIGHTS = ((8192, 8192), (4096, 14336), (14336, 4096))  # N, K
ORDERS = ("matmul", "matmul_nt", "matmul_tn", "matmul_tt")
OTHER_ORDERS = tuple(order for order in ORDERS if order != "matmul_nt")


def linear(m: int, n: int, k: int) -> Case:
    """A linear layer's product."""
    return product("matmul_nt", "bf16", m, n, k)


def few_rows(m: int, n: int, k: int) -> Case:
    """The bytes are those of the weights alone."""
    return replace(linear(m, n, k), bytes=float(BYTES["bf16"] * n * k))


def grouped(m: int, n: int, k: int, experts: int) -> Case:
    """The rows of several experts, each by a matrix of its own."""
    dense = linear(m, n, k)
    weights = BYTES["bf16"] * n * k
    return replace(
        dense,
        kernel="matmul_grouped",
        shape={**dense.shape, "X": experts},
        bytes=dense.bytes + (experts - 1) * weights,
    )


def mixed(m: int, n: int, k: int, group: int = 0) -> Case:
    """Weights of 8 bits, with a scale for each row, or for each `group` of it."""
    work = linear(m, n, k)
    saved = n * k * (BYTES["bf16"] - BYTES["f8e4m3"])
    scales = n * (k // group if group else 1) * BYTES["f32"]
    return replace(
        work,
        kernel="matmul_mixed",
        settings={"group": group},
        bytes=work.bytes - saved + scales,
    )


def batched(b: int, m: int, n: int, k: int) -> Case:
    """A product for each of b matrices."""
    one = linear(m, n, k)
    return replace(
        one,
        kernel="const_tiles",
        shape={"B": b, **one.shape},
        flops=b * one.flops,
        bytes=b * one.bytes,
    )


def residual(m: int, n: int, k: int) -> Case:
    """A product to which a tensor of its size is added."""
    one = linear(m, n, k)
    return replace(one, kernel="linear_residual", bytes=one.bytes + BYTES["bf16"] * m * n)


def suite(name: str, summary: str, cases: tuple[Case, ...], metric: str = "TFLOP/s") -> Suite:
    return Suite(name, summary, metric, "device", rounds=60, cases=cases, contenders="products")


SUITES = (
    suite(
        "products",
        "bf16 products, large and awkward",
        tuple(linear(*size) for size in LARGE + AWKWARD),
    ),
    suite(
        "few_rows",
        "bf16 products of few rows, as a rate of weights",
        tuple(few_rows(m, n, k) for n, k in WEIGHTS for m in FEW),
        metric="GB/s",
    ),
    Suite(
        "grouped",
        "bf16 products of experts",
        "TFLOP/s",
        "device",
        rounds=60,
        cases=(grouped(16384, 4096, 14336, 8), grouped(16384, 14336, 4096, 8)),
    ),
    suite(
        "product_types",
        "products in four orders, tf32, i8, 8-bit floats",
        (
            *(square(order, dtype, 4096) for dtype in ("bf16", "f16") for order in ORDERS),
            *(square("matmul_nt", "f32", size) for size in (4096, 8192)),
            square("matmul_nt", "i8", 4096),
            *(square("matmul_scaled", "f8e4m3", size) for size in (4096, 8192)),
            product("matmul_scaled", "f8e4m3", 8192, 28672, 8192),
        ),
    ),
    suite(
        "mixed",
        "bf16 products with weights of 8 bits, beside ours with weights of bf16",
        tuple(mixed(m, 8192, 8192, group) for group in (0, 64) for m in (16, 4096)),
    ),
    suite(
        "block_scaled",
        "products of 8-bit floats with a scale for each 128 columns, beside one scale for all",
        tuple(
            product("matmul_block_scaled", "f8e4m3", *size)
            for size in ((4096, 4096, 4096), (8192, 8192, 8192), (4096, 7168, 16384))
        ),
    ),
    Suite(
        "residual",
        "bf16 products to which a tensor is added",
        "TFLOP/s",
        "device",
        rounds=60,
        cases=tuple(
            residual(*size)
            for size in (
                (8192, 4096, 4096),
                (4096, 4096, 14336),
                (2048, 4096, 4096),
                (16384, 1024, 1024),
                (8192, 32064, 768),
            )
        ),
    ),
    Suite(
        "const_tiles",
        "bf16 products in tiles of 96x80x48, the batch first, beside ours",
        "TFLOP/s",
        "device",
        rounds=60,
        cases=tuple(batched(b, size, size, size) for b, size in ((1, 4096), (1, 8192), (8, 4096))),
    ),
    suite(
        "random_products",
        "bf16 products of random sizes, 64 to 16384",
        tuple(linear(*size) for size in shapes.products()),
    ),
    suite(
        "random_orders",
        "bf16 products of random sizes whose operands have columns in rows",
        tuple(
            product(order, "bf16", *size)
            for order, size in zip(itertools.cycle(OTHER_ORDERS), shapes.products(30, seed=16))
        ),
    ),
)
