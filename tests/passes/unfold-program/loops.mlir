// RUN: tile-opt %s --unfold-program | FileCheck %s

!rows = tensor<64xf32>

func.func private @bounded(%x: !rows, %most: !rows, %bounds: i1) -> !rows {
  %y = scf.if %bounds -> !rows {
    %less = arith.minimumf %x, %most : !rows
    scf.yield %less : !rows
  } else {
    scf.yield %x : !rows
  }
  return %y : !rows
}

// CHECK-LABEL: @one_loop_becomes_two
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>, %[[N:.*]]: i32, %[[AT:.*]]: i32)
func.func @one_loop_becomes_two(%x: !rows, %n: i32, %at: i32) -> !rows {
  %c2 = arith.constant 2 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[MOST:.*]] = arith.constant dense<8.0
  %most = arith.constant dense<8.0> : !rows
  // CHECK: %[[UP:.*]] = arith.maxsi %[[AT]], %[[LOWER:.*]] : i32
  // CHECK: %[[MIDDLE:.*]] = arith.minsi %[[UP]], %[[N]] : i32
  // CHECK: %[[FIRST:.*]] = scf.for %{{.*}} = %[[LOWER]] to %[[MIDDLE]] step %{{.*}} iter_args(%[[A:.*]] = %[[X]])
  // CHECK:   %[[LESS:.*]] = arith.minimumf %[[A]], %[[MOST]]
  // CHECK:   %[[SUM:.*]] = arith.addf %[[LESS]], %[[A]]
  // CHECK:   scf.yield %[[SUM]]
  // CHECK: %[[SECOND:.*]] = scf.for %{{.*}} = %[[MIDDLE]] to %[[N]] step %{{.*}} iter_args(%[[B:.*]] = %[[FIRST]])
  // CHECK-NOT: scf.if
  // CHECK:   %[[TWICE:.*]] = arith.addf %[[B]], %[[B]]
  // CHECK:   scf.yield %[[TWICE]]
  // CHECK: return %[[SECOND]]
  %all = scf.for %i = %c2 to %n step %c1 iter_args(%before = %x) -> (!rows) : i32 {
    %early = cta.before %i, %at : i32
    %y = func.call @bounded(%before, %most, %early) : (!rows, !rows, i1) -> !rows
    %z = arith.addf %y, %before : !rows
    scf.yield %z : !rows
  }
  return %all : !rows
}

// CHECK-LABEL: @two_bounds_make_parts_of_parts
// CHECK-COUNT-4: scf.for
// CHECK-NOT: scf.for
func.func @two_bounds_make_parts_of_parts(%y: !tile.view<?xf32>, %x: !rows, %n: i32, %a: i32, %b: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %before_a = cta.before %i, %a : i32
    %before_b = cta.before %i, %b : i32
    %both = arith.andi %before_a, %before_b : i1
    scf.if %both {
      tile.store %x, %y[%i] extents [64] : !rows, !tile.view<?xf32>, i32
    }
  }
  return
}
