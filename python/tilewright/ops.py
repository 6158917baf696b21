"""The kernels of the package as torch functions.

They allocate their results, take tensors with any strides, and run on the current stream. On CPU
tensors the reference interpreter runs them, slowly. All work under torch.compile and autograd. A gradient
has the dtype of what it is the gradient of. What has none raises a NotImplementedError that says why,
when `backward` reaches it; there are no second gradients except of products, rotations and what is made of these.
Wrong arguments raise `tilewright.Error`, which names the argument of the kernel.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

try:
    import torch
    from torch import Tensor
except ImportError as error:
    raise ImportError("tilewright.ops needs torch: `pip install torch`") from error

from ._library import Error
from .kernel import borrowing, builtin
from .torch_ops import Operation, derived, like, needs_gradient

__all__ = [
    "add_layer_norm", "add_rms_norm", "attention", "attention_varlen", "cross_entropy", "dropout", "embedding",
    "geglu", "gelu", "gelu_linear", "layer_norm", "linear_cross_entropy", "log_softmax", "matmul",
    "matmul_block_scaled", "matmul_grouped", "matmul_mixed", "matmul_scaled", "relu2", "rms_norm", "rope", "rope_",
    "softmax", "swiglu", "swiglu_mlp",
]  # fmt: skip


def _rows(x):
    """A tensor as [rows, last dimension]."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def _require(holds, op, message):
    if not holds:
        raise Error(f"tilewright.ops.{op}: {message}")


def _refuse_gradients(op, call, **reasons):
    """Raises if the gradient by an argument is asked for that has none; `reasons` by name, in the arguments' order."""
    for (name, reason), needed in zip(reasons.items(), call.needs, strict=False):
        if needed and reason is not None:
            raise NotImplementedError(f"tilewright.ops.{op}: there is no gradient by `{name}`: {reason}")


def _of_bytes(*tensors):
    """Why there is no gradient by 8-bit floats, or None where there are none."""
    if any(tensor.dtype.itemsize == 1 for tensor in tensors):
        return "it would be rounded to 8 bits; keep a copy of the tensor in bf16, f16 or f32 and pass it"
    return None


