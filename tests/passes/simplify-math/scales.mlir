// RUN: tile-opt %s --simplify-math | FileCheck %s

// CHECK-LABEL: @scales_multiply_once
// CHECK: %[[AB:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[TILE:.*]] = tile.splat %[[AB]]
// CHECK: arith.mulf %{{.*}}, %[[TILE]] : tensor<8x16xf32>
// CHECK-NOT: arith.mulf
func.func @scales_multiply_once(%x: !tile.view<8x16xf32>, %a: f32, %b: f32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0, %c0] extents [8, 16] : !tile.view<8x16xf32>, i32, i32 -> tensor<8x16xf32>
  %as = tile.splat %a : f32 -> tensor<8x16xf32>
  %bs = tile.splat %b : f32 -> tensor<8x16xf32>
  %ta = arith.mulf %t, %as : tensor<8x16xf32>
  %tab = arith.mulf %bs, %ta : tensor<8x16xf32>
  tile.store %tab, %x[%c0, %c0] extents [8, 16] : tensor<8x16xf32>, !tile.view<8x16xf32>, i32, i32
  return
}

// CHECK-LABEL: @divides_once_per_row
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %{{.*}} : tensor<8xf32>
// CHECK: %[[R1:.*]] = tile.expand_dims %[[R]], 1
// CHECK: %[[RS:.*]] = tile.broadcast %[[R1]]
// CHECK: arith.mulf %{{.*}}, %[[RS]] : tensor<8x16xf32>
func.func @divides_once_per_row(%x: !tile.view<8x16xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0, %c0] extents [8, 16] : !tile.view<8x16xf32>, i32, i32 -> tensor<8x16xf32>
  %s = tile.reduce sum %t, 1 : tensor<8x16xf32> -> tensor<8xf32>
  %s1 = tile.expand_dims %s, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %ss = tile.broadcast %s1 : tensor<8x1xf32> -> tensor<8x16xf32>
  %q = arith.divf %t, %ss : tensor<8x16xf32>
  tile.store %q, %x[%c0, %c0] extents [8, 16] : tensor<8x16xf32>, !tile.view<8x16xf32>, i32, i32
  return
}

// CHECK-LABEL: @sum_is_the_accumulator
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[X:.*]] :
// CHECK-NOT: arith.addf
func.func @sum_is_the_accumulator(%x: !tile.view<16x16xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %t = tile.load %x[%c0, %c0] extents [16, 16] : !tile.view<16x16xf32>, i32, i32 -> tensor<16x16xf32>
  %d = tile.dot %t, %t, %zero : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %s = arith.addf %t, %d : tensor<16x16xf32>
  tile.store %s, %x[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}
