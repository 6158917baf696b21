// RUN: tile-opt %s --sink-sums --split-input-file | FileCheck %s

// The second product is added an iteration later: the loop carries it, and its row of factors, from zeros
// on; the last is added behind the loop. What adds the first says so, and stays of its own iteration.

!view = !tile.view<?x64xf32, align 16>
!rows = !tile.view<?x?xf32, align 16>

// CHECK-LABEL: func.func @k(
// CHECK: tile.grid
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK: %[[NOROW:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK: %[[S:.*]]:4 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[BEFORE:.*]] = %[[NONE]], %[[ROW:.*]] = %[[NOROW]])
// CHECK: %[[P:.*]] = tile.dot {{.*}}plan.id = "p1"
// CHECK: %[[Q:.*]] = tile.dot {{.*}}plan.id = "p2"
// CHECK: %[[FACTORS:.*]] = tile.load %arg2
// CHECK: tile.expand_dims %[[ROW]], 1 :
// CHECK: %[[SCALED:.*]] = arith.mulf %[[BEFORE]], %{{.*}} {plan.add = "p2"}
// CHECK: %[[ANEXT:.*]] = arith.addf %[[A]], %[[P]] {plan.add = "p1"}
// CHECK: %[[BNEXT:.*]] = arith.addf %[[SCALED]], %[[B]] {plan.add = "p2"}
// CHECK: scf.yield %[[ANEXT]], %[[BNEXT]], %[[Q]], %[[FACTORS]]
// CHECK: {plan.id = "l1"}
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[S]]#3, 1 :
// CHECK: %[[ALL:.*]] = tile.broadcast %[[COLUMN]] :
// CHECK: %[[LAST:.*]] = arith.mulf %[[S]]#2, %[[ALL]] :
// CHECK: %[[SUM:.*]] = arith.addf %[[LAST]], %[[S]]#1 :
// CHECK: tile.store %[[S]]#0, %arg3
// CHECK: tile.store %[[SUM]], %arg4
func.func @k(%x: !view, %y: !view, %f: !rows, %o: !view, %u: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p2, start p1, await p1, add p1, start p2, await p2"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sums:2 = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero, %b = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %q = tile.dot %w, %v, %zero {plan.id = "p2"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %row = tile.load %f[%i, %c0] extents [0, 64] : !rows, i32, i32 -> tensor<64xf32>
    %column = tile.expand_dims %row, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %factors = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %q, %factors : tensor<64x64xf32>
    %anext = arith.addf %a, %p : tensor<64x64xf32>
    %bnext = arith.addf %scaled, %b : tensor<64x64xf32>
    scf.yield %anext, %bnext : tensor<64x64xf32>, tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sums#0, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  tile.store %sums#1, %u[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xi8, align 16>
!out = !tile.view<?x64xi32, align 16>

// What is the same in all iterations is carried from zero too, and so is the counter.

// CHECK-LABEL: func.func @factors(
// CHECK: %[[S:.*]]:4 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}, %[[SCALE:.*]] = %{{.*}}, %[[COUNT:.*]] = %{{.*}}) -> (tensor<64x64xi32>, tensor<64x64xi32>, i32, i32)
// CHECK: tile.splat %[[SCALE]] :
// CHECK: tile.splat %[[COUNT]] :
// CHECK: scf.yield %{{.*}}, %{{.*}}, %arg2, %[[I]] :
// CHECK: tile.splat %[[S]]#2 :
// CHECK: tile.splat %[[S]]#3 :
func.func @factors(%x: !view, %o: !out, %scale: i32)
    attributes {tile.kernel, plan.text = "plan 1 of factors for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xi32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xi8>
    %p = tile.dot %v, %v, %zero {plan.id = "p1"} : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    %all = tile.splat %scale : i32 -> tensor<64x64xi32>
    %scaled = arith.muli %p, %all : tensor<64x64xi32>
    %counts = tile.splat %i : i32 -> tensor<64x64xi32>
    %counted = arith.muli %scaled, %counts : tensor<64x64xi32>
    %next = arith.addi %a, %counted : tensor<64x64xi32>
    scf.yield %next : tensor<64x64xi32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xi32>, !out, i32, i32
  return
}
