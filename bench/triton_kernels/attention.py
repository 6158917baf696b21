"""Attention forward with an online softmax, one program per block of queries of one head.

Tensors are [B, heads, S, D], contiguous, and S is a multiple of every block.
"""

from __future__ import annotations

import triton
import triton.language as tl

from bench.triton_kernels.matmul import descriptor
from bench.triton_kernels.tuning import config, short_bench


@triton.jit
def attend(
    acc,
    total,
    peak,
    query,
    k,
    v,
    first_key,
    rows,
    begin,
    end,
    scale,
    MASKED: tl.constexpr,
    BN: tl.constexpr,
):
    """Folds the keys [begin, end) into the running sums; `scale` includes log2(e)."""
    for n in range(begin, end, BN):
        s = tl.dot(query, k.load([first_key + n, 0]).T) * scale
        if MASKED:
            s = tl.where(rows[:, None] >= n + tl.arange(0, BN)[None, :], s, -1.0e38)
        best = tl.maximum(peak, tl.max(s, 1))
        p = tl.exp2(s - best[:, None])
        shrink = tl.exp2(peak - best)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v.load([first_key + n, 0]), acc * shrink[:, None])
        peak = best
    return acc, total, peak


def set_blocks(arguments):
    d = arguments["D"]
    arguments["q"].block_shape = arguments["o"].block_shape = [arguments["BM"], d]
    arguments["k"].block_shape = arguments["v"].block_shape = [arguments["BN"], d]


CONFIGS = [
    config(8, 2, set_blocks, BM=128, BN=128),
    config(8, 3, set_blocks, BM=128, BN=128),
    config(8, 3, set_blocks, BM=128, BN=64),
]


@triton.autotune(CONFIGS, key=["S", "D", "CAUSAL"], do_bench=short_bench)
@triton.jit
def attention_kernel(
    q,
    k,
    v,
    o,
    lse,
    scale,
    S,
    H,
    G,
    D: tl.constexpr,
    CAUSAL: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    # The last queries see the most keys: they go first, so that none is left alone at the end.
    m = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1)
    first_key = (head // H * G + head % H // (H // G)) * S
    rows = m * BM + tl.arange(0, BM)
    query = q.load([head * S + m * BM, 0])
    acc = tl.zeros((BM, D), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    peak = tl.full((BM,), -1.0e38, tl.float32)
    visible = m * BM // BN * BN if CAUSAL else S
    acc, total, peak = attend(
        acc, total, peak, query, k, v, first_key, rows, 0, visible, scale, False, BN
    )
    if CAUSAL:
        acc, total, peak = attend(
            acc, total, peak, query, k, v, first_key, rows, visible, m * BM + BM, scale, True, BN
        )
    o.store([head * S + m * BM, 0], (acc / total[:, None]).to(o.dtype))
    tl.store(lse + head * S + rows, (peak + tl.log2(total)) * 0.6931471806)


def attention(q, k, v, o, lse, causal):
    """o = softmax(q k^T / sqrt(D)) v; `lse` takes the logarithms of the rows' sums."""
    b, h, s, d = q.shape
    flat = [descriptor(x.view(-1, d)) for x in (q, k, v, o)]
    attention_kernel[lambda meta: (triton.cdiv(s, meta["BM"]), b * h)](
        *flat, lse, d**-0.5 * 1.4426950409, s, h, k.shape[1], D=d, CAUSAL=causal
    )
    return o
