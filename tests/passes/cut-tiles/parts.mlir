// RUN: tile-opt %s --cut-tiles --split-input-file | FileCheck %s

// What has the rows of the tile that is stored becomes two; b, and its scale, are for both. Places of loads
// and stores move on where they are made. Masks are those of a part's own rows.

!view = !tile.view<?x64xf16, align 16>
!out = !tile.view<?x64xf32, align 16>

// CHECK-LABEL: func.func @k(
// CHECK-SAME: plan.parts = {rows = 2 : i64}
// CHECK: %[[ROW:.*]] = arith.muli
// CHECK: %[[LOWER:.*]] = arith.addi %[[ROW]], %c64_i32
// CHECK: %[[SUMS:.*]]:3 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[N:.*]] = %c0_i32) -> (tensor<64x32xf32>, tensor<64x32xf32>, i32)
// CHECK: %[[X0:.*]] = tile.load %arg0[%[[ROW]], %c0_i32] extents [64, 64] {{.*}} -> tensor<64x64xf16>
// CHECK: %[[X1:.*]] = tile.load %arg0[%[[LOWER]], %c0_i32] extents [64, 64] {{.*}} -> tensor<64x64xf16>
// CHECK: %[[Y:.*]] = tile.load %arg1
// CHECK: %[[T:.*]] = tile.transpose %[[Y]]
// CHECK: tile.dot %[[X0]], %[[T]]
// CHECK-NEXT: tile.dot %[[X1]], %[[T]]
// CHECK: tile.range %[[ROW]] : tensor<64xi32>
// CHECK: tile.range %[[LOWER]] : tensor<64xi32>
// CHECK: %[[MASKED:.*]]:2 = scf.if
// CHECK-COUNT-2: arith.select {{.*}} tensor<64x32xi1>, tensor<64x32xf32>
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<64x32xf32>
// CHECK: %[[A1:.*]] = arith.addf %[[A]], %[[MASKED]]#0
// CHECK: %[[B1:.*]] = arith.addf %[[B]], %[[MASKED]]#1
// CHECK: scf.yield %[[A1]], %[[B1]], %{{.*}}
// A mask that is false says what an iteration does to the rows of its own part alone.
// CHECK: {plan.kept}
// CHECK: tile.store %[[SUMS]]#0, %arg2[%[[ROW]], %c0_i32] extents [64, 32]
// CHECK: tile.store %[[SUMS]]#1, %arg2[%[[LOWER]], %c0_i32] extents [64, 32]
// CHECK-COUNT-2: tile.reduce max {{.*}}, 1 : tensor<64x32xf32> -> tensor<64xf32>
// CHECK: tile.store %{{.*}}, %arg3[%[[ROW]]] extents [64]
// CHECK: tile.store %{{.*}}, %arg3[%[[LOWER]]] extents [64]
func.func @k(%a: !view, %b: !view, %o: !out, %peaks: !tile.view<?xf32>)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %N = tile.dim %b, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c128 : i32
  %sums:2 = scf.for %i = %c0 to %N step %c1 iter_args(%acc = %zero, %n = %c0) -> (tensor<128x32xf32>, i32) : i32 {
    %x = tile.load %a[%row, %c0] extents [128, 64] : !view, i32, i32 -> tensor<128x64xf16>
    %y = tile.load %b[%i, %c0] extents [32, 64] : !view, i32, i32 -> tensor<32x64xf16>
    %t = tile.transpose %y [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
    %p = tile.dot %x, %t, %zero : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
    %rows = tile.range %row : tensor<128xi32>
    %limit = tile.splat %n : i32 -> tensor<128xi32>
    %below = arith.cmpi slt, %rows, %limit : tensor<128xi32>
    %column = tile.expand_dims %below, 1 : tensor<128xi1> -> tensor<128x1xi1>
    %mask = tile.broadcast %column : tensor<128x1xi1> -> tensor<128x32xi1>
    %any = arith.cmpi slt, %i, %c32 : i32
    %q = scf.if %any -> (tensor<128x32xf32>) {
      %kept = arith.select %mask, %p, %zero : tensor<128x32xi1>, tensor<128x32xf32>
      scf.yield %kept : tensor<128x32xf32>
    } else {
      scf.yield %p : tensor<128x32xf32>
    }
    %next = arith.addf %acc, %q : tensor<128x32xf32>
    %count = arith.addi %n, %c32 : i32
    scf.yield %next, %count : tensor<128x32xf32>, i32
  } {plan.kept, tile.idle_masks}
  tile.store %sums#0, %o[%row, %c0] extents [128, 32] : tensor<128x32xf32>, !out, i32, i32
  %peak = tile.reduce max %sums#0, 1 : tensor<128x32xf32> -> tensor<128xf32>
  tile.store %peak, %peaks[%row] extents [128] : tensor<128xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xf16, align 16>

// Both axes; rows that an index tile names are cut with it.

// CHECK-LABEL: func.func @both(
// CHECK-SAME: plan.parts = {columns = 2 : i64, rows = 4 : i64}
// CHECK-COUNT-4: tile.load %arg0[%{{.*}}] extents [16]
// CHECK-COUNT-8: tile.load %arg1[%{{.*}}] extents [-1, 32] {{.*}} -> tensor<16x32xf16>
// CHECK-COUNT-8: tile.store {{.*}} extents [16, 32]
func.func @both(%places: !tile.view<?xi32>, %a: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of both for sm_90\0A tiles rows in 4 parts, columns in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %from = tile.load %places[%row] extents [64] : !tile.view<?xi32>, i32 -> tensor<64xi32>
  %x = tile.load %a[%from, %c0] extents [-1, 64] : !view, tensor<64xi32>, i32 -> tensor<64x64xf16>
  %y = arith.addf %x, %x : tensor<64x64xf16>
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf16>, !view, i32, i32
  return
}
