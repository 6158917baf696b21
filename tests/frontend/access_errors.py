# RUN: tile-lower %s --split --verify-diagnostics --set D=64

from tilewright import *
B, S, H, D, N = dims("B S H D N")
@kernel
def wrong_rank(q: Tensor[bf16, B, S, H, D]):
    b, s, h = grid(B, S, H)
    # expected-error@+1 {{`q` has 4 dimensions but 3 subscripts were given}}
    t = q[b, s, :]

# -----

from tilewright import *
N, S = dims("N S")
@kernel
def run_time_extent(x: Tensor[f32, N], n: i32):
    i = grid(cdiv(N, 64))
    # expected-error@+1 {{a tile extent must be known at compile time, but `n` is a scalar of `i32`}}
    t = zeros((n, 4), f32)

# -----

from tilewright import *
N = dims("N")
@kernel
def run_time_block(x: Tensor[f32, N], n: i32):
    i = grid(1)
    # expected-error@+1 {{the extent of an index range must be known at compile time, but `n` is a scalar of `i32`}}
    t = x[block(i, n)]

# -----

from tilewright import *
N = dims("N")
@kernel
def whole_dynamic(x: Tensor[f32, N], y: Tensor[f32, N]):
    i = grid(1)
    z = (x, y)
    # expected-error@+1 {{`:` takes the whole dimension `N`, but its size is not known at compile time: slice it with `block(i, n)`}}
    t = z[0][:]

# -----

from tilewright import *
N = dims("N")
@kernel
def from_the_end(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{the index -1 is outside of every tensor: indices count from 0, none counts from the end}}
    t = x[-1]

# -----

from tilewright import *
N = dims("N")
@kernel
def wide_index(x: Tensor[f32, N], n: i64):
    i = grid(1)
    # expected-error@+1 {{an index is an `i32`, not a scalar of `i64`: cast with `.to(i32)`}}
    t = x[n]

# -----

from tilewright import *
N = dims("N")
@kernel
def float_index(x: Tensor[f32, N], n: f32):
    i = grid(1)
    # expected-error@+1 {{an index is an integer, a range or a tile of integers, not a scalar of `f32`}}
    t = x[n]

# -----

from tilewright import *
N = dims("N")
@kernel
def index_of_rank_2(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a tile of indices has rank 1, not a 8x1 tile of `i32`}}
    t = x[iota(8)[:, None]]

# -----

from tilewright import *
N = dims("N")
@kernel
def element_of_tile(x: Tensor[f32, N]):
    i = grid(1)
    t = x[block(i, 64)]
    # expected-error@+1 {{a tile takes only `:` and `None` as subscripts: it has no elements to pick; slice the tensor instead}}
    x[0] = t[3]

# -----

from tilewright import *
N = dims("N")
@kernel
def too_many_colons(x: Tensor[f32, N]):
    i = grid(1)
    t = x[block(i, 64)]
    # expected-error@+1 {{a 64 tile of `f32` has 1 dimension but 2 `:` were given}}
    t = t[:, :]

# -----

from tilewright import *
N = dims("N")
@kernel
def store_to_tile(x: Tensor[f32, N]):
    i = grid(1)
    t = x[block(i, 64)]
    # expected-error@+1 {{a 64 tile of `f32` cannot be assigned in part: only tensors are stored to; use `where` to change some elements of a tile}}
    t[0] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def absent(x: Tensor[f32, N], y: Tensor[f32, N] | None = None):
    i = grid(1)
    # expected-error@+1 {{the tensor `y` was not given: test it with `is not None`}}
    x[i] = y[i]

# -----

from tilewright import *
N = dims("N")
@kernel
def load_of_tile(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`load` takes a tensor's slice: `load(x[...], fill=0)`}}
    t = load(x, fill=0)

# -----

from tilewright import *
N = dims("N")
@kernel
def tile_as_fill(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`fill` is one number, not an index range of 64}}
    t = load(x[block(i, 64)], fill=block(i, 64))

# -----

from tilewright import *
N = dims("N")
@kernel
def zero_of_slice(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`start_at_zero` takes a tensor of the kernel, whole: `start_at_zero(y)`}}
    start_at_zero(x[0:8])

# -----

from tilewright import *
N = dims("N")
@kernel
def zero_of_tile(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`start_at_zero` takes a tensor of the kernel, whole: `start_at_zero(y)`}}
    start_at_zero(iota(8))

# -----

from tilewright import *
N = dims("N")
@kernel
def zero_late(x: Tensor[f32, N]):
    i = grid(1)
    t = x[block(i, 8)]
    # expected-error@+1 {{`start_at_zero` must come before every loop, run-time `if`, load and store: it says what the first program finds}}
    start_at_zero(x)

# -----

from tilewright import *
N = dims("N")
@kernel
def zero_in_loop(x: Tensor[f32, N]):
    i = grid(1)
    for k in range(i):
        # expected-error@+1 {{`start_at_zero` must come before every loop, run-time `if`, load and store: it says what the first program finds}}
        start_at_zero(x)

# -----

