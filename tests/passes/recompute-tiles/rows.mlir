// RUN: tile-opt %s --bind-config=warps=1 --assign-layouts --recompute-tiles --split-input-file | FileCheck %s

// Both sides of the reduction cast the row that was loaded. What is behind it cannot be merged with
// what is in front.
// CHECK-LABEL: @norm
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK: %[[A:.*]] = tile.cast %[[X]]
// CHECK: %[[B:.*]] = tile.cast %[[X]]
// CHECK: arith.mulf %[[B]], %[[A]]
// CHECK: %[[S:.*]] = tile.reduce sum
// CHECK: %[[AGAIN:.*]] = cta.opaque %[[X]]
// CHECK: %[[C:.*]] = tile.cast %[[AGAIN]]
// CHECK: arith.mulf %[[C]], %{{.*}}
func.func @norm(%x: !tile.view<?x2048xbf16> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xbf16>, i32, i32 -> tensor<1x2048xbf16>
  %v = tile.cast %t : tensor<1x2048xbf16> -> tensor<1x2048xf32>
  %square = arith.mulf %v, %v : tensor<1x2048xf32>
  %sum = tile.reduce sum %square, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %v, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}

// -----

// What takes long to compute is kept, as are tiles that were loaded in 32 bits.
// CHECK-LABEL: @softmax
// CHECK: %[[P:.*]] = math.exp2
// CHECK: tile.reduce sum %[[P]]
// CHECK-NOT: cta.opaque
// CHECK: arith.divf %[[P]]
func.func @softmax(%x: !tile.view<?x2048xbf16> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xbf16>, i32, i32 -> tensor<1x2048xbf16>
  %v = tile.cast %t : tensor<1x2048xbf16> -> tensor<1x2048xf32>
  %p = math.exp2 %v : tensor<1x2048xf32>
  %sum = tile.reduce sum %p, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.divf %p, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}

// -----

// CHECK-LABEL: @loaded_wide
// CHECK-NOT: cta.opaque
func.func @loaded_wide(%x: !tile.view<?x2048xf32> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xf32>, i32, i32 -> tensor<1x2048xf32>
  %square = arith.mulf %t, %t : tensor<1x2048xf32>
  %sum = tile.reduce sum %square, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %t, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}
