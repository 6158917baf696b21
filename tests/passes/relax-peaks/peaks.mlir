// RUN: tile-opt %s --relax-peaks --split-input-file | FileCheck %s

// The maximum becomes one that may lag, and what was added up before is rescaled by its factor.

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// CHECK-LABEL: func.func @softmax(
// CHECK: scf.for {{.*}} iter_args(%[[PEAK:.*]] = %{{.*}}, %[[TOTAL:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}})
// CHECK: %[[S:.*]] = tile.load %arg0
// CHECK-NOT: tile.reduce max
// CHECK: %[[NEW:.*]], %[[SHRINK:.*]] = cta.raise %[[PEAK]], %[[S]] times %{{.*}} by 8.0
// CHECK-NOT: arith.maximumf
// CHECK: math.exp2
// CHECK-NOT: math.exp2
// CHECK: arith.mulf %[[TOTAL]], %[[SHRINK]]
// CHECK: %[[BEFORE:.*]] = cta.rescale %[[ACC]], %[[SHRINK]]
// CHECK: %[[NEXT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[BEFORE]]
// CHECK: scf.yield %[[NEW]], %{{.*}}, %[[NEXT]]
func.func @softmax(%x: !view {tile.name = "x"}, %v: !tile.view<?x?xbf16> {tile.name = "v"},
                   %o: !view {tile.name = "o"}, %lse: !tile.view<?xf32> {tile.name = "lse"}, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of softmax for sm_90\0A loops l1: late peak 8"} {
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
    %factor = tile.expand_dims %shrink, 1 : !rows -> tensor<64x1xf32>
    %factors = tile.broadcast %factor : tensor<64x1xf32> -> !tile
    %kept = arith.mulf %a, %factors : !tile
    %weights = tile.cast %p : !tile -> tensor<64x64xbf16>
    %values = tile.load %v[%i, %c0] extents [64, 64] : !tile.view<?x?xbf16>, i32, i32 -> tensor<64x64xbf16>
    %a_now = tile.dot %weights, %values, %kept : tensor<64x64xbf16>, tensor<64x64xbf16>, !tile
    scf.yield %now, %t_now, %a_now : !rows, !rows, !tile
  } {plan.id = "l1"}
  %column = tile.expand_dims %total, 1 : !rows -> tensor<64x1xf32>
  %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
  %mean = arith.divf %acc, %all : !tile
  %log = math.log2 %total : !rows
  %sum = arith.addf %peak, %log : !rows
  tile.store %mean, %o[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  tile.store %sum, %lse[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}
