// RUN: tile-opt %s --differentiate="wrt=x given=y" --canonicalize --cse --split-input-file | FileCheck %s

// The adjoint of a sum is the same in all iterations: no loop carries it, and the order stays.
// CHECK-LABEL: func.func @sum_is_not_carried_grad
// CHECK-NOT: iter_args
// CHECK: %[[G:.*]] = tile.load %arg1[%c0_i32] extents [0]
// CHECK: scf.for %[[J:.*]] = %c0_i32 to %c5_i32 step %c1_i32
// CHECK-NEXT: tile.store %[[G]], %{{.*}}[%[[J]]] extents [0]
func.func @sum_is_not_carried(%x: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "x"},
                              %y: !tile.view<1xf32> {tile.dims = ["1"], tile.name = "y"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  tile.grid [%c1]
  %zero = arith.constant 0.0 : f32
  %s = scf.for %j = %c0 to %c5 step %c1 iter_args(%t = %zero) -> f32 : i32 {
    %v = tile.load %x[%j] extents [0] : !tile.view<5xf32>, i32 -> f32
    %u = arith.addf %t, %v : f32
    scf.yield %u : f32
  }
  tile.store %s, %y[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  return
}

// -----

// CHECK-LABEL: func.func @maximum_goes_to_what_equals_it_grad
// CHECK: %[[M:.*]] = scf.for
// CHECK: %[[G:.*]] = tile.load %arg1[%c0_i32] extents [0]
// CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[LEFT:.*]] = %[[G]])
// CHECK: %[[V:.*]] = tile.load %{{.*}}[%[[J]]]
// CHECK: %[[IS:.*]] = arith.cmpf oeq, %[[V]], %[[M]]
// CHECK-DAG: %[[TAKEN:.*]] = arith.select %[[IS]], %[[LEFT]], %cst
// CHECK-DAG: %[[NEXT:.*]] = arith.select %[[IS]], %cst{{.*}}, %[[LEFT]]
// CHECK-DAG: tile.store %[[TAKEN]]
// CHECK: scf.yield %[[NEXT]]
func.func @maximum_goes_to_what_equals_it(
    %x: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<1xf32> {tile.dims = ["1"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  tile.grid [%c1]
  %low = arith.constant -1.0e30 : f32
  %m = scf.for %j = %c0 to %c5 step %c1 iter_args(%t = %low) -> f32 : i32 {
    %v = tile.load %x[%j] extents [0] : !tile.view<5xf32>, i32 -> f32
    %u = arith.maximumf %t, %v : f32
    scf.yield %u : f32
  }
  tile.store %m, %y[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  return
}

// -----

// h = h / 2 + x, stored at each step: the adjoint of h is carried from the last iteration on.
// CHECK-LABEL: func.func @recurrence_runs_backwards_grad
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %c5_i32 step %c1_i32 iter_args(%[[H:.*]] = %cst
// CHECK: %[[J:.*]] = arith.subi %c4_i32, %[[I]]
// CHECK: %[[G:.*]] = tile.load %{{.*}}[%[[J]]]
// CHECK: %[[ALL:.*]] = arith.addf %[[H]], %[[G]]
// CHECK-DAG: tile.store %[[ALL]], %{{.*}}[%[[J]]]
// CHECK-DAG: %[[NEXT:.*]] = arith.mulf %[[ALL]], %{{.*}}
// CHECK: scf.yield %[[NEXT]]
func.func @recurrence_runs_backwards(
    %x: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  tile.grid [%c1]
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %s = scf.for %j = %c0 to %c5 step %c1 iter_args(%h = %zero) -> f32 : i32 {
    %v = tile.load %x[%j] extents [0] : !tile.view<5xf32>, i32 -> f32
    %a = arith.mulf %h, %half : f32
    %u = arith.addf %a, %v : f32
    tile.store %u, %y[%j] extents [0] : f32, !tile.view<5xf32>, i32
    scf.yield %u : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @branch_is_a_branch_grad
// CHECK: %[[B:.*]] = arith.cmpi
// CHECK: %[[G:.*]] = tile.load %arg1[
// CHECK: scf.if %[[B]] -> (f32)
// CHECK: arith.mulf %[[G]]
// CHECK: else
// CHECK: scf.yield %[[G]] : f32
func.func @branch_is_a_branch(%x: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "x"},
                              %y: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "y"})
    attributes {tile.kernel} {
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  tile.grid [%c5]
  %p = tile.program_id 0
  %b = arith.cmpi slt, %p, %c2 : i32
  %v = tile.load %x[%p] extents [0] : !tile.view<5xf32>, i32 -> f32
  %r = scf.if %b -> f32 {
    %s = arith.mulf %v, %v : f32
    scf.yield %s : f32
  } else {
    scf.yield %v : f32
  }
  tile.store %r, %y[%p] extents [0] : f32, !tile.view<5xf32>, i32
  return
}
