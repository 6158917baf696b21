"""Kernels that memory bounds: row by row, elementwise, and whole sums."""

from __future__ import annotations

from bench.cases import Case, Suite

BYTES = {"bf16": 2, "f16": 2, "f32": 4}
SHAPES = ((65536, 1024), (16384, 4096))


def rowwise(
    kernel: str, m: int, d: int, dtype: str, flops_per_element: int, slow_peers: bool = False
) -> Case:
    """Reads and writes [M, D] once; vectors of D elements are not counted."""
    return Case(
        kernel,
        {"M": m, "D": d},
        dtype,
        flops=float(flops_per_element * m * d),
        bytes=2.0 * BYTES[dtype] * m * d,
        slow_peers=slow_peers,
    )


def rope(b: int, s: int, h: int, g: int, d: int) -> Case:
    """Turns q and k in place: six operations for a pair."""
    elements = b * s * (h + g) * d
    return Case(
        "rope",
        {"B": b, "S": s, "H": h, "G": g, "D": d},
        "bf16",
        flops=3.0 * elements,
        bytes=4.0 * elements,
        slow_peers=True,
    )


def swiglu(m: int, n: int) -> Case:
    return Case(
        "swiglu", {"M": m, "N": n}, "bf16", flops=5.0 * m * n, bytes=6.0 * m * n, slow_peers=True
    )


def vector_add(n: int, dtype: str) -> Case:
    return Case("vector_add", {"N": n}, dtype, flops=float(n), bytes=3.0 * BYTES[dtype] * n)


def reduce_sum(n: int, dtype: str) -> Case:
    return Case("reduce_sum", {"N": n}, dtype, flops=float(n), bytes=1.0 * BYTES[dtype] * n)


SUITE = Suite(
    name="rows",
    summary="kernels that memory bounds",
    metric="GB/s",
    clock="device",
    rounds=50,
    cases=(
        *(rowwise("softmax", m, d, "bf16", 5, m == 16384) for m, d in SHAPES),
        *(rowwise("rms_norm", m, d, "bf16", 4, m == 16384) for m, d in SHAPES),
        *(rowwise("layer_norm", m, d, "bf16", 8, m == 16384) for m, d in SHAPES),
        rowwise("softmax", 16384, 4096, "f32", 5),
        rope(4, 4096, 32, 8, 128),
        swiglu(16384, 8192),
        *(vector_add(1 << 28, dtype) for dtype in ("f32", "bf16")),
        *(reduce_sum(1 << 28, dtype) for dtype in ("f32", "bf16")),
    ),
)
