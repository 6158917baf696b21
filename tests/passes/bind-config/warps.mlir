// RUN: tile-opt %s --bind-config=target=sm_90 | FileCheck %s

// CHECK-LABEL: @one_warp_per_512_elements_of_the_largest_tile
// CHECK-SAME: cta.target = "sm_90", cta.warps = 4 : i32
func.func @one_warp_per_512_elements_of_the_largest_tile(%x: !tile.view<2048xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [2048] : !tile.view<2048xf32>, i32 -> tensor<2048xf32>
  tile.store %a, %x[%c0] extents [2048] : tensor<2048xf32>, !tile.view<2048xf32>, i32
  return
}

// CHECK-LABEL: @one_warp_for_a_small_tile
// CHECK-SAME: cta.warps = 1 : i32
func.func @one_warp_for_a_small_tile(%x: !tile.view<512xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [512] : !tile.view<512xf32>, i32 -> tensor<512xf32>
  tile.store %a, %x[%c0] extents [512] : tensor<512xf32>, !tile.view<512xf32>, i32
  return
}

// CHECK-LABEL: @at_most_eight_warps
// CHECK-SAME: cta.warps = 8 : i32
func.func @at_most_eight_warps(%x: !tile.view<65536xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [65536] : !tile.view<65536xf32>, i32 -> tensor<65536xf32>
  tile.store %a, %x[%c0] extents [65536] : tensor<65536xf32>, !tile.view<65536xf32>, i32
  return
}

// 128 accumulators per thread are few enough for four warps.
// CHECK-LABEL: @four_warps_for_a_product
// CHECK-SAME: cta.warps = 4 : i32
func.func @four_warps_for_a_product(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %c: tensor<128x128xf32>)
    attributes {tile.kernel} {
  %d = tile.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  return
}

// 256 accumulators per thread are not.
// CHECK-LABEL: @eight_warps_for_two_products_at_once
// CHECK-SAME: cta.warps = 8 : i32
func.func @eight_warps_for_two_products_at_once(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %c: tensor<128x128xf32>)
    attributes {tile.kernel} {
  %d = tile.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %e = tile.dot %a, %b, %d : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  return
}

// Products of different loops do not live at once.
// CHECK-LABEL: @four_warps_for_products_one_after_the_other
// CHECK-SAME: cta.warps = 4 : i32
func.func @four_warps_for_products_one_after_the_other(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>,
    %c: tensor<128x128xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c) -> (tensor<128x128xf32>) : i32 {
    %t = tile.dot %a, %b, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%s = %d) -> (tensor<128x128xf32>) : i32 {
    %t = tile.dot %a, %b, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  return
}

// CHECK-LABEL: @leaves_other_functions
// CHECK-NOT: cta.
func.func @leaves_other_functions() {
  return
}
