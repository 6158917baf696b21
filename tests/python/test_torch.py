"""torch tensors, torch.compile and autograd, on the CPU."""

import pytest

import tilewright as tw
from tilewright import *  # noqa: F403

torch = pytest.importorskip("torch", reason="needs torch")

M, N = dims("M N")
E = dtypes(bf16, f16, f32)


@tw.kernel
def shift(x: Tensor[E, M, N], y: Tensor[E, M, N], by: f32 = 1.0, other: Tensor[E, N] | None = None,
          *, times: const[int] = 1, BR: tune[1, 2] = 1):
    rows = block(grid(cdiv(M, BR)), BR)
    v = x[rows, :].to(f32) + by * times
    if other is not None:
        v = v + other[:].to(f32)
    y[rows, :] = v


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_takes_tensors_without_copies(dtype):
    x, y = torch.randn(4, 6).to(dtype), torch.zeros(6, 4, dtype=dtype)
    shift(x, y.T, times=2)
    torch.testing.assert_close(y.T, (x.float() + 2).to(dtype))


def test_a_call_is_one_operation_of_a_compiled_graph():
    @torch.compile(fullgraph=True, backend="aot_eager")
    def f(x, other):
        y = torch.empty_like(x)
        shift(x * 2, y, 3.0, other=other, times=2)
        return y + 1

    x, other = torch.randn(4, 6), torch.randn(6)
    torch.testing.assert_close(f(x, other), 2 * x + 6 + other + 1)


def test_a_kernel_without_constants_can_be_compiled():
    @torch.compile(fullgraph=True, backend="aot_eager")
    def f(x):
        y = torch.empty_like(x)
        shift(x, y)
        return y

    x = torch.randn(4, 6)
    torch.testing.assert_close(f(x), x + 1)


# ===- Operations ----------------------------------------------------------------------------===

B, H, G, S, T, D = 2, 4, 2, 24, 40, 16
X = torch.randn(3, 8, 64)
W, V = torch.randn(32, 64) / 8, torch.randn(64, 32) / 6


def half(*tensors):
    return tuple(t.to(torch.float16) for t in tensors)


def sdpa(q, k, v, **options):
    options = {"enable_gqa": q.shape[1] != k.shape[1], **options}
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, **options)


Q, K, KT = torch.randn(B, H, S, D), torch.randn(B, G, S, D), torch.randn(B, G, T, D)
F = torch.nn.functional
F8 = torch.float8_e4m3fn
LONG, ROW_SCALES = torch.randn(5, 200).to(F8), torch.rand(2, 5) + 0.5
WEIGHT = torch.randn(140, 200).to(F8)
BLOCK_SCALES, GROUP_SCALES = torch.rand(2, 2), torch.rand(4, 140)


def blocks(scales, rows, row_block, column_block):
    """Scales of blocks of `WEIGHT` or `LONG`, one for each element."""
    wide = scales.repeat_interleave(row_block, 0).repeat_interleave(column_block, 1)
    return wide[:rows, :200]


LENGTHS, KEY_LENGTHS = (5, 0, 17, 1, 9), (9, 3, 17, 40, 1)
CU_Q, CU_K = (
    F.pad(torch.tensor(lengths).cumsum(0), (1, 0)).to(torch.int32)
    for lengths in (LENGTHS, KEY_LENGTHS)
)
PACKED_Q, PACKED_K = torch.randn(sum(LENGTHS), H, D), torch.randn(sum(KEY_LENGTHS), G, D)

EXPERT_ROWS, EXPERTS = torch.randn(sum(LENGTHS), 40), torch.randn(len(LENGTHS), 24, 40)


