// RUN: tile-opt %s --relax-peaks --split-input-file | FileCheck %s

// Exponents between bounds need no maximum: the loop does not carry one, and rescales nothing.

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// CHECK-LABEL: func.func @softcap(
// CHECK: scf.for {{.*}} -> (tensor<64xf32>, tensor<64x64xf32>)
// CHECK-NOT: tile.reduce max
// CHECK-NOT: cta.raise
// CHECK: %[[S:.*]] = scf.if
// CHECK: math.exp2 %[[S]]
// CHECK: tile.dot
// CHECK: plan.late_peak = 8.0
func.func @softcap(%x: !view, %o: !tile.view<?xf32>, %n: i32, %y: !tile.view<?x?xbf16>, %some: i1)
    attributes {tile.kernel, plan.text = "plan 1 of softcap for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %zero = arith.constant dense<0.0> : !tile
  %cap = arith.constant dense<72.0> : !tile
  %hidden = arith.constant dense<0xFF800000> : !tile
  %peak, %total, %acc = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none, %a = %zero) -> (!rows, !rows, !tile) : i32 {
    %scores = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %tanh = math.tanh %scores : !tile
    %z = arith.mulf %tanh, %cap : !tile
    %s = scf.if %some -> !tile {
      %mask = arith.cmpf ogt, %scores, %zero : !tile
      %visible = arith.select %mask, %z, %hidden : tensor<64x64xi1>, !tile
      scf.yield %visible : !tile
    } else {
      scf.yield %z : !tile
    }
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    %weights = tile.cast %p : !tile -> tensor<64x64xbf16>
    %v = tile.load %y[%i, %c0] extents [64, 64] : !tile.view<?x?xbf16>, i32, i32 -> tensor<64x64xbf16>
    %factor = tile.expand_dims %shrink, 1 : !rows -> tensor<64x1xf32>
    %factors = tile.broadcast %factor : tensor<64x1xf32> -> !tile
    %kept = arith.mulf %a, %factors : !tile
    %a_now = tile.dot %weights, %v, %kept : tensor<64x64xbf16>, tensor<64x64xbf16>, !tile
    scf.yield %now, %t_now, %a_now : !rows, !rows, !tile
  } {plan.id = "l1"}
  %column = tile.expand_dims %total, 1 : !rows -> tensor<64x1xf32>
  %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
  %mean = arith.divf %acc, %all : !tile
  tile.store %mean, %x[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// Bounds that f32 has no room for, or sums that start from something: the maximum stays.
// CHECK-LABEL: func.func @far(
// CHECK: cta.raise
func.func @far(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of far for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %cap = arith.constant dense<100.0> : !tile
  %peak, %total = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %scores = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %tanh = math.tanh %scores : !tile
    %z = arith.mulf %tanh, %cap : !tile
    %most = tile.reduce max %z, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %z, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  %log = math.log2 %total : !rows
  %lse = arith.addf %peak, %log : !rows
  tile.store %lse, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// CHECK-LABEL: func.func @started(
// CHECK: cta.raise
func.func @started(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of started for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<0.0> : !rows
  %one = arith.constant dense<1.0> : !rows
  %cap = arith.constant dense<10.0> : !tile
  %peak, %total = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest, %t = %one) -> (!rows, !rows) : i32 {
    %scores = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %least = arith.minimumf %scores, %cap : !tile
    %low = arith.negf %cap : !tile
    %z = arith.maximumf %least, %low : !tile
    %most = tile.reduce max %z, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %z, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  %log = math.log2 %total : !rows
  %lse = arith.addf %peak, %log : !rows
  tile.store %lse, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}
