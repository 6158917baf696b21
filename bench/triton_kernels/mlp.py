"""h = silu(x gate^T) * (x up^T) in one kernel: both products share the tiles of x."""

from __future__ import annotations

import triton
import triton.language as tl

from bench.triton_kernels.matmul import descriptor, raster
from bench.triton_kernels.tuning import config, short_bench


def set_blocks(arguments):
    m, n, k = (arguments[name] for name in ("BM", "BN", "BK"))
    arguments["x"].block_shape = [m, k]
    arguments["gate"].block_shape = arguments["up"].block_shape = [n, k]
    arguments["h"].block_shape = [m, n]


CONFIGS = [
    config(8, 3, set_blocks, BM=128, BN=128, BK=64),
    config(8, 3, set_blocks, BM=256, BN=64, BK=64),
    config(4, 4, set_blocks, BM=128, BN=64, BK=64),
]


@triton.autotune(CONFIGS, key=["M", "N", "K"], do_bench=short_bench)
@triton.jit
def swiglu_kernel(x, gate, up, h, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = raster(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), 8)
    g = tl.zeros((BM, BN), tl.float32)
    u = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        block = x.load([m * BM, k])
        g = tl.dot(block, gate.load([n * BN, k]).T, g)
        u = tl.dot(block, up.load([n * BN, k]).T, u)
    h.store([m * BM, n * BN], (g * tl.sigmoid(g) * u).to(h.dtype))


def gated(x, gate, up, h):
    """h = silu(x gate^T) * (x up^T)."""
    (m, n), k = h.shape, x.shape[1]
    swiglu_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)](
        descriptor(x), descriptor(gate), descriptor(up), descriptor(h), m, n, k
    )
    return h
