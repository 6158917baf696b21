// RUN: tile-opt %s --pad-tiles --verify-diagnostics

func.func @says_what_it_pads(%n: i32) attributes {tile.kernel} {
  // expected-remark@+1 {{pad-tiles: an axis of 1000 elements gets 1024}}
  %a = tile.range %n : tensor<1000xi32>
  return
}
