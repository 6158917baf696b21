"""Gradients of the package's operations, beside those that torch computes in f64."""

import math

import pytest

import tilewright as tw

torch = pytest.importorskip("torch", reason="needs torch")
F = torch.nn.functional

HALF, BRAIN, FULL = torch.float16, torch.bfloat16, torch.float32
ALL, PRODUCTS = (FULL, HALF, BRAIN), (HALF, BRAIN)
B, H, G, S, T, D = 2, 4, 2, 21, 37, 16
LENGTHS, KEY_LENGTHS = (5, 0, 17, 1, 9), (9, 3, 17, 40, 1)
CU_Q, CU_K = (
    F.pad(torch.tensor(lengths).cumsum(0), (1, 0)).to(torch.int32)
    for lengths in (LENGTHS, KEY_LENGTHS)
)
FIRST = torch.tensor([[0] * 4 + [3] * 9 + [12] * 8, [1] * 20 + [30]], dtype=torch.int32)
PREFIX, SEED = torch.tensor([3, 50], dtype=torch.int32), torch.tensor([1, 2])
SLOPES = torch.rand(H) / 4
POSITIONS = torch.arange(S)[:, None] * 100.0 ** (-torch.arange(D // 2) / (D // 2))


def numbers(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


# ===- What the operations compute -----------------------------------------------------------===


def rms_norm(x, weight=1.0, eps=1e-5):
    return x * (x.square().mean(-1, keepdim=True) + eps).rsqrt() * weight


def entropy(z, labels, ignore=-100, smoothing=0.0, z_loss=0.0):
    """The losses of rows of logits."""
    loss = F.cross_entropy(z.flatten(0, -2), labels.flatten(), ignore_index=ignore, label_smoothing=smoothing,
                           reduction="none")  # fmt: skip
    return loss.view(labels.shape) + z_loss * z.logsumexp(-1).square().where(labels != ignore, 0)


def swiglu_mlp(x, gate, up, down):
    return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)


def grouped(x, weight):
    return torch.cat([y @ w.T for y, w in zip(x.split(LENGTHS), weight, strict=True)])


def seen(causal=False, window=0, prefix=None, first=None, s=S, t=T):
    rows, cols = torch.arange(s)[:, None] + t - s, torch.arange(t)
    visible = torch.ones(s, t, dtype=torch.bool)
    visible = visible & (cols <= rows) if causal else visible
    visible = visible & (cols > rows - window) if window else visible
    visible = visible[None, None] if prefix is None else visible | (cols < prefix[:, None, None, None])
    return visible if first is None else visible & (cols >= first[:, None, :, None])


def attention(q, k, v, bias=None, sinks=None, *, scale=None, softcap=0.0, slopes=None, kept=None, mask=None,
              lse=False, **masks):  # fmt: skip
    """[B, H, S, D] and so on, in the dtype of the arguments."""
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    z = q @ k.mT * (scale or q.shape[-1] ** -0.5)
    z = softcap * torch.tanh(z / softcap) if softcap else z
    s, t = q.shape[2], k.shape[2]
    distance = (torch.arange(s)[:, None] + t - s - torch.arange(t)).abs()
    z = z if slopes is None else z - slopes[:, None, None] * distance
    z = z if bias is None else z + bias
    visible = seen(s=s, t=t, **masks)
    visible = visible if mask is None else visible & mask
    z = z.where(visible, -math.inf)
    if sinks is not None:
        z = torch.cat([z, sinks[:, None, None].expand(*z.shape[:3], 1)], -1)
    some = visible.any(-1, keepdim=True)
    p = torch.where(some, z, 0).softmax(-1)[..., :t].where(some, 0)
    p = p if kept is None else p * kept
    return (p @ v, z.logsumexp(-1)) if lse else p @ v


def varlen(q, k, v, **masks):
    """The sequences one by one."""
    parts = []
    for q_, k_, v_ in zip(q.split(LENGTHS), k.split(KEY_LENGTHS), v.split(KEY_LENGTHS), strict=True):
        o = attention(*(x.transpose(0, 1)[None] for x in (q_, k_, v_)), **masks)
        parts.append(o[0].transpose(0, 1))
    return torch.cat(parts)


def near(b, h, s, t):
    return abs(s - t) < 9


NEAR = (torch.arange(S)[:, None] - torch.arange(T)).abs() < 9


def rotated(q, k, angles, interleaved=False):
    def turn(x):
        pairs = angles.shape[-1]
        turned, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
        halves = (turned[..., ::2], turned[..., 1::2]) if interleaved else turned.split(pairs, -1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        new = halves[0] * cos - halves[1] * sin, halves[1] * cos + halves[0] * sin
        new = torch.stack(new, -1).flatten(-2) if interleaved else torch.cat(new, -1)
        return torch.cat([new, rest], -1)

    return turn(q), turn(k)


def computed(offset=0, base=10000.0):
    return (torch.arange(S) + offset)[:, None] * base ** (-2 * torch.arange(D // 2) / D)


def in_place(q, k, **options):
    """`rope_` of what is no leaf."""
    q, k = q * 2, k * 2
    tw.ops.rope_(q, k, **options)
    return q, k


def kept_by(seed, dropped):
    """What attention's dropout multiplies weights by: those of keys that are unit vectors."""
    weights = tw.ops.attention(torch.zeros(B, H, S, T), torch.zeros(B, H, T, T), torch.eye(T).expand(B, H, T, T),
                               dropout=dropped / 256, seed=seed)
    return weights.double() * T


WORDS = torch.tensor([[3, 0, 7, 3, 20], [11, 3, 7, 7, 4], [20, 20, 1, 2, 0]])
LABELS = torch.tensor([[3, 36, -100, 3, 20], [11, 3, 7, 7, 4], [-100, 20, 1, 2, 0]])
MANY = torch.arange(1100) * 7 % 41
COUNTED = LABELS.clamp(min=3)  # without -100, where another label is ignored
Q, KV = (B, H, S, D), (B, G, T, D)
ROWS, WIDE = (3, 5, 37), (21, 37)
PACKED, PACKED_KEYS = (sum(LENGTHS), H, D), (sum(KEY_LENGTHS), G, D)

# (ours, what it computes, shapes of the arguments that have gradients, dtypes)
CASES = {
    "softmax": (tw.ops.softmax, lambda x: x.softmax(-1), [ROWS], ALL),
    "softmax_of_rows": (lambda x: tw.ops.softmax(x, 1), lambda x: x.softmax(1), [ROWS], ALL),
    "rms_norm": (lambda x, w: tw.ops.rms_norm(x, 37, w, 1e-5), rms_norm, [ROWS, (37,)], ALL),
    "rms_norm_plain": (lambda x: tw.ops.rms_norm(x, 37, eps=1e-5), rms_norm, [ROWS], ALL),
    "layer_norm": (
        lambda x, w, b: tw.ops.layer_norm(x, 37, w, b), lambda x, w, b: F.layer_norm(x, (37,), w, b),
        [ROWS, (37,), (37,)], ALL,
    ),
    "layer_norm_scaled": (
        lambda x, w: tw.ops.layer_norm(x, (5, 37), w), lambda x, w: F.layer_norm(x, (5, 37), w),
        [ROWS, (5, 37)], ALL,
    ),
    "layer_norm_plain": (
        lambda x: tw.ops.layer_norm(x, 37), lambda x: F.layer_norm(x, (37,)), [ROWS], ALL,
    ),
    "rms_norm_shifted": (
        lambda x, w: tw.ops.rms_norm(x, 37, w, 1e-5, shift=1.0), lambda x, w: rms_norm(x, w + 1),
        [ROWS, (37,)], ALL,
    ),
    "add_rms_norm": (
        lambda x, r, w: tw.ops.add_rms_norm(x, r, 37, w, 1e-5, shift=1.0),
        lambda x, r, w: (rms_norm(x + r, w + 1), x + r), [ROWS, ROWS, (37,)], ALL,
    ),
    "add_layer_norm": (
        lambda x, r, w, b: tw.ops.add_layer_norm(x, r, 37, w, b),
        lambda x, r, w, b: (F.layer_norm(x + r, (37,), w, b), x + r), [ROWS, ROWS, (37,), (37,)], ALL,
    ),
    "log_softmax": (lambda x: tw.ops.log_softmax(x, 1), lambda x: x.log_softmax(1), [ROWS], ALL),
    "relu2": (tw.ops.relu2, lambda x: x.relu().square(), [ROWS], ALL),
    "gelu": (tw.ops.gelu, F.gelu, [ROWS], ALL),
    "gelu_tanh": (
        lambda x: tw.ops.gelu(x, approximate="tanh"), lambda x: F.gelu(x, approximate="tanh"), [ROWS], ALL
    ),
    "geglu": (tw.ops.geglu, lambda g, u: F.gelu(g) * u, [ROWS, ROWS], ALL),
    "geglu_halves": (
        lambda x: tw.ops.geglu(x, approximate="tanh"),
        lambda x: F.gelu(x[..., :19], approximate="tanh") * x[..., 19:], [(3, 38)], ALL,
    ),
    "dropout": (
        lambda x: tw.ops.dropout(x, 0.3, seed=SEED),
        lambda x: x * tw.ops.dropout(torch.ones(ROWS), 0.3, seed=SEED).double(), [ROWS], ALL,
    ),
    "embedding": (lambda w: tw.ops.embedding(WORDS, w), lambda w: F.embedding(WORDS, w), [WIDE], ALL),
    "embedding_padded": (
        lambda w: tw.ops.embedding(WORDS.int(), w, -1), lambda w: F.embedding(WORDS, w, -1) * (WORDS != 20)[..., None],
        [WIDE], ALL,
    ),
    "cross_entropy": (
        lambda z: tw.ops.cross_entropy(z, LABELS), lambda z: F.cross_entropy(z.flatten(0, 1), LABELS.flatten()),
        [ROWS], ALL,
    ),
    "cross_entropy_options": (
        lambda z: tw.ops.cross_entropy(z, COUNTED, ignore_index=3, reduction="sum", label_smoothing=0.1, z_loss=0.02),
        lambda z: entropy(z, COUNTED, 3, 0.1, 0.02).sum(), [ROWS], ALL,
    ),
    "cross_entropy_of_rows": (
        lambda z: tw.ops.cross_entropy(z, LABELS.int(), reduction="none"), lambda z: entropy(z, LABELS), [ROWS], ALL
    ),
    "linear_cross_entropy": (
        lambda x, w: tw.ops.linear_cross_entropy(x, w, LABELS),
        lambda x, w: F.cross_entropy((x @ w.T).flatten(0, 1), LABELS.flatten()), [(3, 5, 21), (37, 21)], ALL,
    ),
    "linear_cross_entropy_sum": (  # several parts of the rows
        lambda x, w: tw.ops.linear_cross_entropy(x, w, MANY, ignore_index=3, reduction="sum", label_smoothing=0.1,
                                                 z_loss=0.02),
        lambda x, w: entropy(x @ w.T, MANY, 3, 0.1, 0.02).sum(), [(1100, 7), (41, 7)], ALL,
    ),
    "linear_cross_entropy_options": (  # several parts of words, and several of these at a time
        lambda x, w: tw.ops.linear_cross_entropy(x, w, COUNTED, ignore_index=3, reduction="none", label_smoothing=0.1,
                                                 z_loss=0.02),
        lambda x, w: entropy(x @ w.T, COUNTED, 3, 0.1, 0.02), [(3, 5, 7), (300, 7)], ALL,
    ),
    "swiglu": (tw.ops.swiglu, lambda g, u: F.silu(g) * u, [ROWS, ROWS], ALL),
    "swiglu_halves": (
        tw.ops.swiglu, lambda x: F.silu(x[..., :19]) * x[..., 19:], [(3, 38)], ALL
    ),
    "gelu_linear": (
        tw.ops.gelu_linear, lambda x, w, b: F.gelu(F.linear(x, w, b)), [ROWS, WIDE, (21,)], ALL,
    ),
    "gelu_linear_tanh": (
        lambda x, w: tw.ops.gelu_linear(x, w, approximate="tanh"),
        lambda x, w: F.gelu(F.linear(x, w), approximate="tanh"), [ROWS, WIDE], ALL,
    ),
    "swiglu_mlp": (tw.ops.swiglu_mlp, swiglu_mlp, [ROWS, WIDE, WIDE, WIDE[::-1]], PRODUCTS),
    "matmul": (lambda a, b: tw.ops.matmul(a, b, tf32=False), torch.matmul, [ROWS, (37, 21)], ALL),
    "matmul_nt": (
        lambda a, b: tw.ops.matmul(a, b.T, tf32=False), lambda a, b: a @ b.T, [ROWS, WIDE], ALL
    ),
    "matmul_tn": (
        lambda a, b: tw.ops.matmul(a.T, b, tf32=False), lambda a, b: a.T @ b, [(37, 5), (37, 21)], ALL
    ),
    "matmul_tt": (
        lambda a, b: tw.ops.matmul(a.T, b.T, tf32=False), lambda a, b: a.T @ b.T, [(37, 5), WIDE], ALL
    ),
    "matmul_to_f32": (
        lambda a, b: tw.ops.matmul(a, b, dtype=FULL, tf32=False), torch.matmul, [ROWS, (37, 21)], ALL
    ),
    "matmul_scaled": (
        lambda x, w: tw.ops.matmul_scaled(x, w, 0.5), lambda x, w: 0.5 * (x @ w.T), [ROWS, WIDE], ALL
    ),
    "matmul_grouped": (
        lambda x, w: tw.ops.matmul_grouped(x, w, CU_Q, tf32=False), grouped, [(32, 37), (5, 21, 37)], ALL
    ),
    "rope": (tw.ops.rope, lambda q, k: rotated(q, k, computed()), [Q, (B, G, S, D)], ALL),
    "rope_options": (
        lambda q, k: tw.ops.rope(q, k, offset=3, base=500.0, interleaved=True),
        lambda q, k: rotated(q, k, computed(3, 500.0), True), [Q, (B, G, S, D)], ALL,
    ),
    "rope_by_table": (
        lambda q, k: tw.ops.rope(q, k, POSITIONS.cos()[:, :5], POSITIONS.sin()[:, :5]),
        lambda q, k: rotated(q, k, POSITIONS[:, :5]), [Q, (B, G, S, D)], ALL,
    ),
    "rope_bshd": (
        lambda q, k: tw.ops.rope(q, k, layout="bshd"),
        lambda q, k: [x.transpose(1, 2) for x in rotated(q.transpose(1, 2), k.transpose(1, 2), computed())],
        [(B, S, H, D), (B, S, G, D)], ALL,
    ),
    "rope_in_place": (
        in_place, lambda q, k: rotated(2 * q, 2 * k, computed()), [Q, (B, G, S, D)], ALL
    ),
    "attention": (tw.ops.attention, attention, [Q, KV, KV], ALL),
    "attention_causal": (
        lambda q, k, v: tw.ops.attention(q, k, v, causal=True, scale=0.5),
        lambda q, k, v: attention(q, k, v, causal=True, scale=0.5), [Q, KV, KV], ALL,
    ),
    "attention_of_few_keys": (  # the first queries see nothing
        lambda q, k, v: tw.ops.attention(q, k, v, causal=True),
        lambda q, k, v: attention(q, k, v, causal=True), [(B, H, T, D), (B, G, S, D), (B, G, S, D)], ALL,
    ),
    "attention_window": (
        lambda q, k, v: tw.ops.attention(q, k, v, causal=True, window=7),
        lambda q, k, v: attention(q, k, v, causal=True, window=7), [Q, KV, KV], (FULL,),
    ),
    "attention_softcap": (
        lambda q, k, v: tw.ops.attention(q, k, v, softcap=2.0),
        lambda q, k, v: attention(q, k, v, softcap=2.0), [Q, KV, KV], ALL,
    ),
    "attention_bias": (
        lambda q, k, v, bias: tw.ops.attention(q, k, v, causal=True, bias=bias),
        lambda q, k, v, bias: attention(q, k, v, bias, causal=True), [Q, KV, KV, (1, H, S, T)], ALL,
    ),
    "attention_sinks": (
        lambda q, k, v, sinks: tw.ops.attention(q, k, v, causal=True, sinks=sinks),
        lambda q, k, v, sinks: attention(q, k, v, None, sinks, causal=True), [Q, KV, KV, (H,)], (FULL,),
    ),
    "attention_slopes": (
        lambda q, k, v: tw.ops.attention(q, k, v, slopes=SLOPES),
        lambda q, k, v: attention(q, k, v, slopes=SLOPES.double()), [Q, KV, KV], (FULL,),
    ),
    "attention_prefix": (
        lambda q, k, v: tw.ops.attention(q, k, v, causal=True, prefix=PREFIX),
        lambda q, k, v: attention(q, k, v, causal=True, prefix=PREFIX), [Q, KV, KV], (FULL,),
    ),
    "attention_documents": (
        lambda q, k, v: tw.ops.attention(q, k, v, causal=True, first=FIRST),
        lambda q, k, v: attention(q, k, v, causal=True, first=FIRST), [Q, KV, KV], (FULL,),
    ),
    "attention_mask": (
        lambda q, k, v: tw.ops.attention(q, k, v, mask=near),
        lambda q, k, v: attention(q, k, v, mask=NEAR), [Q, KV, KV], (FULL,),
    ),
    "attention_dropout": (
        lambda q, k, v: tw.ops.attention(q, k, v, dropout=0.5, seed=SEED),
        lambda q, k, v: attention(q, k, v, kept=kept_by(SEED, 128)), [Q, KV, KV], (FULL,),
    ),
    "attention_wide_values": (
        lambda q, k, v: tw.ops.attention(q, k, v), attention, [Q, KV, (B, G, T, 24)], (FULL,)
    ),
    "attention_bshd": (
        lambda q, k, v: tw.ops.attention(q, k, v, layout="bshd"),
        lambda *x: attention(*(t.transpose(1, 2) for t in x)).transpose(1, 2),
        [(B, S, H, D), (B, T, G, D), (B, T, G, D)], ALL,
    ),
    "attention_and_sums": (
        lambda q, k, v, sinks: tw.ops.attention(q, k, v, sinks=sinks, return_lse=True),
        lambda q, k, v, sinks: attention(q, k, v, None, sinks, lse=True), [Q, KV, KV, (H,)], (FULL,),
    ),
    "attention_sums": (
        lambda q, k, v: tw.ops.attention(q, k, v, return_lse=True)[1],
        lambda q, k, v: attention(q, k, v, lse=True)[1], [Q, KV, KV], (FULL,),
    ),
    "attention_varlen": (
        lambda q, k, v: tw.ops.attention_varlen(q, k, v, CU_Q, CU_K, 17), varlen,
        [PACKED, PACKED_KEYS, PACKED_KEYS], ALL,
    ),
    "attention_varlen_causal": (
        lambda q, k, v: tw.ops.attention_varlen(q, k, v, CU_Q, CU_K, 17, causal=True, window=6),
        lambda q, k, v: varlen(q, k, v, causal=True, window=6), [PACKED, PACKED_KEYS, PACKED_KEYS], (FULL,),
    ),
}  # fmt: skip


def inputs(name, dtype):
    return [numbers(*shape, seed=i).to(dtype) for i, shape in enumerate(CASES[name][2])]


def results(function, args):
    found = function(*args)
    return list(found) if isinstance(found, (tuple, list)) else [found]


def gradients(function, args, needed=None):
    """The gradients of a fixed weighted sum of the results, by the arguments of these positions."""
    leaves = [arg.detach().clone().requires_grad_(needed is None or i in needed) for i, arg in enumerate(args)]
    found = results(function, leaves)
    given = [numbers(*result.shape, seed=9).to(result.dtype) for result in found]
    leaves = [leaf for leaf in leaves if leaf.requires_grad]
    return torch.autograd.grad(found, leaves, given, allow_unused=True, materialize_grads=True)


def assert_near(found, expected, dtype):
    """Within the rounding of the dtype, of the largest number."""
    for ours, theirs in zip(found, expected, strict=True):
        close = {FULL: 2e-5, HALF: 5e-3, BRAIN: 4e-2}[dtype]
        largest = theirs.abs().max().item() if theirs.numel() else 0
        torch.testing.assert_close(ours.double(), theirs, atol=close * largest + 1e-12, rtol=close)


PAIRS = [(name, dtype) for name, case in CASES.items() for dtype in case[3]]


def dtype_id(value):
    return str(value).removeprefix("torch.")


@pytest.mark.parametrize("name, dtype", PAIRS, ids=dtype_id)
def test_results_and_gradients_are_those_of_f64(name, dtype):
    ours, theirs, _, _ = CASES[name]
    args = inputs(name, dtype)
    exact = [arg.double() for arg in args]
    assert_near(results(ours, args), results(theirs, exact), dtype)
    found = gradients(ours, args)
    assert all(gradient.dtype == dtype for gradient in found)
    assert_near(found, gradients(theirs, exact), dtype)


@pytest.mark.parametrize("name", CASES)
def test_gradients_of_a_compiled_function_are_the_same(name):
    ours, _, _, dtypes = CASES[name]
    args = inputs(name, dtypes[0])
    torch.compiler.reset()  # the lambda is one function to it, whatever it calls
    compiled = torch.compile(lambda *args: results(ours, args), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(gradients(compiled, args), gradients(ours, args))


SIZED = ("softmax", "add_rms_norm", "swiglu_halves", "gelu_linear", "swiglu_mlp", "matmul_nt", "matmul_scaled", "rope",
         "attention_causal", "attention_bias", "dropout")  # fmt: skip


@pytest.mark.parametrize("name", SIZED)
def test_gradients_of_a_function_compiled_for_any_size(name):
    ours, _, _, dtypes = CASES[name]
    torch.compiler.reset()
    compiled = torch.compile(lambda *args: results(ours, args), fullgraph=True, backend="aot_eager", dynamic=True)
    args = inputs(name, dtypes[0])
    torch.testing.assert_close(gradients(compiled, args), gradients(ours, args))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if len(case[2]) > 1])
def test_a_gradient_may_be_asked_for_alone(name):
    ours, _, _, dtypes = CASES[name]
    args = inputs(name, dtypes[0])
    for position, expected in enumerate(gradients(ours, args)):
        (found,) = gradients(ours, args, needed={position})
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("name", ["softmax", "rms_norm", "matmul", "gelu_linear", "attention_causal", "rope"])
def test_gradients_of_two_uses_are_added(name):
    ours, theirs, _, _ = CASES[name]

    def twice(function):
        return lambda *args: [2 * a + b for a, b in zip(
            results(function, args), results(function, [arg.flip(0) if arg is args[0] else arg for arg in args]),
            strict=True)]  # fmt: skip

    args = inputs(name, FULL)
    expected = gradients(twice(theirs), [arg.double() for arg in args])
    assert_near(gradients(twice(ours), args), expected, FULL)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if FULL in case[3]])
def test_gradcheck(name):
    """With f32, as kernels take no f64: steps are larger, and so are the differences' errors."""
    ours = CASES[name][0]
    args = [arg.requires_grad_() for arg in inputs(name, FULL)]
    assert torch.autograd.gradcheck(ours, args, eps=1e-2, atol=5e-3, rtol=5e-3, fast_mode=True)


def strided(x):
    """The same numbers, each second of a larger tensor's, from its second on."""
    wide = x.new_zeros([2 * size + 1 for size in x.shape])
    view = wide[tuple(slice(1, None, 2) for _ in x.shape)]
    return view.copy_(x)


@pytest.mark.parametrize("name", CASES)
def test_tensors_and_gradients_may_be_strided(name):
    ours, _, _, dtypes = CASES[name]
    args = inputs(name, dtypes[0])
    leaves = [strided(arg).requires_grad_() for arg in args]
    found = results(ours, leaves)
    given = [strided(numbers(*result.shape, seed=9).to(result.dtype)) for result in found]
    torch.testing.assert_close(torch.autograd.grad(found, leaves, given), gradients(ours, args),
                               atol=1e-5, rtol=1e-3)  # fmt: skip


EMPTY = {
    "softmax": (tw.ops.softmax, [(0, 37)]),
    "rms_norm": (lambda x, w: tw.ops.rms_norm(x, 37, w), [(0, 37), (37,)]),
    "layer_norm": (lambda x, w, b: tw.ops.layer_norm(x, 37, w, b), [(3, 0, 37), (37,), (37,)]),
    "swiglu": (tw.ops.swiglu, [(0, 37), (0, 37)]),
    "add_rms_norm": (lambda x, r, w: tw.ops.add_rms_norm(x, r, 37, w), [(0, 37), (0, 37), (37,)]),
    "embedding": (lambda w: tw.ops.embedding(WORDS[:0], w), [WIDE]),
    "dropout": (lambda x: tw.ops.dropout(x, 0.3), [(0, 37)]),
    "cross_entropy": (lambda z: tw.ops.cross_entropy(z, LABELS[:0], reduction="sum"), [(0, 5, 37)]),
    "linear_cross_entropy": (lambda x, w: tw.ops.linear_cross_entropy(x, w, LABELS[:0], reduction="sum"),
                             [(0, 5, 37), WIDE]),
    "gelu_linear": (tw.ops.gelu_linear, [(0, 37), (21, 37), (21,)]),
    "swiglu_mlp": (tw.ops.swiglu_mlp, [(0, 37), WIDE, WIDE, WIDE[::-1]]),
    "matmul_no_rows": (tw.ops.matmul, [(0, 37), (37, 21)]),
    "matmul_no_sums": (tw.ops.matmul, [(5, 0), (0, 21)]),
    "matmul_no_columns": (tw.ops.matmul, [(5, 37), (37, 0)]),
    "matmul_grouped": (lambda x, w: tw.ops.matmul_grouped(x, w, torch.zeros(6, dtype=torch.int32)),
                       [(0, 37), (5, 21, 37)]),
    "rope": (tw.ops.rope, [(2, 4, 0, 16), (2, 2, 0, 16)]),
    "attention_no_queries": (tw.ops.attention, [(2, 4, 0, 16), KV, KV]),
    "attention_no_keys": (tw.ops.attention, [Q, (2, 2, 0, 16), (2, 2, 0, 16)]),
    "attention_varlen": (
        lambda q, k, v: tw.ops.attention_varlen(q, k, v, *(torch.zeros(2, dtype=torch.int32),) * 2, 0),
        [(0, H, D), (0, G, D), (0, G, D)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTY)
def test_gradients_of_nothing_are_0(name):
    ours, shapes = EMPTY[name]
    for found, shape in zip(gradients(ours, [numbers(*shape).to(HALF) for shape in shapes]), shapes, strict=True):
        assert found.shape == shape and not found.any()


def test_gradients_of_rows_of_no_expert_are_0():
    x, w = numbers(40, 37).to(HALF), numbers(5, 21, 37).to(HALF)
    dx, _ = gradients(lambda x, w: tw.ops.matmul_grouped(x, w, CU_Q)[:32], [x, w])
    assert dx[:32].any() and not dx[32:].any()


@pytest.mark.parametrize(("groups", "group", "each"), [(4, 64, 64), (1, 0, 200)])
def test_matmul_mixed_has_the_gradient_of_its_input(groups, group, each):
    weight, scales = numbers(140, 200).to(torch.float8_e4m3fn), numbers(groups, 140).abs().float()
    wide = (weight.float() * scales.T.repeat_interleave(each, 1)[:, :200]).half()
    args = [numbers(3, 5, 200).to(HALF)]
    found = gradients(lambda x: tw.ops.matmul_mixed(x, weight, scales, group=group), args)
    assert_near(found, gradients(lambda x: x @ wide.double().T, [args[0].double()]), HALF)


def test_a_mean_of_linear_cross_entropy_takes_its_gradients_beside_the_loss():
    x, w = numbers(3, 5, 21).float().requires_grad_(), numbers(37, 21).float()
    names = {reduction: tw.ops.linear_cross_entropy(x, w, LABELS, reduction=reduction).grad_fn.name()
             for reduction in ("sum", "none")}
    assert "linear_cross_entropy_step" in names["sum"] and "step" not in names["none"]


def test_a_frozen_vocabulary_has_no_gradient():
    x, w = numbers(3, 5, 21).to(HALF), numbers(37, 21).to(HALF)
    (found,) = gradients(lambda x: tw.ops.linear_cross_entropy(x, w, LABELS), [x])
    (wanted,) = gradients(lambda x: F.cross_entropy((x @ w.double().T).flatten(0, 1), LABELS.flatten()), [x.double()])
    assert_near([found], [wanted], HALF)


def test_a_linear_cross_entropy_has_no_second_gradients():
    x = numbers(3, 5, 21).float().requires_grad_()
    (dx,) = torch.autograd.grad(tw.ops.linear_cross_entropy(x, numbers(37, 21).float(), LABELS), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="linear_cross_entropy_scale has no backward"):
        dx.sum().backward()


def test_a_rotation_has_second_gradients():
    q, k = (x.requires_grad_() for x in inputs("rope", FULL))
    (dq,) = torch.autograd.grad(tw.ops.rope(q, k)[0].pow(3).sum(), q, create_graph=True)
    (again,) = torch.autograd.grad(dq.sum(), q)
    x = q.detach().double().requires_grad_()
    (dx,) = torch.autograd.grad(rotated(x, x, computed())[0].pow(3).sum(), x, create_graph=True)
    assert_near([again], torch.autograd.grad(dx.sum(), x), FULL)


def bytes_of(*shape):
    return numbers(*shape).to(torch.float8_e4m3fn).requires_grad_()


def leaf(*shape):
    return numbers(*shape).float().requires_grad_()


def biased(z, b, h, s, t):
    return z - abs(s - t).to(tw.f32) * 0.25


SCALES = (torch.rand(2, 5), torch.rand(2, 2))


@pytest.mark.parametrize("call, message", [
    (lambda: tw.ops.matmul(bytes_of(5, 37), bytes_of(37, 8), dtype=FULL), "matmul.*`input`: it would be rounded"),
    (lambda: tw.ops.matmul_scaled(bytes_of(5, 37), bytes_of(21, 37), 1.0), "matmul_scaled.*`input`: .* 8 bits"),
    (lambda: tw.ops.matmul_block_scaled(bytes_of(5, 200), bytes_of(140, 200), *SCALES),
     "matmul_block_scaled.*`input`: it would be rounded to 8 bits"),
    (lambda: tw.ops.matmul_block_scaled(bytes_of(5, 200).detach(), bytes_of(140, 200).detach(), leaf(2, 5), SCALES[1]),
     "matmul_block_scaled.*`input_scales`: scales are constants"),
    (lambda: tw.ops.matmul_mixed(leaf(5, 200).half(), bytes_of(140, 200).detach(), leaf(4, 140)),
     "matmul_mixed.*`scales`: scales are constants"),
    (lambda: tw.ops.attention(leaf(*Q), leaf(*KV), leaf(*KV), score=biased),
     "attention.*`query`: the derivative of `score` is not known"),
    (lambda: tw.ops.attention(leaf(*Q), leaf(*KV), leaf(*KV), slopes=leaf(H)), "attention.*`slopes`"),
    (lambda: tw.ops.rope(leaf(*Q), leaf(*KV)[:, :, :S], leaf(S, 8), leaf(S, 8))[0],
     "rope.*`cos`: tables of angles are constants"),
])  # fmt: skip
def test_what_has_no_gradient_says_why(call, message):
    with pytest.raises(NotImplementedError, match=f"tilewright.ops.{message}"):
        call().float().sum().backward()


def test_there_are_no_second_gradients_of_rows():
    x = leaf(3, 37)
    (dx,) = torch.autograd.grad(tw.ops.softmax(x).pow(2).sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="tilewright.ops.softmax_backward has no backward"):
        dx.sum().backward()


def test_a_leaf_is_not_rotated_in_place():
    with pytest.raises(RuntimeError, match="leaf"):
        tw.ops.rope_(leaf(*Q), leaf(B, G, S, D))


def test_an_argument_that_is_overwritten_before_the_backward_is_noticed():
    x = leaf(3, 37) * 1
    y = tw.ops.softmax(x)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


# ===- Registration --------------------------------------------------------------------------===

o = torch.ops.tilewright
QKV = [numbers(*shape).float() for shape in ((B, S, H, D), (B, T, G, D), (B, T, G, D))]
LSE = torch.rand(B, H, S)
NOTHING = (None,) * 6
OPERATIONS = {
    "softmax": (numbers(3, 37).float(),),
    "rms_norm": (numbers(3, 37).float(), numbers(37).float(), 1e-5, 0.0),
    "rms_norm_backward": (numbers(3, 37).float(), numbers(37).float(), 1e-5, 0.0, [numbers(3, 37).float()],
                          ["weight"]),
    "add_rms_norm": (numbers(3, 37).float(), numbers(37).float(), 1e-5, 0.0, numbers(3, 37).float()),
    "dropout": (numbers(3, 37).float(), SEED, 26),
    "embedding": (WORDS, numbers(21, 37).float(), -1),
    "cross_entropy": (numbers(3, 5, 37).float(), LABELS, -100, 0.0, 0.0),
    "cross_entropy_backward": (numbers(3, 5, 37).float(), LABELS, torch.rand(3, 5), torch.rand(3, 5), -100, 0.1, 0.1),
    "linear_cross_entropy": (numbers(3, 5, 21).float(), numbers(37, 21).float(), LABELS, -100, 0.1, 0.0),
    "linear_cross_entropy_step": (numbers(3, 5, 21).float(), numbers(37, 21).float(), LABELS, torch.tensor(0.1),
                                  -100, 0.1, 0.0, True),
    "linear_cross_entropy_backward": (numbers(3, 5, 21).float(), numbers(37, 21).float(), LABELS, torch.rand(3, 5),
                                      torch.rand(3, 5), -100, 0.1, 0.0, True),
    "layer_norm": (numbers(3, 37).float(), None, numbers(37).float(), 37, 1e-5),
    "swiglu": (numbers(3, 37).float(), numbers(3, 37).float()),
    "gelu_linear": (numbers(5, 37).float(), numbers(21, 37).float(), None, True),
    "gelu_linear_backward": (numbers(5, 37).float(), numbers(21, 37).float(), numbers(5, 21).float(), None, False),
    "swiglu_mlp": tuple(numbers(*shape).half() for shape in (ROWS, WIDE, WIDE, WIDE[::-1])),
    "matmul": (numbers(5, 37).float(), numbers(37, 21).float(), None, False),
    "matmul_grouped": (numbers(32, 37).float(), numbers(5, 21, 37).float(), CU_Q, None, False),
    "matmul_scaled": (numbers(5, 37).float(), numbers(21, 37).float(), 0.5, None),
    "rope": (QKV[0], numbers(B, S, G, D).float(), None, None, 1e4, 0, False, False),
    "attention": (*QKV, 0.25, *NOTHING, True, 0, 0.0, 0, 0),
    "attention_backward": (*QKV, QKV[0], LSE, QKV[0], LSE, 0.25, *NOTHING[1:], True, 0, 0.0, 0, 0, False),
    "attention_varlen": (*(numbers(*shape).float() for shape in (PACKED, PACKED_KEYS, PACKED_KEYS)),
                         CU_Q, CU_K, 17, 0.25, False, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_is_registered_as_torch_wants_it(name):
    differentiable = not name.endswith("_backward")
    args = [
        arg.clone().requires_grad_() if differentiable and isinstance(arg, torch.Tensor) and arg.is_floating_point()
        else arg for arg in OPERATIONS[name]
    ]  # fmt: skip
    torch.library.opcheck(getattr(o, name).default, tuple(args))
