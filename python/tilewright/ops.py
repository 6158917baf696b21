"""The kernels of the package as torch functions.

They allocate their results, take tensors with any strides, and run on the current stream. On CPU
tensors the reference interpreter runs them, slowly. There is no backward yet: if tensors require
gradients, `backward` raises an error when it reaches a result. All work under torch.compile.
Wrong arguments raise `tilewright.Error`, which names the argument of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

try:
    import torch
    from torch import Tensor
except ImportError as error:
    raise ImportError("tilewright.ops needs torch: `pip install torch`") from error

from ._library import Error
from .kernel import borrowing, builtin
from .torch_ops import Operation, needs_gradient

__all__ = [
    "attention", "attention_varlen", "gelu_linear", "layer_norm", "matmul", "matmul_block_scaled",
    "matmul_grouped", "matmul_mixed", "matmul_scaled", "rms_norm", "rope_", "softmax", "swiglu",
    "swiglu_mlp",
]  # fmt: skip


def _rows(x):
    """A tensor as [rows, last dimension]."""
    return x.reshape(-1, x.shape[-1])


def _require(holds, op, message):
    if not holds:
        raise Error(f"tilewright.ops.{op}: {message}")


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


_attention = Operation(
    "attention",
    "(Tensor q, Tensor k, Tensor v, float scale, Tensor? slopes, Tensor? bias, Tensor? sinks, "
    "Tensor? prefix, Tensor? seed, Tensor? first, bool causal, int window, float softcap, "
    "int dropped, int functions) -> (Tensor, Tensor)",
    _attention_outputs, _attention_run,
)  # fmt: skip

# The kernel without functions, and one for each pair of them that was given.
_attention_kernels = [builtin("attention")]
_attention_numbers = {(None, None): 0}


@torch.compiler.assume_constant_result
def _functions(score, mask):
    """The number of the kernel with these functions."""
    key = (score, mask)
    if key not in _attention_numbers:
        given = {"score": (score, "f32"), "mask": (mask, "bool")}
        kernel = borrowing("attention", {n: f for n, f in given.items() if f[0] is not None})
        _attention_kernels.append(kernel)
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


_attention_varlen = Operation(
    "attention_varlen",
    "(Tensor q, Tensor k, Tensor v, Tensor cu_q, Tensor cu_k, int max_q, float scale, bool causal, "
    "int window) -> (Tensor, Tensor)",
    _varlen_outputs, _varlen_run,
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
    if tf32 is None:
        tf32 = torch.backends.cuda.matmul.allow_tf32
    builtin(name)(rows.T if a_is_transposed else rows, b.T if b_is_transposed else b, _rows(c),
                  tf32=tf32)


_matmul = Operation(
    "matmul", "(Tensor a, Tensor b, ScalarType? dtype, bool? tf32) -> Tensor",
    _product_outputs, _product_run,
)  # fmt: skip


def matmul(input: Tensor, other: Tensor, *, dtype: torch.dtype | None = None,
           tf32: bool | None = None) -> Tensor:
    """input other: [..., K] times [K, N] gives [..., N]. Transposed operands are not copied.

    bf16, f16, f32, f8 and i8; sums are in f32, of i8 in i32. `dtype` is the result's (bf16, f16,
    f32, i32), by default that of `input`. With `tf32`, f32 operands are rounded to tf32; by default
    as `torch.backends.cuda.matmul.allow_tf32` says.
    """
    _require(other.dim() == 2, "matmul",
             f"`other` has {other.dim()} dimensions and must have 2")
    _require(input.dim() >= 2, "matmul",
             f"`input` has {input.dim()} dimensions and must have 2 or more")
    _require(input.shape[-1] == other.shape[0], "matmul",
             f"`input` has {input.shape[-1]} columns but `other` has {other.shape[0]} rows")
    return _matmul(input, other, dtype, tf32)


def _matmul_grouped_run(y, x, weight, offsets, dtype, tf32):
    if tf32 is None:
        tf32 = torch.backends.cuda.matmul.allow_tf32
    builtin("matmul_grouped")(x, weight, offsets, y, tf32=tf32)


_matmul_grouped = Operation(
    "matmul_grouped",
    "(Tensor x, Tensor weight, Tensor offsets, ScalarType? dtype, bool? tf32) -> Tensor",
    lambda x, weight, offsets, dtype, tf32: x.new_empty(
        (x.shape[0], weight.shape[1]), dtype=dtype or x.dtype),
    _matmul_grouped_run,
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


_matmul_scaled = Operation(
    "matmul_scaled", "(Tensor x, Tensor weight, float scale, ScalarType? dtype) -> Tensor",
    lambda x, weight, scale, dtype: _scaled_outputs(x, weight, dtype), _matmul_scaled_run,
)  # fmt: skip


def matmul_scaled(input: Tensor, weight: Tensor, scale: float, *,
                  dtype: torch.dtype | None = None) -> Tensor:
    """scale * (input weight^T), for tensors that have one scale each; `scale` is their product.

    input: [..., K], weight: [N, K], f8 (float8_e4m3fn, float8_e5m2), bf16, f16 or f32; gives
    [..., N] of `dtype` (bf16, f16, f32), by default that of `input`, of f8 bf16.
    """
    return _matmul_scaled(input, weight, scale, dtype)


def _matmul_block_scaled_run(y, x, weight, x_scales, weight_scales, dtype):
    builtin("matmul_block_scaled")(_rows(x), weight, x_scales, weight_scales, _rows(y))


_matmul_block_scaled = Operation(
    "matmul_block_scaled",
    "(Tensor x, Tensor weight, Tensor x_scales, Tensor weight_scales, ScalarType? dtype) -> Tensor",
    lambda x, weight, x_scales, weight_scales, dtype: _scaled_outputs(x, weight, dtype),
    _matmul_block_scaled_run,
)  # fmt: skip


def matmul_block_scaled(input: Tensor, weight: Tensor, input_scales: Tensor, weight_scales: Tensor,
                        *, dtype: torch.dtype | None = None) -> Tensor:
    """input weight^T; every 128 columns have a scale for each row of input and 128 rows of weight.

    input: [..., K], weight: [N, K], f8 (float8_e4m3fn, float8_e5m2) or i8; input_scales: f32
    [ceil(K / 128), rows of input], weight_scales: f32 [ceil(N / 128), ceil(K / 128)]. Gives
    [..., N] of `dtype` (bf16, f16, f32), by default bf16. Each block's products are summed alone.
    """
    return _matmul_block_scaled(input, weight, input_scales, weight_scales, dtype)


def _matmul_mixed_run(y, x, weight, scales, group):
    builtin("matmul_mixed")(_rows(x), weight, scales, _rows(y), group=group)


_matmul_mixed = Operation(
    "matmul_mixed", "(Tensor x, Tensor weight, Tensor scales, int group) -> Tensor",
    lambda x, weight, scales, group: _scaled_outputs(x, weight, x.dtype), _matmul_mixed_run,
)  # fmt: skip


def matmul_mixed(input: Tensor, weight: Tensor, scales: Tensor, *, group: int = 64) -> Tensor:
    """input weight^T of a weight in 8 bits, with a scale for each row and every `group` columns.

    input: [..., K], bf16 or f16; weight: [N, K], f8 (float8_e4m3fn, float8_e5m2) or i8; scales: f32
    [ceil(K / group), N], `group` a multiple of 64. Gives [..., N]. The scaled weight is rounded to
    the dtype of `input`; sums are in f32.
    """
    return _matmul_mixed(input, weight, scales, group)


def _linear_outputs(x, weight, bias, approximate):
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def _gelu_linear_run(y, x, weight, bias, approximate):
    builtin("gelu_linear")(_rows(x), weight, _rows(y), bias, approximate=approximate)


_gelu_linear = Operation(
    "gelu_linear", "(Tensor x, Tensor weight, Tensor? bias, bool approximate) -> Tensor",
    _linear_outputs, _gelu_linear_run,
)  # fmt: skip


def gelu_linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *,
                approximate: str = "none") -> Tensor:
    """gelu(input weight^T + bias): a linear layer and its activation in one kernel.

    input: [..., K], weight: [N, K], bias: [N], bf16, f16 or f32; gives [..., N]. `approximate` is
    "none" or "tanh", as in torch's gelu.
    """
    _require(approximate in ("none", "tanh"), "gelu_linear",
             f'`approximate` is "none" or "tanh", not {approximate!r}')
    return _gelu_linear(input, weight, bias, approximate == "tanh")


def _mlp_outputs(x, gate, up, down):
    return x.new_empty((*x.shape[:-1], down.shape[0]))


def _mlp_run(y, x, gate, up, down):
    rows = _rows(x)
    h = x.new_empty((rows.shape[0], gate.shape[0]))
    builtin("swiglu_mlp")(rows, gate, up, h)
    builtin("swiglu_mlp_down")(h, down, _rows(y))


_swiglu_mlp = Operation(
    "swiglu_mlp", "(Tensor x, Tensor gate, Tensor up, Tensor down) -> Tensor",
    _mlp_outputs, _mlp_run,
)  # fmt: skip


def swiglu_mlp(input: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """(silu(input gate^T) * (input up^T)) down^T: the gated feed-forward layer, in two kernels.

    input: [..., K], gate and up: [N, K], down: [K, N], bf16 or f16; gives [..., K].
    """
    return _swiglu_mlp(input, gate, up, down)


# ===- Rows ----------------------------------------------------------------------------------===


def _like(x, *rest):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _softmax_run(y, x):
    builtin("softmax")(_rows(x), _rows(y))


_softmax = Operation("softmax", "(Tensor x) -> Tensor", _like, _softmax_run)


def softmax(input: Tensor, dim: int = -1) -> Tensor:
    """Softmax along a dimension, computed in f32; bf16, f16 or f32. Fastest along the last one."""
    last = dim in (-1, input.dim() - 1)
    x = input if last else input.movedim(dim, -1)
    y = _softmax(x)
    return y if last else y.movedim(-1, dim)


def _width(op, input, normalized_shape):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    _require(len(shape) > 0 and tuple(input.shape[-len(shape):]) == shape, op,
             f"`normalized_shape` is {list(shape)} but `input` has the shape {list(input.shape)}")
    width = 1
    for size in shape:
        width *= size
    return width


def _rms_norm_run(y, x, weight, eps):
    width = weight.numel()
    builtin("rms_norm")(x.reshape(-1, width), weight.reshape(-1), y.view(-1, width), eps)


_rms_norm = Operation(
    "rms_norm", "(Tensor x, Tensor weight, float eps) -> Tensor", _like, _rms_norm_run
)


def rms_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """input * rsqrt(mean(input^2) + eps) * weight over the last dimensions, as torch's rms_norm.

    bf16, f16 or f32, one dtype for both; computed in f32. `eps` is the dtype's epsilon where it is
    not given.
    """
    _width("rms_norm", input, normalized_shape)
    if weight is None:
        weight = torch.ones(normalized_shape, dtype=input.dtype, device=input.device)
    if eps is None:
        eps = torch.finfo(input.dtype).eps
    return _rms_norm(input, weight, eps)


def _layer_norm_run(y, x, weight, bias, width, eps):
    flat = [None if t is None else t.reshape(-1) for t in (weight, bias)]
    builtin("layer_norm")(x.reshape(-1, width), y.view(-1, width), eps, *flat)


_layer_norm = Operation(
    "layer_norm", "(Tensor x, Tensor? weight, Tensor? bias, int width, float eps) -> Tensor",
    _like, _layer_norm_run,
)  # fmt: skip


def layer_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Layer normalisation over the last dimensions, as torch's layer_norm.

    bf16, f16 or f32, one dtype for all; computed in f32.
    """
    width = _width("layer_norm", input, normalized_shape)
    return _layer_norm(input, weight, bias, width, eps)


