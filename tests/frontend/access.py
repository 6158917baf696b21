# RUN: tile-lower %s --defaults | FileCheck %s

from tilewright import *

B, S, D, N = dims("B S D N")


# CHECK-LABEL: func.func @subscripts
# CHECK-SAME: %[[X:.*]]: !tile.view<?x?x64xf32>
# CHECK-SAME: tile.dims = ["B", "S", "D"], tile.name = "x"
@kernel
def subscripts(x: Tensor[f32, B, S, D], ids: Tensor[i32, N], y: Tensor[f32, N, D]):
    b, s = grid(B, cdiv(S, 16))
    # CHECK: %[[ROWS:.*]] = arith.muli
    rows = block(s, 16)
    # CHECK: tile.load %[[X]][%{{.*}}, %[[ROWS]], %{{.*}}] extents [0, 16, 64] : {{.*}} -> tensor<16x64xf32>
    t = x[b, rows, :]
    # CHECK: tile.load %[[X]]{{.*}} extents [0, 0, 0] : {{.*}} -> f32
    c = x[b, 0, 3]
    # CHECK: %[[IDS:.*]] = tile.load {{.*}} -> tensor<8xi32>
    # CHECK: tile.load %[[X]][%{{.*}}, %[[IDS]], %{{.*}}] extents [0, -1, 64] : {{.*}} -> tensor<8x64xf32>
    g = x[b, ids[iota(8)], :]
    # CHECK: tile.store %{{.*}}, %{{.*}} extents [-1, 64]
    y[ids[iota(8)], :] = g * c
    # CHECK: tile.load {{.*}} fill %{{.*}} : f32
    f = load(x[b, rows, :], fill=-1)
    # CHECK: tile.store {{.*}} extents [16, 64]
    y[rows, :] = t + f


# A range and a scalar make a range: the load stays contiguous.
# CHECK-LABEL: func.func @shifted_ranges
@kernel
def shifted_ranges(x: Tensor[f32, N], n: i32):
    i = grid(1)
    rows = block(i, 16)
    # CHECK: %[[A:.*]] = arith.addi
    # CHECK: tile.load %{{.*}}[%[[A]]] extents [16]
    # CHECK: %[[B:.*]] = arith.subi
    # CHECK: tile.store %{{.*}}, %{{.*}}[%[[B]]] extents [16]
    x[rows - 1] = x[n + rows]
    # CHECK: %[[T:.*]] = arith.muli {{.*}} : tensor<16xi32>
    # CHECK: tile.load %{{.*}}[%[[T]]] extents [-1]
    x[rows] = x[2 * rows]


# CHECK-LABEL: func.func @starts
# CHECK-SAME: tile.name = "x", tile.starts_at_zero}, %arg1: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"}
@kernel
def starts(x: Tensor[f32, N], y: Tensor[f32, N]):
    start_at_zero(x)
    r = block(grid(cdiv(N, 8)), 8)
    atomic_add(x[r], y[r])


# CHECK-LABEL: func.func @stores
@kernel
def stores(x: Tensor[bf16, N], y: Tensor[f32, B, N], k: Tensor[i32, N]):
    i = grid(1)
    r = span(8 * i, 16)
    # CHECK: %[[OLD:.*]] = tile.load
    # CHECK: %[[NEW:.*]] = arith.addf %[[OLD]]
    # CHECK: tile.store %[[NEW]]
    x[r] += 1
    # CHECK: tile.atomic add
    atomic_add(x[r], 1.0)
    # CHECK: tile.atomic max {{.*}} extents [0, 16]
    atomic_max(y[i, r], 0.5)
    # CHECK: tile.atomic min
    atomic_min(k[0], i)
    # CHECK: %[[N:.*]] = tile.cast %{{.*}} : tensor<16xf32> -> tensor<16xbf16>
    # CHECK: tile.store %[[N]]
    x[r] = y[i, r]
    # CHECK: arith.constant dense<0.000000e+00> : tensor<1x16xf32>
    # CHECK: tile.broadcast
    y[iota(2), r] = zeros((1, 16), f32)


# Parts: bounds are cut to the tensor, and rows keep the alignment of the tensor's.
# CHECK-LABEL: func.func @parts
# CHECK-SAME: %[[X:.*]]: !tile.view<?x64xf32
@kernel
def parts(x: Tensor[f32, N, D], n: i32):
    i = grid(1)
    # CHECK: %[[SIZE:.*]] = tile.dim %[[X]], 0
    # CHECK: %[[LOW:.*]] = arith.maxsi %{{.*}}, %{{.*}}
    # CHECK: %[[START:.*]] = arith.minsi %[[LOW]], %[[SIZE]]
    # CHECK: %[[HIGH:.*]] = arith.maxsi %{{.*}}, %[[START]]
    # CHECK: %[[STOP:.*]] = arith.minsi %[[HIGH]], %[[SIZE]]
    # CHECK: %[[COUNT:.*]] = arith.subi %[[STOP]], %[[START]]
    # CHECK: %[[PART:.*]] = tile.subview %[[X]], 0 from %[[START]] size %[[COUNT]]
    part = x[n:n + 8, :]
    # CHECK: tile.load %[[PART]][%{{.*}}, %{{.*}}] extents [16, 64]
    t = part[span(0, 16), :]
    # No bound but 0 is known not to lie past the end.
    # CHECK-NOT: arith.minsi
    # CHECK: tile.subview %[[X]], 1 from %{{.*}} size %{{.*}} -> <?x?xf32>
    x[:, 0:][span(0, 16), iota(8)] = part.shape[0].to(f32)