def varlen(q, k, v, causal):
    """The sequences one by one; the last query sees the last key."""
    parts = []
    splits = q.split(LENGTHS), k.split(KEY_LENGTHS), v.split(KEY_LENGTHS)
    for q, k, v in zip(*splits, strict=True):
        s, t = len(q), len(k)
        if s == 0:
            continue
        mask = torch.ones(s, t, dtype=torch.bool).tril(t - s) if causal else None
        o = sdpa(*(x.transpose(0, 1)[None] for x in (q, k, v)), attn_mask=mask)
        parts.append(o[0].transpose(0, 1).nan_to_num(0))
    return torch.cat(parts)


SLOPES, SINKS = torch.rand(H) / 4, torch.randn(H)
BIAS, SEED = torch.randn(1, H, S, T), torch.tensor([1, 2])
PREFIX = torch.tensor([3, 50], dtype=torch.int32)

DOCUMENT_STARTS = torch.tensor([0, 2, 3, 9, 16])
FIRST = torch.stack([DOCUMENT_STARTS, DOCUMENT_STARTS + 1]).to(torch.int32).repeat_interleave(
    torch.tensor([2, 1, 6, 7, S - 16]), 1)  # fmt: skip


def with_options(q, k):
    """What `attention_options` computes."""
    keys = k.repeat_interleave(H // G, 1)
    s, t = torch.arange(S)[:, None], torch.arange(T)
    z = 2 * torch.tanh(q @ keys.mT / D**0.5 / 2)
    z = z - SLOPES[:, None, None] * (s + T - S - t).abs() + BIAS
    seen = (t <= s + T - S) | (t < PREFIX[:, None, None, None])
    z = torch.cat([z.where(seen, -torch.inf), SINKS[:, None, None].expand(B, H, S, 1)], -1)
    return z.softmax(-1)[..., :-1] @ keys


def biased(z, b, h, s, t):
    return z - abs(s - t).to(tw.f32) * 0.25


def near(b, h, s, t):
    return abs(s - t) < 20


DISTANCE = (torch.arange(S)[:, None] - torch.arange(T)).abs()
NEAR = (-DISTANCE * 0.25).where(DISTANCE < 20, -torch.inf)

CASES = {
    "attention": (lambda q, k: tw.ops.attention(q, k, k), lambda q, k: sdpa(q, k, k), half(Q, KT)),
    "attention_causal": (
        lambda q, k: tw.ops.attention(q, k, k, causal=True, scale=0.5),
        lambda q, k: sdpa(q, k, k, is_causal=True, scale=0.5),
        half(Q, K),
    ),
    "attention_bshd": (
        lambda q, k: tw.ops.attention(q, k, k, layout="bshd"),
        lambda q, k: sdpa(*(t.transpose(1, 2) for t in (q, k, k))).transpose(1, 2),
        half(Q.transpose(1, 2), KT.transpose(1, 2)),
    ),
    "attention_options": (
        lambda q, k: tw.ops.attention(
            q, k, k, causal=True, softcap=2.0, slopes=SLOPES, bias=BIAS, sinks=SINKS, prefix=PREFIX
        ),
        lambda q, k: with_options(q, k),
        (Q, KT),
    ),
    "attention_documents": (
        lambda q, k: tw.ops.attention(q, k, k, causal=True, first=FIRST),
        lambda q, k: sdpa(q, k, k, attn_mask=(
            (torch.arange(S) >= FIRST[:, :, None]) & torch.ones(S, S, dtype=torch.bool).tril()
        )[:, None]).nan_to_num(0),
        (Q, K),
    ),
    "attention_functions": (
        lambda q, k: tw.ops.attention(q, k, k, score=biased, mask=near),
        lambda q, k: sdpa(q, k, k, attn_mask=NEAR),
        (Q, KT),
    ),
    "attention_dropout": (
        lambda q, k: tw.ops.attention(q, k, k, dropout=0.5, seed=SEED),
        lambda q, k: tw.ops.attention(q, k, k, dropout=0.5, seed=SEED.clone()),
        (Q, KT),
    ),
    "attention_f32": (
        lambda q, k: tw.ops.attention(q, k, k), lambda q, k: sdpa(q, k, k), (Q, KT)
    ),
    "attention_varlen": (
        lambda q, k: tw.ops.attention_varlen(q, k, k, CU_Q, CU_K, 17),
        lambda q, k: varlen(q, k, k, causal=False),
        half(PACKED_Q, PACKED_K),
    ),
    "attention_varlen_causal": (
        lambda q, k: tw.ops.attention_varlen(q, k, k, CU_Q, CU_K, 20, causal=True),
        lambda q, k: varlen(q, k, k, causal=True),
        half(PACKED_Q, PACKED_K),
    ),
    "softmax": (tw.ops.softmax, lambda x: x.softmax(-1), (X,)),
    "softmax_of_rows": (lambda x: tw.ops.softmax(x, 1), lambda x: x.softmax(1), (X,)),
    "layer_norm": (
        lambda x, w: tw.ops.layer_norm(x, (64,), w, w), lambda x, w: F.layer_norm(x, (64,), w, w),
        (X, W[0]),
    ),
    "layer_norm_plain": (
        lambda x: tw.ops.layer_norm(x, (8, 64)), lambda x: F.layer_norm(x, (8, 64)), (X,)
    ),
    "rms_norm": (
        lambda x, w: tw.ops.rms_norm(x, (64,), w, 1e-5), lambda x, w: F.rms_norm(x, (64,), w, 1e-5),
        (X, W[0]),
    ),
    "rms_norm_plain": (
        lambda x: tw.ops.rms_norm(x, 64), lambda x: F.rms_norm(x, (64,)), (X,)
    ),
    "swiglu": (tw.ops.swiglu, lambda g, u: F.silu(g) * u, (X, X + 1)),
    "swiglu_halves": (
        tw.ops.swiglu, lambda x: F.silu(x[..., :32]) * x[..., 32:], (X,)
    ),
    "gelu_linear": (
        lambda x, w, b: tw.ops.gelu_linear(x, w, b, approximate="tanh"),
        lambda x, w, b: F.gelu(F.linear(x, w, b), approximate="tanh"),
        half(X, W, W[:, 0]),
    ),
    "gelu_linear_plain": (
        tw.ops.gelu_linear, lambda x, w: F.gelu(F.linear(x, w)), half(X, W)
    ),
    "swiglu_mlp": (
        tw.ops.swiglu_mlp,
        lambda x, g, u, d: F.linear(F.silu(F.linear(x, g)) * F.linear(x, u), d),
        half(X, W, W.flip(0), V),
    ),
    "matmul": (tw.ops.matmul, torch.matmul, half(X, V)),
    "matmul_nt": (lambda x, w: tw.ops.matmul(x, w.T), lambda x, w: x @ w.T, half(X, W)),
    "matmul_tn": (lambda x, w: tw.ops.matmul(x.T, w), lambda x, w: x.T @ w, half(V, X[0, :].T)),
    "matmul_tt": (lambda x, w: tw.ops.matmul(x.T, w.T), lambda x, w: x.T @ w.T, half(V, W.T @ W)),
    "matmul_f32": (tw.ops.matmul, torch.matmul, (X, V)),
    "matmul_scaled": (
        lambda x, w: tw.ops.matmul_scaled(x, w, 0.5),
        lambda x, w: (0.5 * (x.float() @ w.float().T)).bfloat16(),
        (LONG, WEIGHT),
    ),
    "matmul_scaled_f16": (
        lambda x, w: tw.ops.matmul_scaled(x, w, 0.5, dtype=torch.float32),
        lambda x, w: 0.5 * (x.float() @ w.float().T),
        half(X, W),
    ),
    "matmul_block_scaled": (
        lambda x, w, s, t: tw.ops.matmul_block_scaled(x, w, s, t, dtype=torch.float32),
        lambda x, w, s, t: (x.float() * blocks(s.T, 5, 1, 128))
        @ (w.float() * blocks(t, 140, 128, 128)).T,
        (LONG, WEIGHT, ROW_SCALES, BLOCK_SCALES),
    ),
    "matmul_grouped": (
        lambda x, w: tw.ops.matmul_grouped(x, w, CU_Q),
        lambda x, w: torch.cat([y @ v.T for y, v in zip(x.split(LENGTHS), w, strict=True)]),
        half(EXPERT_ROWS, EXPERTS),
    ),
    "matmul_mixed": (
        tw.ops.matmul_mixed,
        lambda x, w, s: x @ (w.float() * blocks(s.T, 140, 1, 64)).half().T,
        (LONG.half(), WEIGHT, GROUP_SCALES),
    ),
    "matmul_mixed_by_rows": (
        lambda x, w, s: tw.ops.matmul_mixed(x, w, s, group=0),
        lambda x, w, s: (x @ w.half().T * s).half(),
        (LONG.half(), WEIGHT, GROUP_SCALES[:1]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_operation_matches_torch(name):
    ours, theirs, args = CASES[name]
    expected = theirs(*args)
    tolerance = {"atol": 1e-5, "rtol": 1e-4} if expected.dtype == torch.float32 else {
        "atol": 1e-2, "rtol": 1e-2
    }
    found = ours(*args)
    torch.testing.assert_close(found, expected, **tolerance)
    assert found.shape == expected.shape


@pytest.mark.parametrize("name", CASES)
def test_operation_can_be_compiled(name):
    ours, _, args = CASES[name]
    torch.compiler.reset()  # the lambda is one function to it, whatever it calls
    compiled = torch.compile(lambda *args: ours(*args) + 1, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(*args), ours(*args) + 1)


def test_attention_gives_the_logarithm_of_sums():
    q, k = half(Q, KT)
    _, lse = tw.ops.attention(q, k, k, return_lse=True)
    scores = q.float() @ k.float().repeat_interleave(H // G, 1).mT / D**0.5
    torch.testing.assert_close(lse, scores.logsumexp(-1), atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
def test_attention_takes_values_of_another_size(layout):
    q, k = half(Q, KT)
    v = k[..., : D // 2]
    turned = (lambda x: x) if layout == "bhsd" else (lambda x: x.transpose(1, 2))
    o = turned(tw.ops.attention(turned(q), turned(k), turned(v), layout=layout))
    weights = (q.float() @ k.float().repeat_interleave(H // G, 1).mT / D**0.5).softmax(-1)
    expected = weights @ v.float().repeat_interleave(H // G, 1)
    torch.testing.assert_close(o.float(), expected, atol=2e-2, rtol=2e-2)


def test_attention_varlen_gives_the_logarithm_of_sums():
    q, k = half(PACKED_Q, PACKED_K)
    o, lse = tw.ops.attention_varlen(q, k, k, CU_Q, CU_K, 17, return_lse=True)
    assert o.shape == q.shape and lse.shape == (H, len(q))
    keys = k[12:29].float().repeat_interleave(H // G, 1)
    scores = q[5:22].float().transpose(0, 1) @ keys.permute(1, 2, 0)
    torch.testing.assert_close(lse[:, 5:22], (scores / D**0.5).logsumexp(-1), atol=1e-3, rtol=1e-3)


def rotated(x, angles):
    first, second = x[..., : D // 2], x[..., D // 2 :]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def test_rope_turns_in_place():
    angles = torch.arange(3, 3 + S)[:, None] * 10000.0 ** (-2 * torch.arange(D // 2) / D)
    q, k = Q.clone(), K.clone()
    result = tw.ops.rope_(q, k, offset=3)
    assert result[0] is q and result[1] is k
    torch.testing.assert_close(q, rotated(Q, angles), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(k, rotated(K, angles), atol=1e-4, rtol=1e-4)
    q, k = Q.transpose(1, 2).clone(), K.transpose(1, 2).clone()
    tw.ops.rope_(q, k, angles.cos(), angles.sin(), layout="bshd")
    torch.testing.assert_close(q.transpose(1, 2), rotated(Q, angles), atol=1e-4, rtol=1e-4)


def test_rope_can_be_compiled():
    compiled = torch.compile(tw.ops.rope_, fullgraph=True, backend="aot_eager")
    q, k, p, l = Q.clone(), K.clone(), Q.clone(), K.clone()
    compiled(q, k)
    tw.ops.rope_(p, l)
    torch.testing.assert_close((q, k), (p, l))


def test_rope_gives_new_tensors():
    q, k, p, l = Q.clone(), K.clone(), Q.clone(), K.clone()
    tw.ops.rope_(p, l, offset=2)
    torch.testing.assert_close(tw.ops.rope(q, k, offset=2), (p, l))
    assert q.equal(Q) and k.equal(K)


@pytest.mark.parametrize("call, message", [
    (lambda: tw.ops.attention(Q.double(), K, K), "no kernel takes arrays of dtype `float64`"),
    (lambda: tw.ops.swiglu_mlp(X, W, W, V), "`E` may be `bf16`, `f16`, not `f32`"),
    (lambda: tw.ops.attention(*half(Q[:, :3], K, K)), "multiple of key/value heads"),
    (lambda: tw.ops.attention(*half(Q[0], K, K)), "`query` has 3 dimensions and must have 4"),
    (lambda: tw.ops.attention(Q, K, K, dropout=1.0), "`dropout` is in [0, 1), not 1.0"),
    (lambda: tw.ops.attention(Q, K, K, sinks=SINKS[1:]), "argument `sinks` has size 3 in axis 0"),
    (lambda: tw.ops.attention(*half(Q, K, K), layout="sbhd"), '`layout` is "bhsd" or "bshd"'),
    (lambda: tw.ops.attention(*half(Q, K, KT)), "argument `v` has size 40 in axis 1"),
    (lambda: tw.ops.attention_varlen(Q, K, K, CU_Q, CU_K, 17),
     "`query` has 4 dimensions and must have 3"),
    (lambda: tw.ops.attention_varlen(*half(PACKED_Q, PACKED_K, PACKED_K), CU_Q, CU_K[:-1], 17),
     "argument `cu_k` has size 5 in axis 0"),
    (lambda: tw.ops.matmul(X, X), "`other` has 3 dimensions and must have 2"),
    (lambda: tw.ops.matmul(X, W), "`input` has 64 columns but `other` has 32 rows"),
    (lambda: tw.ops.matmul_grouped(X, EXPERTS, CU_Q), "`input` has 3 dimensions and must have 2"),
    (lambda: tw.ops.matmul_grouped(*half(EXPERT_ROWS, EXPERTS), CU_Q[1:]),
     "offsets has one number more than there are experts"),
    (lambda: tw.ops.matmul_scaled(LONG, WEIGHT.half(), 1.0), "argument `b` has the dtype `f16`"),
    (lambda: tw.ops.matmul_block_scaled(LONG, WEIGHT, ROW_SCALES[:1], BLOCK_SCALES[:, :1]),
     "scales must be given for every 128 columns of a and b"),
    (lambda: tw.ops.matmul_mixed(LONG.half(), WEIGHT, GROUP_SCALES[1:]),
     "b_scales must have a row for every `group` columns of b"),
    (lambda: tw.ops.gelu_linear(*half(X, W), approximate="erf"), '"none" or "tanh"'),
    (lambda: tw.ops.gelu_linear(*half(X), W), "argument `weight` has the dtype `f32`"),
    (lambda: tw.ops.layer_norm(X, (32,)), "`normalized_shape` is [32]"),
    (lambda: tw.ops.swiglu(X[..., :3]), "has no halves"),
    (lambda: tw.ops.rope_(Q, K, cos=X), "`cos` and `sin` are given together"),
])  # fmt: skip
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(tw.Error) as caught:
        call()
    assert message in str(caught.value)
