# RUN: tile-lower %s --split --verify-diagnostics --set D=64

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{the kernel `no_grid` never calls `grid`: begin with `i = grid(...)`}}
def no_grid(x: Tensor[f32, N]):
    x[0] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def two_grids(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`grid` is called twice: a kernel has one grid}}
    j = grid(N)

# -----

from tilewright import *
N = dims("N")
@kernel
def late_grid(x: Tensor[f32, N]):
    n = x[0]
    # expected-error@+1 {{`grid` must come before every loop, run-time `if`, load and store}}
    i = grid(N)

# -----

from tilewright import *
N = dims("N")
@kernel
def grid_rank(x: Tensor[f32, N]):
    # expected-error@+1 {{`grid` takes 1 to 4 extents, not 5}}
    i = grid(1, 1, 1, 1, 1)

# -----

from tilewright import *
N = dims("N")
@kernel
def grid_type(x: Tensor[f32, N], s: f32):
    # expected-error@+1 {{an extent of `grid` is an `i32`, not a scalar of `f32`}}
    i = grid(s)

# -----

from tilewright import *
N = dims("N")
@kernel
def unpacking(x: Tensor[f32, N]):
    # expected-error@+1 {{3 names are assigned but the value is a tuple of 2}}
    i, j, k = grid(N, 2)

# -----

from tilewright import *
N = dims("N")
@kernel
def changes_type(x: Tensor[f32, N]):
    i = grid(1)
    t = x[block(i, 64)]
    # expected-error@+1 {{`t` is a 64 tile of `f32` before the loop but a 64 tile of `bf16` at the end of its body: a variable keeps its type}}
    for j in range(N):
        t = t.to(bf16)

# -----

from tilewright import *
N = dims("N")
@kernel
def changes_shape(x: Tensor[f32, N]):
    i = grid(1)
    t = x[block(i, 64)]
    # expected-error@+1 {{`t` is a 64 tile of `f32` before the loop but a scalar of `f32` at the end of its body: a variable keeps its type}}
    for j in range(N):
        t = sum(t)

# -----

from tilewright import *
N = dims("N")
@kernel
def branches_differ(x: Tensor[f32, N]):
    i = grid(1)
    t = x[0]
    # expected-error@+1 {{`t` is a 64 tile of `f32` after one branch of the `if` but a scalar of `f32` after the other}}
    if i > 3:
        t = x[block(i, 64)]

# -----

from tilewright import *
N = dims("N")
@kernel
def loop_over_tensor(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a `for` loop runs over `range(...)`}}
    for v in x:
        pass

# -----

from tilewright import *
N = dims("N")
@kernel
def zero_step(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the step of `range` cannot be 0}}
    for v in range(0, N, 0):
        pass

# -----

from tilewright import *
N = dims("N")
@kernel
def run_time_step(x: Tensor[f32, N], n: i32):
    i = grid(1)
    # expected-error@+1 {{the step of `range` must be known at compile time, but `n` is a scalar of `i32`}}
    for v in range(0, N, n):
        pass

# -----

from tilewright import *
N = dims("N")
@kernel
def float_bound(x: Tensor[f32, N], s: f32):
    i = grid(1)
    # expected-error@+1 {{a bound of `range` is an `i32`, not a scalar of `f32`}}
    for v in range(s):
        pass

# -----

from tilewright import *
N = dims("N")
@kernel
def endless(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the condition is always true: the loop never ends}}
    while True:
        x[i] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def number_as_condition(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{a condition is a `bool`, not a scalar of `i32`: compare it, as in `x != 0`}}
    if i:
        x[i] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def tile_as_condition(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{a condition is one `bool`, not a 64 tile of `bool`: use `where`, `any` or `all`}}
    if x[block(i, 64)] > 0:
        x[i] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def return_in_kernel(x: Tensor[f32, N]):
    i = grid(N)
    # expected-error@+1 {{`return` in a kernel is not supported: store the result, or put the rest under `if`}}
    return

# -----

from tilewright import *
N = dims("N")
@inline
def f(i):
    if i > 3:
        # expected-error@+1 {{`return` inside a run-time `if` or loop is not supported: assign the result to a variable and return it at the end}}
        return 1
    return 2
@kernel
def return_in_branch(x: Tensor[f32, N]):
    i = grid(N)
    x[i] = f(i)

# -----

from tilewright import *
D = dims("D")
@kernel
def false_assertion(x: Tensor[f32, D]):
    # expected-error@+1 {{a row needs a multiple of 128 elements}}
    assert D % 128 == 0, "a row needs a multiple of 128 elements"
    i = grid(1)
    x[:] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def unused(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the value is not used: assign it to a variable or store it}}
    x[i] == 1

# -----

from tilewright import *
N = dims("N")
@kernel
def range_as_value(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`range` stands only in `for i in range(...)`}}
    r = range(3)

# -----

from tilewright import *
N = dims("N")
@kernel
def condition_of_a_string(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`assert` takes a condition, not}}
    assert f32, "no condition"

# -----

from tilewright import *
N = dims("N")
@kernel
def condition_of_a_number(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`assert` takes a condition, not}}
    assert i, "no condition"

# -----

from tilewright import *
N = dims("N")
@kernel
def range_of_nothing(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`range` takes `(stop)`, `(start, stop)` or `(start, stop, step)`}}
    for j in range():
        x[j] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def is_a_number(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`is` only tests for `None`: write `==`}}
    if x is 1:
        x[i] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def and_of_numbers(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`and` takes bools, not}}
    if i and i:
        x[i] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def and_of_a_dtype(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`and` takes bools, not}}
    if f32 and i == 0:
        x[i] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def loops_that_are_lowered_again_within_each_other(x: Tensor[f32, N], y: Tensor[f32, N]):
    i = grid(1)
    a0 = x[0]
    a1 = x[1]
    a2 = x[2]
    a3 = x[3]
    a4 = x[4]
    a5 = x[5]
    a6 = x[6]
    a7 = x[7]
    a8 = x[8]
    a9 = x[9]
    a10 = x[10]
    a11 = x[11]
    a12 = x[12]
    a13 = x[13]
    a14 = x[14]
    a15 = x[15]
    a16 = x[16]
    a17 = x[17]
    for j0 in range(N):
     a0 = a0
     for j1 in range(N):
      a1 = a1
      for j2 in range(N):
       a2 = a2
       for j3 in range(N):
        a3 = a3
        for j4 in range(N):
         a4 = a4
         for j5 in range(N):
          a5 = a5
          for j6 in range(N):
           a6 = a6
           for j7 in range(N):
            a7 = a7
            for j8 in range(N):
             a8 = a8
             for j9 in range(N):
              a9 = a9
              for j10 in range(N):
               a10 = a10
               for j11 in range(N):
                a11 = a11
                for j12 in range(N):
                 a12 = a12
                 for j13 in range(N):
                  a13 = a13
                  for j14 in range(N):
                   a14 = a14
                   for j15 in range(N):
                    a15 = a15
                    for j16 in range(N):
                     a16 = a16
                     for j17 in range(N):
                      a17 = a17
                      # expected-error@+1 {{the kernel is too large: more than 100000 expressions after inlining}}
                      y[0] = x[0]
