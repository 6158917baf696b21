"""Kernels that are gradients of others, beside differences of what these compute, in f64."""

import math

import numpy as np
import pytest

import tilewright as tw

random = np.random.default_rng(3)
erf = np.vectorize(math.erf)
B, S, T, H, G, D, DV = 2, 37, 50, 4, 2, 16, 24
CU_Q, CU_K = np.array([0, 5, 5, 22, 37], np.int32), np.array([0, 9, 12, 29, 50], np.int32)
OFFSETS = np.array([0, 5, 5, 22, 30], np.int32)


def numbers(*shape):
    return random.standard_normal(shape).astype(np.float32)


def assert_is_gradient(function, args, given, found):
    """Compares <found, v> with the difference of <given, function> along v, for some directions v."""
    for position, gradient in found.items():
        exact = [arg.astype(np.float64) for arg in args]
        for _ in range(4):
            v, step = random.standard_normal(exact[position].shape), 1e-5
            sides = []
            for sign in (1, -1):
                moved = [arg + sign * step * v if i == position else arg for i, arg in enumerate(exact)]
                sides.append(sum((d * y).sum() for d, y in zip(given, function(*moved), strict=True)))
            difference = (sides[0] - sides[1]) / (2 * step)
            scale = np.abs(gradient * v).sum() / math.sqrt(v.size)
            np.testing.assert_allclose((gradient * v).sum(), difference, atol=1e-3 * scale, rtol=1e-4)


# ===- Attention -----------------------------------------------------------------------------===


def attend(q, k, v, bias=None, causal=False, window=0, softcap=0.0):
    """o and lse of one sequence: [S, H, D], [T, G, D], [T, G, DV]."""
    k, v = (np.repeat(x, q.shape[1] // k.shape[1], 1) for x in (k, v))
    z = np.einsum("shd,thd->hst", q, k) * q.shape[-1] ** -0.5
    z = softcap * np.tanh(z / softcap) if softcap else z
    z = z if bias is None else z + bias
    s, t = np.arange(len(q))[:, None] + len(k) - len(q), np.arange(len(k))
    seen = np.ones((len(q), len(k)), bool)
    seen &= (t <= s) | (not causal)
    seen &= (t > s - window) | (not window)
    p = np.exp(z) * seen
    total = p.sum(2, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.einsum("hst,thd->shd", p / np.where(total, total, 1), v), np.log(total[..., 0])


def finite(lse):
    return np.where(np.isfinite(lse), lse, 0)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"causal": True, "window": 9}, {"softcap": 2.0},
                                     {"bias": True}], ids=str)  # fmt: skip
@pytest.mark.parametrize("s, t", [(S, T), (T, S), (1, 70)])
def test_attention_backward(options, s, t):
    q, k, v = numbers(B, s, H, D), numbers(B, t, G, D), numbers(B, t, G, DV)
    options = dict(options)
    bias = numbers(B, H, s, t) if options.pop("bias", False) else None
    do, dlse = numbers(B, s, H, DV), numbers(B, H, s)

    def forward(q, k, v, bias=None):
        pairs = [attend(q[b], k[b], v[b], None if bias is None else bias[b], **options) for b in range(B)]
        return np.stack([o for o, _ in pairs]), finite(np.stack([lse for _, lse in pairs]))

    o, lse, scale = np.zeros_like(do), np.zeros_like(dlse), D**-0.5
    tw.builtin("attention")(q, k, v, o, lse, scale, None, bias, **options)
    dq, dk, dv = np.zeros_like(q), np.zeros((B, t, H, D), np.float32), np.zeros((B, t, H, DV), np.float32)
    deltas, dbias = np.zeros_like(dlse), None if bias is None else np.zeros_like(bias)
    tw.builtin("attention_backward_queries")(q, k, v, o, do, lse, dq, deltas, scale, dlse, None, bias, None, None, None,
                                             dbias, **options)
    tw.builtin("attention_backward_keys")(q, k, v, do, lse, deltas, dk, dv, scale, None, bias, **options)
    dk, dv = (x.reshape(B, t, G, H // G, -1).sum(3) for x in (dk, dv))
    found = {0: dq, 1: dk, 2: dv, **({} if bias is None else {3: dbias})}
    assert_is_gradient(forward, [x for x in (q, k, v, bias) if x is not None], [do, dlse], found)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"causal": True, "window": 6}], ids=str)
