"""Row kernels, one program per row, and elementwise ones."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, D, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * D
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row + cols, mask=cols < D, other=-float("inf")).to(tl.float32)
    p = tl.exp(v - tl.max(v, 0))
    tl.store(y + row + cols, p / tl.sum(p, 0), mask=cols < D)


@triton.jit
def rms_norm_kernel(x, weight, y, D, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * D
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row + cols, mask=cols < D, other=0).to(tl.float32)
    w = tl.load(weight + cols, mask=cols < D, other=0).to(tl.float32)
    tl.store(y + row + cols, v * tl.rsqrt(tl.sum(v * v, 0) / D + eps) * w, mask=cols < D)


@triton.jit
def layer_norm_kernel(x, weight, bias, y, D, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * D
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row + cols, mask=cols < D, other=0).to(tl.float32)
    w = tl.load(weight + cols, mask=cols < D, other=0).to(tl.float32)
    b = tl.load(bias + cols, mask=cols < D, other=0).to(tl.float32)
    centred = tl.where(cols < D, v - tl.sum(v, 0) / D, 0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / D + eps)
    tl.store(y + row + cols, centred * scale * w + b, mask=cols < D)


@triton.jit
def swiglu_kernel(gate, up, y, count, BLOCK: tl.constexpr):
    items = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + items, mask=items < count, other=0).to(tl.float32)
    u = tl.load(up + items, mask=items < count, other=0).to(tl.float32)
    tl.store(y + items, g * tl.sigmoid(g) * u, mask=items < count)


@triton.jit
def add_kernel(x, y, z, count, BLOCK: tl.constexpr):
    items = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + items, mask=items < count).to(tl.float32)
    b = tl.load(y + items, mask=items < count).to(tl.float32)
    tl.store(z + items, a + b, mask=items < count)


def row_options(d):
    """A block that holds a row, and warps so that a thread has about 16 elements."""
    block = triton.next_power_of_2(d)
    return {"BLOCK": block, "num_warps": min(16, max(1, block // 512))}


def softmax(x, y):
    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], **row_options(x.shape[1]))
    return y


def rms_norm(x, weight, y, eps):
    rms_norm_kernel[(x.shape[0],)](x, weight, y, x.shape[1], eps, **row_options(x.shape[1]))
    return y


def layer_norm(x, weight, bias, y, eps):
    layer_norm_kernel[(x.shape[0],)](x, weight, bias, y, x.shape[1], eps, **row_options(x.shape[1]))
    return y


def swiglu(gate, up, y):
    swiglu_kernel[(triton.cdiv(y.numel(), 2048),)](gate, up, y, y.numel(), BLOCK=2048, num_warps=4)
    return y


def vector_add(x, y, z):
    add_kernel[(triton.cdiv(z.numel(), 2048),)](x, y, z, z.numel(), BLOCK=2048, num_warps=4)
    return z
