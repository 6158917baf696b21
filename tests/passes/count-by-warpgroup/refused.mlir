// RUN: tile-opt %s --begin-by-warpgroup --count-by-warpgroup --split-input-file --verify-diagnostics

// Nothing says that an iteration whose mask is false changes nothing.

func.func @k(%n: i32) attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks one per tile\0A roles use: 8 warps\0A loops l1: by warpgroup"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  cta.role "use" warps 8 {
    %none = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error @+1 {{is loop `l1`, of which each warpgroup is to take its own number of iterations; an iteration that its rows do not see may change them}}
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none) -> (tensor<128x64xf32>) : i32 {
      %next = arith.addf %a, %a : tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    } {plan.id = "l1"}
  }
  return
}

// -----

// Each warpgroup has rows of every part, of which one sees more than another.

func.func @parts(%n: i32) attributes {tile.kernel, cta.target = "sm_90", plan.parts = {rows = 2 : i64}, plan.text = "plan 1 of parts for sm_90\0A tiles rows in 2 parts\0A blocks one per tile\0A roles use: 8 warps\0A loops l1: by warpgroup"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  cta.role "use" warps 8 {
    %none = arith.constant dense<0.0> : tensor<128x64xf32>
    // expected-error @+1 {{is loop `l1`, of which each warpgroup is to take its own number of iterations; its tiles are in parts, of which each warpgroup has rows}}
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none) -> (tensor<128x64xf32>) : i32 {
      %next = arith.addf %a, %a : tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    } {plan.id = "l1"}
  }
  return
}
