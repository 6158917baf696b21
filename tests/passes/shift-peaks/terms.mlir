// RUN: tile-opt %s --shift-peaks --split-input-file | FileCheck %s

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x32xf32>

// z = s - k (row - column), under a branch on whether there is a mask: each element is left with one
// addition of a number that is computed in front of the loop.
// CHECK-LABEL: func.func @distances(
// CHECK: %[[RANGE:.*]] = tile.range %c0_i32{{.*}} : tensor<32xi32>
// CHECK-NEXT: %[[NUMBERS:.*]] = tile.cast %[[RANGE]]
// CHECK: %[[COLUMNS:.*]] = arith.mulf %[[NUMBERS]], %{{.*}} : tensor<32xf32>
// CHECK: %[[KEPT:.*]] = cta.opaque %[[COLUMNS]]
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.load
// CHECK: %[[ONE_ROW:.*]] = tile.expand_dims %[[KEPT]], 0
// CHECK: %[[ALL:.*]] = tile.broadcast %[[ONE_ROW]]
// CHECK: %[[X:.*]] = arith.addf %[[S]], %[[ALL]] : tensor<64x32xf32>
// CHECK: %[[MASKED:.*]] = scf.if
// CHECK: arith.select %{{.*}}, %[[X]]
// CHECK: scf.yield %[[X]]
// CHECK: %[[SHIFT:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<64xf32>
// CHECK: %[[BEFORE:.*]] = arith.subf %[[M:.*]], %[[SHIFT]]
// CHECK: %[[PEAK:.*]], %[[SHRINK:.*]] = cta.raise %[[BEFORE]], %[[MASKED]] times %{{.*}} by 8.0
// CHECK: %[[SAME:.*]] = arith.cmpf oeq, %[[SHRINK]]
// CHECK: %[[RISEN:.*]] = arith.addf %[[PEAK]], %[[SHIFT]]
// CHECK: arith.select %[[SAME]], %[[M]], %[[RISEN]]
// CHECK: %[[NEGATED:.*]] = arith.negf %[[PEAK]]
// CHECK: math.fma %[[MASKED]]
func.func @distances(%x: !view, %o: !tile.view<?xf32>, %n: i32, %k: f32, %f: f32, %partial: i1)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %hidden = arith.constant dense<0xFF800000> : !tile
  %row = tile.range %c0 : tensor<64xi32>
  %row_f = tile.cast %row : tensor<64xi32> -> !rows
  %row1 = tile.expand_dims %row_f, 1 : !rows -> tensor<64x1xf32>
  %place = tile.broadcast %row1 : tensor<64x1xf32> -> !tile
  %ks = tile.splat %k : f32 -> !tile
  %fs = tile.splat %f : f32 -> !tile
  %peak, %total = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %first = arith.muli %i, %c32 : i32
    %s = tile.load %x[%c0, %first] extents [64, 32] : !view, i32, i32 -> !tile
    %column = tile.range %first : tensor<32xi32>
    %column_f = tile.cast %column : tensor<32xi32> -> tensor<32xf32>
    %column1 = tile.expand_dims %column_f, 0 : tensor<32xf32> -> tensor<1x32xf32>
    %columns = tile.broadcast %column1 : tensor<1x32xf32> -> !tile
    %distance = arith.subf %place, %columns : !tile
    %term = arith.mulf %distance, %ks : !tile
    %z = arith.subf %s, %term : !tile
    %masked = scf.if %partial -> !tile {
      %mask = arith.cmpf ole, %columns, %place : !tile
      %some = arith.select %mask, %z, %hidden : tensor<64x32xi1>, !tile
      scf.yield %some : !tile
    } else {
      scf.yield %z : !tile
    }
    %now, %shrink = cta.raise %m, %masked times %f by 8.0 : !rows, !tile
    %minus = arith.negf %now : !rows
    %minus1 = tile.expand_dims %minus, 1 : !rows -> tensor<64x1xf32>
    %minuses = tile.broadcast %minus1 : tensor<64x1xf32> -> !tile
    %power = math.fma %masked, %fs, %minuses : !tile
    %p = math.exp2 %power : !tile
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = math.fma %t, %shrink, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  }
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  tile.store %peak, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x32xf32>

