"""Layers of several products as torch functions; see ops.py."""

from __future__ import annotations

from torch import Tensor

from .kernel import builtin
from .ops_products import product
from .torch_ops import Operation, approximates, as_rows

__all__ = ["gelu_linear", "swiglu_mlp"]


def _linear_outputs(x, weight, bias, approximate):
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def _gelu_linear_run(y, x, weight, bias, approximate):
    builtin("gelu_linear")(as_rows(x), weight, as_rows(y), bias, approximate=approximate)


def _gelu_back_run(dv, x, weight, dy, bias, approximate):
    builtin("gelu_linear_backward")(as_rows(x), weight, as_rows(dy), as_rows(dv), bias, approximate=approximate)


_gelu_back = Operation(
    "gelu_linear_backward",
    "(Tensor x, Tensor weight, Tensor dy, Tensor? bias, bool approximate) -> Tensor",
    lambda x, weight, dy, bias, approximate: _linear_outputs(x, weight, bias, approximate), _gelu_back_run,
)  # fmt: skip


def _gelu_linear_backward(call, dy):
    x, weight, bias, approximate = call.args
    dv = _gelu_back(x, weight, dy, bias, approximate)
    dx = product(dv, weight, None, False) if call.needs[0] else None
    dweight = product(as_rows(dv).T, as_rows(x), None, False) if call.needs[1] else None
    dbias = as_rows(dv).sum(0) if call.needs[2] else None
    return [dx, dweight, dbias, None]


_gelu_linear = Operation(
    "gelu_linear", "(Tensor x, Tensor weight, Tensor? bias, bool approximate) -> Tensor",
    _linear_outputs, _gelu_linear_run, _gelu_linear_backward,
)  # fmt: skip


def gelu_linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *,
                approximate: str = "none") -> Tensor:
    """gelu(input weight^T + bias): a linear layer and its activation in one kernel.

    input: [..., K], weight: [N, K], bias: [N], bf16, f16 or f32; gives [..., N]. `approximate` is
    "none" or "tanh", as in torch's gelu. The backward computes the sums in front of gelu again: it costs a
    product more than if they were kept, and the forward neither writes nor keeps them.
    """
    return _gelu_linear(input, weight, bias, approximates("gelu_linear", approximate))


def _mlp_outputs(x, gate, up, down):
    return x.new_empty((*x.shape[:-1], down.shape[0]))


def _mlp_run(y, x, gate, up, down):
    rows = as_rows(x)
    h = x.new_empty((rows.shape[0], gate.shape[0]))
    builtin("swiglu_mlp")(rows, gate, up, h)
    builtin("swiglu_mlp_down")(h, down, as_rows(y))


def _mlp_back_run(results, x, gate, up, dh):
    builtin("swiglu_mlp_backward")(as_rows(x), gate, up, dh, *results)


_mlp_back = Operation(
    "swiglu_mlp_backward", "(Tensor x, Tensor gate, Tensor up, Tensor dh) -> (Tensor, Tensor, Tensor)",
    lambda x, gate, up, dh: tuple(dh.new_empty(dh.shape) for _ in range(3)), _mlp_back_run,
)  # fmt: skip


def _mlp_input_run(dx, dg, du, gate, up):
    builtin("swiglu_mlp_input")(dg, du, gate, up, dx)


_mlp_input = Operation(
    "swiglu_mlp_input", "(Tensor dg, Tensor du, Tensor gate, Tensor up) -> Tensor",
    lambda dg, du, gate, up: dg.new_empty((dg.shape[0], gate.shape[1])), _mlp_input_run,
)  # fmt: skip


def _mlp_backward(call, dy):
    x, gate, up, down = call.args
    rows, dy = as_rows(x), as_rows(dy)
    dh = product(dy, down, None, False)
    dg, du, h = _mlp_back(x, gate, up, dh)
    needs = call.needs
    return [
        _mlp_input(dg, du, gate, up).view(x.shape) if needs[0] else None,
        product(dg.T, rows, None, False) if needs[1] else None,
        product(du.T, rows, None, False) if needs[2] else None,
        product(dy.T, h, None, False) if needs[3] else None,
    ]


_swiglu_mlp = Operation(
    "swiglu_mlp", "(Tensor x, Tensor gate, Tensor up, Tensor down) -> Tensor",
    _mlp_outputs, _mlp_run, _mlp_backward,
)  # fmt: skip


def swiglu_mlp(input: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """(silu(input gate^T) * (input up^T)) down^T: the gated feed-forward layer, in two kernels.

    input: [..., K], gate and up: [N, K], down: [K, N], bf16 or f16; gives [..., K]. Nothing of [..., N] is
    kept for the backward, which computes the first two products again: 11 products' time, not 9, for the step.
    """
    return _swiglu_mlp(input, gate, up, down)
