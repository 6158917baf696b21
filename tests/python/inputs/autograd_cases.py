"""Operations of the package, what they compute in torch, and arguments that have gradients."""

import math

import torch

import tilewright as tw

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