// A number of each row alone, and no factor. Elements are what was loaded.
// CHECK-LABEL: func.func @numbered_rows(
// CHECK: %[[S:.*]] = tile.load %arg0
// CHECK: %[[PEAK:.*]], %{{.*}} = cta.raise %{{.*}}, %[[S]] times
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[PEAK]], 1
// CHECK: %[[PEAKS:.*]] = tile.broadcast %[[COLUMN]]
// CHECK: arith.subf %[[S]], %[[PEAKS]]
func.func @numbered_rows(%x: !view, %o: !tile.view<?xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 32] : !view, i32, i32 -> !tile
    %number = tile.range %i : tensor<64xi32>
    %bias = tile.cast %number : tensor<64xi32> -> !rows
    %bias1 = tile.expand_dims %bias, 1 : !rows -> tensor<64x1xf32>
    %biases = tile.broadcast %bias1 : tensor<64x1xf32> -> !tile
    %z = arith.addf %s, %biases : !tile
    %now, %shrink = cta.raise %m, %z times %one by 8.0 : !rows, !tile
    %now1 = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %nows = tile.broadcast %now1 : tensor<64x1xf32> -> !tile
    %power = arith.subf %z, %nows : !tile
    %p = math.exp2 %power : !tile
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = math.fma %t, %shrink, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  }
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  tile.store %peak, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x32xf32>

// Somebody else reads what is raised, the peak is whole, or the numbers may be infinite: all stays.
// CHECK-LABEL: func.func @other_reader(
// CHECK: %[[Z:.*]] = arith.addf
// CHECK: cta.raise %{{.*}}, %[[Z]]
// CHECK: cta.raise %{{.*}}, %{{.*}} times {{.*}} whole
// CHECK: %[[LIFTED:.*]] = arith.addf
// CHECK: cta.raise %{{.*}}, %[[LIFTED]]
func.func @other_reader(%x: !view, %o: !tile.view<?xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %peak, %peak2, %peak3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest, %m2 = %lowest, %m3 = %lowest) -> (!rows, !rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 32] : !view, i32, i32 -> !tile
    %number = tile.range %i : tensor<64xi32>
    %bias = tile.cast %number : tensor<64xi32> -> !rows
    %bias1 = tile.expand_dims %bias, 1 : !rows -> tensor<64x1xf32>
    %biases = tile.broadcast %bias1 : tensor<64x1xf32> -> !tile
    %z = arith.addf %s, %biases : !tile
    tile.store %z, %x[%c0, %i] extents [64, 32] : !tile, !view, i32, i32
    %now, %shrink = cta.raise %m, %z times %one by 8.0 : !rows, !tile
    %z2 = arith.addf %s, %biases : !tile
    %now2, %shrink2 = cta.raise %m2, %z2 times %one by 0.0 whole 8.0 : !rows, !tile
    %lift = tile.load %o[%i] extents [64] : !tile.view<?xf32>, i32 -> !rows
    %lift1 = tile.expand_dims %lift, 1 : !rows -> tensor<64x1xf32>
    %lifts = tile.broadcast %lift1 : tensor<64x1xf32> -> !tile
    %z3 = arith.addf %s, %lifts : !tile
    %now3, %shrink3 = cta.raise %m3, %z3 times %one by 8.0 : !rows, !tile
    scf.yield %now, %now2, %now3 : !rows, !rows, !rows
  }
  tile.store %peak, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  tile.store %peak2, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  tile.store %peak3, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x32xf32>

// Numbers of columns alone stay where they are: nothing is left to be kept for them.
// CHECK-LABEL: func.func @numbered_columns(
// CHECK-NOT: cta.opaque
// CHECK: %[[Z:.*]] = arith.addf
// CHECK: cta.raise %{{.*}}, %[[Z]]
func.func @numbered_columns(%x: !view, %o: !tile.view<?xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %numbers = tile.range %c0 : tensor<32xi32>
  %column = tile.cast %numbers : tensor<32xi32> -> tensor<32xf32>
  %column1 = tile.expand_dims %column, 0 : tensor<32xf32> -> tensor<1x32xf32>
  %columns = tile.broadcast %column1 : tensor<1x32xf32> -> !tile
  %peak = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest) -> (!rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 32] : !view, i32, i32 -> !tile
    %z = arith.addf %s, %columns : !tile
    %now, %shrink = cta.raise %m, %z times %one by 8.0 : !rows, !tile
    scf.yield %now : !rows
  }
  tile.store %peak, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}
