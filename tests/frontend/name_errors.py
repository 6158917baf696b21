# RUN: tile-lower %s --split --verify-diagnostics --set N=64,E=bf16

from tilewright import *
N = dims("N")
@kernel
def unknown_name(x: Tensor[f32, N]):
    rows = block(grid(1), 64)
    # expected-error@+1 {{`row` is not defined (did you mean `rows`?)}}
    x[row] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def unknown_in_branch_not_taken(x: Tensor[f32, N]):
    i = grid(N)
    if False:
        # expected-error@+1 {{`exq` is not defined (did you mean `exp`?)}}
        x[i] = exq(x[i])

# -----

from tilewright import *
N = dims("N")
@kernel
def used_before_assigned(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`y` is used before it is assigned}}
    x[i] = y
    y = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def ends_with_loop(x: Tensor[f32, N]):
    i = grid(N)
    for j in range(3):
        y = x[j]
    # expected-error@+1 {{`y` has a value only inside the `for` of line 8: assign it before that}}
    x[i] = y

# -----

from tilewright import *
N = dims("N")
@kernel
def ends_with_branch(x: Tensor[f32, N]):
    i = grid(N)
    if i > 3:
        y = x[i]
    # expected-error@+1 {{`y` has a value only inside the `if` of line 8: assign it before that}}
    x[i] = y

# -----

from tilewright import *
N = dims("N")
BLOCK = 64
@kernel
def assigns_constant(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`BLOCK` is a compile-time constant and cannot be assigned}}
    BLOCK = 3

# -----

from tilewright import *
N = dims("N")
@kernel
def assigns_parameter(x: Tensor[f32, N], *, BM: tune[64, 128] = 64):
    i = grid(N)
    # expected-error@+1 {{`BM` is a compile-time constant and cannot be assigned}}
    BM = 3

# -----

from tilewright import *
N = dims("N")
@kernel
def assigns_dim(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`N` is a dimension and cannot be assigned}}
    N = 3

# -----

from tilewright import *
N = dims("N")
@kernel
def assigns_builtin(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`max` is a built-in function and cannot be assigned}}
    max = 3

# -----

from tilewright import *
N = dims("N")
@kernel
def assigns_tensor(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`x` is a tensor: write `x[...] = ...` to store to it}}
    x = 3

# -----

from tilewright import *
N, M = dims("N M")
@kernel
def dim_of_no_tensor(x: Tensor[f32, N]):
    # expected-error@+1 {{no tensor that `dim_of_no_tensor` was given has the dimension `M`}}
    i = grid(M)

# -----

from tilewright import *
N = dims("N")
@kernel
def function_as_value(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`exp` is a function: call it, `exp(...)`}}
    x[i] = exp

# -----

from tilewright import *
N = dims("N")
@kernel
def value_as_function(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`i` is a scalar of `i32` and cannot be called}}
    x[i] = i(3)

# -----

from tilewright import *
N = dims("N")
@kernel
def cast_as_call(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{a cast is written `x.to(f32)`}}
    x[i] = f32(i)

# -----

from tilewright import *
# expected-error@+1 {{2 names are assigned but `dims` declares 3}}
M, N = dims("M N K")

# -----

from tilewright import *
# expected-error@+1 {{the dimension `K` must be assigned to the same name}}
M, N = dims("M K")

# -----

from tilewright import *
# expected-error@+1 {{`dims` takes the names as one string: `dims("B S")`}}
M, N = dims(M, N)

# -----

from tilewright import *
# expected-error@+1 {{expected a dtype, such as `bf16` (did you mean `bf16`?)}}
E = dtypes(bf17)

# -----

from tilewright import *
A = 3
# expected-error@+1 {{`A` is a compile-time constant and cannot be assigned}}
A = 4

# -----

from tilewright import *
# expected-error@+1 {{`B` is not a compile-time constant}}
A = B + 1

# -----

from tilewright import *
@inline
def f(x):
    # expected-error@+1 {{`f` calls itself: functions are inlined, so they cannot recurse}}
    return f(x)

# -----

from tilewright import *
@inline
def f(x):
    return g(x)
@inline
def g(x):
    # expected-error@+1 {{`f` calls itself: functions are inlined, so they cannot recurse}}
    return f(x)

# -----

from tilewright import *
N = dims("N")
@inline
def f(value):
    return value
@kernel
def wrong_keyword(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`f` has no parameter `valu` (did you mean `value`?)}}
    x[i] = f(valu=1)

# -----

from tilewright import *
N = dims("N")
@inline
def f(value):
    return value
@kernel
def missing_argument(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{the argument `value` of `f` is missing}}
    x[i] = f()

# -----

from tilewright import *
N = dims("N")
@kernel
def builtin_keyword(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`sum` has no parameter `axes` (did you mean `axis`?)}}
    x[i] = sum(x[block(i, 64)], axes=0)

# -----

from tilewright import *
N = dims("N")
@kernel
def other(x: Tensor[f32, N]):
    i = grid(N)
@kernel
def calls_kernel(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`other` is a kernel: only `@inline` functions can be called}}
    other(x)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{the parameter `N` has the name of a dimension}}
def shadows_dim(N: i32):
    i = grid(1)

# -----

from tilewright import *
@inline
def a(x):
    return x + x
@inline
def b(x):
    return a(x) + a(x) + a(x) + a(x) + a(x) + a(x) + a(x) + a(x)
@inline
def c(x):
    return b(x) + b(x) + b(x) + b(x) + b(x) + b(x) + b(x) + b(x)
@inline
def d(x):
    return c(x) + c(x) + c(x) + c(x) + c(x) + c(x) + c(x) + c(x)
@inline
def e(x):
    return d(x) + d(x) + d(x) + d(x) + d(x) + d(x) + d(x) + d(x)
@inline
def f(x):
    return e(x) + e(x) + e(x) + e(x) + e(x) + e(x) + e(x) + e(x)
@inline
def g(x):
    return f(x) + f(x) + f(x) + f(x) + f(x) + f(x) + f(x) + f(x)
N = dims("N")
@kernel
def grows_without_bound(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@-23 {{the kernel is too large: more than 100000 expressions after inlining}}
    x[i] = g(x[i])

# -----

from tilewright import *
N = dims("N")
@kernel
def marker_in_a_body(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`Tensor` has no meaning inside a function}}
    t = Tensor

# -----

from tilewright import *
N = dims("N")
@kernel
def other_method(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{there is no method `too` (did you mean `to`?)}}
    t = x[i].too(f32)

# -----

from tilewright import *
N = dims("N")
@kernel
def too_many_arguments(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`load(slice, fill=)` was given 6 arguments}}
    t = load(x[i], 1, 2, 3, 4, 5)

# -----

from tilewright import *
N = dims("N")
# expected-error@+1 {{3 names need as many values}}
A, B, C = 1, 2

# -----

from tilewright import *
N = dims("N")
# expected-error@+1 {{only a name can be assigned at the top of a file}}
A[0] = 2

# -----

from tilewright import *
N = dims("N")
@inline
def f(x):
    return x

@inline
# expected-error@+1 {{`f` is already a function}}
def f(x):
    return x
