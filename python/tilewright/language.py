"""The words of the language, as Python sees them.

A kernel is never run by Python: its text goes to the compiler. So the functions here only carry
signatures and documentation, and say so when they are called. What annotations and declarations
evaluate to is real, since Python evaluates them when it reads a module.

Shapes: tiles align at the last axis, an extent of 1 repeats, scalars repeat everywhere. Element
types: different floats meet in the wider one, an integer and a float in the float. Every rule is in
docs/language.md.
"""

import math

LOWEST = -3.4028234663852886e38
"""The most negative finite f32."""
LOG2E = 1.4426950408889634
"""The logarithm of e to base 2."""
PI = math.pi
"""The ratio of a circle's circumference to its diameter."""
inf = math.inf
"""Infinity."""
nan = math.nan
"""Not a number."""


# ===- Declarations --------------------------------------------------------------------------===


class DType:
    """An element type."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


i8, i16, i32, i64 = DType("i8"), DType("i16"), DType("i32"), DType("i64")
f8e4m3, f8e5m2 = DType("f8e4m3"), DType("f8e5m2")
f16, bf16, f32 = DType("f16"), DType("bf16"), DType("f32")


def dtype_name(dtype):
    """The language's name of an element type, `bool` included; None for anything else."""
    if dtype is bool:
        return "bool"
    return dtype.name if isinstance(dtype, DType) else None


class Dim:
    """The name of a tensor dimension."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


class DTypeVariable:
    """A dtype that the caller chooses among several."""

    def __init__(self, allowed):
        self.allowed = allowed


def dims(names):
    """Declares dimensions: `B, S = dims("B S")`, `N = dims("N")`.

    A name used twice in a kernel's parameters is one size; a mismatch is an error of the call.
    """
    found = tuple(Dim(name) for name in names.replace(",", " ").split())
    return found[0] if len(found) == 1 else found


def dtypes(*allowed):
    """Declares a dtype that the caller chooses among these: `E = dtypes(bf16, f16)`."""
    names = [dtype_name(dtype) for dtype in allowed]
    if not names or None in names:
        raise TypeError("`dtypes` takes what it may stand for: `dtypes(bf16, f16)`")
    return DTypeVariable(names)


class _Annotation:
    """What an annotation evaluates to: only the compiler reads it, in the kernel's text."""

    def __or__(self, other):
        return self


class Tensor:
    """A parameter in global memory: `x: Tensor[E, M, N]`, or `Tensor[E, N] | None = None`.

    Any strides are accepted; unit stride and 16-byte alignment along the last dimension make it
    fast. `x[rows, cols]` loads a tile, `x[rows, cols] = tile` stores one; elements outside read as
    0 and stores to them are dropped. A subscript is a scalar (the dimension is dropped), a range, an
    integer tile of rank 1 (gather, scatter), or `:` (the whole dimension, compiled in). `x[a:b, :]` is
    a tensor: the part from index a to before b, outside of which there is nothing.
    """

    def __class_getitem__(cls, items):
        return _Annotation()


class const:
    """A compile-time parameter, after the `*`: `causal: const[bool] = False` (also `int`, `float`,
    `dtype`). Its value is part of what a call compiles for."""

    def __class_getitem__(cls, items):
        return _Annotation()


class tune:
    """A compile-time parameter that the tuner chooses, after the `*`: `BM: tune[64, 128] = 128`."""

    def __class_getitem__(cls, items):
        return _Annotation()


dtype = DType


# ===- Functions of kernels ------------------------------------------------------------------===


def _only_in_kernels(name):
    raise TypeError(f"`{name}` belongs in a kernel, which Python does not run")


def grid(*extents):
    """States how many programs run, and gives this one's coordinates; axis 0 runs fastest.

    Comes first in a kernel, once. One extent gives a scalar, several a tuple; each is i32.
    """
    _only_in_kernels("grid")


def block(i, n):
    """The index range [i*n, i*n + n); `n` is known at compile time.

    A range slices tensors, and is an i32 tile of `n` elements in arithmetic.
    """
    _only_in_kernels("block")


def span(start, n):
    """The index range [start, start + n); `n` is known at compile time."""
    _only_in_kernels("span")


def iota(n):
    """The index range [0, n); `n` is known at compile time."""
    _only_in_kernels("iota")


def load(slice, fill=0):
    """A slice, with `fill` outside the tensor instead of 0: `load(x[rows, :], fill=-inf)`.

    Has the slice's shape and the tensor's dtype. Error if `slice` is not a slice of a tensor.
    """
    _only_in_kernels("load")


def start_at_zero(tensor):
    """Says that a tensor is 0 before the first program runs: `start_at_zero(total)`.

    Stands before loops, loads and stores. A launch sets the tensor to 0, or the programs store it where they would add
    to it: what it held before does not matter. Gives nothing.
    """
    _only_in_kernels("start_at_zero")


def atomic_add(slice, value):
    """Adds `value` to every element of a slice, each atomically: `atomic_add(total[0], sum(t))`.

    For f32, i32, f16 and bf16. `value` repeats to the slice's shape. Gives nothing.
    """
    _only_in_kernels("atomic_add")


