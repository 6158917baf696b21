"""Products as torch functions; see ops.py."""

from __future__ import annotations

import torch
from torch import Tensor

from .kernel import builtin
from .torch_ops import Operation, as_rows, of_bytes, refuse_gradients, require

__all__ = ["matmul", "matmul_grouped", "matmul_scaled", "matmul_block_scaled", "matmul_mixed"]


def _tf32(asked):
    return torch.backends.cuda.matmul.allow_tf32 if asked is None else asked


def _product_outputs(a, b, dtype, tf32):
    return a.new_empty((*a.shape[:-1], b.shape[1]), dtype=dtype or a.dtype)


def _product_run(c, a, b, dtype, tf32):
    rows = as_rows(a)
    b_is_transposed = b.stride(0) == 1 and b.shape[0] > 1
    a_is_transposed = rows.stride(0) == 1 and rows.shape[0] > 1
    # The names say how the operands are stored; the kernels take them as they are stored.
    name = "matmul" if not (a_is_transposed or b_is_transposed) else (
        "matmul_" + "nt"[a_is_transposed] + "nt"[b_is_transposed]
    )
    builtin(name)(rows.T if a_is_transposed else rows, b.T if b_is_transposed else b, as_rows(c),
                  tf32=_tf32(tf32))


def _product_backward(call, dc):
    a, b, _, tf32 = call.args
    refuse_gradients("matmul", call, input=of_bytes(a), other=of_bytes(b))
    dc = dc.to(a.dtype)
    da = product(dc, b.T, None, tf32) if call.needs[0] else None
    db = product(as_rows(a).T, as_rows(dc), None, tf32) if call.needs[1] else None
    return [da, db, None, None]


product = Operation(
    "matmul", "(Tensor a, Tensor b, ScalarType? dtype, bool? tf32) -> Tensor",
    _product_outputs, _product_run, _product_backward,
)  # fmt: skip


def matmul(input: Tensor, other: Tensor, *, dtype: torch.dtype | None = None,
           tf32: bool | None = None) -> Tensor:
    """input other: [..., K] times [K, N] gives [..., N]. Transposed operands are not copied.

    bf16, f16, f32, f8 and i8; sums are in f32, of i8 in i32. `dtype` is the result's (bf16, f16,
    f32, i32), by default that of `input`. With `tf32`, f32 operands are rounded to tf32; by default
    as `torch.backends.cuda.matmul.allow_tf32` says. In the backward, the gradient of the result is rounded to
    the dtype of the operands.
    """
    require(other.dim() == 2, "matmul",
             f"`other` has {other.dim()} dimensions and must have 2")
    require(input.dim() >= 2, "matmul",
             f"`input` has {input.dim()} dimensions and must have 2 or more")
    require(input.shape[-1] == other.shape[0], "matmul",
             f"`input` has {input.shape[-1]} columns but `other` has {other.shape[0]} rows")
    return product(input, other, dtype, tf32)


def _matmul_grouped_run(y, x, weight, offsets, dtype, tf32):
    builtin("matmul_grouped")(x, weight, offsets, y, tf32=_tf32(tf32))


def _grouped_rows_run(c, a, b, offsets, tf32):
    builtin("matmul_grouped_nn")(a, b, offsets, c, tf32=_tf32(tf32))


_grouped_rows = Operation(  # rows of no expert have no gradient
    "matmul_grouped_nn", "(Tensor a, Tensor b, Tensor offsets, bool? tf32) -> Tensor",
    lambda a, b, offsets, tf32: a.new_zeros((a.shape[0], b.shape[2])), _grouped_rows_run,
)  # fmt: skip


def _grouped_weights_run(c, a, b, offsets, tf32):
    builtin("matmul_grouped_tn")(a, b, offsets, c, tf32=_tf32(tf32))


_grouped_weights = Operation(
    "matmul_grouped_tn", "(Tensor a, Tensor b, Tensor offsets, bool? tf32) -> Tensor",
    lambda a, b, offsets, tf32: a.new_empty((offsets.shape[0] - 1, a.shape[1], b.shape[1])),
    _grouped_weights_run,
)  # fmt: skip


def _grouped_backward(call, dy):
    x, weight, offsets, _, tf32 = call.args
    refuse_gradients("matmul_grouped", call, input=of_bytes(x), weight=of_bytes(weight))
    dy = dy.to(x.dtype)
    dx = _grouped_rows(dy, weight, offsets, tf32) if call.needs[0] else None
    dweight = _grouped_weights(dy, x, offsets, tf32) if call.needs[1] else None
    return [dx, dweight, None, None, None]


_matmul_grouped = Operation(
    "matmul_grouped",
    "(Tensor x, Tensor weight, Tensor offsets, ScalarType? dtype, bool? tf32) -> Tensor",
    lambda x, weight, offsets, dtype, tf32: x.new_empty(
        (x.shape[0], weight.shape[1]), dtype=dtype or x.dtype),
    _matmul_grouped_run, _grouped_backward,
)  # fmt: skip


def matmul_grouped(input: Tensor, weight: Tensor, offsets: Tensor, *,
                   dtype: torch.dtype | None = None, tf32: bool | None = None) -> Tensor:
    """input weight[e]^T, each row by the weight of its expert e, of E experts.

    input: [M, K], weight: [E, N, K]; expert e has the rows offsets[e] to offsets[e + 1] of input:
    int32 [E + 1], from 0 on, not falling. Gives [M, N]; rows behind the last expert's are not
    written. Dtypes, `dtype` and `tf32` are as in `matmul`.
    """
    for name, tensor, rank in (("input", input, 2), ("weight", weight, 3), ("offsets", offsets, 1)):
        require(tensor.dim() == rank, "matmul_grouped",
                 f"`{name}` has {tensor.dim()} dimensions and must have {rank}")
    return _matmul_grouped(input, weight, offsets, dtype, tf32)


