"""What Liger, quack and FLA have for a kernel, as functions of the kernel's inputs.

A library is imported when its function is asked for: one that is missing is an ImportError then.
"""

from __future__ import annotations

from collections.abc import Callable

EPS = 1e-5


def liger_rms_norm():
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction

    return lambda x, weight: LigerRMSNormFunction.apply(x, weight, EPS, 0.0, "llama", False)


def quack_rms_norm():
    from quack import rmsnorm

    return lambda x, weight: rmsnorm(x, weight, eps=EPS)


def fla_rms_norm():
    from fla.modules.layernorm import rms_norm

    return lambda x, weight: rms_norm(x, weight, None, eps=EPS)


def liger_add_rms_norm():
    from liger_kernel.ops.fused_add_rms_norm import LigerFusedAddRMSNormFunction

    apply = LigerFusedAddRMSNormFunction.apply
    return lambda x, weight, residual: apply(x, residual, weight, EPS, 0.0, "llama", False)


def quack_add_rms_norm():
    from quack import rmsnorm

    return lambda x, weight, residual: rmsnorm(x, weight, residual=residual, eps=EPS, prenorm=True)


def fla_add_rms_norm():
    from fla.modules.layernorm import rms_norm

    return lambda x, weight, residual: rms_norm(
        x, weight, None, residual=residual, eps=EPS, prenorm=True
    )


def liger_layer_norm():
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction

    return lambda x, weight, bias: LigerLayerNormFunction.apply(x, weight, bias, EPS)


def fla_layer_norm():
    from fla.modules.layernorm import layer_norm

    return lambda x, weight, bias: layer_norm(x, weight, bias, eps=EPS)


def liger_softmax():
    from liger_kernel.ops.softmax import LigerSoftmaxFunction

    return LigerSoftmaxFunction.apply


def quack_softmax():
    from quack import softmax

    return softmax


def liger_swiglu():
    from liger_kernel.ops.swiglu import LigerSiLUMulFunction

    return LigerSiLUMulFunction.apply


def fla_swiglu():
    from fla.modules.activations import swiglu

    return swiglu


def liger_geglu():
    from liger_kernel.ops.geglu import LigerGELUMulFunction

    return LigerGELUMulFunction.apply


def liger_rope():
    import torch
    from liger_kernel.ops.rope import LigerRopeFunction

    def turn(q, k, cos, sin):
        # Its heads come before its positions, and its tables have each angle twice.
        tables = (torch.cat([table, table], dim=-1)[None] for table in (cos, sin))
        turned = LigerRopeFunction.apply(q.transpose(1, 2), k.transpose(1, 2), *tables)
        return tuple(x.transpose(1, 2) for x in turned)

    return turn


def fla_rope():
    from fla.modules.rotary import rotary_embedding

    return lambda q, k, cos, sin: tuple(rotary_embedding(x, cos, sin) for x in (q, k))


def liger_cross_entropy():
    from liger_kernel.transformers.functional import liger_cross_entropy

    return liger_cross_entropy


def quack_cross_entropy():
    from quack import cross_entropy

    # Its backward pass takes no gradient that is one number, expanded.
    return lambda logits, labels: (cross_entropy(logits, labels, reduction="none") * 1.0).mean()


def fla_cross_entropy():
    from fla.modules import FusedCrossEntropyLoss

    return FusedCrossEntropyLoss()


def liger_linear_cross_entropy():
    from liger_kernel.transformers.functional import liger_fused_linear_cross_entropy

    return liger_fused_linear_cross_entropy


def fla_linear_cross_entropy():
    from fla.modules import FusedLinearCrossEntropyLoss

    loss = FusedLinearCrossEntropyLoss()
    return lambda hidden, weight, labels: loss(hidden, labels, weight)


PEERS: dict[str, dict[str, Callable[[], Callable]]] = {
    "rms_norm": {"Liger": liger_rms_norm, "quack": quack_rms_norm, "FLA": fla_rms_norm},
    "add_rms_norm": {
        "Liger": liger_add_rms_norm,
        "quack": quack_add_rms_norm,
        "FLA": fla_add_rms_norm,
    },
    "layer_norm": {"Liger": liger_layer_norm, "FLA": fla_layer_norm},
    "softmax": {"Liger": liger_softmax, "quack": quack_softmax},
    "swiglu": {"Liger": liger_swiglu, "FLA": fla_swiglu},
    "geglu": {"Liger": liger_geglu},
    "rope": {"Liger": liger_rope, "FLA": fla_rope},
    "cross_entropy": {
        "Liger": liger_cross_entropy,
        "quack": quack_cross_entropy,
        "FLA": fla_cross_entropy,
    },
    "linear_cross_entropy": {"Liger": liger_linear_cross_entropy, "FLA": fla_linear_cross_entropy},
}
