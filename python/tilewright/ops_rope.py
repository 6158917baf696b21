"""Rotary position embedding as torch functions; see ops.py."""

from __future__ import annotations

from torch import Tensor

from .kernel import builtin
from .torch_ops import Operation, contiguous_like, needs_gradient, refuse_gradients, require

__all__ = ["rope", "rope_"]


def _rope_outputs(q, k, cos, sin, base, offset, interleaved, inverse):
    return contiguous_like(q), contiguous_like(k)


def _rope_run(results, q, k, cos, sin, base, offset, interleaved, inverse):
    if cos is None:
        builtin("rope_computed_into")(q, k, *results, base, offset, interleaved=interleaved, inverse=inverse)
    else:
        builtin("rope_into")(q, k, cos, sin, *results, offset, interleaved=interleaved, inverse=inverse)


def _rope_backward(call, dq, dk):
    """The rotation back."""
    _, _, cos, sin, base, offset, interleaved, inverse = call.args
    constant = "tables of angles are constants"
    refuse_gradients("rope", call, query=None, key=None, cos=constant, sin=constant)
    return [*_rope(dq, dk, cos, sin, base, offset, interleaved, not inverse), *[None] * 6]


_rope = Operation(
    "rope",
    "(Tensor q, Tensor k, Tensor? cos, Tensor? sin, float base, int offset, bool interleaved, bool inverse) "
    "-> (Tensor, Tensor)",
    _rope_outputs, _rope_run, _rope_backward, drops=2,
)  # fmt: skip


def _require_rope(op, cos, sin, layout):
    require(layout in ("bhsd", "bshd"), op, f'`layout` is "bhsd" or "bshd", not {layout!r}')
    require((cos is None) == (sin is None), op, "`cos` and `sin` are given together")


def rope(query: Tensor, key: Tensor, cos: Tensor | None = None, sin: Tensor | None = None, *,
         offset: int = 0, base: float = 10000.0, interleaved: bool = False,
         layout: str = "bhsd") -> tuple[Tensor, Tensor]:
    """Rotary position embedding of query and key, as new tensors.

    query: [B, H, S, D], key: [B, G, S, D] (as `layout` says), bf16, f16 or f32. Row s is at position
    s + offset. `cos` and `sin` are tables [positions, R] of angles, 2 R <= D; without them the angles
    are position * base^(-2 j / D). Pairs are (j, j + R), or (2 j, 2 j + 1) with `interleaved`; elements from
    2 R on stay as they are. The backward turns gradients back; tables have none.
    """
    _require_rope("rope", cos, sin, layout)
    q, k = (t.transpose(1, 2) if layout == "bhsd" else t for t in (query, key))
    q, k = _rope(q, k, cos, sin, base, offset, interleaved, False)
    return (q.transpose(1, 2), k.transpose(1, 2)) if layout == "bhsd" else (q, k)


def rope_(query: Tensor, key: Tensor, cos: Tensor | None = None, sin: Tensor | None = None, *,
          offset: int = 0, base: float = 10000.0, interleaved: bool = False,
          layout: str = "bhsd") -> tuple[Tensor, Tensor]:
    """`rope` in place; gives both tensors. If one requires a gradient, both are computed apart and then
    copied into place, so that autograd sees it: `rope` is faster there."""
    _require_rope("rope_", cos, sin, layout)
    if needs_gradient((query, key, cos, sin)):
        turned = rope(query, key, cos, sin, offset=offset, base=base, interleaved=interleaved, layout=layout)
        return query.copy_(turned[0]), key.copy_(turned[1])
    q, k = (t.transpose(1, 2) if layout == "bhsd" else t for t in (query, key))
    if cos is None:
        _ROPE_COMPUTED(q, k, base, offset, interleaved=interleaved)
    else:
        _ROPE(q, k, cos, sin, offset, interleaved=interleaved)
    return query, key


# Not looked up in `rope_`, which torch.compile traces.
_ROPE, _ROPE_COMPUTED = builtin("rope"), builtin("rope_computed")
