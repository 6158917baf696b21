# RUN: tile-lower %s --split --verify-diagnostics

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{expected `:` after `def`, found the end of the line}}
def no_colon(x: Tensor[f32, N])
    i = grid(N)

# -----

from tilewright import *
N = dims("N")
@kernel
def no_body(x: Tensor[f32, N]):
# expected-error@+1 {{expected an indented block after `def`}}
i = grid(N)

# -----

from tilewright import *
N = dims("N")
@kernel
def indented(x: Tensor[f32, N]):
    i = grid(N)
        # expected-error@+1 {{the line is indented but opens no block}}
        x[i] = 1

# -----

# expected-error@+1 {{only `from tilewright import *` can be imported, not `numpy`}}
import numpy

# -----

# expected-error@+1 {{only `from tilewright import *` can be imported, not `torch`}}
from torch import nn

# -----

# expected-error@+1 {{`class` is not supported: kernels are functions: write `@kernel def` or `@inline def`}}
class A:
    pass

# -----

@inline
def f(x):
    # expected-error@+1 {{`lambda` is not supported: write an `@inline def`}}
    return lambda y: y

# -----

@inline
def f(x):
    # expected-error@+1 {{`try` is not supported: state what must hold with `assert condition, "message"`}}
    try:
        x = 1

# -----

@inline
def f(x):
    # expected-error@+1 {{`with` is not supported}}
    with x:
        pass

# -----

@inline
def f(x):
    # expected-error@+1 {{`yield` is not supported: store the result: `x[...] = value`}}
    yield x

# -----

@inline
def f(x):
    while x:
        # expected-error@+1 {{`break` is not supported: put the condition into `while`, or into the bounds of `range`}}
        break

# -----

@inline
def f(x):
    while x:
        # expected-error@+1 {{`continue` is not supported}}
        continue

# -----

@inline
def f(x):
    # expected-error@+1 {{lists are not supported: write a tuple, `(a, b)`}}
    y = [1, 2]

# -----

@inline
def f(x):
    # expected-error@+1 {{dictionaries and sets are not supported: use variables}}
    y = {1: 2}

# -----

@inline
def f(x):
    # expected-error@+1 {{comprehensions are not supported: write a `for` loop}}
    y = sum(i for i in x)

# -----

@inline
def f(x):
    # expected-error@+1 {{comprehensions are not supported: write a `for` loop}}
    y = (i for i in x)

# -----

# expected-error@+1 {{unknown decorator `jit`: a function is an `@kernel` or an `@inline`}}
@jit
def f(x):
    pass

# -----

# expected-error@+1 {{write `@kernel` or `@inline` above `def f`}}
def f(x):
    pass

# -----

@kernel
# expected-error@+1 {{a function has one decorator}}
@inline
def f(x):
    pass

# -----

@inline
# expected-error@+1 {{the parameter `x` is given twice}}
def f(x, x):
    pass

# -----

@inline
# expected-error@+1 {{`b` has no default but follows `a`, which has one}}
def f(a=1, b):
    pass

# -----

@inline
# expected-error@+1 {{`*args` is not supported: name each parameter}}
def f(*args):
    pass

# -----

@inline
def f(x):
    # expected-error@+1 {{functions inside functions are not supported}}
    def g(y):
        pass

# -----

@inline
def f(x):
    # expected-error@+1 {{chained comparisons are not supported: write `(a < b) & (b < c)` for tiles, `a < b and b < c` for scalars}}
    return 0 < x < 3

# -----

@inline
def f(x):
    # expected-error@+1 {{chained assignments are not supported: write one per line}}
    a = b = x

# -----

@inline
def f(x):
    # expected-error@+1 {{annotations on variables are not supported: write `a = ...`}}
    a: int = x

# -----

@inline
def f(x):
    # expected-error@+1 {{`:=` is not supported: assign on a line of its own}}
    return (y := x)

# -----

@inline
def f(x):
    # expected-error@+1 {{`@` is not supported: write `dot(a, b)`}}
    return x @ x

# -----

@inline
def f(x):
    # expected-error@+1 {{`in` tests are not supported: compare with `==` and `or`}}
    return x in (1, 2)

# -----

@inline
def f(x):
    # expected-error@+1 {{`;` is not supported: write one statement per line}}
    a = 1; b = 2

# -----

@inline
def f(x):
    # expected-error@+1 {{`else` belongs to no `if`}}
    else:
        pass

# -----

@inline
def f(x):
    for i in range(3):
        pass
    # expected-error@+1 {{`else` after a loop is not supported}}
    else:
        pass

# -----

@inline
def f(x):
    # expected-error@+1 {{only a variable, a tensor's slice or a tuple of these can be assigned}}
    x + 1 = 2

# -----

@inline
def f(x):
    # expected-error@+1 {{only a variable, a tensor's slice or a tuple of these can be assigned}}
    x, y += 2

# -----

@inline
def f(x):
    # expected-error@+1 {{expected an expression, found `*`}}
    y = 1 + * 2

# -----

@inline
def f(x):
    # expected-error@+1 {{`*` in a call is not supported: write the arguments out}}
    y = f(*x)

# -----

@inline
def f(x):
    # expected-error@+1 {{an argument without a name follows `a=`}}
    y = g(a=1, 2)

# -----

@inline
def f(x):
    # expected-error@+1 {{`...` is not supported: write a `:` for each dimension}}
    y = x[..., 1]

# -----

@inline
def f(x):
    # expected-error@+1 {{`[]` needs a subscript}}
    y = x[]

# -----

# expected-error@+1 {{only imports, constants and functions stand at the top of a file}}
if 3:
    A = 1

# -----

# expected-error@+1 {{only imports, constants and functions stand at the top of a file}}
print(3)

# -----

@inline
def f(x):
    # expected-error@+1 {{the expression is nested more than 120 deep: name a part of it}}
    return x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x

# -----

@inline
def f(x):
    # expected-error@+1 {{the code is nested more than 120 deep}}
    return ------------------------------------------------------------------------------------------------------------------------------x

# -----

from tilewright import *
N = dims("N")
@kernel
def import_in_a_body(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{imports inside functions are not supported}}
    import math

# -----

from tilewright import *
N = dims("N")
@kernel
def product_in_place(x: Tensor[f32, N]):
    i = grid(1)
    acc = x[:]
    # expected-error@+1 {{`@=` is not supported: write `acc += dot(a, b)`}}
    acc @= acc

# -----

from tilewright import *
N = dims("N")
@kernel
def two_counters(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a `for` loop has one variable}}
    for a, b in range(4):
        x[a] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{`/` among parameters is not supported}}
def slash(x: Tensor[f32, N], /):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{`*` is given twice}}
def stars(x: Tensor[f32, N], *, A: const = 1, *, B: const = 2):
    i = grid(1)
