// RUN: tile-opt %s --join-programs | FileCheck %s

// Two programs of 64 rows are one of 128: tiles, places and the grid.

!view = !tile.view<?x64xf32, align 16>

// CHECK-LABEL: func.func @k
// CHECK: %[[COUNT:.*]] = arith.ceildivsi
// CHECK: %[[PAIRS:.*]] = arith.ceildivsi %[[COUNT]], %{{.*}} : i32
// CHECK: tile.grid[%[[PAIRS]]]
// CHECK: %[[PAIR:.*]] = tile.program_id 0
// CHECK: %[[FIRST:.*]] = arith.muli %[[PAIR]], %c2_i32
// CHECK: %[[ROW:.*]] = arith.muli %[[FIRST]], %c64_i32
// CHECK: tile.load %{{.*}}[%[[ROW]], %{{.*}}] extents [128, 64] {{.*}} -> tensor<128x64xf32>
// CHECK: tile.reduce sum %{{.*}}, 1 : tensor<128x64xf32> -> tensor<128xf32>
// CHECK: tile.range %[[ROW]] : tensor<128xi32>
// CHECK: arith.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[ROW]], %{{.*}}] extents [128, 64] : tensor<128x64xf32>
func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"}, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %s = tile.reduce sum %x, 1 : tensor<64x64xf32> -> tensor<64xf32>
  %rows = tile.range %row : tensor<64xi32>
  %ends = tile.splat %n : i32 -> tensor<64xi32>
  %in = arith.cmpi slt, %rows, %ends : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %kept = arith.select %in, %s, %zero : tensor<64xi1>, tensor<64xf32>
  %column = tile.expand_dims %kept, 1 : tensor<64xf32> -> tensor<64x1xf32>
  %all = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
  %y = arith.mulf %x, %all : tensor<64x64xf32>
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}
