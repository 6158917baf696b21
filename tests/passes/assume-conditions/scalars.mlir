// RUN: tile-opt %s --assume-conditions | FileCheck %s

// What launches of the plan have in common is known to later passes.

!view = !tile.view<?xf32>

// CHECK-LABEL: func.func @k(
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpf ogt, %arg1, %[[ZERO]] : f32
// CHECK-NEXT: cta.when %[[HOLDS]]
func.func @k(%x: !view {tile.name = "x"}, %scale: f32 {tile.name = "scale"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A when scale > 0"} {
  return
}
