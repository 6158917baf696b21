# RUN: tile-lower %s --defaults | FileCheck %s

from tilewright import *

N, M = dims("N M")


# Literals take the type of what they meet; they never become separate tiles of another type.
# CHECK-LABEL: func.func @literals
@kernel
def literals(x: Tensor[bf16, N], k: Tensor[i32, N]):
    i = grid(1)
    # CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<64xbf16>
    # CHECK: arith.mulf %[[TWO]], %{{.*}} : tensor<64xbf16>
    x[:] = 2 * x[:]
    # CHECK: arith.addi {{.*}} : tensor<64xi32>
    k[:] = k[:] + 1
    # CHECK: tile.cast {{.*}} : tensor<64xi32> -> tensor<64xf32>
    # CHECK: arith.mulf {{.*}} : tensor<64xf32>
    # CHECK: tile.cast {{.*}} : tensor<64xf32> -> tensor<64xbf16>
    x[:] = k[:] * 0.5


# CHECK-LABEL: func.func @promotions
@kernel
def promotions(a: Tensor[bf16, N], b: Tensor[f16, N], c: Tensor[f32, N], k: Tensor[i16, N], l: Tensor[i32, N]):
    i = grid(1)
    # CHECK: arith.addf {{.*}} : tensor<64xf32>
    c[:] = a[:] + b[:]
    # CHECK: arith.addf {{.*}} : tensor<64xf32>
    c[:] = a[:] + c[:]
    # CHECK: arith.addf {{.*}} : tensor<64xbf16>
    a[:] = a[:] + k[:]
    # CHECK: arith.addi {{.*}} : tensor<64xi32>
    l[:] = l[:] + k[:]


# CHECK-LABEL: func.func @broadcasts
@kernel
def broadcasts(x: Tensor[f32, N, M], w: Tensor[f32, M], s: f32):
    i = grid(1)
    # CHECK: tile.expand_dims %{{.*}}, 0 : tensor<64xf32> -> tensor<1x64xf32>
    # CHECK: tile.broadcast {{.*}} : tensor<1x64xf32> -> tensor<64x64xf32>
    t = x[:, :] * w[:]
    # CHECK: tile.splat %{{.*}} : f32 -> tensor<64x64xf32>
    x[:, :] = t + s


# Constants are computed here, as Python computes them.
# CHECK-LABEL: func.func @folds
@kernel
def folds(k: Tensor[i32, N], y: Tensor[f32, N]):
    i = grid(1)
    # CHECK: arith.constant dense<-4> : tensor<64xi32>
    k[:] = -7 // 2
    # CHECK: arith.constant dense<1> : tensor<64xi32>
    k[:] = -7 % 2
    # CHECK: arith.constant dense<4> : tensor<64xi32>
    k[:] = cdiv(7, 2) if N == 64 else 0
    # CHECK: arith.constant dense<1024> : tensor<64xi32>
    k[:] = 2**10 | 0
    # CHECK: arith.constant dense<1.500000e+00> : tensor<64xf32>
    y[:] = max(1.5, 1) * exp(0)


# Division rounds down; operands that cannot be negative take the cheap form.
# CHECK-LABEL: func.func @divisions
@kernel
def divisions(k: Tensor[i32, M], n: i32):
    # CHECK: arith.ceildivsi
    i = grid(cdiv(M, 8))
    # CHECK: arith.divsi
    # CHECK: arith.remsi
    k[0] = i // 3 + M % 3
    # CHECK: arith.floordivsi
    k[1] = n // 3
    # CHECK: %[[Q:.*]] = arith.floordivsi
    # CHECK: %[[P:.*]] = arith.muli %[[Q]]
    # CHECK: arith.subi %{{.*}}, %[[P]]
    k[2] = n % 3


# CHECK-LABEL: func.func @comparisons
@kernel
def comparisons(x: Tensor[f32, N], b: Tensor[bool, N], n: i32):
    i = grid(1)
    # CHECK: arith.cmpf olt
    # CHECK: arith.cmpf une
    # CHECK: arith.andi {{.*}} : tensor<64xi1>
    # CHECK: arith.xori {{.*}} : tensor<64xi1>
    b[:] = ~((x[:] < 1) & (x[:] != x[:]))
    # CHECK: arith.cmpi sge
    # CHECK: arith.cmpi eq
    # CHECK: arith.ori {{.*}} : i1
    # CHECK: arith.select {{.*}} : f32
    x[0] = 1.0 if n >= 3 or i == 0 else 0.0
    # CHECK: arith.select {{.*}} : tensor<64xi1>, tensor<64xf32>
    x[:] = where(b[:], x[:], -inf)


# sigmoid is made of several steps and rounds once, to the type of its argument.
# CHECK-LABEL: func.func @sigmoid_in_f32
@kernel
def sigmoid_in_f32(x: Tensor[bf16, N]):
    i = grid(1)
    # CHECK: tile.cast {{.*}} : tensor<64xbf16> -> tensor<64xf32>
    # CHECK: math.exp {{.*}} : tensor<64xf32>
    # CHECK: arith.divf {{.*}} : tensor<64xf32>
    # CHECK: tile.cast {{.*}} : tensor<64xf32> -> tensor<64xbf16>
    x[:] = sigmoid(x[:])


# CHECK-LABEL: func.func @powers
@kernel
def powers(x: Tensor[f32, N]):
    i = grid(1)
    # CHECK: %[[X:.*]] = tile.load
    # CHECK: %[[X2:.*]] = arith.mulf %[[X]], %[[X]]
    # CHECK: %[[X3:.*]] = arith.mulf %[[X]], %[[X2]]
    # CHECK: tile.store %[[X3]]
    x[:] = x[:] ** 3


# CHECK-LABEL: func.func @casts
@kernel
def casts(x: Tensor[f32, N], q: Tensor[f8e4m3, N], k: Tensor[i8, N], *, T: const[dtype] = f8e5m2):
    i = grid(1)
    # CHECK: tile.cast {{.*}} : tensor<64xf32> -> tensor<64xf8E5M2>
    # CHECK: tile.cast {{.*}} : tensor<64xf8E5M2> -> tensor<64xf8E4M3FN>
    q[:] = x[:].to(T)
    # CHECK: tile.cast {{.*}} : tensor<64xf32> -> tensor<64xi8>
    k[:] = x[:].to(k.dtype)
    # CHECK-NOT: tile.cast
    # CHECK: arith.constant dense<3> : tensor<64xi8>
    k[:] = 3


# CHECK-LABEL: func.func @literals_become_bools
@kernel
def literals_become_bools(b: Tensor[bool, N]):
    i = grid(1)
    # CHECK: tile.cast %{{.*}} : i32 -> i1
    b[:] = (-2).to(bool)
