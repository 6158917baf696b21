# RUN: tile-lower %s --split --verify-diagnostics --set M=64,K=48,N=32

from tilewright import *
M, K, N = dims("M K N")
@kernel
def inner(a: Tensor[bf16, M, K], b: Tensor[bf16, N, K]):
    i = grid(1)
    # expected-error@+1 {{`dot` cannot multiply a 64x48 tile of `bf16` by a 32x48 tile of `bf16`: the inner dimensions are 48 and 32}}
    c = dot(a[:, :], b[:, :])

# -----

from tilewright import *
M, K, N = dims("M K N")
@kernel
def element_types(a: Tensor[bf16, M, K], b: Tensor[f16, K, N]):
    i = grid(1)
    # expected-error@+1 {{`dot` multiplies tiles of one element type, not `bf16` by `f16`}}
    c = dot(a[:, :], b[:, :])

# -----

from tilewright import *
M, K, N = dims("M K N")
@kernel
def integers(a: Tensor[i32, M, K], b: Tensor[i32, K, N]):
    i = grid(1)
    # expected-error@+1 {{`dot` multiplies floats or `i8`, not `i32`}}
    c = dot(a[:, :], b[:, :])

# -----

from tilewright import *
M, K, N = dims("M K N")
@kernel
def ranks(a: Tensor[bf16, M, K], b: Tensor[bf16, K, N]):
    i = grid(1)
    # expected-error@+1 {{`dot` takes tiles of rank 2, not a 48 tile of `bf16`}}
    c = dot(a[:, :], b[:, 0])

# -----

from tilewright import *
M, K, N = dims("M K N")
@kernel
def accumulator(a: Tensor[bf16, M, K], b: Tensor[bf16, K, N]):
    i = grid(1)
    # expected-error@+1 {{the accumulator of this `dot` is a 64x32 tile of `f32`, not a 64x64 tile of `f32`}}
    c = dot(a[:, :], b[:, :], zeros((M, M), f32))

# -----

from tilewright import *
M, K, N = dims("M K N")
@kernel
def run_time_tf32(a: Tensor[f32, M, K], b: Tensor[f32, K, N]):
    i = grid(1)
    # expected-error@+1 {{`tf32` is a compile-time `bool`, not a scalar of `bool`}}
    c = dot(a[:, :], b[:, :], tf32=i > 3)
