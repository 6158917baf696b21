"""Attention as torch functions; see ops.py."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch import Tensor

from .kernel import borrowing, builtin
from .torch_ops import Operation, contiguous_like, dropped_of_256, refuse_gradients, require

__all__ = ["attention", "attention_varlen"]


def _attention_outputs(q, k, v, scale, slopes, bias, sinks, prefix, seed, first, causal, window,
                       softcap, dropped, functions):
    lse = q.new_empty((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32)
    o = torch.empty_like(q) if v.shape[3] == q.shape[3] else q.new_empty((*q.shape[:3], v.shape[3]))
    return o, lse


def _attention_run(results, q, k, v, scale, slopes, bias, sinks, prefix, seed, first, causal,
                   window, softcap, dropped, functions):
    _attention_kernels[functions](q, k, v, *results, scale, slopes, bias, sinks, prefix, seed,
                                  first, causal=causal, window=window, softcap=softcap,
                                  dropped=dropped)


def _attention_backward_outputs(q, k, v, o, lse, do, dlse, scale, slopes, bias, prefix, seed, first, causal,
                                window, softcap, dropped, functions, needs_bias):
    dk, dv = (t.new_empty((*t.shape[:2], q.shape[2], t.shape[3])) for t in (k, v))
    dbias = bias.new_empty(bias.shape) if needs_bias else q.new_empty(0)
    return contiguous_like(q), dk, dv, torch.empty_like(lse), dbias


def _attention_backward_run(results, q, k, v, o, lse, do, dlse, scale, slopes, bias, prefix, seed, first, causal,
                            window, softcap, dropped, functions, needs_bias):
    dq, dk, dv, deltas, dbias = results
    of_queries, of_keys = _attention_gradients(functions)
    options = {"causal": causal, "window": window, "softcap": softcap, "dropped": dropped}
    of_queries(q, k, v, o, do, lse, dq, deltas, scale, dlse, slopes, bias, prefix, seed, first,
               dbias if needs_bias else None, **options)
    of_keys(q, k, v, do, lse, deltas, dk, dv, scale, slopes, bias, prefix, seed, first, **options)


_attention_backward_op = Operation(
    "attention_backward",
    "(Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, Tensor do, Tensor dlse, float scale, Tensor? slopes, "
    "Tensor? bias, Tensor? prefix, Tensor? seed, Tensor? first, bool causal, int window, float softcap, "
    "int dropped, int functions, bool needs_bias) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    _attention_backward_outputs, _attention_backward_run,
)  # fmt: skip


def _of_key_heads(x, like):
    """The sum over the heads of queries that share one of keys: [B, T, H, D] to [B, T, G, D]."""
    heads = like.shape[2]
    return x if x.shape[2] == heads else x.unflatten(2, (heads, x.shape[2] // heads)).sum(3)


def _attention_backward(call, do, dlse):
    q, k, v, scale, slopes, bias, sinks, prefix, seed, first, *options, functions = call.args
    o, lse = call.results
    reason = "the derivative of `score` is not known" if _attention_functions[functions][0] else None
    refuse_gradients("attention", call, query=reason, key=reason, value=reason, scale=None,
                      slopes="it is not written yet; `bias` has a gradient")
    needs = call.needs
    dq, dk, dv, deltas, dbias = _attention_backward_op(
        q, k, v, o, lse, do, dlse, scale, slopes, bias, prefix, seed, first, *options, functions, needs[5])
    dsinks = None
    if needs[6]:  # the weight of no key in each row, whose value is 0
        dsinks = -((sinks[:, None] - lse).exp() * deltas).sum((0, 2))
    dk, dv = _of_key_heads(dk, k), _of_key_heads(dv, v)
    return [dq, dk, dv, None, None, dbias if needs[5] else None, dsinks, *[None] * 8]


_attention = Operation(
    "attention",
    "(Tensor q, Tensor k, Tensor v, float scale, Tensor? slopes, Tensor? bias, Tensor? sinks, "
    "Tensor? prefix, Tensor? seed, Tensor? first, bool causal, int window, float softcap, "
    "int dropped, int functions) -> (Tensor, Tensor)",
    _attention_outputs, _attention_run, _attention_backward, keeps_results=True,
)  # fmt: skip

# The kernel without functions, and one for each pair of them that was given.
_attention_kernels = [builtin("attention")]
_attention_functions = [(None, None)]
_attention_numbers = {(None, None): 0}


@functools.cache
def _attention_gradients(functions):
    """The two kernels of the gradient of `attention` with these functions."""
    _, mask = _attention_functions[functions]
    names = "attention_backward_queries", "attention_backward_keys"
    return [builtin(name) if mask is None else borrowing(name, {"mask": (mask, "bool")}) for name in names]


@torch.compiler.assume_constant_result
def _functions(score, mask):
    """The number of the kernel with these functions."""
    key = (score, mask)
    if key not in _attention_numbers:
        given = {"score": (score, "f32"), "mask": (mask, "bool")}
        kernel = borrowing("attention", {n: f for n, f in given.items() if f[0] is not None})
        _attention_kernels.append(kernel)
        _attention_functions.append(key)
        _attention_numbers[key] = len(_attention_kernels) - 1
    return _attention_numbers[key]


def attention(query: Tensor, key: Tensor, value: Tensor, *, causal: bool = False, window: int = 0,
              scale: float | None = None, softcap: float = 0.0, slopes: Tensor | None = None,
              bias: Tensor | None = None, sinks: Tensor | None = None, prefix: Tensor | None = None,
              first: Tensor | None = None, dropout: float = 0.0, seed: Tensor | None = None,
              score: Callable | None = None, mask: Callable | None = None, layout: str = "bhsd",
              return_lse: bool = False) -> Tensor | tuple[Tensor, Tensor]:
    """softmax(scale * query key^T) value, as torch's scaled_dot_product_attention.

    query: [B, H, S, D], key: [B, G, T, D], value: [B, G, T, DV], bf16, f16 or f32; with `layout="bshd"`
    the second and third dimensions change places. H is a multiple of G: heads share keys and values. `scale`
    is 1 / sqrt(D) by default. `causal`: query s sees keys t <= s + T - S, so the last query sees
    the last key (torch aligns the first ones if S != T). `window` > 0: only t > s + T - S - window.
    `prefix`, int32 [B]: also all keys t < prefix[b]. `first`, int32 [B, S], never decreasing along
    S: of all these only keys t >= first[b, s], so that documents packed into a sequence do not see
    each other. A row that sees no key is 0.

    Scores z = scale * query key^T become, in this order: `softcap` > 0: softcap * tanh(z / softcap);
    `slopes`, f32 [H]: z - slopes[h] * |s + T - S - t|; `bias`, of the dtype of `query` and a shape
    that repeats to [B, H, S, T]: z + bias. `sinks`, f32 [H]: a row's sum has the term exp(sinks[h])
    too. `dropout` > 0: weights are 0 with that probability, rounded to a multiple of 1/256, and the
    others are scaled up. `seed`, int64 [2] on the GPU, decides which; it is drawn by default.

    `score(z, b, h, s, t)` and `mask(b, h, s, t)` are functions in the tile language that give scores,
    and whether they are seen: z is a tile, b and h are scalars, s a column and t a row of indices.
    They are compiled into the kernel. Numbers and names of `dims` around a function are captured when
    it is passed for the first time. The dimensions S and T are the lengths.

    Gradients are those of query, key, value, `bias` and `sinks`; with a `score` there are none. The weights are
    computed again from the logarithms of their sums, so that autograd keeps no matrix of them.

    Gives [B, H, S, DV] (or as `layout` says), with `return_lse` also log(sum(exp(z))): f32 [B, H, S].
    """
    require(layout in ("bhsd", "bshd"), "attention",
             f'`layout` is "bhsd" or "bshd", not {layout!r}')
    tensors = (query, key, value)
    for name, tensor in zip(("query", "key", "value"), tensors, strict=True):
        require(tensor.dim() == 4, "attention",
                 f"`{name}` has {tensor.dim()} dimensions and must have 4 ({layout})")
    q, k, v = (t.transpose(1, 2) for t in tensors) if layout == "bhsd" else tensors
    if scale is None:
        scale = query.shape[-1] ** -0.5
    if bias is not None:
        bias = bias.expand(q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    dropped = dropped_of_256("attention", "dropout", dropout)
    if dropped > 0 and seed is None:
        seed = torch.empty(2, dtype=torch.int64, device=q.device).random_()
    o, lse = _attention(q, k, v, scale, slopes, bias, sinks, prefix, seed if dropped else None,
                        first, causal, window, float(softcap), dropped, _functions(score, mask))
    if layout == "bhsd":
        o = o.transpose(1, 2)
    return (o, lse) if return_lse else o


def _varlen_outputs(q, k, v, cu_q, cu_k, max_q, scale, causal, window):
    return torch.empty_like(q), q.new_empty((q.shape[1], q.shape[0]), dtype=torch.float32)


def _varlen_run(results, q, k, v, cu_q, cu_k, max_q, scale, causal, window):
    builtin("attention_varlen")(q, k, v, cu_q, cu_k, *results, max_q, scale, causal=causal,
                                window=window)


def _varlen_backward_outputs(q, k, v, cu_q, cu_k, o, lse, do, dlse, scale, causal, window):
    dk, dv = (t.new_zeros((t.shape[0], *q.shape[1:])) for t in (k, v))
    return q.new_zeros(q.shape), dk, dv, torch.empty_like(lse)


def _varlen_backward_run(results, q, k, v, cu_q, cu_k, o, lse, do, dlse, scale, causal, window):
    dq, dk, dv, deltas = results
    options = {"causal": causal, "window": window}
    builtin("attention_varlen_backward_queries")(q, k, v, cu_q, cu_k, o, do, lse, dq, deltas, scale, dlse, **options)
    builtin("attention_varlen_backward_keys")(q, k, v, cu_q, cu_k, do, lse, deltas, dk, dv, scale, **options)


_varlen_backward_op = Operation(
    "attention_varlen_backward",
    "(Tensor q, Tensor k, Tensor v, Tensor cu_q, Tensor cu_k, Tensor o, Tensor lse, Tensor do, Tensor dlse, "
    "float scale, bool causal, int window) -> (Tensor, Tensor, Tensor, Tensor)",
    _varlen_backward_outputs, _varlen_backward_run,
)  # fmt: skip


def _varlen_backward(call, do, dlse):
    q, k, v, cu_q, cu_k, _, scale, causal, window = call.args
    o, lse = call.results
    dq, dk, dv, _ = _varlen_backward_op(q, k, v, cu_q, cu_k, o, lse, do, dlse, scale, causal, window)
    return [dq, *(_of_key_heads(x[None], like[None])[0] for x, like in ((dk, k), (dv, v))), *[None] * 6]


_attention_varlen = Operation(
    "attention_varlen",
    "(Tensor q, Tensor k, Tensor v, Tensor cu_q, Tensor cu_k, int max_q, float scale, bool causal, "
    "int window) -> (Tensor, Tensor)",
    _varlen_outputs, _varlen_run, _varlen_backward, keeps_results=True,
)  # fmt: skip


def attention_varlen(query: Tensor, key: Tensor, value: Tensor, cu_seqlens_q: Tensor,
                     cu_seqlens_k: Tensor, max_seqlen_q: int, *, causal: bool = False,
                     window: int = 0, scale: float | None = None,
                     return_lse: bool = False) -> Tensor | tuple[Tensor, Tensor]:
    """Attention within each of B sequences of different lengths, packed behind each other.

    query: [N, H, D], key and value: [M, G, D], bf16, f16 or f32; H is a multiple of G. Sequence b
    has the rows cu_seqlens_q[b] to cu_seqlens_q[b + 1] of query and cu_seqlens_k[b] to
    cu_seqlens_k[b + 1] of key and value: int32 [B + 1], from 0 on, as flash_attn_varlen_func takes
    them. `max_seqlen_q` is at least the rows of query of the longest sequence. `scale`, `causal` and
    `window` are as in `attention`, with the lengths S and T of each sequence.

    Gives [N, H, D], with `return_lse` also log(sum(exp(scale * query key^T))): f32 [H, N]. A row
    that sees nothing is 0; rows of no sequence, or past `max_seqlen_q`, are not written.
    """
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        require(tensor.dim() == 3, "attention_varlen",
                 f"`{name}` has {tensor.dim()} dimensions and must have 3: all sequences' rows, "
                 "heads, columns")
    if scale is None:
        scale = query.shape[-1] ** -0.5
    o, lse = _attention_varlen(query, key, value, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, scale,
                               causal, window)
    return (o, lse) if return_lse else o
