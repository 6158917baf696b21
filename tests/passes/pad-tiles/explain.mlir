// RUN: tile-opt %s --pad-tiles --verify-diagnostics

func.func @says_what_it_pads(%n: i32) attributes {tile.kernel} {
  // expected-remark@+1 {{pad-tiles: an axis of 1000 elements gets 1024}}
  %a = tile.range %n : tensor<1000xi32>
  return
}

func.func @says_what_it_fills_with(%x: !tile.view<?x100xf32> {tile.dims = ["M", "V"]}, %i: i32,
                                   %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+2 {{pad-tiles: behind the ends of its rows the load gives -inf, so reductions need 0 masks, not 1}}
  // expected-remark@+1 {{pad-tiles: an axis of 100 elements gets 112}}
  %t = tile.load %x[%i, %c0] extents [8, 100] : !tile.view<?x100xf32>, i32, i32 -> tensor<8x100xf32>
  %peak = tile.reduce max %t, 1 : tensor<8x100xf32> -> tensor<8xf32>
  tile.store %peak, %y[%i] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}
