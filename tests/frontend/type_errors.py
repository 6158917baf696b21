# RUN: tile-lower %s --split --verify-diagnostics --set N=64,M=32

from tilewright import *
N, M = dims("N M")
@kernel
def mismatched(x: Tensor[f32, N, M]):
    i = grid(1)
    t = x[:, :]
    # expected-error@+1 {{`+` cannot combine a 64x32 tile of `f32` with a 32x64 tile of `f32`: dimension 0 is 64 and 32}}
    x[:, :] = t + t.T

# -----

from tilewright import *
N, M = dims("N M")
@kernel
def vector_along_rows(x: Tensor[f32, N, M]):
    i = grid(1)
    t = x[:, :]
    # expected-error@+1 {{dimension 1 is 32 and 64 (`[:, None]` puts a vector along dimension 0)}}
    x[:, :] = t - max(t, axis=1)

# -----

from tilewright import *
N, M = dims("N M")
@kernel
def slice_and_value(x: Tensor[f32, N, M]):
    i = grid(1)
    # expected-error@+1 {{the slice is 64 but the value is a 32 tile of `f32`}}
    x[:, 0] = x[0, :]

# -----

from tilewright import *
N = dims("N")
@kernel
def fp8_arithmetic(x: Tensor[f8e4m3, N]):
    i = grid(1)
    # expected-error@+1 {{`+` does not work on `f8e4m3`: cast with `.to(f32)` first}}
    x[:] = x[:] + x[:]

# -----

from tilewright import *
N = dims("N")
@kernel
def fp8_with_f32(x: Tensor[f8e4m3, N], y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`*` cannot combine `f8e4m3` with `f32`: cast one with `.to(...)`}}
    x[:] = x[:] * y[:]

# -----

from tilewright import *
N = dims("N")
@kernel
def float_to_int_store(x: Tensor[f32, N], y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`f32` is stored to a tensor of `i32`: cast with `.to(i32)`}}
    y[:] = x[:]

# -----

from tilewright import *
N = dims("N")
@kernel
def int_to_float_store(x: Tensor[f32, N], y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`i32` is stored to a tensor of `f32`: cast with `.to(f32)`}}
    x[:] = y[:]

# -----

from tilewright import *
N = dims("N")
@kernel
def int_narrowing_store(x: Tensor[i8, N], y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`i32` is stored to a tensor of `i8`: cast with `.to(i8)`}}
    x[:] = y[:]

# -----

from tilewright import *
N = dims("N")
@kernel
def fraction_to_int(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`0.5` is not an integer, but `i32` is needed}}
    y[:] = 0.5

# -----

from tilewright import *
N = dims("N")
@kernel
def literal_too_large(y: Tensor[i8, N]):
    i = grid(1)
    # expected-error@+1 {{`300` does not fit in `i8`}}
    y[:] = y[:] + 300

# -----

from tilewright import *
N = dims("N")
@kernel
def int_division(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`/` on integers: write `//` to round down, or cast with `.to(f32)`}}
    y[:] = y[:] / 2

# -----

from tilewright import *
N = dims("N")
@kernel
def division_by_zero(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`//` divides by zero}}
    y[:] = y[:] // 0

# -----

from tilewright import *
# expected-error@+1 {{`1 // 0` divides by zero}}
A = 1 // 0

# -----

from tilewright import *
# expected-error@+1 {{`9223372036854775807 + 1` does not fit in 64 bits}}
A = 9223372036854775807 + 1

# -----

from tilewright import *
# expected-error@+1 {{`1 << 63` shifts by more than 62 bits}}
A = 1 << 63

# -----

from tilewright import *
# expected-error@+1 {{`+` does not apply to `int` and `string`}}
A = 1 + "a"

# -----

from tilewright import *
N = dims("N")
@kernel
def bool_arithmetic(y: Tensor[f32, N]):
    i = grid(1)
    m = y[:] > 0
    # expected-error@+1 {{`+` does not work on `bool`: cast with `.to(i32)` first}}
    c = m + m

# -----

from tilewright import *
N = dims("N")
@kernel
def bool_and_number(y: Tensor[f32, N]):
    i = grid(1)
    m = y[:] > 0
    # expected-error@+1 {{`*` cannot combine `bool` with a number: cast it with `.to(i32)` or use `where`}}
    c = m * 2

# -----

from tilewright import *
N = dims("N")
@kernel
def bitwise_float(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`&` works on integers and bools, not on `f32`}}
    y[:] = y[:] & 3

# -----

from tilewright import *
N = dims("N")
@kernel
def shift_too_far(y: Tensor[i32, N]):
    i = grid(1)
    # expected-error@+1 {{`<<` shifts `i32` by 40 bits}}
    y[:] = y[:] << 40

# -----

from tilewright import *
N = dims("N")
@kernel
def run_time_power(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the exponent of `**` is an integer from 1 to 16 here, not `0.5`: write `exp2(y * log2(x))`}}
    y[:] = y[:] ** 0.5

# -----

from tilewright import *
N = dims("N")
@kernel
def and_on_tiles(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`and` takes single bools, not a 64 tile of `bool`: write `&`}}
    m = y[:] > 0 and y[:] < 1

# -----

from tilewright import *
N = dims("N")
@kernel
def not_on_tiles(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`not` takes one `bool`, not a 64 tile of `bool`: write `~`}}
    m = not (y[:] > 0)

# -----

from tilewright import *
N = dims("N")
@kernel
def unsliced(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the tensor `y` must be sliced first, as in `y[...]`}}
    m = y + 1

# -----

from tilewright import *
N = dims("N")
@kernel
def unknown_attribute(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a 64 tile of `f32` has no attribute `shpe` (did you mean `shape`?)}}
    m = y[:].shpe

# -----

from tilewright import *
N = dims("N")
@kernel
def transposed_vector(y: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`.T` takes a tile of rank 2, not a 64 tile of `f32`}}
    m = y[:].T

# -----

from tilewright import *
N = dims("N")
@kernel
def sum_of_a_dtype(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{expected a number or a tile, not}}
    x[i] = f32 + 1

# -----

from tilewright import *
N = dims("N")
@kernel
def inverse_of_a_float(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`~` takes integers or bools, not}}
    x[i] = ~x[i]

# -----

from tilewright import *
N = dims("N")
@kernel
def comparison_of_dtypes(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`<` cannot compare}}
    if x < i:
        x[i] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def store_of_a_tuple(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{expected a number or a tile to store, not}}
    x[i] = (1, 2)