def atomic_max(slice, value):
    """Raises every element of a slice to at least `value`, each atomically. For f32 and i32."""
    _only_in_kernels("atomic_max")


def atomic_min(slice, value):
    """Lowers every element of a slice to at most `value`, each atomically. For f32 and i32."""
    _only_in_kernels("atomic_min")


def zeros(shape, dtype):
    """A tile of zeros: `zeros((BM, D), f32)`. The extents are known at compile time."""
    _only_in_kernels("zeros")


def full(shape, value, dtype):
    """A tile of one value: `full((BM,), -inf, f32)`. `value` is a scalar, perhaps a run-time one."""
    _only_in_kernels("full")


def where(condition, a, b):
    """`a` where the condition holds, else `b`. The condition is bool; shapes repeat to a common one."""
    _only_in_kernels("where")


def maximum(a, b):
    """The larger of two, element by element; NaN wins over every number."""
    _only_in_kernels("maximum")


def minimum(a, b):
    """The smaller of two, element by element; NaN wins over every number."""
    _only_in_kernels("minimum")


def fma(a, b, c):
    """`a * b + c` with one rounding. Floats only."""
    _only_in_kernels("fma")


def exp(x):
    """e to the power x. Floats only; keeps shape and dtype."""
    _only_in_kernels("exp")


def exp2(x):
    """2 to the power x: what the GPU has an instruction for. Floats only; keeps shape and dtype."""
    _only_in_kernels("exp2")


def log(x):
    """The natural logarithm. Floats only; keeps shape and dtype."""
    _only_in_kernels("log")


def log2(x):
    """The logarithm to base 2. Floats only; keeps shape and dtype."""
    _only_in_kernels("log2")


def sqrt(x):
    """The square root. Floats only; keeps shape and dtype."""
    _only_in_kernels("sqrt")


def rsqrt(x):
    """1 / sqrt(x). Floats only; keeps shape and dtype."""
    _only_in_kernels("rsqrt")


def sin(x):
    """The sine. Floats only; keeps shape and dtype."""
    _only_in_kernels("sin")


def cos(x):
    """The cosine. Floats only; keeps shape and dtype."""
    _only_in_kernels("cos")


def tanh(x, approximate=False):
    """The hyperbolic tangent. Floats only; keeps shape and dtype.

    `approximate` allows an error of 2^-11 of the result.
    """
    _only_in_kernels("tanh")


def erf(x):
    """The error function. Floats only; keeps shape and dtype."""
    _only_in_kernels("erf")


def sigmoid(x):
    """1 / (1 + exp(-x)). Floats only; keeps shape and dtype."""
    _only_in_kernels("sigmoid")


def floor(x):
    """The largest whole number that is not above x. Floats only; keeps shape and dtype."""
    _only_in_kernels("floor")


def ceil(x):
    """The smallest whole number that is not below x. Floats only; keeps shape and dtype."""
    _only_in_kernels("ceil")


def random_bytes(seed, offset, stream, row, column):
    """Random numbers from 0 to 255, i32, that follow from the arguments alone (Philox4x32-7).

    seed: i64; offset, stream: i32; row, column: ranges or tiles of indices, which repeat to one shape.
    """
    _only_in_kernels("random_bytes")


def cdiv(a, b):
    """a / b rounded up, of integers."""
    _only_in_kernels("cdiv")


def argmax(x, axis=None):
    """The index (i32) of the largest element along an axis, which is dropped; the first of equals."""
    _only_in_kernels("argmax")


def argmin(x, axis=None):
    """The index (i32) of the smallest element along an axis, which is dropped; the first of equals."""
    _only_in_kernels("argmin")


def cumsum(x, axis=None):
    """The running sum along an axis; keeps the shape."""
    _only_in_kernels("cumsum")


def dot(a, b, acc=None, tf32=False):
    """The matrix product of an M x K and a K x N tile, added to `acc` if that is given.

    Both have one dtype. Floats give f32, i8 gives i32. M, N and K are multiples of 8. With `tf32`,
    f32 operands are first rounded to tf32. Error if the inner extents or the dtypes differ.
    """
    _only_in_kernels("dot")


# The rest of the language has names that Python has too (`sum`, `max`, `range`, …): a kernel uses
# them without any import, and modules keep Python's own.
PYTHON_WORDS = ("range", "abs", "round", "sum", "max", "min", "any", "all", "bool")

__all__ = [
    "LOG2E", "LOWEST", "PI", "Tensor", "argmax", "argmin", "atomic_add", "atomic_max",
    "atomic_min", "bf16", "block", "cdiv", "ceil", "const", "cos", "cumsum", "dims", "dot",
    "dtype", "dtypes", "erf", "exp", "exp2", "f16", "f32", "f8e4m3", "f8e5m2", "floor", "fma",
    "full", "grid", "i16", "i32", "i64", "i8", "inf", "iota", "load", "log", "log2", "maximum",
    "minimum", "nan", "random_bytes", "rsqrt", "sigmoid", "sin", "span", "sqrt", "start_at_zero", "tanh",
    "tune", "where", "zeros",
]  # fmt: skip
