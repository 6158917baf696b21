"""Attention on a GPU beside f64: no more than 1.5 times the error of PyTorch's own in bf16.

Errors are norms of differences over all of o. Rows that see nothing are 0, which PyTorch has as NaN.
Nearly every case is compiled for itself, which takes a second or two: processes may share the cases.
"""

import itertools

import pytest

import tilewright as tw

torch = pytest.importorskip("torch", reason="needs torch")
pytestmark = pytest.mark.gpu

B, H, G = 2, 2, 1
HEADS = [*((d, d) for d in range(16, 257, 8)), (192, 128)]
EQUAL = [(n, n) for n in (1, 63, 64, 65, 127, 1000, 4097)]
LENGTHS = [*EQUAL, (65, 1000), (1000, 127), (127, 4097)]
MASKS = ("causal", "window", "prefix", "first")
EVERY_MASK = [
    *((mask,) for mask in MASKS),
    *itertools.combinations(MASKS, 2),
]
OURS_OVER_TORCH = 1.5


def options_of(masks, s, t):
    """Arguments of the kernel, on the GPU."""
    begins = torch.randint(0, t, (B, s), device="cuda", dtype=torch.int32).sort(dim=1).values
    values = {
        "causal": True,
        "window": 100,
        "prefix": torch.tensor([t // 3, t + 5], device="cuda", dtype=torch.int32),
        "first": begins,
    }
    return {mask: values[mask] for mask in masks}


def visible(options, s, t):
    """[B, 1, S, T]: whether a query sees a key."""
    query, key = torch.arange(s, device="cuda")[:, None] + t - s, torch.arange(t, device="cuda")
    seen = torch.ones(B, 1, s, t, dtype=torch.bool, device="cuda")
    if "causal" in options:
        seen &= key <= query
    if "window" in options:
        seen &= key > query - options["window"]
    if "prefix" in options:
        seen |= key < options["prefix"][:, None, None, None]
    if "first" in options:
        seen &= key >= options["first"][:, None, :, None]
    return seen


def heads_first(x):
    """[B, H, S, D] of [B, S, H or G, D], with as many heads as queries have."""
    return x.repeat_interleave(H // x.shape[2], dim=2).transpose(1, 2)


def exact(q, k, v, seen):
    """o and lse in f64: [B, S, H, DV], [B, H, S]."""
    q, k, v = (heads_first(x.double()) for x in (q, k, v))
    z = (q @ k.mT * q.shape[3] ** -0.5).masked_fill(~seen, -torch.inf)
    lse = z.logsumexp(-1)
    return ((z - lse[..., None]).exp().nan_to_num(0.0) @ v).transpose(1, 2), lse


def by_torch(q, k, v, seen):
    q, k, v = (heads_first(x) for x in (q, k, v))
    mask = None if seen.all() else seen.expand(B, H, -1, -1)
    o = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return o.transpose(1, 2).nan_to_num(0.0)


def inputs(s, t, d, dv):
    """bf16 [B, S, H, D], [B, T, G, D], [B, T, G, DV]."""
    sizes = ((s, H, d), (t, G, d), (t, G, dv))
    return [torch.randn(B, *size, device="cuda").bfloat16() for size in sizes]


def ours(q, k, v, **options):
    o = torch.full((*q.shape[:3], v.shape[3]), torch.nan, device="cuda", dtype=q.dtype)
    lse = torch.full((B, H, q.shape[1]), torch.nan, device="cuda")
    tw.builtin("attention")(q, k, v, o, lse, q.shape[3] ** -0.5, **options)
    return o, lse


def check(d, dv, s, t, masks):
    q, k, v = inputs(s, t, d, dv)
    options = options_of(masks, s, t)
    seen = visible(options, s, t)
    o, lse = ours(q, k, v, **options)
    expected, sums = exact(q, k, v, seen)
    error, allowed = ((x.double() - expected).norm() for x in (o, by_torch(q, k, v, seen)))
    assert error <= OURS_OVER_TORCH * allowed, (float(error / expected.norm()), float(error / allowed))
    torch.testing.assert_close(lse.double(), sums, atol=1e-4, rtol=1e-4)
    blind = ~seen.any(-1).transpose(1, 2)  # [B, S, 1]
    assert (o.masked_select(blind[..., None]) == 0).all()


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(7)


def by(sizes):
    return f"{sizes[0]}x{sizes[1]}"


@pytest.mark.parametrize("lengths", EQUAL, ids=by)
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("heads", HEADS, ids=by)
def test_head_sizes(heads, causal, lengths):
    check(*heads, *lengths, ("causal",) if causal else ())


@pytest.mark.parametrize("lengths", LENGTHS, ids=by)
@pytest.mark.parametrize("masks", EVERY_MASK, ids="+".join)
@pytest.mark.parametrize("d", [64, 128])
def test_masks_and_pairs_of_them(d, masks, lengths):
    check(d, d, *lengths, masks)


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("d", [64, 128])
@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf], ids=str)
def test_infinities_and_nan_stay_in_their_rows(bad, d, causal):
    """In a query: in its row. In a key: in the rows that see it. As the interpreter has them."""
    q, k, v = inputs(200, 200, d, d)
    q[0, 70, 0, 3] = bad
    k[1, 150, 0, 5] = bad
    o, lse = ours(q, k, v, causal=causal)
    assert o[0, :, 1].isfinite().all() and lse[0, 1].isfinite().all()
    other = torch.arange(200, device="cuda") != 70
    assert o[0, other, 0].isfinite().all() and lse[0, 0, other].isfinite().all()
    if causal:
        assert o[1, :150].isfinite().all() and lse[1, :, :150].isfinite().all()
    on_cpu = [x.cpu() for x in (q, k, v, o, lse)]
    tw.builtin("attention")(*on_cpu, d**-0.5, causal=causal)
    torch.testing.assert_close(o.cpu(), on_cpu[3], atol=2e-2, rtol=2e-2, equal_nan=True)
    torch.testing.assert_close(lse.cpu(), on_cpu[4], atol=1e-3, rtol=1e-3, equal_nan=True)


# ===- 8-bit floats --------------------------------------------------------------------------===


def quantised(x):
    """A scale for each head, [B, H], so that the largest is 448; and x in f8e4m3."""
    scales = x.abs().amax((1, 3)) / 448
    return scales, (x / scales[:, None, :, None]).to(torch.float8_e4m3fn)


def with_p_in_bf16(q, k, v, seen):
    """Of the numbers that 8-bit inputs stand for, sums in f32."""
    q, k, v = (heads_first(x) for x in (q, k, v))
    z = (q @ k.mT * q.shape[3] ** -0.5).masked_fill(~seen, -torch.inf)
    p = (z - z.amax(-1, keepdim=True)).exp()
    return (p.bfloat16().float() @ v / p.sum(-1, keepdim=True)).bfloat16().transpose(1, 2)


@pytest.mark.parametrize("outliers", [1, 100])
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize("s", [127, 1000, 4097])
def test_weights_of_8_bits_add_a_fifth_to_the_error_of_8_bit_inputs(s, causal, outliers):
    """Of the error beside f64 of the inputs that they were rounded from."""
    numbers = [torch.randn(B, s, heads, 128, device="cuda") for heads in (H, G, G)]
    for x in numbers:
        x[torch.rand_like(x) < 1e-3] *= outliers
    (qs, q), (ks, k), (vs, v) = (quantised(x) for x in numbers)
    seen = visible({"causal": True} if causal else {}, s, s)
    o = torch.full((B, s, H, 128), torch.nan, device="cuda", dtype=torch.bfloat16)
    lse = torch.empty(B, H, s, device="cuda")
    tw.builtin("attention_scaled")(q, k, v, qs, ks, vs, o, lse, 128**-0.5, causal=causal)
    expected, _ = exact(*numbers, seen)
    meant = [x.float() * scales[:, None, :, None] for scales, x in ((qs, q), (ks, k), (vs, v))]
    error, allowed = (
        (x.double() - expected).norm() for x in (o, with_p_in_bf16(*meant, seen))
    )
    assert error <= 1.2 * allowed, float(error / allowed)
