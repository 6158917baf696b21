// RUN: tile-opt %s --reverse-loops | FileCheck %s

// Iteration i of a loop over [0, n) becomes n - 1 - i. What a mask asks of the iteration is asked of the counter.

!view = !tile.view<?xf32, align 16>

// CHECK-LABEL: func.func @k(
// CHECK: %[[LAST:.*]] = arith.subi %[[N:.*]], %c1
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %[[N]]
// CHECK: %[[AT:.*]] = arith.subi %{{.*}}, %[[I]] {plan.reversed}
// CHECK: arith.cmpi slt, %[[I]], %{{.*}}
// CHECK: arith.muli %[[AT]], %c64
func.func @k(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32, %full: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %least = arith.constant dense<-1.0e30> : tensor<64xf32>
  tile.grid [%c1]
  %sum, %high = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none, %m = %least) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %partial = arith.cmpi sge, %i, %full : i32
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at] extents [64] : !view, i32 -> tensor<64xf32>
    %seen = scf.if %partial -> (tensor<64xf32>) {
      scf.yield %none : tensor<64xf32>
    } else {
      scf.yield %t : tensor<64xf32>
    }
    %next = arith.addf %a, %seen : tensor<64xf32>
    %higher = arith.maximumf %m, %seen : tensor<64xf32>
    scf.yield %next, %higher : tensor<64xf32>, tensor<64xf32>
  } {plan.id = "l1"}
  %both = arith.addf %sum, %high : tensor<64xf32>
  tile.store %both, %y[%c0] extents [64] : tensor<64xf32>, !view, i32
  return
}
