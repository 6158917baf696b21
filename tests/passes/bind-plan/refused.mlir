// RUN: tile-opt %s --bind-plan --verify-diagnostics

// What a plan says at its head is checked first.

// expected-error @+1 {{has a plan of kernel `other`}}
func.func @k() attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of other for sm_90\0A blocks one per tile\0A roles use: 4 warps"} {
  tile.grid []
  return
}
