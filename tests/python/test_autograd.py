"""Gradients of the package's operations, beside those that torch computes in f64."""

import os
import sys

import pytest

import tilewright as tw

torch = pytest.importorskip("torch", reason="needs torch")

from tilewright import ops_losses  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "inputs"))
from autograd_cases import (  # noqa: E402
    BRAIN,
    CASES,
    CU_K,
    CU_Q,
    FULL,
    HALF,
    KV,
    LABELS,
    PACKED,
    PACKED_KEYS,
    ROWS,
    SEED,
    WIDE,
    WORDS,
    B,
    D,
    F,
    G,
    H,
    Q,
    S,
    T,
    computed,
    numbers,
    rotated,
)


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
    losses = {reduction: tw.ops.linear_cross_entropy(x, w, LABELS, reduction=reduction)
              for reduction in ("sum", "none")}
    names = {reduction: loss.grad_fn.name() for reduction, loss in losses.items()}
    assert "linear_cross_entropy_step" in names["sum"] and "step" not in names["none"]


def test_a_frozen_vocabulary_has_no_gradient():
    x, w = numbers(3, 5, 21).to(HALF), numbers(37, 21).to(HALF)
    (found,) = gradients(lambda x: tw.ops.linear_cross_entropy(x, w, LABELS), [x])
    (wanted,) = gradients(lambda x: F.cross_entropy((x @ w.double().T).flatten(0, 1), LABELS.flatten()), [x.double()])
    assert_near([found], [wanted], HALF)


def test_a_kept_graph_of_linear_cross_entropy_gives_the_same_gradients_again(monkeypatch):
    copy, copied = ops_losses._scaled, []
    monkeypatch.setattr(ops_losses, "_scaled", lambda *args: copied.append(args) or copy(*args))
    x, w = numbers(3, 5, 21).to(HALF).requires_grad_(), numbers(37, 21).to(HALF).requires_grad_()
    loss = tw.ops.linear_cross_entropy(x, w, LABELS) * 3
    first, second, last = (torch.autograd.grad(loss, [x, w], retain_graph=keep) for keep in (True, True, False))
    for found in zip(first, second, last, strict=True):
        assert torch.equal(found[0], found[1]) and torch.equal(found[0], found[2])
        assert len({gradient.data_ptr() for gradient in found}) == 3
    assert len(copied) == 4  # both, as long as the graph was kept


def test_a_linear_cross_entropy_of_rows_that_no_gpu_holds_reads_them_twice(monkeypatch):
    builtin, called = ops_losses.builtin, []

    class Refused:
        def prepare(*args, **named):
            raise tw.CompileError("a thread needs at least 1812 registers here and has 255")

    def without_rows(name):
        called.append(name)
        return Refused() if name == "cross_entropy_rows_gradient" else builtin(name)

    ops_losses._loss_and_gradient.cache_clear()
    args = [numbers(3, 5, 21).to(HALF), numbers(37, 21).to(HALF)]
    once = gradients(lambda x, w: tw.ops.linear_cross_entropy(x, w, LABELS), args)
    ops_losses._loss_and_gradient.cache_clear()
    monkeypatch.setattr(ops_losses, "builtin", without_rows)
    twice = gradients(lambda x, w: tw.ops.linear_cross_entropy(x, w, LABELS), args)
    ops_losses._loss_and_gradient.cache_clear()
    assert {"cross_entropy_rows_gradient", "cross_entropy_gradient"} <= set(called)
    assert_near(twice, [gradient.double() for gradient in once], HALF)


def test_a_linear_cross_entropy_has_no_second_gradients():
    x = numbers(3, 5, 21).float().requires_grad_()
    (dx,) = torch.autograd.grad(tw.ops.linear_cross_entropy(x, numbers(37, 21).float(), LABELS), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="linear_cross_entropy_scaled has no backward"):
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
