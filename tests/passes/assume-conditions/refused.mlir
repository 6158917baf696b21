// RUN: tile-opt %s --assume-conditions --split-input-file --verify-diagnostics

// The kernel has another argument, or one that is no number of a float type.

!view = !tile.view<?xf32>

// expected-error @+1 {{has a plan for `scale > 0`, and no scalar argument `scale` of a float type}}
func.func @k(%x: !view {tile.name = "x"}, %scale: f32 {tile.name = "factor"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A when scale > 0"} {
  return
}

// -----

!view = !tile.view<?xf32>

// expected-error @+1 {{has a plan for `scale > 0`, and no scalar argument `scale` of a float type}}
func.func @k(%x: !view {tile.name = "x"}, %scale: i32 {tile.name = "scale"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A when scale > 0"} {
  return
}
