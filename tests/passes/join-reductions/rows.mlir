// RUN: tile-opt %s --bind-config=warps=8 --assign-layouts --join-reductions --split-input-file | FileCheck %s

// Neither sum needs the other. What is multiplied for the second moves in front of the first.
// CHECK-LABEL: @independent
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[SUMS:.*]]:2 = cta.joint_reduce sum %[[X]], %[[SQUARE]] along 1 :
// CHECK: arith.mulf %[[SUMS]]#0, %[[SUMS]]#0
// CHECK: arith.addf %{{.*}}, %[[SUMS]]#1
// CHECK-NOT: reduce
func.func @independent(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %sum = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %product = arith.mulf %sum, %sum : tensor<1xf32>
  %square = arith.mulf %v, %v : tensor<1x4096xf32>
  %squares = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %z = arith.addf %product, %squares : tensor<1xf32>
  tile.store %z, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// The sum of squares needs the mean. The sum behind it does not need the squares' sum: it waits
// with them.
// CHECK-LABEL: @chain
// CHECK: tile.reduce sum %[[V:.*]], 1
// CHECK: cta.joint_reduce sum
// CHECK-NOT: reduce
func.func @chain(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %sum = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %means = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x4096xf32>
  %d = arith.subf %v, %means : tensor<1x4096xf32>
  %square = arith.mulf %d, %d : tensor<1x4096xf32>
  %squares = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %e = math.exp2 %d : tensor<1x4096xf32>
  %powers = tile.reduce sum %e, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %z = arith.divf %powers, %squares : tensor<1xf32>
  tile.store %z, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// Other kinds stay apart, and so do rows that a warp has for itself.
// CHECK-LABEL: @apart
// CHECK: tile.reduce sum
// CHECK: tile.reduce max
// CHECK: tile.reduce sum {{.*}} tensor<8x64xf32
// CHECK: tile.reduce sum {{.*}} tensor<8x64xf32
func.func @apart(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?x64xf32> {tile.name = "y"}, %r: !tile.view<?xf32> {tile.name = "r"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %sum = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %max = tile.reduce max %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %z = arith.addf %sum, %max : tensor<1xf32>
  tile.store %z, %r[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  %w = tile.load %y[%i, %c0] extents [8, 64] : !tile.view<?x64xf32>, i32, i32 -> tensor<8x64xf32>
  %a = tile.reduce sum %w, 1 : tensor<8x64xf32> -> tensor<8xf32>
  %square = arith.mulf %w, %w : tensor<8x64xf32>
  %b = tile.reduce sum %square, 1 : tensor<8x64xf32> -> tensor<8xf32>
  %c = arith.addf %a, %b : tensor<8xf32>
  tile.store %c, %r[%i] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// The blocks of a cluster send both sums in one message.
// CHECK-LABEL: @cluster
// CHECK: %[[PARTS:.*]]:2 = cta.joint_reduce sum
// CHECK-NEXT: %[[SUMS:.*]]:2 = cta.cluster_reduce sum %[[PARTS]]#0, %[[PARTS]]#1 :
// CHECK-NOT: reduce
// CHECK: arith.divf %[[SUMS]]#1, %[[SUMS]]#0
func.func @cluster(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %part = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %sum = cta.cluster_reduce sum %part : tensor<1xf32>
  %square = arith.mulf %v, %v : tensor<1x4096xf32>
  %partly = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %squares = cta.cluster_reduce sum %partly : tensor<1xf32>
  %z = arith.divf %squares, %sum : tensor<1xf32>
  tile.store %z, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// What a block loads between them another one may overwrite behind the second, so blocks meet twice.
// CHECK-LABEL: @loads_between
// CHECK-COUNT-2: cta.cluster_reduce sum %{{.*}} : tensor<1xf32
func.func @loads_between(%x: !tile.view<?x4096xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %v = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xf32>, i32, i32 -> tensor<1x4096xf32>
  %part = tile.reduce sum %v, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %sum = cta.cluster_reduce sum %part : tensor<1xf32>
  %before = tile.load %y[%i] extents [1] : !tile.view<?xf32>, i32 -> tensor<1xf32>
  %square = arith.mulf %v, %v : tensor<1x4096xf32>
  %partly = tile.reduce sum %square, 1 : tensor<1x4096xf32> -> tensor<1xf32>
  %squares = cta.cluster_reduce sum %partly : tensor<1xf32>
  %z = arith.divf %squares, %sum : tensor<1xf32>
  %w = arith.addf %z, %before : tensor<1xf32>
  tile.store %w, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}
