"""Models of transformers with the package's kernels in place of their own layers.

A layer is replaced by giving it a class that derives from its own and has another `forward`. So parameters,
hooks, names and `isinstance` stay as they are, and giving the class back undoes it. Attention is chosen by
transformers' own switch, the model's `attn_implementation`.
"""

from __future__ import annotations

import collections
import functools
import inspect
import sys
import types

import torch

from . import ops
from ._library import Error

_FAMILIES = ("llama", "qwen2", "qwen3", "mistral", "gemma", "gemma2", "gemma3", "gpt2")
_DTYPES = (torch.bfloat16, torch.float16, torch.float32)


class Patched:
    """What `patch` replaced in a model, and what it left and why. Prints as a table.

    `replaced`: (name of the module, its class, what computes it now); `left`: (name, class, reason).
    """

    def __init__(self):
        self.replaced: list[tuple[str, str, str]] = []
        self.left: list[tuple[str, str, str]] = []
        self._undo = []

    def undo(self) -> None:
        """Makes the model what it was; as `unpatch`."""
        while self._undo:
            self._undo.pop()()

    def __str__(self):
        lines = []
        for title, rows in (("replaced", self.replaced), ("left as they were", self.left)):
            counts = collections.Counter((kind, what) for _, kind, what in rows)
            lines += [title] * bool(counts)
            lines += [f"  {count:4} {kind:24} {what}" for (kind, what), count in counts.items()]
        return "\n".join(lines)


def patch(model: torch.nn.Module) -> Patched:
    """Replaces the layers of a transformers model that the package has kernels for; gives what it did.

    Llama, Qwen2, Qwen3, Mistral, Gemma (1 to 3, text) and GPT-2, to train and to generate: norms, gated
    feed-forward layers, rotary embeddings and attention. Parameters and results stay, but for rounding.
    A call with dtypes that a kernel does not take is computed as before. `unpatch` undoes it.
    Raises `tilewright.Error` for other models, and for one that is patched.
    """
    if hasattr(model, "_tilewright"):
        raise Error("tilewright.patch: the model is patched already; `tilewright.unpatch` undoes it")
    families = {_family(type(module)) for module in model.modules()} - {None}
    if not families:
        raise Error(f"tilewright.patch: nothing in `{type(model).__name__}` can be replaced; it knows the models "
                    f"{', '.join(_FAMILIES)} of transformers")
    result = Patched()
    for name, module in model.named_modules():
        _patch_module(result, name, module)
    _patch_attention(result, model)
    model._tilewright = result
    result._undo.append(lambda: delattr(model, "_tilewright"))
    return result


def unpatch(model: torch.nn.Module) -> None:
    """Undoes `patch`. Raises `tilewright.Error` if the model is not patched."""
    if not hasattr(model, "_tilewright"):
        raise Error("tilewright.unpatch: the model is not patched")
    model._tilewright.undo()


# ===- Layers --------------------------------------------------------------------------------===


def _family(cls):
    """The model that a layer is of, or None where it is of none that is known."""
    path = cls.__module__.split(".")
    return path[2] if path[:2] == ["transformers", "models"] and path[2] in _FAMILIES else None


@functools.cache
def _with_forward(cls, make):
    """The class of a replaced layer: `make(cls)` gives its forward."""
    name = f"Tilewright{cls.__name__}"
    return type(name, (cls,), {"forward": make(cls), "__module__": __name__, "__doc__": cls.__doc__})


def _takes(x, *parameters):
    return x.dtype in _DTYPES and all(p.dtype == x.dtype for p in parameters)


def _rms_norm(cls):
    def forward(self, hidden_states):
        if not _takes(hidden_states, self.weight):
            return cls.forward(self, hidden_states)
        return ops.rms_norm(hidden_states, self.weight.shape, self.weight, self.variance_epsilon)

    return forward


def _layer_norm(cls):
    def forward(self, input):
        if not _takes(input, *(p for p in (self.weight, self.bias) if p is not None)):
            return cls.forward(self, input)
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    return forward


def _swiglu(cls):
    def forward(self, x):
        gate, up = self.gate_proj(x), self.up_proj(x)
        if not _takes(gate, up):
            return self.down_proj(self.act_fn(gate) * up)
        return self.down_proj(ops.swiglu(gate, up))

    return forward


def _rotated(cls):
    """The layer's own forward, in which `apply_rotary_pos_emb` is another function.

    It has a namespace of its own, so that other models see nothing of it. Without `__name__` in it,
    torch.compile takes it for what it is.
    """
    own = inspect.unwrap(cls.forward)
    names = {**own.__globals__, "apply_rotary_pos_emb": _apply_rotary(own.__globals__["apply_rotary_pos_emb"])}
    del names["__name__"]
    forward = types.FunctionType(own.__code__, names, own.__name__, own.__defaults__, own.__closure__)
    forward.__kwdefaults__ = own.__kwdefaults__
    return forward


def _apply_rotary(original):
    def apply_rotary_pos_emb(q, k, cos, sin, position_ids=None, unsqueeze_dim=1):
        if not (_takes(q, k) and cos.dtype in _DTYPES):
            return original(q, k, cos, sin, position_ids, unsqueeze_dim)
        half = cos.shape[-1] // 2  # the other half has the same angles
        cos, sin = cos[..., :half], sin[..., :half]
        layout = "bhsd" if unsqueeze_dim == 1 else "bshd"
        if cos.shape[0] == 1:
            return ops.rope(q, k, cos[0], sin[0], layout=layout)
        # Each sequence has positions of its own: the kernel sees one long sequence.
        q, k = (t.transpose(1, 2) if layout == "bhsd" else t for t in (q, k))
        turned = ops.rope(*(t.flatten(0, 1)[None] for t in (q, k)), cos.flatten(0, 1), sin.flatten(0, 1),
                          layout="bshd")
        q, k = (new[0].unflatten(0, old.shape[:2]) for new, old in zip(turned, (q, k), strict=True))
        return (q.transpose(1, 2), k.transpose(1, 2)) if layout == "bhsd" else (q, k)

    return apply_rotary_pos_emb


