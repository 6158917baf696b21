"""Kernels that memory bounds: row by row, elementwise, and whole sums."""

from __future__ import annotations

from bench.cases import Case, Suite

BYTES = {"bf16": 2, "f16": 2, "f32": 4}
SHAPES = ((65536, 1024), (16384, 4096))
LONG = ((4096, 16384), (512, 131072))
ODD, ELEMENTS = (2304, 5376, 12000, 30000, 128256), 1 << 26
SHORT = (128, 256, 640, 896)
NORMS = ("rms_norm", "layer_norm", "softmax")


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


def backward(kernel: str, m: int, d: int, slow_peers: bool = False) -> Case:
    """Reads x and dy and writes dx, all [M, D] in bf16; vectors are not counted."""
    return Case(
        kernel,
        {"M": m, "D": d},
        "bf16",
        {"backward": True},
        flops=12.0 * m * d,
        bytes=6.0 * m * d,
        slow_peers=slow_peers,
    )


def summed(kernel: str, m: int, d: int) -> Case:
    """Reads x and a residual, writes their sum and its norm."""
    settings = {"residual": True}
    work = {"flops": 5.0 * m * d, "bytes": 8.0 * m * d, "slow_peers": True}
    return Case(kernel, {"M": m, "D": d}, "bf16", settings, **work)


def mapped(kernel: str, m: int, n: int, tensors: int, flops: int, back: bool = False) -> Case:
    """Elementwise over so many tensors of [M, N] in bf16, the outputs among them."""
    settings = {"backward": True} if back else {}
    work = {"flops": float(flops * m * n), "bytes": 2.0 * tensors * m * n, "slow_peers": True}
    return Case(kernel, {"M": m, "N": n}, "bf16", settings, **work)


def quantise(kernel: str, m: int, k: int) -> Case:
    """Two bytes of each element are read and one is written; scales are not counted."""
    work = {"flops": 2.0 * m * k, "bytes": 3.0 * m * k, "slow_peers": True}
    return Case(kernel, {"M": m, "K": k}, "bf16", **work)


def transpose(b: int, m: int, n: int) -> Case:
    return Case("transpose", {"B": b, "M": m, "N": n}, "bf16", flops=0.0, bytes=4.0 * b * m * n)


def cross_entropy(kernel: str, m: int, v: int) -> Case:
    """Reads logits once and writes their gradient once."""
    work = {"flops": 8.0 * m * v, "bytes": 4.0 * m * v, "slow_peers": True}
    return Case(kernel, {"M": m, "V": v}, "bf16", **work)


def linear_cross_entropy(m: int, v: int, k: int) -> Case:
    """Three products: the logits, and the gradients of both operands."""
    sizes = 2.0 * (m * k + v * k)
    work = {"flops": 6.0 * m * v * k, "bytes": 2 * sizes, "slow_peers": True}
    return Case("linear_cross_entropy", {"M": m, "V": v, "K": k}, "bf16", **work)


def adamw(n: int, x: int) -> Case:
    """All in f32; all but gradients are read and written."""
    work = {"flops": 15.0 * n, "bytes": 28.0 * n}
    return Case("adamw_grouped", {"N": n, "X": x}, "f32", **work)


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
        rowwise("softmax", 16384, 8192, "bf16", 5),
        *(rowwise(kernel, m, d, "bf16", 5) for kernel in NORMS for m, d in LONG),
        summed("rms_norm", 16384, 4096),
        rope(4, 4096, 32, 8, 128),
        mapped("swiglu", 16384, 8192, tensors=3, flops=5),
        mapped("geglu", 16384, 8192, tensors=3, flops=10),
        *(quantise(kernel, 16384, 4096) for kernel in ("quantise_rows", "quantise_blocks")),
        transpose(64, 1024, 1024),
        *(vector_add(1 << 28, dtype) for dtype in ("f32", "bf16")),
        *(reduce_sum(1 << 28, dtype) for dtype in ("f32", "bf16")),
    ),
)


BACKWARD = Suite(
    name="rows_backward",
    summary="gradients of kernels that memory bounds",
    metric="GB/s",
    clock="device",
    rounds=50,
    cases=(
        *(backward(kernel, m, d, m == 16384) for kernel in NORMS[:2] for m, d in SHAPES),
        backward("softmax", 16384, 8192, slow_peers=True),
        *(backward(kernel, m, d) for kernel in NORMS for m, d in LONG),
        *(
            mapped(kernel, 16384, 8192, tensors=5, flops=15, back=True)
            for kernel in ("swiglu", "geglu")
        ),
    ),
    contenders="rows",
)

LENGTHS = Suite(
    name="rows_lengths",
    summary="rows of other lengths than powers of two, forward and backward",
    metric="GB/s",
    clock="device",
    rounds=50,
    cases=(
        *(rowwise(kernel, ELEMENTS // d, d, "bf16", 5) for kernel in NORMS for d in ODD),
        *(backward(kernel, ELEMENTS // d, d) for kernel in NORMS for d in ODD),
        *(cross_entropy("cross_entropy_rows_gradient", 8192, v) for v in (50304, 151936)),
    ),
    contenders="rows",
)

SHORT_ROWS = Suite(
    name="rows_short",
    summary="short rows, such as heads and small models have, forward and backward",
    metric="GB/s",
    clock="device",
    rounds=50,
    cases=(
        *(rowwise(kernel, ELEMENTS // d, d, "bf16", 5, d == 128) for kernel in NORMS for d in SHORT),
        *(backward(kernel, ELEMENTS // d, d, d == 128) for kernel in NORMS for d in SHORT),
    ),
    contenders="rows",
)

LOSSES = Suite(
    name="losses",
    summary="cross entropies with their gradients",
    metric="ms",
    clock="device",
    rounds=20,
    cases=(
        cross_entropy("cross_entropy_rows_gradient", 8192, 128256),
        cross_entropy("cross_entropy_rows_gradient", 8192, 32000),
        cross_entropy("cross_entropy_rows_gradient", 8192, 16384),
        cross_entropy("cross_entropy_gradient", 4096, 256000),
        linear_cross_entropy(8192, 128256, 4096),
    ),
    contenders="rows",
)

OPTIMISER = Suite(
    name="optimiser",
    summary="a step of AdamW, all parameters in one launch",
    metric="GB/s",
    clock="device",
    rounds=50,
    cases=(adamw(300_000_000, 200),),
    contenders="rows",
)
