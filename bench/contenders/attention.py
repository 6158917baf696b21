"""Attention: SDPA's FlashAttention and cuDNN back ends, Triton."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from bench.cases import OURS, Case
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, empty, random
from bench.measure import Lineup

BACKENDS = {
    "FlashAttention-2": SDPBackend.FLASH_ATTENTION,
    "cuDNN": SDPBackend.CUDNN_ATTENTION,
}


# The tutorial's kernel checks no bounds: it takes whole blocks of rows.
TRITON_ROWS = 128


def exact(q, k, v, causal: bool) -> torch.Tensor:
    """Attention in f32 over [B, S, H, D], one head at a time: all scores would fill memory."""
    result = torch.empty(q.shape, device=q.device)
    s, group = q.shape[1], q.shape[2] // k.shape[2]
    hidden = torch.ones(s, s, dtype=torch.bool, device=q.device).triu(1) if causal else None
    for b in range(q.shape[0]):
        for h in range(q.shape[2]):
            scores = q[b, :, h].float() @ k[b, :, h // group].float().T * q.shape[3] ** -0.5
            if causal:
                scores.masked_fill_(hidden, -torch.inf)
            result[b, :, h] = scores.softmax(-1) @ v[b, :, h // group].float()
    return result


def builtin(case: Case) -> Callable[..., None]:
    """The built-in kernel, for a case's mask."""
    kernel = ours.kernel("attention")
    return lambda *arguments: kernel(*arguments, causal=bool(case.settings.get("causal")))


def lineup(case: Case, kernel_of: Callable[[Case], Callable[..., None]] = builtin) -> Lineup:
    """`kernel_of` makes our contender, a function of q, k, v, o, lse and the scale."""
    b, s, h, g, d = (case.shape[name] for name in "BSHGD")
    dtype, causal = DTYPES[case.dtype], bool(case.settings.get("causal"))
    q, k, v = (random(b, s, heads, d, dtype=dtype) for heads in (h, g, g))
    o, lse = torch.empty_like(q), empty(b, h, s)
    reference = exact(q, k, v, causal)

    def by_ours():
        attention = kernel_of(case)
        return lambda: (attention(q, k, v, o, lse, d**-0.5), o)[1]

    def by_torch(backend):
        heads_first = [x.transpose(1, 2) for x in (q, k, v)]

        def call():
            with sdpa_kernel(backend):
                out = F.scaled_dot_product_attention(
                    *heads_first, is_causal=causal, enable_gqa=h != g
                )
            return out.transpose(1, 2)

        return call

    def by_triton():
        from bench.triton_kernels import attention

        # The tutorial's layout: each head's rows are contiguous.
        first, second, third, out = (x.transpose(1, 2).contiguous() for x in (q, k, v, o))

        def call():
            return attention.attention(first, second, third, out, lse, causal).transpose(1, 2)

        return checked(call, reference, (out, lse))

    contenders = {
        OURS: lambda: checked(by_ours(), reference, (o, lse)),
        **{
            name: lambda backend=backend: checked(by_torch(backend), reference)
            for name, backend in BACKENDS.items()
        },
    }
    if s % TRITON_ROWS == 0:
        contenders["Triton"] = by_triton
    return Lineup(contenders)
