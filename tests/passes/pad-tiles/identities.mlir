// RUN: tile-opt %s --pad-tiles --cse | FileCheck %s

// CHECK-LABEL: @max_gets_minus_infinity
// CHECK: %[[LOW:.*]] = arith.constant dense<0xFF800000> : tensor<112xf32>
// CHECK: %[[X:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LOW]]
// CHECK: tile.reduce max %[[X]], 0
func.func @max_gets_minus_infinity(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [100] : !tile.view<?xf32>, i32 -> tensor<100xf32>
  %m = tile.reduce max %a, 0 : tensor<100xf32> -> f32
  tile.store %m, %y[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @known_identity_needs_no_select
// CHECK-NOT: arith.select
// CHECK: tile.reduce sum
func.func @known_identity_needs_no_select(%x: !tile.view<100xf32>, %y: !tile.view<?xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [100] : !tile.view<100xf32>, i32 -> tensor<100xf32>
  %m = tile.reduce sum %a, 0 : tensor<100xf32> -> f32
  tile.store %m, %y[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// A vector times a matrix: M is 1, K 100, N 37.
// CHECK-LABEL: @product_axes_fit_the_instruction
// CHECK: tile.load {{.*}} extents [112] {valid = array<i64: 100>}
// CHECK: tile.broadcast {{.*}} : tensor<1x112xbf16> -> tensor<16x112xbf16>
// CHECK: tile.load {{.*}} extents [112, 40] {valid = array<i64: 100, 0>}
// CHECK-NOT: arith.select
// CHECK: tile.dot {{.*}} : tensor<16x112xbf16>, tensor<112x40xbf16>, tensor<16x40xf32>
// CHECK: tile.store {{.*}} extents [16, 40] {valid = array<i64: 1, 0>}
func.func @product_axes_fit_the_instruction(%x: !tile.view<?xbf16>, %w: !tile.view<?x37xbf16>,
    %y: !tile.view<?x37xf32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%k] extents [100] : !tile.view<?xbf16>, i32 -> tensor<100xbf16>
  %a1 = tile.expand_dims %a, 0 : tensor<100xbf16> -> tensor<1x100xbf16>
  %b = tile.load %w[%k, %c0] extents [100, 37] : !tile.view<?x37xbf16>, i32, i32 -> tensor<100x37xbf16>
  %z = arith.constant dense<0.0> : tensor<1x37xf32>
  %o = tile.dot %a1, %b, %z : tensor<1x100xbf16>, tensor<100x37xbf16>, tensor<1x37xf32>
  tile.store %o, %y[%c0, %c0] extents [1, 37] : tensor<1x37xf32>, !tile.view<?x37xf32>, i32, i32
  return
}
