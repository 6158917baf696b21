"""Elementwise torch functions; see ops.py."""

from __future__ import annotations

import torch
from torch import Tensor

from .kernel import builtin
from .torch_ops import (
    Operation,
    approximates,
    as_rows,
    contiguous_like,
    derived,
    dropped_of_256,
    require,
    shape_of,
)

__all__ = ["swiglu", "gelu", "geglu", "dropout"]


def _swiglu_run(y, gate, up):
    builtin("swiglu")(as_rows(gate), as_rows(up), as_rows(y))


_swiglu = Operation(
    "swiglu", "(Tensor gate, Tensor up) -> Tensor", contiguous_like, _swiglu_run,
    derived("swiglu", "swiglu", "(Tensor gate, Tensor up)",
            lambda gate, up: {"gate": as_rows(gate), "up": as_rows(up)}, {"y": shape_of("gate")}),
)  # fmt: skip


def _factors(op, gate, up):
    if up is not None:
        return gate, up
    require(gate.shape[-1] % 2 == 0, op, f"the last dimension of `gate` is {gate.shape[-1]}, which has no halves")
    return gate.chunk(2, dim=-1)


def swiglu(gate: Tensor, up: Tensor | None = None) -> Tensor:
    """silu(gate) * up, bf16, f16 or f32. Without `up`, its two factors are the halves of `gate`
    along the last dimension, which are not copied."""
    return _swiglu(*_factors("swiglu", gate, up))


def _gelu_run(y, x, approximate):
    builtin("gelu")(as_rows(x), as_rows(y), approximate=approximate)


_gelu = Operation(
    "gelu", "(Tensor x, bool approximate) -> Tensor", contiguous_like, _gelu_run,
    derived("gelu", "gelu", "(Tensor x, bool approximate)",
            lambda x, approximate: {"x": as_rows(x), "approximate": approximate}, {"y": shape_of("x")}),
)  # fmt: skip


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """gelu, computed in f32; bf16, f16 or f32. `approximate` is "none" or "tanh", as in torch's."""
    return _gelu(input, approximates("gelu", approximate))


def _geglu_run(y, gate, up, approximate):
    builtin("geglu")(as_rows(gate), as_rows(up), as_rows(y), approximate=approximate)


_geglu = Operation(
    "geglu", "(Tensor gate, Tensor up, bool approximate) -> Tensor", contiguous_like, _geglu_run,
    derived("geglu", "geglu", "(Tensor gate, Tensor up, bool approximate)", lambda gate, up, approximate: {
        "gate": as_rows(gate), "up": as_rows(up), "approximate": approximate}, {"y": shape_of("gate")}),
)  # fmt: skip


def geglu(gate: Tensor, up: Tensor | None = None, *, approximate: str = "none") -> Tensor:
    """gelu(gate) * up; arguments as in `swiglu` and `gelu`."""
    return _geglu(*_factors("geglu", gate, up), approximates("geglu", approximate))


def _dropout_run(y, x, seed, dropped):
    builtin("dropout")(as_rows(x), as_rows(y), seed, dropped=dropped)


_dropout = Operation(
    "dropout", "(Tensor x, Tensor seed, int dropped) -> Tensor", contiguous_like, _dropout_run,
    lambda call, dy: [_dropout(dy, *call.args[1:]), None, None], drops=1,
)  # fmt: skip


def dropout(input: Tensor, p: float = 0.5, training: bool = True, *, seed: Tensor | None = None) -> Tensor:
    """Elements are 0 with probability `p`, rounded to a multiple of 1/256, and the others are scaled up.

    bf16, f16 or f32. `seed`, int64 [2] on the GPU, decides which; it is drawn by default. The backward
    draws the same numbers again, so that no mask is kept. Without `training` the input is the result.
    """
    dropped = dropped_of_256("dropout", "p", p)
    if not training or dropped == 0:
        return input
    if seed is None:
        seed = torch.empty(2, dtype=torch.int64, device=input.device).random_()
    return _dropout(input, seed, dropped)