def _swiglu_run(y, gate, up):
    builtin("swiglu")(_rows(gate), _rows(up), _rows(y))


_swiglu = Operation("swiglu", "(Tensor gate, Tensor up) -> Tensor", _like, _swiglu_run)


def swiglu(gate: Tensor, up: Tensor | None = None) -> Tensor:
    """silu(gate) * up, bf16, f16 or f32. Without `up`, its two factors are the halves of `gate`
    along the last dimension, which are not copied."""
    if up is None:
        _require(gate.shape[-1] % 2 == 0, "swiglu",
                 f"the last dimension of `gate` is {gate.shape[-1]}, which has no halves")
        gate, up = gate.chunk(2, dim=-1)
    return _swiglu(gate, up)


# ===- Rotary embedding ----------------------------------------------------------------------===


def rope_(query: Tensor, key: Tensor, cos: Tensor | None = None, sin: Tensor | None = None, *,
          offset: int = 0, base: float = 10000.0, interleaved: bool = False,
          layout: str = "bhsd") -> tuple[Tensor, Tensor]:
    """Rotary position embedding of query and key, in place; gives both.

    query: [B, H, S, D], key: [B, G, S, D] (as `layout` says), bf16, f16 or f32. Row s is at position
    s + offset. `cos` and `sin` are tables [positions, R] of angles, 2 R <= D; without them the angles
    are position * base^(-2 j / D). Pairs are (j, j + R), or (2 j, 2 j + 1) with `interleaved`.
    """
    _require(layout in ("bhsd", "bshd"), "rope_",
             f'`layout` is "bhsd" or "bshd", not {layout!r}')
    _require((cos is None) == (sin is None), "rope_", "`cos` and `sin` are given together")
    if needs_gradient((query, key)):
        raise NotImplementedError("tilewright.ops.rope_: no backward yet")
    q, k = (t.transpose(1, 2) if layout == "bhsd" else t for t in (query, key))
    if cos is None:
        _ROPE_COMPUTED(q, k, base, offset, interleaved=interleaved)
    else:
        _ROPE(q, k, cos, sin, offset, interleaved=interleaved)
    return query, key


# Not looked up in `rope_`, which torch.compile traces.
_ROPE, _ROPE_COMPUTED = builtin("rope"), builtin("rope_computed")
