// RUN: tile-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @convert_to_the_same_layout
// CHECK-NEXT: return
func.func @convert_to_the_same_layout(%tile: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %same = cta.convert %tile : tensor<64x8xf32> -> tensor<64x8xf32>
  return %same : tensor<64x8xf32>
}