# ===- Attention -----------------------------------------------------------------------------===


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
    return _like(q), dk, dv, torch.empty_like(lse), dbias


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
    _refuse_gradients("attention", call, query=reason, key=reason, value=reason, scale=None,
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
    _require(layout in ("bhsd", "bshd"), "attention",
             f'`layout` is "bhsd" or "bshd", not {layout!r}')
    tensors = (query, key, value)
    for name, tensor in zip(("query", "key", "value"), tensors, strict=True):
        _require(tensor.dim() == 4, "attention",
                 f"`{name}` has {tensor.dim()} dimensions and must have 4 ({layout})")
    q, k, v = (t.transpose(1, 2) for t in tensors) if layout == "bhsd" else tensors
    if scale is None:
        scale = query.shape[-1] ** -0.5
    if bias is not None:
        bias = bias.expand(q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    _require(0 <= dropout < 1, "attention", f"`dropout` is in [0, 1), not {dropout}")
    dropped = min(255, round(256 * dropout))
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
        _require(tensor.dim() == 3, "attention_varlen",
                 f"`{name}` has {tensor.dim()} dimensions and must have 3: all sequences' rows, "
                 "heads, columns")
    if scale is None:
        scale = query.shape[-1] ** -0.5
    o, lse = _attention_varlen(query, key, value, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, scale,
                               causal, window)
    return (o, lse) if return_lse else o


# ===- Products ------------------------------------------------------------------------------===


def _tf32(asked):
    return torch.backends.cuda.matmul.allow_tf32 if asked is None else asked


def _product_outputs(a, b, dtype, tf32):
    return a.new_empty((*a.shape[:-1], b.shape[1]), dtype=dtype or a.dtype)


def _product_run(c, a, b, dtype, tf32):
    rows = _rows(a)
    b_is_transposed = b.stride(0) == 1 and b.shape[0] > 1
    a_is_transposed = rows.stride(0) == 1 and rows.shape[0] > 1
    # The names say how the operands are stored; the kernels take them as they are stored.
    name = "matmul" if not (a_is_transposed or b_is_transposed) else (
        "matmul_" + "nt"[a_is_transposed] + "nt"[b_is_transposed]
    )
    builtin(name)(rows.T if a_is_transposed else rows, b.T if b_is_transposed else b, _rows(c),
                  tf32=_tf32(tf32))


def _product_backward(call, dc):
    a, b, _, tf32 = call.args
    _refuse_gradients("matmul", call, input=_of_bytes(a), other=_of_bytes(b))
    dc = dc.to(a.dtype)
    da = _matmul(dc, b.T, None, tf32) if call.needs[0] else None
    db = _matmul(_rows(a).T, _rows(dc), None, tf32) if call.needs[1] else None
    return [da, db, None, None]


_matmul = Operation(
    "matmul", "(Tensor a, Tensor b, ScalarType? dtype, bool? tf32) -> Tensor",
    _product_outputs, _product_run, _product_backward,
)  # fmt: skip


def matmul(input: Tensor, other: Tensor, *, dtype: torch.dtype | None = None,
           tf32: bool | None = None) -> Tensor:
    """input other: [..., K] times [K, N] gives [..., N]. Transposed operands are not copied.

    bf16, f16, f32, f8 and i8; sums are in f32, of i8 in i32. `dtype` is the result's (bf16, f16,
    f32, i32), by default that of `input`. With `tf32`, f32 operands are rounded to tf32; by default
    as `torch.backends.cuda.matmul.allow_tf32` says. In the backward, the gradient of the result is rounded to
    the dtype of the operands.
    """
    _require(other.dim() == 2, "matmul",
             f"`other` has {other.dim()} dimensions and must have 2")
    _require(input.dim() >= 2, "matmul",
             f"`input` has {input.dim()} dimensions and must have 2 or more")
    _require(input.shape[-1] == other.shape[0], "matmul",
             f"`input` has {input.shape[-1]} columns but `other` has {other.shape[0]} rows")
    return _matmul(input, other, dtype, tf32)


def _matmul_grouped_run(y, x, weight, offsets, dtype, tf32):
    builtin("matmul_grouped")(x, weight, offsets, y, tf32=_tf32(tf32))


def _grouped_rows_run(c, a, b, offsets, tf32):
    builtin("matmul_grouped_nn")(a, b, offsets, c, tf32=_tf32(tf32))


_grouped_rows = Operation(  # rows of no expert have no gradient
    "matmul_grouped_nn", "(Tensor a, Tensor b, Tensor offsets, bool? tf32) -> Tensor",
    lambda a, b, offsets, tf32: a.new_zeros((a.shape[0], b.shape[2])), _grouped_rows_run,
)  # fmt: skip


def _grouped_weights_run(c, a, b, offsets, tf32):
    builtin("matmul_grouped_tn")(a, b, offsets, c, tf32=_tf32(tf32))


_grouped_weights = Operation(
    "matmul_grouped_tn", "(Tensor a, Tensor b, Tensor offsets, bool? tf32) -> Tensor",
    lambda a, b, offsets, tf32: a.new_empty((offsets.shape[0] - 1, a.shape[1], b.shape[1])),
    _grouped_weights_run,
)  # fmt: skip


def _grouped_backward(call, dy):
    x, weight, offsets, _, tf32 = call.args
    _refuse_gradients("matmul_grouped", call, input=_of_bytes(x), weight=_of_bytes(weight))
    dy = dy.to(x.dtype)
    dx = _grouped_rows(dy, weight, offsets, tf32) if call.needs[0] else None
    dweight = _grouped_weights(dy, x, offsets, tf32) if call.needs[1] else None
    return [dx, dweight, None, None, None]


_matmul_grouped = Operation(
    "matmul_grouped",
    "(Tensor x, Tensor weight, Tensor offsets, ScalarType? dtype, bool? tf32) -> Tensor",
    lambda x, weight, offsets, dtype, tf32: x.new_empty(
        (x.shape[0], weight.shape[1]), dtype=dtype or x.dtype),
    _matmul_grouped_run, _grouped_backward,
)  # fmt: skip


def matmul_grouped(input: Tensor, weight: Tensor, offsets: Tensor, *,
                   dtype: torch.dtype | None = None, tf32: bool | None = None) -> Tensor:
    """input weight[e]^T, each row by the weight of its expert e, of E experts.

    input: [M, K], weight: [E, N, K]; expert e has the rows offsets[e] to offsets[e + 1] of input:
    int32 [E + 1], from 0 on, not falling. Gives [M, N]; rows behind the last expert's are not
    written. Dtypes, `dtype` and `tf32` are as in `matmul`.
    """
    for name, tensor, rank in (("input", input, 2), ("weight", weight, 3), ("offsets", offsets, 1)):
        _require(tensor.dim() == rank, "matmul_grouped",
                 f"`{name}` has {tensor.dim()} dimensions and must have {rank}")
    return _matmul_grouped(input, weight, offsets, dtype, tf32)


def _scaled_outputs(x, weight, dtype):
    if dtype is None:
        dtype = torch.bfloat16 if x.dtype.itemsize == 1 else x.dtype
    return x.new_empty((*x.shape[:-1], weight.shape[0]), dtype=dtype)


def _matmul_scaled_run(y, x, weight, scale, dtype):
    builtin("matmul_scaled")(_rows(x), weight, _rows(y), scale)


def _matmul_scaled_backward(call, dy):
    x, weight, scale, _ = call.args
    _refuse_gradients("matmul_scaled", call, input=_of_bytes(x), weight=_of_bytes(weight))

    def product(a, b):  # scaled before it is rounded
        return (_matmul(a, b, torch.float32, False) * scale).to(x.dtype)

    dy = dy.to(x.dtype)
    dx = product(dy, weight) if call.needs[0] else None
    dweight = product(_rows(dy).T, _rows(x)) if call.needs[1] else None
    return [dx, dweight, None, None]


_matmul_scaled = Operation(
    "matmul_scaled", "(Tensor x, Tensor weight, float scale, ScalarType? dtype) -> Tensor",
    lambda x, weight, scale, dtype: _scaled_outputs(x, weight, dtype), _matmul_scaled_run,
    _matmul_scaled_backward,
)  # fmt: skip


def matmul_scaled(input: Tensor, weight: Tensor, scale: float, *,
                  dtype: torch.dtype | None = None) -> Tensor:
    """scale * (input weight^T), for tensors that have one scale each; `scale` is their product.

    input: [..., K], weight: [N, K], f8 (float8_e4m3fn, float8_e5m2), bf16, f16 or f32; gives
    [..., N] of `dtype` (bf16, f16, f32), by default that of `input`, of f8 bf16. Operands in f8 have no
    gradient.
    """
    return _matmul_scaled(input, weight, scale, dtype)


def _matmul_block_scaled_run(y, x, weight, x_scales, weight_scales, dtype):
    builtin("matmul_block_scaled")(_rows(x), weight, x_scales, weight_scales, _rows(y))


_CONSTANT = "scales are constants; scale in torch to train them"


def _matmul_block_scaled_backward(call, dy):
    x, weight = call.args[:2]
    _refuse_gradients("matmul_block_scaled", call, input=_of_bytes(x), weight=_of_bytes(weight),
                      input_scales=_CONSTANT, weight_scales=_CONSTANT)


_matmul_block_scaled = Operation(
    "matmul_block_scaled",
    "(Tensor x, Tensor weight, Tensor x_scales, Tensor weight_scales, ScalarType? dtype) -> Tensor",
    lambda x, weight, x_scales, weight_scales, dtype: _scaled_outputs(x, weight, dtype),
    _matmul_block_scaled_run, _matmul_block_scaled_backward,
)  # fmt: skip


def matmul_block_scaled(input: Tensor, weight: Tensor, input_scales: Tensor, weight_scales: Tensor,
                        *, dtype: torch.dtype | None = None) -> Tensor:
    """input weight^T; every 128 columns have a scale for each row of input and 128 rows of weight.

    input: [..., K], weight: [N, K], f8 (float8_e4m3fn, float8_e5m2) or i8; input_scales: f32
    [ceil(K / 128), rows of input], weight_scales: f32 [ceil(N / 128), ceil(K / 128)]. Gives
    [..., N] of `dtype` (bf16, f16, f32), by default bf16. Each block's products are summed alone. There
    are no gradients: operands are 8-bit numbers and scales constants.
    """
    return _matmul_block_scaled(input, weight, input_scales, weight_scales, dtype)


def _matmul_mixed_run(y, x, weight, scales, group):
    builtin("matmul_mixed")(_rows(x), weight, scales, _rows(y), group=group)


def _matmul_mixed_back_run(dx, dy, weight, scales, group):
    builtin("matmul_mixed_nn")(_rows(dy), weight, scales, _rows(dx), group=group)


_matmul_mixed_back = Operation(
    "matmul_mixed_nn", "(Tensor dy, Tensor weight, Tensor scales, int group) -> Tensor",
    lambda dy, weight, scales, group: dy.new_empty((*dy.shape[:-1], weight.shape[1])), _matmul_mixed_back_run,
)  # fmt: skip


def _matmul_mixed_backward(call, dy):
    _, weight, scales, group = call.args
    _refuse_gradients("matmul_mixed", call, input=None, weight=_of_bytes(weight), scales=_CONSTANT)
    return [_matmul_mixed_back(dy, weight, scales, group), None, None, None]


_matmul_mixed = Operation(
    "matmul_mixed", "(Tensor x, Tensor weight, Tensor scales, int group) -> Tensor",
    lambda x, weight, scales, group: _scaled_outputs(x, weight, x.dtype), _matmul_mixed_run,
    _matmul_mixed_backward,
)  # fmt: skip


def matmul_mixed(input: Tensor, weight: Tensor, scales: Tensor, *, group: int = 64) -> Tensor:
    """input weight^T of a weight in 8 bits, with a scale for each row and every `group` columns.

    input: [..., K], bf16 or f16; weight: [N, K], f8 (float8_e4m3fn, float8_e5m2) or i8; scales: f32
    [ceil(K / group), N], `group` a multiple of 64. Gives [..., N]. The scaled weight is rounded to
    the dtype of `input`; sums are in f32. Of the three only `input` has a gradient.
    """
    return _matmul_mixed(input, weight, scales, group)


def _linear_outputs(x, weight, bias, approximate):
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def _gelu_linear_run(y, x, weight, bias, approximate):
    builtin("gelu_linear")(_rows(x), weight, _rows(y), bias, approximate=approximate)


def _gelu_back_run(dv, x, weight, dy, bias, approximate):
    builtin("gelu_linear_backward")(_rows(x), weight, _rows(dy), _rows(dv), bias, approximate=approximate)


_gelu_back = Operation(
    "gelu_linear_backward",
    "(Tensor x, Tensor weight, Tensor dy, Tensor? bias, bool approximate) -> Tensor",
    lambda x, weight, dy, bias, approximate: _linear_outputs(x, weight, bias, approximate), _gelu_back_run,
)  # fmt: skip


def _gelu_linear_backward(call, dy):
    x, weight, bias, approximate = call.args
    dv = _gelu_back(x, weight, dy, bias, approximate)
    dx = _matmul(dv, weight, None, False) if call.needs[0] else None
    dweight = _matmul(_rows(dv).T, _rows(x), None, False) if call.needs[1] else None
    dbias = _rows(dv).sum(0) if call.needs[2] else None
    return [dx, dweight, dbias, None]


_gelu_linear = Operation(
    "gelu_linear", "(Tensor x, Tensor weight, Tensor? bias, bool approximate) -> Tensor",
    _linear_outputs, _gelu_linear_run, _gelu_linear_backward,
)  # fmt: skip


def gelu_linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *,
                approximate: str = "none") -> Tensor:
    """gelu(input weight^T + bias): a linear layer and its activation in one kernel.

    input: [..., K], weight: [N, K], bias: [N], bf16, f16 or f32; gives [..., N]. `approximate` is
    "none" or "tanh", as in torch's gelu. The backward computes the sums in front of gelu again: it costs a
    product more than if they were kept, and the forward neither writes nor keeps them.
    """
    return _gelu_linear(input, weight, bias, _approximates("gelu_linear", approximate))


def _mlp_outputs(x, gate, up, down):
    return x.new_empty((*x.shape[:-1], down.shape[0]))


def _mlp_run(y, x, gate, up, down):
    rows = _rows(x)
    h = x.new_empty((rows.shape[0], gate.shape[0]))
    builtin("swiglu_mlp")(rows, gate, up, h)
    builtin("swiglu_mlp_down")(h, down, _rows(y))


def _mlp_back_run(results, x, gate, up, dh):
    builtin("swiglu_mlp_backward")(_rows(x), gate, up, dh, *results)


_mlp_back = Operation(
    "swiglu_mlp_backward", "(Tensor x, Tensor gate, Tensor up, Tensor dh) -> (Tensor, Tensor, Tensor)",
    lambda x, gate, up, dh: tuple(dh.new_empty(dh.shape) for _ in range(3)), _mlp_back_run,
)  # fmt: skip


def _mlp_input_run(dx, dg, du, gate, up):
    builtin("swiglu_mlp_input")(dg, du, gate, up, dx)


_mlp_input = Operation(
    "swiglu_mlp_input", "(Tensor dg, Tensor du, Tensor gate, Tensor up) -> Tensor",
    lambda dg, du, gate, up: dg.new_empty((dg.shape[0], gate.shape[1])), _mlp_input_run,
)  # fmt: skip


def _mlp_backward(call, dy):
    x, gate, up, down = call.args
    rows, dy = _rows(x), _rows(dy)
    dh = _matmul(dy, down, None, False)
    dg, du, h = _mlp_back(x, gate, up, dh)
    needs = call.needs
    return [
        _mlp_input(dg, du, gate, up).view(x.shape) if needs[0] else None,
        _matmul(dg.T, rows, None, False) if needs[1] else None,
        _matmul(du.T, rows, None, False) if needs[2] else None,
        _matmul(dy.T, h, None, False) if needs[3] else None,
    ]


_swiglu_mlp = Operation(
    "swiglu_mlp", "(Tensor x, Tensor gate, Tensor up, Tensor down) -> Tensor",
    _mlp_outputs, _mlp_run, _mlp_backward,
)  # fmt: skip


def swiglu_mlp(input: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """(silu(input gate^T) * (input up^T)) down^T: the gated feed-forward layer, in two kernels.

    input: [..., K], gate and up: [N, K], down: [K, N], bf16 or f16; gives [..., K]. Nothing of [..., N] is
    kept for the backward, which computes the first two products again: 11 products' time, not 9, for the step.
    """
    return _swiglu_mlp(input, gate, up, down)


# ===- Rows ----------------------------------------------------------------------------------===


def _like(x, *rest):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _of_rows(name):
    """An operation on the rows of one tensor, along the last dimension."""

    def run(y, x):
        builtin(name)(_rows(x), _rows(y))

    return Operation(name, "(Tensor x) -> Tensor", _like, run,
                     derived(name, name, "(Tensor x)", lambda x: {"x": _rows(x)}, {"y": like("x")}))


def _along(operation, x, dim):
    if dim in (-1, x.dim() - 1):
        return operation(x)
    return operation(x.movedim(dim, -1)).movedim(-1, dim)


_softmax, _log_softmax, _relu2 = map(_of_rows, ("softmax", "log_softmax", "relu2"))


def softmax(input: Tensor, dim: int = -1) -> Tensor:
    """Softmax along a dimension, computed in f32; bf16, f16 or f32. Fastest along the last one."""
    return _along(_softmax, input, dim)


def log_softmax(input: Tensor, dim: int = -1) -> Tensor:
    """The logarithm of `softmax`, without its underflow."""
    return _along(_log_softmax, input, dim)


def relu2(input: Tensor) -> Tensor:
    """max(input, 0)^2, computed in f32; bf16, f16 or f32."""
    return _relu2(input)


def _width(op, input, normalized_shape):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    _require(len(shape) > 0 and tuple(input.shape[-len(shape):]) == shape, op,
             f"`normalized_shape` is {list(shape)} but `input` has the shape {list(input.shape)}")
    width = 1
    for size in shape:
        width *= size
    return width


def _rms_norm_arguments(x, weight, eps, shift, residual=None):
    width = weight.numel()
    residual = None if residual is None else residual.reshape(-1, width)
    return {"x": x.reshape(-1, width), "residual": residual, "weight": weight.reshape(-1), "eps": eps, "shift": shift}


def _rms_norm_run(y, x, weight, eps, shift):
    width = weight.numel()
    builtin("rms_norm")(x.reshape(-1, width), weight.reshape(-1), y.view(-1, width), eps, shift=shift)


_rms_norm_schema = "(Tensor x, Tensor weight, float eps, float shift)"
_rms_norm = Operation(
    "rms_norm", _rms_norm_schema + " -> Tensor", _like, _rms_norm_run,
    derived("rms_norm", "rms_norm", _rms_norm_schema, _rms_norm_arguments, {"y": like("x")}, {"weight"}),
)  # fmt: skip


def _add_rms_norm_run(results, x, weight, eps, shift, residual):
    y, added = (t.view(-1, weight.numel()) for t in results)
    flat = _rms_norm_arguments(x, weight, eps, shift, residual)
    builtin("rms_norm")(flat["x"], flat["weight"], y, eps, flat["residual"], added, shift=shift)


def _like_both(x, *rest):
    return _like(x), _like(x)


_add_rms_norm_schema = "(Tensor x, Tensor weight, float eps, float shift, Tensor residual)"
_add_rms_norm = Operation(
    "add_rms_norm", _add_rms_norm_schema + " -> (Tensor, Tensor)", _like_both, _add_rms_norm_run,
    derived("add_rms_norm", "rms_norm", _add_rms_norm_schema, _rms_norm_arguments,
            {"y": like("x"), "added": like("x")}, {"weight"}),
)  # fmt: skip


def _rms_norm_options(op, input, normalized_shape, weight, eps):
    _width(op, input, normalized_shape)
    if weight is None:
        weight = torch.ones(normalized_shape, dtype=input.dtype, device=input.device)
    return weight, torch.finfo(input.dtype).eps if eps is None else eps


def rms_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
             eps: float | None = None, *, shift: float = 0.0) -> Tensor:
    """input * rsqrt(mean(input^2) + eps) * (weight + shift) over the last dimensions, as torch's rms_norm.

    bf16, f16 or f32, one dtype for both; computed in f32. `eps` is the dtype's epsilon where it is
    not given. `shift` is 1 in Gemma, whose weights are kept as differences from 1.
    """
    weight, eps = _rms_norm_options("rms_norm", input, normalized_shape, weight, eps)
    return _rms_norm(input, weight, eps, shift)


def add_rms_norm(input: Tensor, residual: Tensor, normalized_shape: int | Sequence[int],
                 weight: Tensor | None = None, eps: float | None = None, *,
                 shift: float = 0.0) -> tuple[Tensor, Tensor]:
    """`rms_norm` of input + residual, and that sum, in one kernel. The sum is rounded to the dtype first."""
    weight, eps = _rms_norm_options("add_rms_norm", input, normalized_shape, weight, eps)
    return _add_rms_norm(input, weight, eps, shift, residual)


def _layer_norm_arguments(x, weight, bias, width, eps, residual=None):
    flat = {name: None if t is None else t.reshape(-1) for name, t in (("weight", weight), ("bias", bias))}
    rows = {name: None if t is None else t.reshape(-1, width) for name, t in (("x", x), ("residual", residual))}
    return {**rows, "eps": eps, **flat}


def _layer_norm_run(y, x, weight, bias, width, eps):
    flat = [None if t is None else t.reshape(-1) for t in (weight, bias)]
    builtin("layer_norm")(x.reshape(-1, width), y.view(-1, width), eps, *flat)


_layer_norm_schema = "(Tensor x, Tensor? weight, Tensor? bias, int width, float eps)"
_layer_norm = Operation(
    "layer_norm", _layer_norm_schema + " -> Tensor", _like, _layer_norm_run,
    derived("layer_norm", "layer_norm", _layer_norm_schema, _layer_norm_arguments, {"y": like("x")},
            {"weight", "bias"}),
)  # fmt: skip


def _add_layer_norm_run(results, x, weight, bias, width, eps, residual):
    y, added = (t.view(-1, width) for t in results)
    flat = _layer_norm_arguments(x, weight, bias, width, eps, residual)
    builtin("layer_norm")(flat["x"], y, eps, flat["weight"], flat["bias"], flat["residual"], added)


_add_layer_norm_schema = "(Tensor x, Tensor? weight, Tensor? bias, int width, float eps, Tensor residual)"
_add_layer_norm = Operation(
    "add_layer_norm", _add_layer_norm_schema + " -> (Tensor, Tensor)", _like_both, _add_layer_norm_run,
    derived("add_layer_norm", "layer_norm", _add_layer_norm_schema, _layer_norm_arguments,
            {"y": like("x"), "added": like("x")}, {"weight", "bias"}),
)  # fmt: skip


def layer_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Layer normalisation over the last dimensions, as torch's layer_norm.

    bf16, f16 or f32, one dtype for all; computed in f32.
    """
    width = _width("layer_norm", input, normalized_shape)
    return _layer_norm(input, weight, bias, width, eps)


def add_layer_norm(input: Tensor, residual: Tensor, normalized_shape: int | Sequence[int],
                   weight: Tensor | None = None, bias: Tensor | None = None,
                   eps: float = 1e-5) -> tuple[Tensor, Tensor]:
    """`layer_norm` of input + residual, and that sum, in one kernel. The sum is rounded to the dtype first."""
    width = _width("add_layer_norm", input, normalized_shape)
    return _add_layer_norm(input, weight, bias, width, eps, residual)


# ===- Elementwise ---------------------------------------------------------------------------===


def _swiglu_run(y, gate, up):
    builtin("swiglu")(_rows(gate), _rows(up), _rows(y))


_swiglu = Operation(
    "swiglu", "(Tensor gate, Tensor up) -> Tensor", _like, _swiglu_run,
    derived("swiglu", "swiglu", "(Tensor gate, Tensor up)",
            lambda gate, up: {"gate": _rows(gate), "up": _rows(up)}, {"y": like("gate")}),
)  # fmt: skip


def _factors(op, gate, up):
    if up is not None:
        return gate, up
    _require(gate.shape[-1] % 2 == 0, op, f"the last dimension of `gate` is {gate.shape[-1]}, which has no halves")
    return gate.chunk(2, dim=-1)


def swiglu(gate: Tensor, up: Tensor | None = None) -> Tensor:
    """silu(gate) * up, bf16, f16 or f32. Without `up`, its two factors are the halves of `gate`
    along the last dimension, which are not copied."""
    return _swiglu(*_factors("swiglu", gate, up))


def _approximates(op, approximate):
    _require(approximate in ("none", "tanh"), op, f'`approximate` is "none" or "tanh", not {approximate!r}')
    return approximate == "tanh"


def _gelu_run(y, x, approximate):
    builtin("gelu")(_rows(x), _rows(y), approximate=approximate)


_gelu = Operation(
    "gelu", "(Tensor x, bool approximate) -> Tensor", _like, _gelu_run,
    derived("gelu", "gelu", "(Tensor x, bool approximate)",
            lambda x, approximate: {"x": _rows(x), "approximate": approximate}, {"y": like("x")}),
)  # fmt: skip


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """gelu, computed in f32; bf16, f16 or f32. `approximate` is "none" or "tanh", as in torch's."""
    return _gelu(input, _approximates("gelu", approximate))


def _geglu_run(y, gate, up, approximate):
    builtin("geglu")(_rows(gate), _rows(up), _rows(y), approximate=approximate)


_geglu = Operation(
    "geglu", "(Tensor gate, Tensor up, bool approximate) -> Tensor", _like, _geglu_run,
    derived("geglu", "geglu", "(Tensor gate, Tensor up, bool approximate)", lambda gate, up, approximate: {
        "gate": _rows(gate), "up": _rows(up), "approximate": approximate}, {"y": like("gate")}),
)  # fmt: skip


def geglu(gate: Tensor, up: Tensor | None = None, *, approximate: str = "none") -> Tensor:
    """gelu(gate) * up; arguments as in `swiglu` and `gelu`."""
    return _geglu(*_factors("geglu", gate, up), _approximates("geglu", approximate))


def _dropout_run(y, x, seed, dropped):
    builtin("dropout")(_rows(x), _rows(y), seed, dropped=dropped)


_dropout = Operation(
    "dropout", "(Tensor x, Tensor seed, int dropped) -> Tensor", _like, _dropout_run,
    lambda call, dy: [_dropout(dy, *call.args[1:]), None, None], drops=1,
)  # fmt: skip


def dropout(input: Tensor, p: float = 0.5, training: bool = True, *, seed: Tensor | None = None) -> Tensor:
    """Elements are 0 with probability `p`, rounded to a multiple of 1/256, and the others are scaled up.

    bf16, f16 or f32. `seed`, int64 [2] on the GPU, decides which; it is drawn by default. The backward
    draws the same numbers again, so that no mask is kept. Without `training` the input is the result.
    """
    _require(0 <= p < 1, "dropout", f"`p` is in [0, 1), not {p}")
    dropped = min(255, round(256 * p))
    if not training or dropped == 0:
        return input
    if seed is None:
        seed = torch.empty(2, dtype=torch.int64, device=input.device).random_()
    return _dropout(input, seed, dropped)


# ===- Words and losses ----------------------------------------------------------------------===


def _embedding_arguments(ids, weight, padding):
    return {"ids": ids.reshape(-1), "weight": weight, "padding": padding}


def _embedding_run(y, ids, weight, padding):
    builtin("embedding")(ids.reshape(-1), weight, _rows(y), padding)


_embedding_schema = "(Tensor ids, Tensor weight, int padding)"
_embedding = Operation(
    "embedding", _embedding_schema + " -> Tensor",
    lambda ids, weight, padding: weight.new_empty((*ids.shape, weight.shape[1])), _embedding_run,
    derived("embedding", "embedding", _embedding_schema, _embedding_arguments,
            {"y": lambda named: (*named["ids"].shape, named["weight"].shape[1])}, {"weight"}),
)  # fmt: skip


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of `weight` that `input` names, as torch's embedding.

    input: int64 or int32 of any shape [...], weight: [V, D], bf16, f16 or f32; gives [..., D]. Words with the
    index `padding_idx`, and those that no row has, give 0 and no gradient. Gradients are summed in f32.
    """
    _require(weight.dim() == 2, "embedding", f"`weight` has {weight.dim()} dimensions and must have 2")
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx < 0:
        padding_idx += weight.shape[0]
    return _embedding(input, weight, padding_idx)


def _entropy_outputs(x, *rest):
    rows = x.shape[:-1]
    return x.new_empty(rows, dtype=torch.float32), x.new_empty(rows, dtype=torch.float32)


def _cross_entropy_run(results, logits, labels, ignore, smoothing, z_loss):
    loss, lse = (t.view(-1) for t in results)
    builtin("cross_entropy")(_rows(logits), labels.reshape(-1), loss, lse, ignore, smoothing=smoothing,
                             z_loss=z_loss)


def _cross_entropy_back_run(dlogits, logits, labels, lse, dloss, ignore, smoothing, z_loss):
    builtin("cross_entropy_backward")(_rows(logits), labels.reshape(-1), lse.reshape(-1), dloss.reshape(-1),
                                      _rows(dlogits), ignore, smoothing=smoothing, z_loss=z_loss)


_cross_entropy_back = Operation(
    "cross_entropy_backward",
    "(Tensor logits, Tensor labels, Tensor lse, Tensor dloss, int ignore, float smoothing, float z_loss) -> Tensor",
    _like, _cross_entropy_back_run,
)  # fmt: skip


def _cross_entropy_backward(call, dloss, _):
    logits, labels, *options = call.args
    return [_cross_entropy_back(logits, labels, call.results[1], dloss, *options), *[None] * 4]


_cross_entropy = Operation(  # lse is for the backward, and nobody else sees it
    "cross_entropy",
    "(Tensor logits, Tensor labels, int ignore, float smoothing, float z_loss) -> (Tensor, Tensor)",
    _entropy_outputs, _cross_entropy_run, _cross_entropy_backward, keeps_results=True,
)  # fmt: skip


def _reduced(op, loss, target, ignore_index, reduction):
    _require(reduction in ("none", "mean", "sum"), op,
             f'`reduction` is "none", "mean" or "sum", not {reduction!r}')
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / (target != ignore_index).sum()


def cross_entropy(input: Tensor, target: Tensor, *, ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0, z_loss: float = 0.0) -> Tensor:
    """-log(softmax(input)[target]) of rows of logits, in f32.

    input: [..., V], bf16, f16 or f32, target: [...], int64 or int32; each is in [0, V) or `ignore_index`, whose
    rows have loss 0. `reduction`: "none" gives f32 [...], "sum" their sum, "mean" that over the rows that count.
    `label_smoothing` is torch's. `z_loss` adds z_loss * log(sum(exp(input)))^2 to each row. Nothing of the size
    of the logits is written but their gradient.
    """
    _require(input.shape[:-1] == target.shape, "cross_entropy",
             f"`input` is {list(input.shape)} and `target` {list(target.shape)}: all dimensions but the last")
    loss, _ = _cross_entropy(input, target, ignore_index, float(label_smoothing), float(z_loss))
    return _reduced("cross_entropy", loss, target, ignore_index, reduction)


_PART = 128  # as linear_cross_entropy.py has it


def _linear_entropy_run(results, hidden, weight, labels, ignore, smoothing, z_loss):
    loss, lse = (t.view(-1) for t in results)
    rows, parts = _rows(hidden), -(-weight.shape[0] // _PART)
    logs = hidden.new_empty((parts, rows.shape[0]), dtype=torch.float32)
    sums = torch.empty_like(logs) if smoothing > 0 else None
    builtin("linear_cross_entropy")(rows, weight, logs, sums)
    builtin("linear_cross_entropy_loss")(rows, weight, labels.reshape(-1), logs, loss, lse, ignore, sums,
                                         smoothing=smoothing, z_loss=z_loss)


def _linear_entropy_back_outputs(hidden, weight, *rest):
    needs_weight = rest[-1]
    return _like(hidden), weight.new_empty(weight.shape if needs_weight else 0)


def _linear_entropy_back_run(results, hidden, weight, labels, lse, dloss, ignore, smoothing, z_loss, needs_weight):
    """Takes a 32nd of the words at a time, whose gradients are as much memory as the sum of `dhidden` or less."""
    dhidden, dweight = results
    rows, labels, lse, dloss = _rows(hidden), *(t.reshape(-1) for t in (labels, lse, dloss))
    words = weight.shape[0]
    step = _PART * max(1, -(-words // (32 * _PART)))
    total = torch.empty(rows.shape, dtype=torch.float32, device=rows.device)
    for start in range(0, words, step):
        part = weight[start:start + step]
        dlogits = rows.new_empty((rows.shape[0], part.shape[0]))
        builtin("linear_cross_entropy_gradient")(rows, part, labels, lse, dloss, dlogits, words, start, ignore,
                                                 smoothing=smoothing, z_loss=z_loss)
        builtin("linear_cross_entropy_hidden")(dlogits, part, total, more=start > 0)
        if needs_weight:
            builtin("matmul_tn")(dlogits, rows, dweight[start:start + step], tf32=False)
    _rows(dhidden).copy_(total)


_linear_entropy_back = Operation(
    "linear_cross_entropy_backward",
    "(Tensor hidden, Tensor weight, Tensor labels, Tensor lse, Tensor dloss, int ignore, float smoothing, "
    "float z_loss, bool needs_weight) -> (Tensor, Tensor)",
    _linear_entropy_back_outputs, _linear_entropy_back_run,
)  # fmt: skip


def _linear_entropy_backward(call, dloss, _):
    hidden, weight, labels, *options = call.args
    needs = call.needs
    dhidden, dweight = _linear_entropy_back(hidden, weight, labels, call.results[1], dloss, *options, needs[1])
    return [dhidden, dweight if needs[1] else None, *[None] * 4]


_linear_entropy = Operation(
    "linear_cross_entropy",
    "(Tensor hidden, Tensor weight, Tensor labels, int ignore, float smoothing, float z_loss) -> (Tensor, Tensor)",
    _entropy_outputs, _linear_entropy_run, _linear_entropy_backward, keeps_results=True,
)  # fmt: skip


def linear_cross_entropy(input: Tensor, weight: Tensor, target: Tensor, *, ignore_index: int = -100,
                         reduction: str = "mean", label_smoothing: float = 0.0, z_loss: float = 0.0) -> Tensor:
    """`cross_entropy` of the logits input weight^T, which are never stored as a whole.

    input: [..., K], weight: [V, K], bf16, f16 or f32, target: [...]; the rest is as in `cross_entropy`. The
    backward computes the logits again, a part of the words at a time: it takes a 32nd of their memory, and
    an f32 of each number of `input`.
    """
    _require(input.shape[:-1] == target.shape, "linear_cross_entropy",
             f"`input` is {list(input.shape)} and `target` {list(target.shape)}: all dimensions but the last")
    loss, _ = _linear_entropy(input, weight, target, ignore_index, float(label_smoothing), float(z_loss))
    return _reduced("linear_cross_entropy", loss, target, ignore_index, reduction)


# ===- Rotary embedding ----------------------------------------------------------------------===


def _rope_outputs(q, k, cos, sin, base, offset, interleaved, inverse):
    return _like(q), _like(k)


def _rope_run(results, q, k, cos, sin, base, offset, interleaved, inverse):
    if cos is None:
        builtin("rope_computed_into")(q, k, *results, base, offset, interleaved=interleaved, inverse=inverse)
    else:
        builtin("rope_into")(q, k, cos, sin, *results, offset, interleaved=interleaved, inverse=inverse)


def _rope_backward(call, dq, dk):
    """The rotation back."""
    _, _, cos, sin, base, offset, interleaved, inverse = call.args
    constant = "tables of angles are constants"
    _refuse_gradients("rope", call, query=None, key=None, cos=constant, sin=constant)
    return [*_rope(dq, dk, cos, sin, base, offset, interleaved, not inverse), *[None] * 6]


_rope = Operation(
    "rope",
    "(Tensor q, Tensor k, Tensor? cos, Tensor? sin, float base, int offset, bool interleaved, bool inverse) "
    "-> (Tensor, Tensor)",
    _rope_outputs, _rope_run, _rope_backward, drops=2,
)  # fmt: skip


def _require_rope(op, cos, sin, layout):
    _require(layout in ("bhsd", "bshd"), op, f'`layout` is "bhsd" or "bshd", not {layout!r}')
    _require((cos is None) == (sin is None), op, "`cos` and `sin` are given together")


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
