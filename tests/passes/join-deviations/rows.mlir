// RUN: tile-opt %s --bind-config=warps=8 --assign-layouts --join-reductions --join-deviations --split-input-file | FileCheck %s

!row = tensor<1x4096xf32>
!one = tensor<1xf32>

// A mean over two blocks of a cluster, the variance, and a sum of weighted deviations: one meeting
// finds all of them. A block has 4096 of a row's 8192 elements.
// CHECK-LABEL: @gradient
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK: %[[W:.*]] = tile.load %arg1
// CHECK: %[[PARTS:.*]]:4 = cta.moments %[[X]], %[[W]] along 1 :
// CHECK-NEXT: %[[ALL:.*]]:4 = cta.cluster_reduce sum %[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2, %[[PARTS]]#3 moments 4096 :
// CHECK-NOT: reduce
// CHECK: %[[A:.*]] = arith.addf %[[ALL]]#0, %[[ALL]]#1
// CHECK: %[[B:.*]] = arith.addf %[[ALL]]#2, %[[ALL]]#3
// CHECK: arith.addf %[[A]], %[[B]]
func.func @gradient(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %w: !tile.view<?x4096xf32> {tile.name = "w"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> !row
  %u = tile.load %w[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> !row
  %share = arith.constant dense<1.220703125e-04> : !one
  %sum_part = tile.reduce sum %v, 1 : !row -> !one
  %sum = cta.cluster_reduce sum %sum_part : !one
  %weights_part = tile.reduce sum %u, 1 : !row -> !one
  %weights = cta.cluster_reduce sum %weights_part : !one
  %mean = arith.mulf %sum, %share : !one
  %column = tile.expand_dims %mean, 1 : !one -> tensor<1x1xf32>
  %means = tile.broadcast %column : tensor<1x1xf32> -> !row
  %d = arith.subf %v, %means : !row
  %square = arith.mulf %d, %d : !row
  %squares_part = tile.reduce sum %square, 1 : !row -> !one
  %squares = cta.cluster_reduce sum %squares_part : !one
  %weighted = arith.mulf %d, %u : !row
  %products_part = tile.reduce sum %weighted, 1 : !row -> !one
  %products = cta.cluster_reduce sum %products_part : !one
  %a = arith.addf %mean, %squares : !one
  %b = arith.addf %weights, %products : !one
  %z = arith.addf %a, %b : !one
  tile.store %z, %y[%i] extents [1] : !one, !tile.view<?xf32>, i32
  return
}

// -----

// The sum itself is the mean times the number of elements of the whole row.
// CHECK-LABEL: @sum_too
// CHECK: %[[ALL:.*]]:2 = cta.cluster_reduce sum {{.*}} moments 4096 :
// CHECK: %[[N:.*]] = arith.constant dense<8.192000e+03>
// CHECK: %[[SUM:.*]] = arith.mulf %[[ALL]]#0, %[[N]]
// CHECK: arith.divf %[[ALL]]#1, %[[SUM]]
func.func @sum_too(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %count = arith.constant dense<8192.0> : tensor<1xf32>
  %sum_part = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %sum = cta.cluster_reduce sum %sum_part : tensor<1xf32>
  %mean = arith.divf %sum, %count : tensor<1xf32>
  %column = tile.expand_dims %mean, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %means = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x4096xf32>
  %d = arith.subf %v, %means : tensor<1x4096xf32>
  %square = arith.mulf %d, %d : tensor<1x4096xf32>
  %squares_part = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %squares = cta.cluster_reduce sum %squares_part : tensor<1xf32>
  %z = arith.divf %squares, %sum : tensor<1xf32>
  tile.store %z, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// 4000 of a row's 4096 elements count, so it is no mean of the tile.
// CHECK-LABEL: @masked
// CHECK-NOT: cta.moments
func.func @masked(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %count = arith.constant dense<8000.0> : tensor<1xf32>
  %sum_part = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %sum = cta.cluster_reduce sum %sum_part : tensor<1xf32>
  %mean = arith.divf %sum, %count : tensor<1xf32>
  %column = tile.expand_dims %mean, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %means = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x4096xf32>
  %d = arith.subf %v, %means : tensor<1x4096xf32>
  %square = arith.mulf %d, %d : tensor<1x4096xf32>
  %squares_part = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %squares = cta.cluster_reduce sum %squares_part : tensor<1xf32>
  tile.store %squares, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// What is loaded between the meetings may be overwritten by another block behind the second one.
// CHECK-LABEL: @loads_between
// CHECK-NOT: cta.moments
func.func @loads_between(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %count = arith.constant dense<8192.0> : tensor<1xf32>
  %sum_part = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %sum = cta.cluster_reduce sum %sum_part : tensor<1xf32>
  %mean = arith.divf %sum, %count : tensor<1xf32>
  %column = tile.expand_dims %mean, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %means = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x4096xf32>
  %before = tile.load %y[%i] extents [1] : !tile.view<?xf32>, i32 -> tensor<1xf32>
  %d = arith.subf %v, %means : tensor<1x4096xf32>
  %square = arith.mulf %d, %d : tensor<1x4096xf32>
  %squares_part = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %squares = cta.cluster_reduce sum %squares_part : tensor<1xf32>
  %z = arith.addf %squares, %before : tensor<1xf32>
  tile.store %z, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// Within a block, to meet twice takes less than to merge means and deviations.
// CHECK-LABEL: @one_block
// CHECK-NOT: cta.moments
func.func @one_block(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %count = arith.constant dense<4096.0> : tensor<1xf32>
  %sum = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %mean = arith.divf %sum, %count : tensor<1xf32>
  %column = tile.expand_dims %mean, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %means = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x4096xf32>
  %d = arith.subf %v, %means : tensor<1x4096xf32>
  %square = arith.mulf %d, %d : tensor<1x4096xf32>
  %squares = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  tile.store %squares, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}
