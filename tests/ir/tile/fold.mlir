// RUN: tile-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @dim_of_static_size
// CHECK: %[[SIZE:.*]] = arith.constant 64 : i32
// CHECK: return %[[SIZE]]
func.func @dim_of_static_size(%x: !tile.view<?x64xf16>) -> i32 {
  %n = tile.dim %x, 1 : !tile.view<?x64xf16>
  return %n : i32
}

// CHECK-LABEL: @keeps_dim_of_dynamic_size
// CHECK: tile.dim
func.func @keeps_dim_of_dynamic_size(%x: !tile.view<?x64xf16>) -> i32 {
  %n = tile.dim %x, 0 : !tile.view<?x64xf16>
  return %n : i32
}

// CHECK-LABEL: @splat_of_constant
// CHECK: arith.constant dense<2.000000e+00> : tensor<8xf32>
func.func @splat_of_constant() -> tensor<8xf32> {
  %two = arith.constant 2.0 : f32
  %tile = tile.splat %two : f32 -> tensor<8xf32>
  return %tile : tensor<8xf32>
}

// CHECK-LABEL: @shapes_of_constants
// CHECK: %[[TILE:.*]] = arith.constant dense<3> : tensor<4x8xi32>
// CHECK-NOT: tile.
// CHECK: return %[[TILE]]
func.func @shapes_of_constants() -> tensor<4x8xi32> {
  %three = arith.constant dense<3> : tensor<8xi32>
  %row = tile.expand_dims %three, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %tile = tile.broadcast %row : tensor<8x1xi32> -> tensor<8x4xi32>
  %turned = tile.transpose %tile [1, 0] : tensor<8x4xi32> -> tensor<4x8xi32>
  return %turned : tensor<4x8xi32>
}

// CHECK-LABEL: @broadcast_and_cast_to_the_same
// CHECK-SAME: %[[TILE:.*]]: tensor<4x8xf32>
// CHECK-NEXT: return %[[TILE]]
func.func @broadcast_and_cast_to_the_same(%tile: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %wide = tile.broadcast %tile : tensor<4x8xf32> -> tensor<4x8xf32>
  %cast = tile.cast %wide : tensor<4x8xf32> -> tensor<4x8xf32>
  return %cast : tensor<4x8xf32>
}

// CHECK-LABEL: @dim_of_a_part
// CHECK-SAME: %[[X:.*]]: !tile.view<?x?xf16>, %[[START:.*]]: i32, %[[SIZE:.*]]: i32
// CHECK: %[[COLUMNS:.*]] = tile.dim %[[X]], 1
// CHECK: return %[[SIZE]], %[[COLUMNS]]
func.func @dim_of_a_part(%x: !tile.view<?x?xf16>, %start: i32, %size: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %a = tile.subview %x, 0 from %start size %size : !tile.view<?x?xf16> -> !tile.view<?x?xf16>
  %m = tile.dim %a, 0 : !tile.view<?x?xf16>
  %n = tile.dim %a, 1 : !tile.view<?x?xf16>
  return %m, %n : i32, i32
}
