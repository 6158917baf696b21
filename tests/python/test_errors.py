"""What is wrong with a call or a kernel arrives as an exception, in the compiler's words."""

import inspect
import re

import numpy as np
import pytest

import tilewright as tw
from tilewright import *  # noqa: F403

M, N = dims("M N")
E = dtypes(f16, f32)


@tw.kernel
def add(x: Tensor[E, M, N], y: Tensor[E, M, N], z: Tensor[E, M, N], factor: f32 = 1.0,
        *, BR: tune[1, 2] = 2, flag: const[bool] = False):
    assert N % 2 == 0, "rows come in pairs"
    rows = block(grid(cdiv(M, BR)), BR)
    z[rows, :] = x[rows, :] + factor * y[rows, :]


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("args, named, message", [
    ((ones(2, 4), ones(2, 4)), {}, "argument `z` is missing; 2 arguments were given"),
    ((ones(2, 4),) * 3 + (1, 2), {}, "takes 4 arguments, not 5"),
    ((ones(2, 4), ones(3, 4), ones(2, 4)), {},
     "argument `y` has size 3 in axis 0 and must have 2, the value of `M`"),
    ((ones(2, 4), ones(2), ones(2, 4)), {}, "argument `y` has 1 dimensions and must have 2"),
    ((ones(2, 4), ones(2, 4, dtype=np.float16), ones(2, 4)), {},
     "argument `y` has the dtype `f16` and must have `f32`, the value of `E`"),
    ((ones(2, 4, dtype=np.uint8),) * 3, {}, "argument `x` has the dtype `u8`, which kernels cannot take"),
    ((ones(2, 4, dtype=np.int32),) * 3, {}, "`E` may be `f16`, `f32`, not `i32`"),
    ((ones(2, 4, dtype=np.float64),) * 3, {}, "no kernel takes arrays of dtype `float64`"),
    ((ones(2, 4), 3.0, ones(2, 4)), {}, "argument `y` must be a tensor, not a scalar"),
    ((ones(2, 4),) * 4, {}, "argument `factor` must be a scalar, not a tensor"),
    ((ones(2, 4),) * 3 + (True,), {}, "argument `factor` is a bool"),
    ((ones(2, 4), None, ones(2, 4)), {}, "argument `y` is not optional"),
    ((ones(2, 4),) * 3, {"BX": 1}, "has no constant `BX`"),
    ((ones(2, 4),) * 3, {"flags": True}, "did you mean `flag`?"),
    ((ones(2, 4),) * 3, {"flag": 3}, "`flag` is a `const[bool]`, not `3`"),
    ((ones(2, 4),) * 3, {"x": ones(2, 4)}, "argument `x` is given twice"),
    ((ones(2, 4),), {"z": ones(2, 4)}, "argument `y` is missing"),
    ((ones(2, 3),) * 3, {}, "rows come in pairs"),
])  # fmt: skip
def test_wrong_arguments_are_named(args, named, message):
    with pytest.raises(tw.Error, match=re.escape(message)):
        add(*args, **named)


def test_addresses_must_suit_the_dtype():
    odd = np.frombuffer(bytearray(33), np.float32, 8, offset=1).reshape(2, 4)
    with pytest.raises(tw.Error, match="argument `y` is misaligned.*multiples of 1 bytes"):
        add(ones(2, 4), odd, ones(2, 4))


def test_arrays_that_share_memory_have_one_dtype():
    @tw.kernel
    def convert(x: Tensor[f32, N], y: Tensor[i32, N]):
        i = block(grid(1), 8)
        x[i] = y[i].to(f32)

    x = ones(8)
    with pytest.raises(tw.Error, match="`y` shares memory with `x` but has another dtype"):
        convert(x, x.view(np.int32))


def test_an_array_that_cannot_be_written_is_refused():
    x = ones(2, 4)
    x.flags.writeable = False
    with pytest.raises(BufferError, match="readonly"):
        add(ones(2, 4), ones(2, 4), x)


