// RUN: tile-opt %s --bind-plan=target=sm_99 --verify-diagnostics

// expected-error @+1 {{has a plan for target `sm_99`, which is unknown; `tilewright targets` lists them}}
func.func @k() attributes {tile.kernel, cta.target = "sm_99", plan.text = "plan 1 of k for sm_99\0A blocks one per tile\0A roles use: 4 warps"} {
  tile.grid []
  return
}
