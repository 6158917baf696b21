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

// A narrow float that is only moved, or chosen, keeps its bits: f8E5M2 saturates when it is converted.
// CHECK-LABEL: func.func @moves_bits
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f8E5M2 to i8
// CHECK: arith.extsi %[[BITS]] : i8 to i32
// CHECK: cuda.pack {{.*}} -> vector<4xi8>
// CHECK-NOT: f32 -> f8E5M2
// CHECK: cuda.extract %{{.*}} : vector<4xf8E5M2> -> f8E5M2
// CHECK: cuda.store_shared
// CHECK: arith.select %{{.*}} : i32
// CHECK-NOT: f32 -> vector<4xf8E5M2>
// CHECK: cuda.pack {{.*}} -> vector<4xi8>
// CHECK: return
#down = #cta.layout<registers [4:0:1], lanes [32:1:1], warps []>
#along = #cta.layout<registers [4:1:1], lanes [8:1:4, 4:0:1], warps []>
func.func @moves_bits(%x: !tile.view<4x32xf8E5M2>, %y: !tile.view<4x32xf8E5M2, align 16>, %m: i1)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.grid [%one]
  %v = tile.load %x[%zero, %zero] extents [4, 32] : !tile.view<4x32xf8E5M2>, i32, i32 -> tensor<4x32xf8E5M2, #down>
  %w = cta.convert %v : tensor<4x32xf8E5M2, #down> -> tensor<4x32xf8E5M2, #along>
  %none = arith.constant dense<0.0> : tensor<4x32xf8E5M2, #along>
  %s = tile.splat %m : i1 -> tensor<4x32xi1, #along>
  %chosen = arith.select %s, %w, %none : tensor<4x32xi1, #along>, tensor<4x32xf8E5M2, #along>
  tile.store %chosen, %y[%zero, %zero] extents [4, 32] : tensor<4x32xf8E5M2, #along>, !tile.view<4x32xf8E5M2, align 16>, i32, i32
  return
}

// What is converted to the type that it has is as it was, but for an infinity of f8E5M2.
// CHECK-LABEL: func.func @converts_to_the_same_type
// CHECK: cuda.extract %{{.*}} : vector<2xbf16> -> bf16
// CHECK: cuda.convert %{{.*}} : f32 -> f8E5M2
// CHECK: return
func.func @converts_to_the_same_type(%x: !tile.view<64xbf16, align 4>, %y: !tile.view<64xbf16>, %u: !tile.view<64xf8E5M2>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.grid [%one]
  %v = tile.load %x[%zero] extents [64] : !tile.view<64xbf16, align 4>, i32 -> tensor<64xbf16, #pairs>
  %wide = tile.cast %v : tensor<64xbf16, #pairs> -> tensor<64xf32, #pairs>
  %same = tile.cast %wide : tensor<64xf32, #pairs> -> tensor<64xbf16, #pairs>
  tile.store %same, %y[%zero] extents [64] : tensor<64xbf16, #pairs>, !tile.view<64xbf16>, i32
  %a = tile.load %u[%zero] extents [64] : !tile.view<64xf8E5M2>, i32 -> tensor<64xf8E5M2, #pairs>
  %b = tile.cast %a : tensor<64xf8E5M2, #pairs> -> tensor<64xf32, #pairs>
  %c = tile.cast %b : tensor<64xf32, #pairs> -> tensor<64xf8E5M2, #pairs>
  tile.store %c, %u[%zero] extents [64] : tensor<64xf8E5M2, #pairs>, !tile.view<64xf8E5M2>, i32
  return
}
