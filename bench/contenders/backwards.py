"""Kernels that are gradients of others, beside torch's autograd of what these compute."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from bench.cases import OURS, Case
from bench.contenders import common, ours
from bench.contenders.common import DTYPES, checked, empty, joined, random
from bench.measure import Lineup


def gradients(function, inputs, given):
    """By all inputs, in f32, of the results for which gradients are given."""
    leaves = [x.float().requires_grad_() for x in inputs]
    return torch.autograd.grad(function(*leaves), leaves, [x.float() for x in given])


def attend(q, k, v):
    """o and lse of [B, S, H, D] and so on."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    z = q @ k.mT * q.shape[-1] ** -0.5
    return (z.softmax(-1) @ v).transpose(1, 2), z.logsumexp(-1)


def attention(case: Case):
    b, s, h, g, d = (case.shape[name] for name in "BSHGD")
    packed, dtype, scale = "varlen" in case.kernel, DTYPES[case.dtype], d**-0.5
    q, k, v, do = (random(b, s, heads, d, dtype=dtype) for heads in (h, g, g, h))
    o, lse = attend(*(x.float() for x in (q, k, v)))
    o, lse, deltas = o.to(dtype), lse.contiguous(), (do.float() * o).sum(-1).transpose(1, 2).contiguous()
    dq, dk, dv = gradients(lambda *x: attend(*x)[0], (q, *(x.repeat_interleave(h // g, 2) for x in (k, v))), [do])
    sequences, name = (), "attention_backward"
    if packed:
        starts = torch.arange(0, b * s + 1, s, dtype=torch.int32, device=common.DEVICE)
        q, k, v, o, do = (x.flatten(0, 1) for x in (q, k, v, o, do))
        lse, deltas = (x.transpose(0, 1).flatten(1).contiguous() for x in (lse, deltas))
        sequences, name = (starts, starts), "attention_varlen_backward"
    if case.kernel.endswith("queries"):
        result, sums = torch.empty_like(q), torch.empty_like(deltas)
        return (result, sums), (dq.reshape(q.shape), deltas), lambda: ours.kernel(f"{name}_queries")(
            q, k, v, *sequences, o, do, lse, result, sums, scale)  # fmt: skip
    results = torch.empty_like(q), torch.empty_like(q)
    return results, (dk.reshape(q.shape), dv.reshape(q.shape)), lambda: ours.kernel(f"{name}_keys")(
        q, k, v, *sequences, do, lse, deltas, *results, scale)  # fmt: skip


def layer(case: Case):
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    x, gate, up = (random(rows, k, dtype=dtype, scale=scale) for rows, scale in ((m, 1), (n, k**-0.5), (n, k**-0.5)))
    dh, du = random(m, n, dtype=dtype), random(m, n, dtype=dtype)
    g, u = (x.float() @ w.float().T for w in (gate, up))
    outputs = tuple(empty(m, n, dtype=dtype) for _ in range(3))
    if case.kernel == "gelu_linear_backward":
        return outputs[:1], gradients(F.gelu, [g], [dh]), lambda: ours.kernel(case.kernel)(x, gate, dh, outputs[0])
    if case.kernel == "swiglu_mlp_backward":
        expected = (*gradients(lambda g, u: F.silu(g) * u, [g, u], [dh]), F.silu(g) * u)
        return outputs, expected, lambda: ours.kernel(case.kernel)(x, gate, up, dh, *outputs)
    dx = empty(m, k, dtype=dtype)
    expected = dh.float() @ gate.float() + du.float() @ up.float()
    return (dx,), (expected,), lambda: ours.kernel(case.kernel)(dh, du, gate, up, dx)


def product(case: Case):
    m, n, k = (case.shape[name] for name in "MNK")
    dtype, experts = DTYPES[case.dtype], case.shape.get("X", 1)
    if case.kernel == "matmul_mixed_nn":
        a, w, scales = random(m, n, dtype=dtype), random(n, k, dtype=torch.int8), empty(-(-k // 64), n).fill_(0.01)
        c = empty(m, k, dtype=dtype)
        return (c,), (a.float() @ (w.float() * 0.01).to(dtype).float(),), lambda: ours.kernel(case.kernel)(
            a, w, scales, c)  # fmt: skip
    offsets = torch.arange(experts + 1, dtype=torch.int32, device=common.DEVICE) * (m // experts)
    parts = [slice(i * (m // experts), (i + 1) * (m // experts)) for i in range(experts)]
    if case.kernel == "matmul_grouped_nn":
        a, b, c = random(m, k, dtype=dtype), random(experts, k, n, dtype=dtype), empty(m, n, dtype=dtype)
        expected = torch.cat([a[part].float() @ w.float() for part, w in zip(parts, b, strict=True)])
    else:
        a, b, c = random(m, n, dtype=dtype), random(m, k, dtype=dtype), empty(experts, n, k, dtype=dtype)
        expected = torch.stack([a[part].float().T @ b[part].float() for part in parts])
    return (c,), (expected,), lambda: ours.kernel(case.kernel)(a, b, offsets, c)


def rotation(case: Case):
    b, s, h, g, d = (case.shape[name] for name in "BSHGD")
    q, k = (random(b, s, heads, d, dtype=DTYPES[case.dtype]) for heads in (h, g))
    positions, pairs = (torch.arange(count, device=common.DEVICE) for count in (s, d // 2))
    angles = positions[:, None] * 10000.0 ** (-2 * pairs / d)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]

    def turned(x):
        first, second = x.float().chunk(2, -1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)

    outputs = torch.empty_like(q), torch.empty_like(k)
    tables = () if case.kernel == "rope_computed_into" else (cos[:, 0], sin[:, 0])
    return outputs, (turned(q), turned(k)), lambda: ours.kernel(case.kernel)(q, k, *tables, *outputs)


MAKERS = {
    **dict.fromkeys(("attention_backward_queries", "attention_backward_keys", "attention_varlen_backward_queries",
                     "attention_varlen_backward_keys"), attention),
    **dict.fromkeys(("gelu_linear_backward", "swiglu_mlp_backward", "swiglu_mlp_input"), layer),
    **dict.fromkeys(("matmul_grouped_nn", "matmul_grouped_tn", "matmul_mixed_nn"), product),
    **dict.fromkeys(("rope_into", "rope_computed_into"), rotation),
}  # fmt: skip


def lineup(case: Case) -> Lineup:
    """Ours alone: in libraries these are parts of larger steps."""
    outputs, expected, call = MAKERS[case.kernel](case)
    reference = torch.cat([x.float().flatten() for x in expected])
    return Lineup({OURS: lambda: checked(lambda: (call(), joined(outputs))[1], reference, outputs, 2e-2)})
