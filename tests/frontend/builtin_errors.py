# RUN: tile-lower %s --split --verify-diagnostics --set N=64,M=32

from tilewright import *
N, M = dims("N M")
@kernel
def mismatched_where(x: Tensor[f32, N, M]):
    i = grid(1)
    t = x[:, 0]
    # expected-error@+1 {{`where` cannot combine a 64 tile of `f32` with a 32 tile of `f32`: dimension 0 is 64 and 32}}
    t = where(t > 0, t, x[0, :])

# -----

from tilewright import *
N = dims("N")
@kernel
def maths_on_int(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`exp` works on floats, not on `i32`: cast with `.to(f32)`}}
    y[:] = exp(y[:])

# -----

from tilewright import *
N = dims("N")
@kernel
def fma_on_int(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`fma` works on floats, not on `i32`}}
    y[:] = fma(y[:], y[:], 1)

# -----

from tilewright import *
N = dims("N")
@kernel
def where_without_bool(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the condition of `where` is a `bool` or a tile of these, not a 64 tile of `f32`}}
    m = where(y[:], 1, 2)

# -----

from tilewright import *
N = dims("N")
@kernel
def two_tiles_in_max(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`max(a, b)` takes two scalars: write `maximum(a, b)` for tiles, `max(x, axis=i)` along an axis}}
    y[:] = max(y[:], 0)

# -----

from tilewright import *
N, M = dims("N M")
@kernel
def no_such_axis(y: Tensor[f32, N, M]):
    i = grid(1)
    # expected-error@+1 {{there is no axis 2 in a tile of rank 2}}
    y[:, 0] = sum(y[:, :], axis=2)

# -----

from tilewright import *
N, M = dims("N M")
@kernel
def argmax_needs_axis(y: Tensor[i32, N, M]):
    i = grid(1)
    # expected-error@+1 {{`argmax` of a 64x32 tile of `i32` needs an axis: `axis=0` or `axis=1`}}
    y[0, 0] = argmax(y[:, :])

# -----

from tilewright import *
N = dims("N")
@kernel
def any_without_bool(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`any` takes a tile of `bool`, not a 64 tile of `f32`: compare it first}}
    m = any(y[:])

# -----

from tilewright import *
N = dims("N")
@kernel
def sum_of_scalar(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`sum` takes a tile, not a scalar of `i32`}}
    m = sum(i)

# -----

from tilewright import *
N = dims("N")
@kernel
def cast_to_number(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{expected a dtype, such as `f32`, not `3`}}
    m = y[:].to(3)

# -----

from tilewright import *
N = dims("N")
@kernel
def random_of_float_seed(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`seed` of `random_bytes` is an `i64`, not `0.5`}}
    y[:] = random_bytes(0.5, 0, 0, i, iota(N))

# -----

from tilewright import *
N = dims("N")
@kernel
def random_of_float_row(y: Tensor[i32, N], x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`row` of `random_bytes` is an `i32` or a tile of these, not a 64 tile of `f32`}}
    y[:] = random_bytes(0, 0, 0, x[:], iota(N))

# -----

from tilewright import *
N = dims("N")
@kernel
def random_offsets(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`offset` of `random_bytes` is an `i32`, not a 64 tile of `i32`}}
    y[:] = random_bytes(0, y[:], 0, i, iota(N))

# -----

from tilewright import *
N = dims("N")
@kernel
def random_scalar(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`random_bytes` gives a tile: of `row` and `column` one is a range or a tile}}
    y[0] = random_bytes(0, 0, 0, i, 1)

# -----

from tilewright import *
N = dims("N")
@kernel
def tanh_by_a_number(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`approximate` of `tanh` is `True` or `False`}}
    y[:] = tanh(y[:], approximate=2)

# -----

from tilewright import *
N = dims("N")
@kernel
def to_two_dtypes(x: Tensor[f32, N]):
    i = grid(1)
    t = x[:]
    # expected-error@+1 {{`.to` takes one dtype: `.to(f32)`}}
    x[:] = t.to(f32, f16)

# -----

from tilewright import *
N = dims("N")
@kernel
def to_without_a_call(x: Tensor[f32, N]):
    i = grid(1)
    t = x[:]
    # expected-error@+1 {{`.to` is called with a dtype: `.to(f32)`}}
    x[:] = t.to

# -----

from tilewright import *
N = dims("N")
@kernel
def call_of_a_result(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{only a function can be called}}
    x[i] = abs(1)(2)

# -----

from tilewright import *
N = dims("N")
@kernel
def range_without_elements(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{an index range cannot have 0 elements}}
    x[block(i, 0)] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def range_from_a_float(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the start of an index range is an `i32`, not}}
    x[block(x[i], 4)] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def tile_without_extent(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a tile cannot have the extent 0}}
    t = zeros((0, 4), f32)

# -----

from tilewright import *
N = dims("N")
@kernel
def full_of_a_tile(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`full` repeats one number, not}}
    t = full((4, 4), x[:], f32)

# -----

from tilewright import *
N = dims("N")
@kernel
def float_extent(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a tile extent is an integer, not}}
    t = zeros((1.5,), f32)

# -----

from tilewright import *
N = dims("N")
@kernel
def cdiv_of_floats(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`cdiv` divides integers, not `f32`}}
    x[i] = cdiv(x[i], x[i])

# -----

from tilewright import *
N = dims("N")
@kernel
def cdiv_by_zero(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`cdiv` divides by zero}}
    x[cdiv(i, 0)] = 1
