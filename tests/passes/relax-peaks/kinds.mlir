// RUN: tile-opt %s --relax-peaks --split-input-file | FileCheck %s

// More loops whose maximum may lag.

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// CHECK-LABEL: func.func @half_weights(
// CHECK: cta.raise {{.*}} by 8.0
// Weights in f16 are at most 2^8.
func.func @half_weights(%x: !view, %o: !tile.view<?xf32>, %n: i32, %y: !tile.view<?x?xf16>)
    attributes {tile.kernel, plan.text = "plan 1 of half_weights for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %zero = arith.constant dense<0.0> : !tile
  %peak, %total, %acc = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none, %a = %zero) -> (!rows, !rows, !tile) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
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
    %weights = tile.cast %p : !tile -> tensor<64x64xf16>
    %v = tile.load %y[%i, %c0] extents [64, 64] : !tile.view<?x?xf16>, i32, i32 -> tensor<64x64xf16>
    %factor = tile.expand_dims %shrink, 1 : !rows -> tensor<64x1xf32>
    %factors = tile.broadcast %factor : tensor<64x1xf32> -> !tile
    %kept = arith.mulf %a, %factors : !tile
    %a_now = tile.dot %weights, %v, %kept : tensor<64x64xf16>, tensor<64x64xf16>, !tile
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

// CHECK-LABEL: func.func @with_a_bias(
// CHECK: cta.raise {{.*}} by 4.5
// A bias behind the maximum, where weights are as wide as f32.
func.func @with_a_bias(%x: !view, %o: !tile.view<?xf32>, %n: i32, %y: !tile.view<?x?xbf16>)
    attributes {tile.kernel, plan.text = "plan 1 of with_a_bias for sm_90\0A loops l1: late peak 4.5"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %zero = arith.constant dense<0.0> : !tile
  %peak, %total, %acc = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none, %a = %zero) -> (!rows, !rows, !tile) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %less = arith.subf %s, %all : !tile
    %bias = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> !tile
    %power = arith.addf %less, %bias : !tile
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

// CHECK-LABEL: func.func @scaled_with_masks(
// CHECK: scf.for
// CHECK: %[[S:.*]] = arith.select
// CHECK: cta.raise %{{.*}}, %[[S]] times %arg3 by 8.0
// CHECK-NOT: arith.maximumf
// CHECK: scf.yield
// CHECK: arith.cmpf ogt
// A positive factor outside of the maximum, masks inside, and rows without anything: a sum of 0 stays 0.
func.func @scaled_with_masks(%x: !view, %o: !tile.view<?xf32>, %n: i32, %scale: f32)
    attributes {tile.kernel, plan.text = "plan 1 of scaled_with_masks for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %nought = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %scale, %nought : f32
  cta.when %positive
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %raw = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %nothing = arith.constant dense<0xFF800000> : !tile
    %mask = arith.cmpf one, %raw, %nothing : !tile
    %s = arith.select %mask, %raw, %nothing : tensor<64x64xi1>, !tile
    %unscaled = tile.reduce max %s, 1 : !tile -> !rows
    %scales = tile.splat %scale : f32 -> !rows
    %most = arith.mulf %unscaled, %scales : !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %minus = arith.negf %all : !tile
    %scale_all = tile.splat %scale : f32 -> !tile
    %power = math.fma %s, %scale_all, %minus : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  %some = arith.cmpf ogt, %total, %none : !rows
  %log = math.log2 %total : !rows
  %whole = arith.addf %peak, %log : !rows
  %sum = arith.select %some, %whole, %none : tensor<64xi1>, !rows
  tile.store %sum, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// CHECK-LABEL: func.func @no_entry(
// CHECK-NOT: cta.raise
// CHECK: arith.maximumf
// A loop of which the plan says nothing stays as it is.
func.func @no_entry(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of no_entry for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
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
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l2"}
  %log = math.log2 %total : !rows
  %sum = arith.addf %peak, %log : !rows
  tile.store %sum, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}
