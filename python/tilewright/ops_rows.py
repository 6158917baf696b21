"""What reduces rows, as torch functions; see ops.py."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .kernel import builtin
from .torch_ops import Operation, as_rows, contiguous_like, derived, require, shape_of

__all__ = ["softmax", "log_softmax", "relu2", "rms_norm", "add_rms_norm", "layer_norm", "add_layer_norm"]


def _of_rows(name):
    """An operation on the rows of one tensor, along the last dimension."""

    def run(y, x):
        builtin(name)(as_rows(x), as_rows(y))

    return Operation(name, "(Tensor x) -> Tensor", contiguous_like, run,
                     derived(name, name, "(Tensor x)", lambda x: {"x": as_rows(x)}, {"y": shape_of("x")}))


def _along(operation, x, dim):
    if dim in (-1, x.dim() - 1):
        return operation(x)
    return operation(x.movedim(dim, -1)).movedim(-1, dim)


_softmax, _log_softmax, _relu2 = map(_of_rows, ("softmax", "log_softmax", "relu2"))


def softmax(input: Tensor, dim: int = -1) -> Tensor:
    """Softmax along a dimension, computed in f32; bf16, f16 or f32. Fastest along the last one."""
    return _along(_softmax, input, dim)


def log_softmax(input: Tensor, dim: int = -1) -> Tensor:
    """The logarithm of `softmax`, without its underflow."""
    return _along(_log_softmax, input, dim)


def relu2(input: Tensor) -> Tensor:
    """max(input, 0)^2, computed in f32; bf16, f16 or f32."""
    return _relu2(input)


def _width(op, input, normalized_shape):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    require(len(shape) > 0 and tuple(input.shape[-len(shape):]) == shape, op,
             f"`normalized_shape` is {list(shape)} but `input` has the shape {list(input.shape)}")
    width = 1
    for size in shape:
        width *= size
    return width


def _rms_norm_arguments(x, weight, eps, shift, residual=None):
    width = weight.numel()
    residual = None if residual is None else residual.reshape(-1, width)
    return {"x": x.reshape(-1, width), "residual": residual, "weight": weight.reshape(-1), "eps": eps, "shift": shift}


def _rms_norm_run(y, x, weight, eps, shift):
    width = weight.numel()
    builtin("rms_norm")(x.reshape(-1, width), weight.reshape(-1), y.view(-1, width), eps, shift=shift)


_rms_norm_schema = "(Tensor x, Tensor weight, float eps, float shift)"
_rms_norm = Operation(
    "rms_norm", _rms_norm_schema + " -> Tensor", contiguous_like, _rms_norm_run,
    derived("rms_norm", "rms_norm", _rms_norm_schema, _rms_norm_arguments, {"y": shape_of("x")}, {"weight"}),
)  # fmt: skip


def _add_rms_norm_run(results, x, weight, eps, shift, residual):
    y, added = (t.view(-1, weight.numel()) for t in results)
    flat = _rms_norm_arguments(x, weight, eps, shift, residual)
    builtin("rms_norm")(flat["x"], flat["weight"], y, eps, flat["residual"], added, shift=shift)


def _like_both(x, *rest):
    return contiguous_like(x), contiguous_like(x)


_add_rms_norm_schema = "(Tensor x, Tensor weight, float eps, float shift, Tensor residual)"
_add_rms_norm = Operation(
    "add_rms_norm", _add_rms_norm_schema + " -> (Tensor, Tensor)", _like_both, _add_rms_norm_run,
    derived("add_rms_norm", "rms_norm", _add_rms_norm_schema, _rms_norm_arguments,
            {"y": shape_of("x"), "added": shape_of("x")}, {"weight"}),
)  # fmt: skip


def _rms_norm_options(op, input, normalized_shape, weight, eps):
    _width(op, input, normalized_shape)
    if weight is None:
        weight = torch.ones(normalized_shape, dtype=input.dtype, device=input.device)
    return weight, torch.finfo(input.dtype).eps if eps is None else eps


def rms_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
             eps: float | None = None, *, shift: float = 0.0) -> Tensor:
    """input * rsqrt(mean(input^2) + eps) * (weight + shift) over the last dimensions, as torch's rms_norm.

    bf16, f16 or f32, one dtype for both; computed in f32. `eps` is the dtype's epsilon where it is
    not given. `shift` is 1 in Gemma, whose weights are kept as differences from 1.
    """
    weight, eps = _rms_norm_options("rms_norm", input, normalized_shape, weight, eps)
    return _rms_norm(input, weight, eps, shift)


def add_rms_norm(input: Tensor, residual: Tensor, normalized_shape: int | Sequence[int],
                 weight: Tensor | None = None, eps: float | None = None, *,
                 shift: float = 0.0) -> tuple[Tensor, Tensor]:
    """`rms_norm` of input + residual, and that sum, in one kernel. The sum is rounded to the dtype first."""
    weight, eps = _rms_norm_options("add_rms_norm", input, normalized_shape, weight, eps)
    return _add_rms_norm(input, weight, eps, shift, residual)


def _layer_norm_arguments(x, weight, bias, width, eps, residual=None):
    flat = {name: None if t is None else t.reshape(-1) for name, t in (("weight", weight), ("bias", bias))}
    rows = {name: None if t is None else t.reshape(-1, width) for name, t in (("x", x), ("residual", residual))}
    return {**rows, "eps": eps, **flat}


def _layer_norm_run(y, x, weight, bias, width, eps):
    flat = [None if t is None else t.reshape(-1) for t in (weight, bias)]
    builtin("layer_norm")(x.reshape(-1, width), y.view(-1, width), eps, *flat)


_layer_norm_schema = "(Tensor x, Tensor? weight, Tensor? bias, int width, float eps)"
_layer_norm = Operation(
    "layer_norm", _layer_norm_schema + " -> Tensor", contiguous_like, _layer_norm_run,
    derived("layer_norm", "layer_norm", _layer_norm_schema, _layer_norm_arguments, {"y": shape_of("x")},
            {"weight", "bias"}),
)  # fmt: skip


def _add_layer_norm_run(results, x, weight, bias, width, eps, residual):
    y, added = (t.view(-1, width) for t in results)
    flat = _layer_norm_arguments(x, weight, bias, width, eps, residual)
    builtin("layer_norm")(flat["x"], y, eps, flat["weight"], flat["bias"], flat["residual"], added)


_add_layer_norm_schema = "(Tensor x, Tensor? weight, Tensor? bias, int width, float eps, Tensor residual)"
_add_layer_norm = Operation(
    "add_layer_norm", _add_layer_norm_schema + " -> (Tensor, Tensor)", _like_both, _add_layer_norm_run,
    derived("add_layer_norm", "layer_norm", _add_layer_norm_schema, _layer_norm_arguments,
            {"y": shape_of("x"), "added": shape_of("x")}, {"weight", "bias"}),
)  # fmt: skip


def layer_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Layer normalisation over the last dimensions, as torch's layer_norm.

    bf16, f16 or f32, one dtype for all; computed in f32.
    """
    width = _width("layer_norm", input, normalized_shape)
    return _layer_norm(input, weight, bias, width, eps)


def add_layer_norm(input: Tensor, residual: Tensor, normalized_shape: int | Sequence[int],
                   weight: Tensor | None = None, bias: Tensor | None = None,
                   eps: float = 1e-5) -> tuple[Tensor, Tensor]:
    """`layer_norm` of input + residual, and that sum, in one kernel. The sum is rounded to the dtype first."""
    width = _width("add_layer_norm", input, normalized_shape)
    return _add_layer_norm(input, weight, bias, width, eps, residual)