def _scaled_outputs(x, weight, dtype):
    if dtype is None:
        dtype = torch.bfloat16 if x.dtype.itemsize == 1 else x.dtype
    return x.new_empty((*x.shape[:-1], weight.shape[0]), dtype=dtype)


def _matmul_scaled_run(y, x, weight, scale, dtype):
    builtin("matmul_scaled")(as_rows(x), weight, as_rows(y), scale)


def _matmul_scaled_backward(call, dy):
    x, weight, scale, _ = call.args
    refuse_gradients("matmul_scaled", call, input=of_bytes(x), weight=of_bytes(weight))

    def scaled(a, b):  # before it is rounded
        return (product(a, b, torch.float32, False) * scale).to(x.dtype)

    dy = dy.to(x.dtype)
    dx = scaled(dy, weight) if call.needs[0] else None
    dweight = scaled(as_rows(dy).T, as_rows(x)) if call.needs[1] else None
    return [dx, dweight, None, None]


_matmul_scaled = Operation(
    "matmul_scaled", "(Tensor x, Tensor weight, float scale, ScalarType? dtype) -> Tensor",
    lambda x, weight, scale, dtype: _scaled_outputs(x, weight, dtype), _matmul_scaled_run,
    _matmul_scaled_backward,
)  # fmt: skip


def matmul_scaled(input: Tensor, weight: Tensor, scale: float, *,
                  dtype: torch.dtype | None = None) -> Tensor:
    """scale * (input weight^T), for tensors that have one scale each; `scale` is their product.

    input: [..., K], weight: [N, K], f8 (float8_e4m3fn, float8_e5m2), bf16, f16 or f32; gives
    [..., N] of `dtype` (bf16, f16, f32), by default that of `input`, of f8 bf16. Operands in f8 have no
    gradient.
    """
    return _matmul_scaled(input, weight, scale, dtype)


def _matmul_block_scaled_run(y, x, weight, x_scales, weight_scales, dtype):
    builtin("matmul_block_scaled")(as_rows(x), weight, x_scales, weight_scales, as_rows(y))


_CONSTANT = "scales are constants; scale in torch to train them"


def _matmul_block_scaled_backward(call, dy):
    x, weight = call.args[:2]
    refuse_gradients("matmul_block_scaled", call, input=of_bytes(x), weight=of_bytes(weight),
                      input_scales=_CONSTANT, weight_scales=_CONSTANT)


_matmul_block_scaled = Operation(
    "matmul_block_scaled",
    "(Tensor x, Tensor weight, Tensor x_scales, Tensor weight_scales, ScalarType? dtype) -> Tensor",
    lambda x, weight, x_scales, weight_scales, dtype: _scaled_outputs(x, weight, dtype),
    _matmul_block_scaled_run, _matmul_block_scaled_backward,
)  # fmt: skip


def matmul_block_scaled(input: Tensor, weight: Tensor, input_scales: Tensor, weight_scales: Tensor,
                        *, dtype: torch.dtype | None = None) -> Tensor:
    """input weight^T; every 128 columns have a scale for each row of input and 128 rows of weight.

    input: [..., K], weight: [N, K], f8 (float8_e4m3fn, float8_e5m2) or i8; input_scales: f32
    [ceil(K / 128), rows of input], weight_scales: f32 [ceil(N / 128), ceil(K / 128)]. Gives
    [..., N] of `dtype` (bf16, f16, f32), by default bf16. Each block's products are summed alone. There
    are no gradients: operands are 8-bit numbers and scales constants.
    """
    return _matmul_block_scaled(input, weight, input_scales, weight_scales, dtype)


def _matmul_mixed_run(y, x, weight, scales, group):
    builtin("matmul_mixed")(as_rows(x), weight, scales, as_rows(y), group=group)


def _matmul_mixed_back_run(dx, dy, weight, scales, group):
    builtin("matmul_mixed_nn")(as_rows(dy), weight, scales, as_rows(dx), group=group)


_matmul_mixed_back = Operation(
    "matmul_mixed_nn", "(Tensor dy, Tensor weight, Tensor scales, int group) -> Tensor",
    lambda dy, weight, scales, group: dy.new_empty((*dy.shape[:-1], weight.shape[1])), _matmul_mixed_back_run,
)  # fmt: skip


def _matmul_mixed_backward(call, dy):
    _, weight, scales, group = call.args
    refuse_gradients("matmul_mixed", call, input=None, weight=of_bytes(weight), scales=_CONSTANT)
    return [_matmul_mixed_back(dy, weight, scales, group), None, None, None]


_matmul_mixed = Operation(
    "matmul_mixed", "(Tensor x, Tensor weight, Tensor scales, int group) -> Tensor",
    lambda x, weight, scales, group: _scaled_outputs(x, weight, x.dtype), _matmul_mixed_run,
    _matmul_mixed_backward,
)  # fmt: skip


def matmul_mixed(input: Tensor, weight: Tensor, scales: Tensor, *, group: int = 64) -> Tensor:
    """input weight^T of a weight in 8 bits, with a scale for each row and every `group` columns.

    input: [..., K], bf16 or f16; weight: [N, K], f8 (float8_e4m3fn, float8_e5m2) or i8; scales: f32
    [ceil(K / group), N], `group` a multiple of 64; or [1, N], `group` 0: a scale for each row. Gives
    [..., N]. A scaled weight is rounded to the dtype of `input`, a row's only scale multiplies its sums;
    these are in f32. Of the three only `input` has a gradient.
    """
    return _matmul_mixed(input, weight, scales, group)
