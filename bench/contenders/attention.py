"""Attention: SDPA's FlashAttention and cuDNN back ends, Triton; with other masks FlexAttention."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from bench import shapes
from bench.cases import OURS, Case
from bench.contenders import common, ours
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.measure import Lineup

BACKENDS = {
    "FlashAttention-2": SDPBackend.FLASH_ATTENTION,
    "cuDNN": SDPBackend.CUDNN_ATTENTION,
}


# The tutorial's kernel checks no bounds: it takes whole blocks of rows.
TRITON_ROWS = 128


def first_keys(s: int, documents: int, device: torch.device | str) -> torch.Tensor:
    """[S]: where the document of each token begins."""
    lengths = torch.tensor(shapes.documents(s, documents), device=device)
    return (lengths.cumsum(0) - lengths).repeat_interleave(lengths)


def hidden_keys(
    s: int, causal: bool, window: int, device: torch.device, documents: int = 0
) -> torch.Tensor | None:
    """[S, S]: whether a query, which is a row, does not see a key. Windows and documents are
    causal."""
    if not causal:
        return None
    every = torch.ones(s, s, dtype=torch.bool, device=device)
    if documents:
        before = torch.arange(s, device=device) < first_keys(s, documents, device)[:, None]
        return every.triu(1) | before
    return every.triu(1) | every.tril(-window) if window else every.triu(1)


def exact(q, k, v, causal: bool, window: int = 0, documents: int = 0) -> torch.Tensor:
    """Attention in f32 over [B, S, H, D], one head at a time: all scores would fill memory."""
    result = torch.empty(*q.shape[:3], v.shape[3], device=q.device)
    s, group = q.shape[1], q.shape[2] // k.shape[2]
    hidden = hidden_keys(s, causal, window, q.device, documents)
    for b in range(q.shape[0]):
        for h in range(q.shape[2]):
            scores = q[b, :, h].float() @ k[b, :, h // group].float().T * q.shape[3] ** -0.5
            if hidden is not None:
                scores.masked_fill_(hidden, -torch.inf)
            result[b, :, h] = scores.softmax(-1) @ v[b, :, h // group].float()
    return result


def builtin(case: Case) -> Callable[..., None]:
    """The built-in kernel, for a case's mask."""
    kernel = ours.kernel("attention")
    settings = dict(case.settings)
    if documents := settings.pop("documents", 0):
        b, s = case.shape["B"], case.shape["S"]
        first = first_keys(s, documents, common.DEVICE).to(torch.int32)
        settings["first"] = first.repeat(b, 1)
    return lambda *arguments: kernel(*arguments, **settings)


def by_torch(name: str, q, k, v, causal: bool) -> Callable[[], torch.Tensor]:
    """One of SDPA's back ends over [B, S, H, D]."""
    heads_first = [x.transpose(1, 2) for x in (q, k, v)]
    grouped = q.shape[2] != k.shape[2]

    def call():
        with sdpa_kernel(BACKENDS[name]):
            out = F.scaled_dot_product_attention(
                *heads_first, is_causal=causal, enable_gqa=grouped
            )
        return out.transpose(1, 2)

    return call


def flex(q, k, v, window: int, documents: int) -> Callable[[], torch.Tensor]:
    """FlexAttention with a causal window, or documents; heads are contiguous, as it likes them."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    first = first_keys(q.shape[1], documents, q.device) if documents else None

    def visible(b, h, query, key):
        if first is not None:
            return (key <= query) & (first[key] == first[query])
        return (key <= query) & (key > query - window)

    s, grouped = q.shape[1], q.shape[2] != k.shape[2]
    mask = create_block_mask(visible, None, None, s, s, device=q.device)
    heads_first = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
    attend = compiled(flex_attention)
    return lambda: attend(*heads_first, block_mask=mask, enable_gqa=grouped).transpose(1, 2)


def lineup(case: Case, kernel_of: Callable[[Case], Callable[..., None]] = builtin) -> Lineup:
    """`kernel_of` makes our contender, a function of q, k, v, o, lse and the scale."""
    b, s, h, g, d = (case.shape[name] for name in "BSHGD")
    dtype, causal = DTYPES[case.dtype], bool(case.settings.get("causal"))
    window, documents = (int(case.settings.get(name, 0)) for name in ("window", "documents"))
    dv = case.shape.get("DV", d)
    q, k, v = (random(b, s, *size, dtype=dtype) for size in ((h, d), (g, d), (g, dv)))
    o, lse = empty(b, s, h, dv, dtype=dtype), empty(b, h, s)
    reference = exact(q, k, v, causal, window, documents)

    def by_ours():
        attention = kernel_of(case)
        return lambda: (attention(q, k, v, o, lse, d**-0.5), o)[1]

    def by_triton():
        from bench.triton_kernels import attention

        # The tutorial's layout: each head's rows are contiguous.
        first, second, third, out = (x.transpose(1, 2).contiguous() for x in (q, k, v, o))

        def call():
            return attention.attention(first, second, third, out, lse, causal).transpose(1, 2)

        return checked(call, reference, (out, lse))

    contenders = {OURS: lambda: checked(by_ours(), reference, (o, lse))}
    if window or documents:  # SDPA has neither.
        contenders["FlexAttention"] = lambda: checked(flex(q, k, v, window, documents), reference)
        return Lineup(contenders)

    contenders |= {
        name: lambda name=name: checked(by_torch(name, q, k, v, causal), reference)
        for name in BACKENDS
        if dv == d or name == "cuDNN"  # FlashAttention-2 has one head size.
    }
    if s % TRITON_ROWS == 0 and dv == d:
        contenders["Triton"] = by_triton
    return Lineup(contenders)
