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
from .patched_calls import attention, causal_loss, mask, mean, shifted, takes

_FAMILIES = ("llama", "qwen2", "qwen3", "mistral", "gemma", "gemma2", "gemma3", "gpt2")


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


def patch(model: torch.nn.Module, *, fused_loss: bool = False) -> Patched:
    """Replaces the layers of a transformers model that the package has kernels for; gives what it did.

    Llama, Qwen2, Qwen3, Mistral, Gemma (1 to 3, text) and GPT-2, to train and to generate: norms, activations
    and gates, rotary embeddings, attention and the loss. Parameters and results stay, but for rounding.
    A call with dtypes that a kernel does not take is computed as before. `unpatch` undoes it.

    With `fused_loss`, a model that is called with labels computes its loss without logits, and its output
    has none: `ops.linear_cross_entropy` takes the place of the last linear layer and the loss.
    Raises `tilewright.Error` for other models, and for one that is patched.
    """
    if hasattr(model, "_tilewright"):
        raise Error("tilewright.patch: the model is patched already; `tilewright.unpatch` undoes it")
    families = {_family(type(module)) for module in model.modules()} - {None}
    if not families:
        raise Error(f"tilewright.patch: nothing in `{type(model).__name__}` can be replaced; it knows the models "
                    f"{', '.join(_FAMILIES)} of transformers")
    if fused_loss:
        _check_fused_loss(model)
    result = Patched()
    for name, module in model.named_modules():
        _patch_module(result, name, module)
    _patch_attention(result, model)
    _patch_loss(result, model, fused_loss)
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
    return type(name, (cls,), {"forward": make(cls), "__module__": cls.__module__, "__doc__": cls.__doc__})


def _rms_norm(cls):
    def forward(self, hidden_states):
        if not takes(hidden_states, self.weight):
            return cls.forward(self, hidden_states)
        return ops.rms_norm(hidden_states, self.weight.shape, self.weight, self.variance_epsilon)

    return forward


def _shifted_rms_norm(cls):
    """Gemma's, whose weights are differences from 1."""

    def forward(self, x):
        if not takes(x, self.weight):
            return cls.forward(self, x)
        return ops.rms_norm(x, self.weight.shape, self.weight, self.eps, shift=1.0)

    return forward


def _layer_norm(cls):
    def forward(self, input):
        if not takes(input, *(p for p in (self.weight, self.bias) if p is not None)):
            return cls.forward(self, input)
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    return forward


def _gated(activated):
    """The layer down_proj(activated(gate_proj(x), up_proj(x)))."""

    @functools.cache
    def make(cls):
        def forward(self, x):
            gate, up = self.gate_proj(x), self.up_proj(x)
            if not takes(gate, up):
                return self.down_proj(self.act_fn(gate) * up)
            return self.down_proj(activated(gate, up))

        return forward

    return make


def _tanh_gelu(x):
    return ops.gelu(x, approximate="tanh")


def _tanh_geglu(gate, up):
    return ops.geglu(gate, up, approximate="tanh")


def _activated(activation):
    """GPT-2's layer."""

    @functools.cache
    def make(cls):
        def forward(self, hidden_states):
            hidden_states = self.c_fc(hidden_states)
            activated = activation if takes(hidden_states) else self.act
            return self.dropout(self.c_proj(activated(hidden_states)))

        return forward

    return make


# What computes a layer's activation, as a gate and alone, by the name of its class.
_GATES = {
    "SiLU": ("swiglu", _gated(ops.swiglu)), "SiLUActivation": ("swiglu", _gated(ops.swiglu)),
    "GELUActivation": ("geglu", _gated(ops.geglu)), "GELUTanh": ("geglu", _gated(_tanh_geglu)),
    "PytorchGELUTanh": ("geglu", _gated(_tanh_geglu)), "NewGELUActivation": ("geglu", _gated(_tanh_geglu)),
}  # fmt: skip
_ACTIVATIONS = {
    "GELUActivation": ("gelu", _activated(ops.gelu)), "GELUTanh": ("gelu", _activated(_tanh_gelu)),
    "PytorchGELUTanh": ("gelu", _activated(_tanh_gelu)), "NewGELUActivation": ("gelu", _activated(_tanh_gelu)),
}  # fmt: skip


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
        if not (takes(q, k) and takes(cos)):
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
        return "tilewright.ops.rms_norm", _shifted_rms_norm if family.startswith("gemma") else _rms_norm
    if cls.__name__.endswith("MLP"):
        gated = hasattr(module, "gate_proj")
        activation = type(module.act_fn if gated else module.act).__name__
        known = (_GATES if gated else _ACTIVATIONS).get(activation)
        return (f"tilewright.ops.{known[0]}", known[1]) if known else f"its activation is {activation}"
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


# ===- Attention and losses -------------------------------------------------------------------===


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
    AttentionInterface.register("tilewright", attention)
    AttentionMaskInterface.register("tilewright", mask)
    before = model.config._attn_implementation
    model.set_attn_implementation("tilewright")
    result._undo.append(lambda: model.set_attn_implementation(before))
    result.replaced += [(name, kind, "tilewright.ops.attention") for name, kind in layers]


def _without_logits(cls):
    def forward(self, *args, labels=None, logits_to_keep=0, num_items_in_batch=None, ignore_index=-100,
                shift_labels=None, **inputs):
        from transformers.modeling_outputs import CausalLMOutputWithPast

        weight = self.lm_head.weight
        if labels is None and shift_labels is None:
            return cls.forward(self, *args, logits_to_keep=logits_to_keep, **inputs)
        inputs.pop("return_dict", None)
        outputs = self.base_model(*args, return_dict=True, **inputs)
        hidden = outputs.last_hidden_state
        labels = shifted(labels, ignore_index) if shift_labels is None else shift_labels
        labels = labels.to(hidden.device)
        loss = ops.linear_cross_entropy(hidden, weight.to(hidden.dtype), labels, ignore_index=ignore_index,
                                        reduction="sum")
        return CausalLMOutputWithPast(
            loss=mean(loss, labels, ignore_index, num_items_in_batch), past_key_values=outputs.past_key_values,
            hidden_states=outputs.hidden_states, attentions=outputs.attentions,
        )  # fmt: skip

    return forward


def _has_causal_loss(model):
    from transformers.loss.loss_utils import ForCausalLMLoss

    return hasattr(model, "lm_head") and getattr(model, "loss_function", None) is ForCausalLMLoss


def _check_fused_loss(model):
    kind = type(model).__name__
    if not _has_causal_loss(model):
        raise Error(f"tilewright.patch: `fused_loss` is for causal language models with their own loss, not `{kind}`")
    if getattr(model.config, "final_logit_softcapping", None) or model.lm_head.bias is not None:
        raise Error(f"tilewright.patch: `fused_loss` takes logits as a linear layer without bias gives them, and "
                    f"`{kind}` changes them")


def _patch_loss(result, model, fused):
    kind, cls = type(model).__name__, type(model)
    if not _has_causal_loss(model):
        return
    if fused:
        model.__class__ = _with_forward(cls, _without_logits)
        result._undo.append(lambda: setattr(model, "__class__", cls))
        result.replaced.append(("", kind, "tilewright.ops.linear_cross_entropy"))
        return
    before = vars(model).get("_loss_function")
    model.loss_function = causal_loss
    result._undo.append(lambda: model.__dict__.pop("_loss_function"))
    if before is not None:
        result._undo[-1] = lambda: setattr(model, "_loss_function", before)
    result.replaced.append(("", kind, "tilewright.ops.cross_entropy"))
