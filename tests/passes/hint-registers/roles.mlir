// RUN: tile-opt %s --hint-registers --verify-diagnostics

// What the warpgroups exchange is what they start with: 168 each, although an SM has 1024 more.
// expected-error @+1 {{has roles that ask for 65536 registers (128 x 32 + 256 x 240); its 384 threads start with 64512 (168 each)}}
func.func @roles_share_what_they_start_with() attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "load" warps 1 registers 32 {
  }
  cta.role "multiply" warps 8 registers 240 {
  }
  return
}
