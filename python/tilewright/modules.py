"""torch modules of the package's kernels, which take the place of torch's and of usual layers.

Parameters have the names and shapes of those that they replace, so that a state dict fits both. All train, and
work under torch.compile. Under autocast, products take its dtype and norms that of their input; parameters
are cast to it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from . import ops
from ._library import Error

__all__ = ["CrossEntropyLoss", "Embedding", "GeluLinear", "LayerNorm", "LinearCrossEntropyLoss", "RMSNorm", "Rotary",
           "SwiGLU"]  # fmt: skip


def _as(x, *parameters):
    """Parameters in the dtype of x."""
    return [p if p is None or p.dtype == x.dtype else p.to(x.dtype) for p in parameters]


def _for_products(x):
    """x in the dtype of products under autocast."""
    device = x.device.type
    return x.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else x


class RMSNorm(nn.RMSNorm):
    """torch.nn.RMSNorm by `ops.rms_norm`: input * rsqrt(mean(input^2) + eps) * weight over the last dimensions.

    bf16, f16 or f32. Without `eps` it is the epsilon of the input's dtype.
    """

    def forward(self, x: Tensor) -> Tensor:
        return ops.rms_norm(x, self.normalized_shape, *_as(x, self.weight), self.eps)


class LayerNorm(nn.LayerNorm):
    """torch.nn.LayerNorm by `ops.layer_norm`. bf16, f16 or f32."""

    def forward(self, input: Tensor) -> Tensor:
        return ops.layer_norm(input, self.normalized_shape, *_as(input, self.weight, self.bias), self.eps)


class GeluLinear(nn.Linear):
    """torch.nn.Linear and gelu behind it, in one kernel: gelu(input weight^T + bias), by `ops.gelu_linear`.

    bf16, f16 or f32. `approximate` is "none" or "tanh", as in torch.nn.GELU.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, *, approximate: str = "none",
                 device=None, dtype=None):
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        x = _for_products(input)
        return ops.gelu_linear(x, *_as(x, self.weight, self.bias), approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, approximate={self.approximate!r}"


class SwiGLU(nn.Module):
    """The gated feed-forward layer of Llama: down_proj(silu(gate_proj(x)) * up_proj(x)), without biases.

    Input and output: [..., hidden_size]. bf16 and f16 by `ops.swiglu_mlp`; f32 by products and `ops.swiglu`.
    """

    def __init__(self, hidden_size: int, intermediate_size: int, *, device=None, dtype=None):
        super().__init__()
        options = {"bias": False, "device": device, "dtype": dtype}
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, **options)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, **options)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, **options)

    def forward(self, x: Tensor) -> Tensor:
        x = _for_products(x)
        gate, up, down = _as(x, self.gate_proj.weight, self.up_proj.weight, self.down_proj.weight)
        if x.dtype != torch.float32:
            return ops.swiglu_mlp(x, gate, up, down)
        return ops.matmul(ops.swiglu(ops.matmul(x, gate.T), ops.matmul(x, up.T)), down.T)


class Rotary(nn.Module):
    """Rotary position embedding of queries and keys by `ops.rope`; it has no parameters.

    query: [B, H, S, D], key: [B, G, S, D], or [B, S, H, D] with `layout="bshd"`; bf16, f16 or f32. Row s is at
    position s + offset; the angles are position * base^(-2 j / D), and computed in the kernel.
    """

    def __init__(self, base: float = 10000.0, *, interleaved: bool = False, layout: str = "bhsd"):
        super().__init__()
        self.base, self.interleaved, self.layout = base, interleaved, layout

    def forward(self, query: Tensor, key: Tensor, offset: int = 0) -> tuple[Tensor, Tensor]:
        return ops.rope(query, key, offset=offset, base=self.base, interleaved=self.interleaved,
                        layout=self.layout)

    def extra_repr(self) -> str:
        return f"base={self.base}, interleaved={self.interleaved}, layout={self.layout!r}"


class Embedding(nn.Embedding):
    """torch.nn.Embedding by `ops.embedding`; without `max_norm`, `scale_grad_by_freq` and `sparse`."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        for name in ("max_norm", "scale_grad_by_freq", "sparse"):
            if getattr(self, name):
                raise Error(f"tilewright.modules.Embedding: it has no `{name}`")

    def forward(self, input: Tensor) -> Tensor:
        return ops.embedding(input, self.weight, self.padding_idx)


class _Loss(nn.Module):
    def __init__(self, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0, *,
                 z_loss: float = 0.0):
        super().__init__()
        self.ignore_index, self.reduction = ignore_index, reduction
        self.label_smoothing, self.z_loss = label_smoothing, z_loss

    def _options(self):
        return {name: getattr(self, name) for name in ("ignore_index", "reduction", "label_smoothing", "z_loss")}

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self._options().items())


class CrossEntropyLoss(_Loss):
    """torch.nn.CrossEntropyLoss by `ops.cross_entropy`, without weights of classes, and of labels that are indices.

    input: [N, C] or, as torch has it, [N, C, d1, ...], bf16, f16 or f32, target: [N, d1, ...]. The loss is f32.
    `z_loss` adds z_loss * log(sum(exp(input)))^2 to each row.
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return ops.cross_entropy(input.movedim(1, -1) if input.dim() > 2 else input, target, **self._options())


class LinearCrossEntropyLoss(_Loss):
    """`CrossEntropyLoss` of the logits hidden weight^T, which are never stored, by `ops.linear_cross_entropy`.

    hidden: [..., K], weight: [V, K], as a linear layer has it, target: [...].
    """

    def forward(self, hidden: Tensor, weight: Tensor, target: Tensor) -> Tensor:
        hidden = _for_products(hidden)
        return ops.linear_cross_entropy(hidden, *_as(hidden, weight), target, **self._options())
