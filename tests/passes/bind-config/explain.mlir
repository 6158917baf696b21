// RUN: tile-opt %s --bind-config="target=sm_89 warps=2" -verify-diagnostics

// expected-remark@+1 {{bind-config: 2 warps per block, for sm_89}}
func.func @says_what_it_chose() attributes {tile.kernel} {
  return
}
