// RUN: tile-opt %s --order-accesses -verify-diagnostics

#line = #cta.layout<registers [], lanes [32:0:1], warps []>

func.func @says_why_it_waits(%x: !tile.view<?xf32>, %n: i32, %a: tensor<32xf32, #line>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.store %a, %x[%c0] extents [32] : tensor<32xf32, #line>, !tile.view<?xf32>, i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@+1 {{order-accesses: a barrier: this load may meet what other threads did in a store before it}}
    %b = tile.load %x[%c1] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32, #line>
    // expected-remark@+1 {{order-accesses: a barrier: this store may meet what other threads did in a load before it}}
    tile.store %b, %x[%c0] extents [32] : tensor<32xf32, #line>, !tile.view<?xf32>, i32
  }
  return
}