def _rule(module):
    """What replaces a layer, as (what computes it, its forward), or the reason why nothing does, or None."""
    cls = type(module)
    if cls is torch.nn.LayerNorm:
        return "tilewright.ops.layer_norm", _layer_norm
    family = _family(cls)
    if family is None:
        return None
    if cls.__name__.endswith("RMSNorm"):
        if family.startswith("gemma"):
            return "its weight counts from 1"
        return "tilewright.ops.rms_norm", _rms_norm
    if cls.__name__.endswith("MLP"):
        if not hasattr(module, "gate_proj"):
            return "it has no gate"
        activation = type(module.act_fn).__name__
        if activation not in ("SiLU", "SiLUActivation"):
            return f"its activation is {activation}"
        return "tilewright.ops.swiglu", _swiglu
    if cls.__name__.endswith("Attention") and "apply_rotary_pos_emb" in vars(sys.modules[cls.__module__]):
        return "tilewright.ops.rope", _rotated
    return None


def _patch_module(result, name, module):
    rule, cls = _rule(module), type(module)
    if rule is None:
        return
    if isinstance(rule, str):
        result.left.append((name, cls.__name__, rule))
        return
    if "forward" in vars(module):
        result.left.append((name, cls.__name__, "its forward was replaced already"))
        return
    what, make = rule
    module.__class__ = _with_forward(cls, make)
    result._undo.append(lambda: setattr(module, "__class__", cls))
    result.replaced.append((name, cls.__name__, what))


# ===- Attention -----------------------------------------------------------------------------===


def _attention(module, query, key, value, attention_mask, dropout=0.0, scaling=None, is_causal=None,
               sliding_window=None, softcap=None, head_mask=None, s_aux=None, **_):
    """Attention as transformers calls it; `attention_mask` is what `_mask` gave, or None."""
    if head_mask is not None:
        raise Error("tilewright: attention takes no `head_mask`; unpatch the model")
    if not _takes(query, key, value):
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        return sdpa_attention_forward(module, query, key, value, attention_mask, dropout=dropout, scaling=scaling,
                                      is_causal=is_causal)
    if is_causal is None or attention_mask is None:
        is_causal = attention_mask is None and getattr(module, "is_causal", True)
    if attention_mask is not None:
        attention_mask = attention_mask[..., : key.shape[2]].to(query.dtype)
    sinks = None if s_aux is None else s_aux.float()
    output = ops.attention(
        query, key, value, causal=is_causal, window=sliding_window or 0 if is_causal else 0, scale=scaling,
        softcap=softcap or 0.0, bias=attention_mask, sinks=sinks, dropout=dropout,
    )  # fmt: skip
    return output.transpose(1, 2).contiguous(), None


def _mask(batch_size, cache_position, kv_length, kv_offset=0, attention_mask=None, local_size=None,
          allow_is_causal_skip=True, dtype=torch.float32, **options):
    """What `_attention` adds to scores: f[B, 1, S, T], 0 or -inf; None where every query sees what it does in
    causal attention, within the window of the layer."""
    from transformers.masking_utils import sdpa_mask

    if attention_mask is None and allow_is_causal_skip:
        return None
    options.pop("allow_torch_fix", None)
    seen = sdpa_mask(
        batch_size=batch_size, cache_position=cache_position, kv_length=kv_length, kv_offset=kv_offset,
        attention_mask=attention_mask, allow_is_causal_skip=False, allow_torch_fix=False, **options,
    )  # fmt: skip
    if not torch.compiler.is_compiling() and cache_position[-1] + 1 == kv_offset + kv_length:
        key = torch.arange(kv_length, device=seen.device) + kv_offset
        usual = key <= cache_position[:, None]
        if local_size is not None:
            usual &= key > cache_position[:, None] - local_size
        if torch.equal(seen, usual.expand_as(seen)):
            return None
    return torch.zeros(seen.shape, dtype=dtype, device=seen.device).masked_fill_(~seen, -torch.inf)


def _patch_attention(result, model):
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface

    reason = None
    if not hasattr(model, "set_attn_implementation"):
        reason = "the module is no model of transformers, which choose it"
    elif getattr(model.config, "scale_attn_by_inverse_layer_idx", False) or not getattr(
        model.config, "scale_attn_weights", True
    ):
        reason = "its scale is not that of its heads"
    layers = [(name, type(module).__name__.removeprefix("Tilewright"))
              for name, module in model.named_modules() if type(module).__name__.endswith("Attention")]
    if reason is not None:
        result.left += [(name, kind, f"attention: {reason}") for name, kind in layers]
        return
    AttentionInterface.register("tilewright", _attention)
    AttentionMaskInterface.register("tilewright", _mask)
    before = model.config._attn_implementation
    model.set_attn_implementation("tilewright")
    result._undo.append(lambda: model.set_attn_implementation(before))
    result.replaced += [(name, kind, "tilewright.ops.attention") for name, kind in layers]
