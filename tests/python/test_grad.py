"""Gradients of kernels, on the CPU reference."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import *  # noqa: F403

M, D = dims("M D")
E = dtypes(f16, f32)


@tw.kernel
def gated_norm(x: Tensor[E, M, D], gate: Tensor[E, M, D], weight: Tensor[E, D], y: Tensor[E, M, D],
               eps: f32 = 1e-6, *, BR: tune[1, 2, 4, 8] = 4):
    rows = block(grid(cdiv(M, BR)), BR)
    v, g = x[rows, :].to(f32), gate[rows, :].to(f32)
    scale = rsqrt(sum(v * v, axis=1) / D + eps)
    y[rows, :] = v * scale[:, None] * weight[:].to(f32) * sigmoid(g)


@tw.kernel
def scaled(x: Tensor[f32, M, D], y: Tensor[f32, M, D], weight: Tensor[f32, D] | None = None):
    row = grid(M)
    y[row, :] = x[row, :] * weight[:] if weight is not None else x[row, :]


@tw.kernel
def half(x: Tensor[f32, M], y: Tensor[f32, M]):
    items = block(grid(cdiv(M, 64)), 64)
    t = x[items]
    while any(t > 1):
        t = t / 2
    y[items] = t


@pytest.fixture
def arrays():
    random = np.random.default_rng(1)
    return {name: random.standard_normal(shape, np.float32)
            for name, shape in (("x", (5, 24)), ("gate", (5, 24)), ("weight", 24), ("dy", (5, 24)))}


def expected(x, gate, weight, dy, eps=1e-6):
    """The gradients, by hand."""
    open_ = 1 / (1 + np.exp(-gate))
    scale = 1 / np.sqrt((x * x).mean(1, keepdims=True) + eps)
    dv = dy * weight * open_ * scale
    dscale = (dy * weight * open_ * x).sum(1, keepdims=True)
    return {
        "dx": dv - dscale * scale**3 * x / x.shape[1],
        "dgate": dy * x * scale * weight * open_ * (1 - open_),
        "dweight": (dy * x * scale * open_).sum(0),
    }


def test_is_the_kernel_of_a_kernels_gradient(arrays):
    gradient = tw.grad(gated_norm)
    assert gradient.__name__ == "gated_norm_grad"
    results = {f"d{name}": np.zeros_like(arrays[name]) for name in ("x", "gate", "weight")}
    gradient(*arrays.values(), *results.values(), BR=2)
    for name, values in expected(**arrays).items():
        np.testing.assert_allclose(results[name], values, rtol=1e-4, atol=1e-5, err_msg=name)


def test_takes_its_parameters_by_name(arrays):
    gradient = tw.grad(gated_norm, wrt=["gate"], given=["y"])
    dgate = np.zeros((5, 24), np.float16)
    gradient(**arrays, dgate=dgate, eps=1e-3)
    np.testing.assert_allclose(dgate, expected(**arrays, eps=1e-3)["dgate"], rtol=2e-3, atol=1e-3)


def test_is_explained_and_configured_as_kernels_are(arrays):
    gradient = tw.grad(gated_norm, wrt=["x"]).configured(target="sm_80")
    shapes = [tw.Spec(a.shape, "f32") for a in (*arrays.values(), arrays["x"])]
    assert "`dx` is stored: every element is loaded once" in gradient.explain(*shapes)
    assert "gated_norm_grad" in gradient.cuda(*shapes)


def test_names_what_is_no_tensor_of_floats():
    with pytest.raises(tw.CompileError, match="no input `w` of floats"):
        tw.grad(gated_norm, wrt=["w"])


def test_refuses_with_the_line_of_the_forward():
    x, dx = np.ones(3, np.float32), np.zeros(3, np.float32)
    with pytest.raises(tw.CompileError, match=r"test_grad.py:\d+.*(\n.*)*write a `for` with a bound"):
        tw.grad(half)(x, x, dx)


def test_there_are_no_second_gradients():
    with pytest.raises(tw.CompileError, match="`gated_norm_grad` is a gradient: there are no second ones"):
        tw.grad(tw.grad(gated_norm))


def test_the_gradient_of_what_is_left_out_is_not_given():
    x = np.ones((3, 4), np.float32)
    with pytest.raises(tw.CompileError, match="`dweight` is given, and `weight`, whose gradient it is, is not"):
        tw.grad(scaled)(x, dy=x, dx=np.zeros_like(x), dweight=np.zeros(4, np.float32))