def test_an_argument_that_is_no_array_is_a_type_error():
    with pytest.raises(TypeError, match="array, a number, a bool or None"):
        add("x", ones(2, 4), ones(2, 4))


def test_an_error_of_the_text_has_file_line_and_caret():
    def body(x: Tensor[E, M, N]):
        m = grid(M)
        x[m, :] = x[m, :] + missing

    with pytest.raises(tw.CompileError) as caught:
        tw.kernel(body)
    line = line_of(body, "missing")
    assert str(caught.value).startswith(f"{__file__}:{line}:")
    assert "`missing` is not defined" in str(caught.value)
    assert "x[m, :] = x[m, :] + missing" in str(caught.value)


def test_an_error_that_depends_on_sizes_has_its_line():
    @tw.kernel
    def square(x: Tensor[f32, M, N], y: Tensor[f32, M, M]):
        grid(1)
        y[:, :] = dot(x[:, :], y[:, :])

    with pytest.raises(tw.CompileError) as caught:
        square(ones(8, 7), ones(8, 8))
    assert f"{__file__}:{line_of(square.__wrapped__, 'dot(')}:" in str(caught.value)
    assert "the inner dimensions are 7 and 8" in str(caught.value)


def test_an_error_of_an_inlined_function_has_its_line():
    @tw.inline
    def wrong(v):
        return dot(v, v)

    with pytest.raises(tw.CompileError) as caught:
        @tw.kernel
        def use(x: Tensor[f32, M]):
            i = block(grid(1), 8)
            x[i] = wrong(x[i])

        use(ones(8))
    assert f":{line_of(wrong.function, 'return')}:" in str(caught.value)


def test_a_race_between_programs_is_reported():
    @tw.kernel
    def race(x: Tensor[f32, M]):
        i = grid(M)
        x[0] = i.to(f32)

    with pytest.raises(tw.Error, match=f"{re.escape(__file__)}:{line_of(race.__wrapped__, 'x[0]')}"):
        race(ones(4))


def test_words_of_the_language_cannot_be_redefined():
    def make():
        maximum = 3
        return lambda: maximum

    maximum = make()

    with pytest.raises(tw.CompileError, match="`maximum` is a word of the language"):
        @tw.kernel
        def use(x: Tensor[f32, M]):
            x[0] = maximum(x[0], x[1])


def test_a_dimension_has_the_name_it_is_assigned_to():
    rows = M
    with pytest.raises(tw.CompileError, match="dimension `M` must be assigned to the same name"):
        @tw.kernel
        def use(x: Tensor[f32, rows]):
            x[grid(rows)] = 0


def test_a_kernel_without_text_is_refused():
    scope = {"Tensor": tw.Tensor, "f32": tw.f32, "M": M}
    exec("def lost(x: Tensor[f32, M]):\n    x[0] = 1", scope)
    with pytest.raises(tw.CompileError, match="source of `lost` cannot be read"):
        tw.kernel(scope["lost"])


def test_functions_of_the_language_say_that_they_are_not_pythons():
    with pytest.raises(TypeError, match="`dot` belongs in a kernel"):
        tw.dot(1, 2)


def test_an_unknown_kernel_of_the_package_is_guessed_at():
    with pytest.raises(tw.Error, match="did you mean `attention`?"):
        tw.builtin("atention")


def test_an_unknown_target_is_listed_against_the_known():
    with pytest.raises(tw.Error, match="there is no target `sm_10`; there are sm_75"):
        add.cuda(*[tw.Spec((2, 4), f32)] * 3, target="sm_10")


def test_an_unknown_configuration_is_listed_against_the_known():
    with pytest.raises(TypeError, match="no configuration `warp`; there are `target`, `warps`"):
        add.configured(warp=4)


def test_inspection_without_a_call_asks_for_arguments():
    fresh = add.configured(warps=2)
    with pytest.raises(tw.Error, match="has not been called: give the arguments"):
        fresh.explain()