from tilewright import *
N = dims("N")
@kernel
def atomic_dtype(x: Tensor[i8, N]):
    i = grid(1)
    # expected-error@+1 {{`atomic_add` works on `f32` and `i32`, `f16` and `bf16`, but `x` holds `i8`}}
    atomic_add(x[i], 1)

# -----

from tilewright import *
N = dims("N")
@kernel
def atomic_max_dtype(x: Tensor[bf16, N]):
    i = grid(1)
    # expected-error@+1 {{`atomic_max` works on `f32` and `i32`, but `x` holds `bf16`}}
    atomic_max(x[i], 1)

# -----

from tilewright import *
N = dims("N")
@kernel
def too_large(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a tile cannot have the shape (4096x4096)}}
    t = zeros((4096, 4096), f32)

# -----

from tilewright import *
N = dims("N")
@kernel
def broadcast_too_large(x: Tensor[f32, N]):
    i = grid(1)
    r = block(i, 4096)
    # expected-error@+1 {{`+` makes a tile of 4096x4096 elements; the limit is 4194304}}
    t = r[:, None] + r[None, :]

# -----

from tilewright import *
N, M = dims("N M")
@kernel
def part_and_index(x: Tensor[f32, N, M]):
    i = grid(1)
    # expected-error@+1 {{`a:b` gives a part of the tensor `x`, which keeps its dimensions: write `:` here, and index the part}}
    t = x[0:64, i]

# -----

from tilewright import *
N = dims("N")
@kernel
def part_is_no_tile(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`a:b` gives a part of the tensor `x`, which is a tensor too; a tile is taken with `block(i, n)` or `span(start, n)`}}
    t = x[0:64] + 1

# -----

from tilewright import *
N = dims("N")
@kernel
def part_takes_no_tile(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{`a:b` gives a part of the tensor `x` and no tile: a tile is taken with `block(i, n)` or `span(start, n)`, also of a part, `x[a:b][block(i, n)]`}}
    x[0:64] = 1

# -----

from tilewright import *
N = dims("N")
@kernel
def part_from_the_end(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a part of a tensor is from one index to another, not -3: indices count from 0, none counts from the end}}
    t = x[-3:]

# -----

from tilewright import *
N = dims("N")
@kernel
def part_of_floats(x: Tensor[f32, N], f: f32, n: i64):
    i = grid(1)
    # expected-error@+1 {{a part of a tensor is from one `i32` to another, not a scalar of `f32`}}
    t = x[f:]

# -----

from tilewright import *
N = dims("N")
@kernel
def part_of_wide(x: Tensor[f32, N], n: i64):
    i = grid(1)
    # expected-error@+1 {{a part of a tensor is from one `i32` to another, not a scalar of `i64`: cast with `.to(i32)`}}
    t = x[:n]

# -----

from tilewright import *
N = dims("N")
@kernel
def part_with_step(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{a part of a tensor has no step}}
    t = x[0:64:2]

# -----

from tilewright import *
N, M = dims("N M")
@kernel
def part_rank(x: Tensor[f32, N, M]):
    i = grid(1)
    # expected-error@+1 {{`x` has 2 dimensions but 1 subscript was given}}
    t = x[0:64]

# -----

from tilewright import *
N = dims("N")
@kernel
def whole_part(x: Tensor[f32, N], n: i32):
    i = grid(1)
    # expected-error@+1 {{`:` takes all of a part of `N`, whose size is not known at compile time: slice it with `block(i, n)`}}
    t = x[:n][:]

# -----

from tilewright import *
N = dims("N")
@kernel
def part_carried(x: Tensor[f32, N], n: i32):
    i = grid(1)
    part = x[n:]
    # expected-error@+1 {{`part` is a part of the tensor `x` before the loop but another at the end of its body: a loop carries numbers and tiles; carry where the part starts, and take it where it is used}}
    for j in range(n):
        part = part[1:]

# -----

from tilewright import *
N = dims("N")
@kernel
def part_of_a_branch(x: Tensor[f32, N], n: i32):
    i = grid(1)
    part = x[n:]
    # expected-error@+1 {{`part` is a part of the tensor `x` after one branch of the `if` but a part of the tensor `x` after the other}}
    if n > 3:
        part = x[3:]

# -----

from tilewright import *
N = dims("N")
@kernel
def beyond_a_tuple(x: Tensor[f32, N]):
    i = grid(1)
    t = (1, 2)
    # expected-error@+1 {{the tuple has 2 elements; there is none at 2}}
    x[i] = t[2]

# -----

from tilewright import *
N = dims("N")
@kernel
def element_of_a_number(x: Tensor[f32, N]):
    i = grid(1)
    # expected-error@+1 {{has no elements to take}}
    x[i] = i[0]

# -----

from tilewright import *
N = dims("N")
@kernel
def slice_of_a_tuple(x: Tensor[f32, N]):
    i = grid(1)
    t = (1, 2)
    # expected-error@+1 {{a slice stands only between brackets}}
    x[i] = t[0:1]

# -----

from tilewright import *
N = dims("N")
@kernel
def too_many_axes(x: Tensor[f32, N]):
    i = grid(1)
    t = zeros((2, 2), f32)
    # expected-error@+1 {{a tile has at most 8 dimensions}}
    u = t[:, :, None, None, None, None, None, None, None]