def test_attention_varlen_backward(options):
    q, k, v = numbers(S, H, D), numbers(T, G, D), numbers(T, G, D)
    do, dlse = numbers(S, H, D), numbers(H, S)

    def forward(q, k, v):
        pairs = [attend(q[a:b], k[c:d], v[c:d], **options)
                 for a, b, c, d in zip(CU_Q, CU_Q[1:], CU_K, CU_K[1:], strict=False)]  # fmt: skip
        return np.concatenate([o for o, _ in pairs]), finite(np.concatenate([lse for _, lse in pairs], 1))

    o, lse, scale = np.zeros_like(do), np.zeros_like(dlse), D**-0.5
    tw.builtin("attention_varlen")(q, k, v, CU_Q, CU_K, o, lse, 17, scale, **options)
    dq, dk, dv, deltas = np.zeros_like(q), *(np.zeros((T, H, D), np.float32) for _ in range(2)), np.zeros_like(lse)
    tw.builtin("attention_varlen_backward_queries")(q, k, v, CU_Q, CU_K, o, do, lse, dq, deltas, scale, dlse, **options)
    tw.builtin("attention_varlen_backward_keys")(q, k, v, CU_Q, CU_K, do, lse, deltas, dk, dv, scale, **options)
    dk, dv = (x.reshape(T, G, H // G, D).sum(2) for x in (dk, dv))
    assert_is_gradient(forward, [q, k, v], [do, dlse], {0: dq, 1: dk, 2: dv})


# ===- Layers of products --------------------------------------------------------------------===


def gelu(v, approximate):
    if approximate:
        return v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) / 2
    return v * (1 + erf(v * math.sqrt(0.5))) / 2


@pytest.mark.parametrize("approximate", [False, True])
def test_gelu_linear_backward(approximate):
    x, weight, bias, dy = numbers(13, 21), numbers(37, 21) / 4, numbers(37), numbers(13, 37)
    dv = np.zeros_like(dy)
    tw.builtin("gelu_linear_backward")(x, weight, dy, dv, bias, approximate=approximate)
    v = (x @ weight.T + bias).astype(np.float32)
    assert_is_gradient(lambda v: [gelu(v, approximate)], [v], [dy], {0: dv})


def test_swiglu_mlp_backward():
    x, gate, up = (a.astype(np.float16) for a in (numbers(13, 21), numbers(37, 21) / 4, numbers(37, 21) / 4))
    dh = numbers(13, 37).astype(np.float16)
    dg, du, h = (np.zeros_like(dh) for _ in range(3))
    tw.builtin("swiglu_mlp_backward")(x, gate, up, dh, dg, du, h)
    g, u = (x.astype(np.float32) @ w.astype(np.float32).T for w in (gate, up))

    def forward(g, u):
        return [g / (1 + np.exp(-g)) * u]

    np.testing.assert_allclose(h, forward(g, u)[0], atol=2e-3, rtol=2e-3)
    found = {0: dg.astype(np.float32), 1: du.astype(np.float32)}
    assert_is_gradient(forward, [g, u], [dh.astype(np.float64)], found)
    dx = np.zeros_like(x)
    tw.builtin("swiglu_mlp_input")(dg, du, gate, up, dx)
    expected = sum(d.astype(np.float32) @ w.astype(np.float32) for d, w in ((dg, gate), (du, up)))
    np.testing.assert_allclose(dx, expected, atol=2e-2, rtol=2e-2)


# ===- Products ------------------------------------------------------------------------------===


def test_grouped_products():
    a, b, weight = numbers(37, 21), numbers(37, 13), numbers(4, 21, 13)
    rows, weights = np.full((37, 13), 7, np.float32), np.zeros((4, 21, 13), np.float32)
    tw.builtin("matmul_grouped_nn")(a, weight, OFFSETS, rows, tf32=False)
    tw.builtin("matmul_grouped_tn")(a, b, OFFSETS, weights, tf32=False)
    for x, (start, stop) in enumerate(zip(OFFSETS, OFFSETS[1:], strict=False)):
        np.testing.assert_allclose(rows[start:stop], a[start:stop] @ weight[x], atol=1e-4, rtol=1e-4)
        np.testing.assert_allclose(weights[x], a[start:stop].T @ b[start:stop], atol=1e-4, rtol=1e-4)
    assert (rows[30:] == 7).all()


def test_mixed_product_from_the_left():
    a, b, scales = numbers(5, 40).astype(np.float16), random.integers(-9, 9, (40, 150), np.int8), numbers(3, 40)
    c = np.zeros((5, 150), np.float16)
    tw.builtin("matmul_mixed_nn")(a, b, scales, c)
    w = (b * np.repeat(scales.T, 64, 1)[:, :150]).astype(np.float16)
    np.testing.assert_allclose(c, a.astype(np.float32) @ w.astype(np.float32), atol=0.2, rtol=1e-2)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rope_into_other_tensors_and_back(interleaved):
    q, k = numbers(2, 9, 3, 16), numbers(2, 9, 1, 16)
    angles = random.standard_normal((20, 5)).astype(np.float32)
    tables, options = (np.cos(angles), np.sin(angles)), {"interleaved": interleaved}
    turned = q.copy(), k.copy()
    there, back = ((np.zeros_like(q), np.zeros_like(k)) for _ in range(2))
    tw.builtin("rope")(*turned, *tables, 4, **options)
    tw.builtin("rope_into")(q, k, *tables, *there, 4, **options)
    tw.builtin("rope_into")(*there, *tables, *back, 4, inverse=True, **options)
    for pair in ((turned, there), ((q, k), back)):
        for expected, found in zip(*pair, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-5)
    tw.builtin("rope_computed_into")(q, k, *there, 500.0, 4, **options)
    tw.builtin("rope_computed_into")(*there, *back, 500.0, 4, inverse=True, **options)
    turned = q.copy(), k.copy()
    tw.builtin("rope_computed")(*turned, 500.0, 4, **options)
    for pair in ((turned, there), ((q, k), back)):
        for expected, found in zip(*pair, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-5)
