// RUN: tile-opt %s --make-persistent --verify-diagnostics

// A grid without extents is one program, which no block can repeat.

func.func @k(%y: !tile.view<?xf32, align 16> {tile.name = "y"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles use: 4 warps"} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error @+1 {{has one program, and a plan with blocks that go through several; take `one per tile`}}
  tile.grid []
  tile.store %zero, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32, align 16>, i32
  return
}
