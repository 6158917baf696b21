// RUN: tile-opt %s --plan-channels --lower-channels --expand-to-cuda | FileCheck %s

// A float saturates at the ends of the narrow integer, not at those of the i32 it is computed in.
// CHECK-LABEL: func.func @saturates_at_the_narrow_type
// CHECK: cuda.convert %{{.*}} : f32 -> i8
// CHECK-NOT: : i32 -> i8
// CHECK: return

// An integer is rounded once on its way to a narrow float.
// CHECK-LABEL: func.func @rounds_once
// CHECK: cuda.convert %{{.*}} : i32 -> bf16
// CHECK: return
#layout = #cta.layout<registers [], lanes [32:0:1], warps []>
func.func @saturates_at_the_narrow_type(%x: !tile.view<32xf32>, %y: !tile.view<32xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.grid [%one]
  %v = tile.load %x[%zero] extents [32] : !tile.view<32xf32>, i32 -> tensor<32xf32, #layout>
  %narrow = tile.cast %v : tensor<32xf32, #layout> -> tensor<32xi8, #layout>
  %wide = tile.cast %narrow : tensor<32xi8, #layout> -> tensor<32xf32, #layout>
  tile.store %wide, %y[%zero] extents [32] : tensor<32xf32, #layout>, !tile.view<32xf32>, i32
  return
}

func.func @rounds_once(%x: !tile.view<32xi32>, %y: !tile.view<32xbf16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.grid [%one]
  %v = tile.load %x[%zero] extents [32] : !tile.view<32xi32>, i32 -> tensor<32xi32, #layout>
  %narrow = tile.cast %v : tensor<32xi32, #layout> -> tensor<32xbf16, #layout>
  tile.store %narrow, %y[%zero] extents [32] : tensor<32xbf16, #layout>, !tile.view<32xbf16>, i32
  return
}

// What one loop carried goes on into the next by whole registers, not element by element.
// CHECK-LABEL: func.func @packed_tiles_are_copied_whole
// CHECK: cuda.load_global
// CHECK-NOT: cuda.unpack
// CHECK: scf.for
#pairs = #cta.layout<registers [2:0:1], lanes [32:0:2], warps []>
func.func @packed_tiles_are_copied_whole(%x: !tile.view<64xbf16>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.grid [%one]
  %v = tile.load %x[%zero] extents [64] : !tile.view<64xbf16>, i32 -> tensor<64xbf16, #pairs>
  %w = scf.for %i = %zero to %n step %one iter_args(%before = %v) -> (tensor<64xbf16, #pairs>) : i32 {
    %twice = arith.addf %before, %before : tensor<64xbf16, #pairs>
    scf.yield %twice : tensor<64xbf16, #pairs>
  }
  tile.store %w, %x[%zero] extents [64] : tensor<64xbf16, #pairs>, !tile.view<64xbf16>, i32
  return
}
