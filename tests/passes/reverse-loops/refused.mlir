// RUN: tile-opt %s --reverse-loops --split-input-file --verify-diagnostics

// A sum that decays: the first summand counts least.

!view = !tile.view<?xf32, align 16>

func.func @decays(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of decays for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %half = arith.constant dense<0.5> : tensor<64xf32>
  tile.grid [%c1]
  // expected-error @+1 {{carries a value, number 1, that depends on the order of iterations; it cannot go from the last}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none) -> (tensor<64xf32>) : i32 {
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at] extents [64] : !view, i32 -> tensor<64xf32>
    %kept = arith.mulf %a, %half : tensor<64xf32>
    %next = arith.addf %kept, %t : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %y[%c0] extents [64] : tensor<64xf32>, !view, i32
  return
}

// -----

// What is added follows from what is carried.

!view = !tile.view<?xf32, align 16>

func.func @follows(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of follows for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  tile.grid [%c1]
  // expected-error @+1 {{carries a value, number 1, that depends on the order of iterations}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none) -> (tensor<64xf32>) : i32 {
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at] extents [64] : !view, i32 -> tensor<64xf32>
    %more = math.exp2 %a : tensor<64xf32>
    %f = arith.mulf %t, %more : tensor<64xf32>
    %next = arith.addf %a, %f : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %y[%c0] extents [64] : tensor<64xf32>, !view, i32
  return
}
