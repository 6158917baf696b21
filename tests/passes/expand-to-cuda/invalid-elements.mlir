// RUN: tile-opt %s --split-input-file --expand-to-cuda --verify-diagnostics

#layout = #cta.layout<registers [], lanes [2:0:1, 16:*], warps []>

func.func @constant_of_several_values() attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  // expected-error @+1 {{a tile constant must have one value throughout}}
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32, #layout>
  return
}

// -----

func.func @op_without_expansion(%x: i32, %y: i32) attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  // expected-error @+1 {{`arith.addui_extended` has no expansion for a GPU}}
  %a, %b = arith.addui_extended %x, %y : i32, i1
  return
}
