"""Calls of kernels, on the CPU reference."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import *  # noqa: F403

M, N = dims("M N")
E = dtypes(f16, f32)
ROWS = 2 + 2
WIDE = f32


@tw.inline
def scaled(v, factor):
    return v * factor


@tw.kernel
def scale_rows(x: Tensor[E, M, N], y: Tensor[E, M, N], factor: f32 = 2.0,
               bias: Tensor[E, N] | None = None,
               *, negate: const[bool] = False, BR: tune[1, 2, 4] = ROWS):
    """y = factor x + bias, row by row."""
    rows = block(grid(cdiv(M, BR)), BR)
    v = scaled(x[rows, :].to(WIDE), factor)
    if bias is not None:
        v = v + bias[:].to(WIDE)
    if negate:
        v = -v
    y[rows, :] = v


@pytest.fixture
def x():
    return np.arange(21, dtype=np.float32).reshape(3, 7)


def test_runs_on_numpy_arrays_in_place(x):
    y = np.zeros_like(x)
    assert scale_rows(x, y) is None
    np.testing.assert_array_equal(y, 2 * x)


def test_takes_every_dtype_of_a_variable(x):
    y = np.zeros((3, 7), np.float16)
    scale_rows(x.astype(np.float16), y)
    np.testing.assert_array_equal(y, 2 * x)


def test_takes_parameters_by_name(x):
    y, bias = np.zeros_like(x), np.ones(7, np.float32)
    scale_rows(x, y=y, bias=bias, factor=3)
    np.testing.assert_array_equal(y, 3 * x + 1)
    scale_rows(x, y, bias=bias)
    np.testing.assert_array_equal(y, 2 * x + 1)


def test_none_leaves_out_an_optional_array(x):
    y = np.zeros_like(x)
    scale_rows(x, y, 1.0, None)
    np.testing.assert_array_equal(y, x)


def test_takes_constants_by_name(x):
    y = np.zeros_like(x)
    for rows in (1, 2, 4):
        scale_rows(x, y, negate=True, BR=rows)
        np.testing.assert_array_equal(y, -2 * x)


def test_takes_any_strides(x):
    y = np.zeros((7, 3), np.float32)
    scale_rows(x[:, ::-1], y.T)
    np.testing.assert_array_equal(y.T, 2 * x[:, ::-1])
    wide = np.zeros((3, 14), np.float32)
    scale_rows(x, wide[:, ::2])
    np.testing.assert_array_equal(wide[:, ::2], 2 * x)


def test_input_and_output_may_be_one_array(x):
    expected = 2 * x
    scale_rows(x, x)
    np.testing.assert_array_equal(x, expected)


def test_takes_empty_arrays():
    scale_rows(np.zeros((0, 7), np.float32), np.zeros((0, 7), np.float32))


def test_reference_is_what_a_call_on_the_cpu_runs(x):
    y = np.zeros_like(x)
    scale_rows.reference(x, y, negate=True)
    np.testing.assert_array_equal(y, -2 * x)


def test_has_the_name_and_docstring_of_its_function():
    assert scale_rows.__name__ == "scale_rows"
    assert scale_rows.__doc__ == "y = factor x + bias, row by row."
    assert scale_rows.constants == {"negate": False, "BR": 4}


def test_names_of_the_package_may_be_written_with_it(x):
    @tw.kernel
    def copy(x: tw.Tensor[E, M, N], y: tw.Tensor[tw.f32, M, N]):
        m = tw.grid(M)
        y[m, :] = tw.where(x[m, :] > 0, x[m, :].to(tw.f32), 0)

    y = np.ones_like(x)
    copy(x, y)
    np.testing.assert_array_equal(y, x)


def test_captures_what_surrounds_a_nested_function(x):
    def make(factor):
        K, L = dims("K L")
        half = factor / 2

        @tw.kernel
        def scale(x: Tensor[f32, K, L], y: Tensor[f32, K, L]):
            k = grid(K)
            y[k, :] = x[k, :] * half

        return scale

    y = np.zeros_like(x)
    make(3)(x, y)
    np.testing.assert_array_equal(y, 1.5 * x)
    make(8)(x, y)
    np.testing.assert_array_equal(y, 4 * x)


@pytest.mark.parametrize("name", tw.builtin_kernels())
def test_every_kernel_of_the_package_is_there(name):
    assert tw.builtin(name).__name__ == name
    assert tw.builtin(name) is tw.builtin(name)


def test_kernel_of_the_package_matches_numpy(x):
    y = np.zeros_like(x)
    tw.builtin("softmax")(x, y)
    p = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, p / p.sum(1, keepdims=True), rtol=1e-6)


def test_attention_matches_numpy():
    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal((1, 40, 2, 16)).astype(np.float16) for _ in range(3))
    o, lse = np.zeros_like(q), np.zeros((1, 2, 40), np.float32)
    tw.builtin("attention")(q, k, v, o, lse, 0.25, causal=True)
    scores = np.einsum("bshd,bthd->bhst", q.astype(np.float32), k.astype(np.float32)) * 0.25
    scores = np.where(np.tril(np.ones((40, 40), bool)), scores, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    expected = np.einsum("bhst,bthd->bshd", p / p.sum(-1, keepdims=True), v.astype(np.float32))
    np.testing.assert_allclose(o, expected, atol=4e-3)
    np.testing.assert_allclose(lse, np.log(p.sum(-1)) + scores.max(-1), atol=1e-4)


def test_takes_jax_arrays():
    jnp = pytest.importorskip("jax.numpy")
    x, y = jnp.arange(12.0).reshape(3, 4), jnp.zeros((3, 4))
    scale_rows(x, y)
    np.testing.assert_array_equal(y, 2 * x)
    x, y = x.astype(jnp.bfloat16), jnp.zeros((3, 4), jnp.bfloat16)
    tw.builtin("softmax")(x, y)
    np.testing.assert_allclose(y.astype(jnp.float32).sum(1), 1, rtol=1e-2)
