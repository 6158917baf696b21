// RUN: tile-opt %s --spread-rows=blocks=4 --split-input-file --verify-diagnostics | FileCheck %s

// Each block has a quarter of the row; reductions go on across the cluster; ranges and padded
// constants follow. What all blocks have is stored by the first.
// CHECK-LABEL: @softmax
// CHECK-SAME: cta.cluster = array<i64: 4>
// CHECK: %[[RANK:.*]] = tile.program_id 0
// CHECK: tile.grid[%c4{{.*}}, %{{.*}}]
// CHECK: %[[ROW:.*]] = tile.program_id 1
// CHECK: %[[START:.*]] = arith.muli %[[RANK]], %c256
// CHECK: %[[X:.*]] = tile.load %arg0[%[[ROW]], %[[START]]] extents [1, 256]
// CHECK: %[[PART:.*]] = tile.reduce max %[[X]], 1 : tensor<1x256xf32> -> tensor<1xf32>
// CHECK: %[[PEAK:.*]] = cta.cluster_reduce max %[[PART]] : tensor<1xf32>
// CHECK: tile.expand_dims %[[PEAK]]
// CHECK: tile.reduce sum
// CHECK-NEXT: %[[SUM:.*]] = cta.cluster_reduce sum
// CHECK: %[[COLUMN:.*]] = arith.muli %[[RANK]], %c256
// CHECK: tile.range %[[COLUMN]] : tensor<256xi32>
// CHECK: tile.store %{{.*}}, %arg1[%[[ROW]], %{{.*}}] extents [1, 256]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[RANK]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: tile.store %[[SUM]], %arg2
// expected-remark @+1 {{spread-rows: a cluster of 4 blocks shares the rows}}
func.func @softmax(%x: !tile.view<?x1024xf32> {tile.name = "x"}, %y: !tile.view<?x1024xf32> {tile.name = "y"},
                   %sums: !tile.view<?xf32> {tile.name = "sums"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x1024xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 1024] : !tile.view<?x1024xf32>, i32, i32 -> tensor<1x1024xf32>
  %peak = tile.reduce max %t, 1 : tensor<1x1024xf32> -> tensor<1xf32>
  %column = tile.expand_dims %peak, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %peaks = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x1024xf32>
  %d = arith.subf %t, %peaks : tensor<1x1024xf32>
  %p = math.exp2 %d : tensor<1x1024xf32>
  %sum = tile.reduce sum %p, 1 : tensor<1x1024xf32> -> tensor<1xf32>
  %numbers = tile.range %c0 : tensor<1024xi32>
  %floats = arith.sitofp %numbers : tensor<1024xi32> to tensor<1024xf32>
  %line = tile.expand_dims %floats, 0 : tensor<1024xf32> -> tensor<1x1024xf32>
  %q = arith.addf %p, %line : tensor<1x1024xf32>
  tile.store %q, %y[%i, %c0] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x1024xf32>, i32, i32
  tile.store %sum, %sums[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

func.func @narrow(%x: !tile.view<?x1024xf16> {tile.name = "x"}, %y: !tile.view<?xf16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x1024xf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 1024] : !tile.view<?x1024xf16>, i32, i32 -> tensor<1x1024xf16>
  // expected-error @+1 {{stands against rows of 4 blocks: blocks exchange f32 and i32, and it reduces 'f16'}}
  %peak = tile.reduce max %t, 1 : tensor<1x1024xf16> -> tensor<1xf16>
  tile.store %peak, %y[%i] extents [1] : tensor<1xf16>, !tile.view<?xf16>, i32
  return
}

// -----

// expected-error @+1 {{stands against rows of 4 blocks: it reduces along no axis of a multiple of 4}}
func.func @short(%x: !tile.view<?x2xf32> {tile.name = "x"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2] : !tile.view<?x2xf32>, i32, i32 -> tensor<1x2xf32>
  %peak = tile.reduce max %t, 1 : tensor<1x2xf32> -> tensor<1xf32>
  tile.store %peak, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}
