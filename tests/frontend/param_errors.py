# RUN: tile-lower %s --split --verify-diagnostics --set N=64

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{unknown dtype `bf61` (did you mean `bf16`?)}}
def unknown_dtype(x: Tensor[bf61, N]):
    i = grid(N)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{`M` is not a dimension: declare it with `M = dims("M")`}}
def unknown_dim(x: Tensor[f32, M]):
    i = grid(N)

# -----

from tilewright import *
@kernel
# expected-error@+1 {{a dimension is a name or a positive integer, not `0`}}
def zero_dim(x: Tensor[f32, 0]):
    i = grid(1)

# -----

from tilewright import *
@kernel
# expected-error@+1 {{`Tensor` takes a dtype and dimensions: `Tensor[f32, N]`}}
def no_dims(x: Tensor[f32]):
    i = grid(1)

# -----

from tilewright import *
@kernel
# expected-error@+1 {{the parameter `x` needs a type, such as `Tensor[f32, N]` or `f32`}}
def no_type(x):
    i = grid(1)

# -----

from tilewright import *
@kernel
# expected-error@+1 {{a parameter is a `Tensor[...]`, a scalar (`f32`, `i32`, `i64`, `bool`), `const[...]` or `tune[...]`, not `Tensr` (did you mean `Tensor`?)}}
def misspelt(x: Tensr[f32, 3]):
    i = grid(1)

# -----

from tilewright import *
@kernel
# expected-error@+1 {{a scalar is `f32`, `i32`, `i64` or `bool`, not `bf16`}}
def narrow_scalar(x: bf16):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{the default `100` of `BM` is not among the candidates 64, 128}}
def bad_default(x: Tensor[f32, N], *, BM: tune[64, 128] = 100):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{`BM` needs a default: `BM: tune[...] = 64`}}
def no_default(x: Tensor[f32, N], *, BM: tune[64, 128]):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{a candidate is an integer or a bool, not `1.5`}}
def odd_candidate(x: Tensor[f32, N], *, BM: tune[64, 1.5] = 64):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{`BM` is a `tune` parameter and belongs after a `*`}}
def before_star(x: Tensor[f32, N], BM: tune[64] = 64):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{the tensor `x` belongs before the `*`}}
def after_star(*, x: Tensor[f32, N]):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{the default `2` is not of type `bool`}}
def wrong_default(x: Tensor[f32, N], *, flag: const[bool] = 2):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{`const` takes `bool`, `int`, `float` or `dtype`: `const[int]`}}
def wrong_const(x: Tensor[f32, N], *, flag: const[str] = 2):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{an optional tensor is written `x: Tensor[...] | None = None`}}
def half_optional(x: Tensor[f32, N] | None):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{the constant `flag` of `no_value` must be given}}
def no_value(x: Tensor[f32, N], *, flag: const[bool]):
    i = grid(1)

# -----

from tilewright import *
D = dims("D")
@kernel
# expected-error@+1 {{a tile extent of `static_dim` depends on `D`: its size must be given}}
def static_dim(x: Tensor[f32, D]):
    i = grid(1)
    x[:] = 0

# -----

from tilewright import *
N = dims("N")
E = dtypes(f32)
@kernel
# expected-error@+1 {{the dtype `E` of `unbound_dtype` must be given}}
def unbound_dtype(x: Tensor[E, N]):
    i = grid(1)

# -----

from tilewright import *
N = dims("N")
@kernel
# expected-error@+1 {{only a tensor can be optional}}
def optional_scalar(x: Tensor[f32, N], n: i32 | None = None):
    i = grid(1)
