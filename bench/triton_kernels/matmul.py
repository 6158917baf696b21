"""c = f(a b + bias) with tensor descriptors, so that Hopper's copy engine feeds its wgmma."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from bench.triton_kernels.tuning import config, short_bench


@triton.jit
def raster(program, rows, cols, GROUP: tl.constexpr):
    """Tile of a program, in bands of GROUP rows: neighbours in time share operands in the L2."""
    band = GROUP * cols
    first = program // band * GROUP
    height = min(rows - first, GROUP)
    return first + program % band % height, program % band // height


@triton.jit
def gelu(v, APPROXIMATE: tl.constexpr):
    """v times its normal distribution, or tanh's approximation: (1 + tanh z) / 2 = sigmoid(2 z)."""
    if APPROXIMATE:
        result = v * tl.sigmoid(1.5957691216 * (v + 0.044715 * v * v * v))
    else:
        result = 0.5 * v * (1 + tl.erf(v * 0.7071067812))
    return result


@triton.jit
def load_block(x, row, col, TRANSPOSED: tl.constexpr):
    """A block that starts at (row, col) of x, or of x^T where x is stored transposed."""
    if TRANSPOSED:
        block = x.load([col, row]).T
    else:
        block = x.load([row, col])
    return block


def set_blocks(arguments):
    m, n, k = (arguments[name] for name in ("BM", "BN", "BK"))
    arguments["a"].block_shape = [k, m] if arguments["TRANSPOSE_A"] else [m, k]
    arguments["b"].block_shape = [n, k] if arguments["TRANSPOSE_B"] else [k, n]
    arguments["c"].block_shape = [m, n]


CONFIGS = [
    config(8, 4, set_blocks, BM=128, BN=128, BK=64),
    config(8, 3, set_blocks, BM=128, BN=256, BK=64),
    config(8, 4, set_blocks, BM=128, BN=256, BK=64),
    config(8, 3, set_blocks, BM=256, BN=128, BK=64),
]
# 4-byte operands take twice the room, 1-byte ones half.
WIDE_CONFIGS = [
    config(8, 3, set_blocks, BM=128, BN=128, BK=32),
    config(8, 4, set_blocks, BM=128, BN=256, BK=32),
]
NARROW_CONFIGS = [
    config(8, 3, set_blocks, BM=128, BN=256, BK=128),
    config(8, 4, set_blocks, BM=128, BN=128, BK=128),
]


def fitting(configs, arguments, **_):
    """The configurations meant for operands of this size."""
    size = arguments["a"].base.element_size()
    wanted = WIDE_CONFIGS if size == 4 else NARROW_CONFIGS if size == 1 else CONFIGS
    return [each for each in configs if each in wanted]


@triton.autotune(
    CONFIGS + WIDE_CONFIGS + NARROW_CONFIGS,
    key=["M", "N", "K", "TRANSPOSE_A", "TRANSPOSE_B", "ACTIVATION", "SIZE"],
    prune_configs_by={"early_config_prune": fitting},
    do_bench=short_bench,
)
@triton.jit
def matmul_kernel(
    a,
    b,
    c,
    bias,
    M,
    N,
    K,
    TRANSPOSE_A: tl.constexpr,
    TRANSPOSE_B: tl.constexpr,
    ACTIVATION: tl.constexpr,
    SIZE: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    m, n = raster(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), 8)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = load_block(a, m * BM, k, TRANSPOSE_A)
        right = load_block(b, k, n * BN, TRANSPOSE_B)
        acc = tl.dot(left, right, acc)
    if ACTIVATION != "none":
        cols = n * BN + tl.arange(0, BN)
        acc += tl.load(bias + cols, mask=cols < N, other=0).to(tl.float32)[None, :]
        acc = gelu(acc, ACTIVATION == "gelu_tanh")
    c.store([m * BM, n * BN], acc.to(c.dtype))


def descriptor(x):
    """A view for the copy engine; the tuner's hook sets the block. Raises for unaligned rows."""
    return TensorDescriptor.from_tensor(x, [1] * (x.dim() - 1) + [16 // x.element_size()])


def launch(a, b, c, transpose_a=False, transpose_b=False, bias=None, activation="none"):
    """c = activation(a b + bias); a flag says that an operand is stored transposed."""
    (m, n), k = c.shape, a.shape[0] if transpose_a else a.shape[1]
    matmul_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)](
        descriptor(a),
        descriptor(b),
        descriptor(c),
        bias,
        m,
        n,
        k,
        TRANSPOSE_A=transpose_a,
        TRANSPOSE_B=transpose_b,
        ACTIVATION=activation,
        SIZE=a.element_size(),
    )
    return c


def gelu_linear(x, weight, bias, y, approximate):
    """y = gelu(x weight^T + bias)."""
    return launch(x, weight, y, False, True, bias, "gelu_tanh" if approximate else "gelu")
