// RUN: tile-opt %s --bind-config=target=sm_70 -verify-diagnostics

// expected-error@+1 {{unknown target `sm_70`; `tilewright targets` lists them}}
func.func @unknown_target() attributes {tile.kernel} {
  return
}
