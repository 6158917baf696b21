// RUN: tile-opt %s --differentiate="wrt=x,w given=y" --canonicalize --cse --split-input-file | FileCheck %s

// What the forward computes and no rule needs is gone; sizes are asked of other tensors.
// CHECK-LABEL: func.func @product_grad(
// CHECK-SAME: %[[X:[^ ]*]]: !tile.view<?xbf16> {tile.dims = ["N"], tile.name = "x"}
// CHECK-SAME: %[[W:[^ ]*]]: !tile.view<?xbf16> {tile.dims = ["N"], tile.name = "w"}
// CHECK-SAME: %[[DY:[^ ]*]]: !tile.view<?xf32, align 16> {tile.dims = ["N"], tile.name = "dy"}
// CHECK-SAME: %[[DX:[^ ]*]]: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "dx"}
// CHECK-SAME: %[[DW:[^ ]*]]: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "dw"}
// CHECK: tile.dim %[[X]], 0
// CHECK: %[[WIDE:.*]] = tile.cast %{{.*}} : tensor<16xbf16> -> tensor<16xf32>
// CHECK: %[[WW:.*]] = tile.cast %{{.*}} : tensor<16xbf16> -> tensor<16xf32>
// CHECK: %[[G:.*]] = tile.load %[[DY]]
// CHECK-DAG: %[[XG:.*]] = arith.mulf %[[G]], %[[WW]]
// CHECK-DAG: %[[WG:.*]] = arith.mulf %[[G]], %[[WIDE]]
// CHECK-DAG: tile.store %[[WG]], %[[DW]]
// CHECK-DAG: tile.store %[[XG]], %[[DX]]
func.func @product(%x: !tile.view<?xbf16> {tile.dims = ["N"], tile.name = "x"},
                   %w: !tile.view<?xbf16> {tile.dims = ["N"], tile.name = "w"},
                   %y: !tile.view<?xbf16, align 16> {tile.dims = ["N"], tile.name = "y"})
    attributes {tile.kernel} {
  %c16 = arith.constant 16 : i32
  %n = tile.dim %x, 0 : !tile.view<?xbf16>
  %grid = arith.ceildivsi %n, %c16 : i32
  tile.grid [%grid]
  %p = tile.program_id 0
  %at = arith.muli %p, %c16 : i32
  %a = tile.load %x[%at] extents [16] : !tile.view<?xbf16>, i32 -> tensor<16xbf16>
  %b = tile.load %w[%at] extents [16] : !tile.view<?xbf16>, i32 -> tensor<16xbf16>
  %wide = tile.cast %a : tensor<16xbf16> -> tensor<16xf32>
  %other = tile.cast %b : tensor<16xbf16> -> tensor<16xf32>
  %r = arith.mulf %wide, %other : tensor<16xf32>
  %narrow = tile.cast %r : tensor<16xf32> -> tensor<16xbf16>
  tile.store %narrow, %y[%at] extents [16] : tensor<16xbf16>, !tile.view<?xbf16, align 16>, i32
  return
}

// -----

// The quotient would be 0 · ∞ where exp is infinite.
// CHECK-LABEL: func.func @sigmoid_is_one_rule_grad
// CHECK: %[[S:.*]] = arith.divf
// CHECK: %[[G:.*]] = tile.load
// CHECK: %[[REST:.*]] = arith.subf %[[S]], %{{.*}}
// CHECK: %[[A:.*]] = arith.mulf %[[G]], %[[S]]
// CHECK: %[[B:.*]] = arith.mulf %[[A]], %[[REST]]
// CHECK: arith.negf %[[B]]
func.func @sigmoid_is_one_rule(%x: !tile.view<16xf32> {tile.dims = ["N"], tile.name = "x"},
                               %w: !tile.view<16xf32> {tile.dims = ["N"], tile.name = "w"},
                               %y: !tile.view<16xf32> {tile.dims = ["N"], tile.name = "y"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %v = tile.load %x[%c0] extents [16] : !tile.view<16xf32>, i32 -> tensor<16xf32>
  %minus = arith.negf %v : tensor<16xf32>
  %e = math.exp %minus : tensor<16xf32>
  %sum = arith.addf %one, %e : tensor<16xf32>
  %s = arith.divf %one, %sum : tensor<16xf32>
  tile.store %s, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<16xf32>, i32
  return
}

// -----

// CHECK-LABEL: func.func @broadcast_and_sum_are_each_others_grad
// CHECK: %[[G:.*]] = tile.load %{{.*}} extents [4] : {{.*}} -> tensor<4xf32>
// CHECK: %[[E:.*]] = tile.expand_dims %[[G]], 1
// CHECK: %[[R:.*]] = tile.broadcast %[[E]] : tensor<4x1xf32> -> tensor<4x16xf32>
// CHECK: %[[S:.*]] = tile.reduce sum %[[R]], 0 : tensor<4x16xf32> -> tensor<16xf32>
// CHECK: tile.store %[[S]]
func.func @broadcast_and_sum_are_each_others(
    %x: !tile.view<16xf32> {tile.dims = ["N"], tile.name = "x"},
    %w: !tile.view<16xf32> {tile.dims = ["N"], tile.name = "w"},
    %y: !tile.view<4xf32> {tile.dims = ["M"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %v = tile.load %x[%c0] extents [16] : !tile.view<16xf32>, i32 -> tensor<16xf32>
  %e = tile.expand_dims %v, 0 : tensor<16xf32> -> tensor<1x16xf32>
  %b = tile.broadcast %e : tensor<1x16xf32> -> tensor<4x16xf32>
  %s = tile.reduce sum %b, 1 : tensor<4x16xf32> -> tensor<4xf32>
  tile.store %s, %y[%c0] extents [4] : tensor<4xf32>, !tile.view<4xf32>, i32
  return
}

// -----

// CHECK-LABEL: func.func @product_of_matrices_is_two_grad
// CHECK: %[[N:.*]] = tile.cast %{{.*}} : tensor<16x32xf32> -> tensor<16x32xbf16>
// CHECK-DAG: %[[BT:.*]] = tile.transpose %{{.*}} [1, 0] : tensor<64x32xbf16> -> tensor<32x64xbf16>
// CHECK-DAG: %[[AT:.*]] = tile.transpose %{{.*}} [1, 0] : tensor<16x64xbf16> -> tensor<64x16xbf16>
// CHECK-DAG: tile.dot %[[N]], %[[BT]], %{{.*}} : {{.*}}, tensor<16x64xf32>
// CHECK-DAG: tile.dot %[[AT]], %[[N]], %{{.*}} : {{.*}}, tensor<64x32xf32>
func.func @product_of_matrices_is_two(
    %x: !tile.view<16x64xbf16> {tile.dims = ["M", "K"], tile.name = "x"},
    %w: !tile.view<64x32xbf16> {tile.dims = ["K", "N"], tile.name = "w"},
    %y: !tile.view<16x32xf32> {tile.dims = ["M", "N"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %a = tile.load %x[%c0, %c0] extents [16, 64]
      : !tile.view<16x64xbf16>, i32, i32 -> tensor<16x64xbf16>
  %b = tile.load %w[%c0, %c0] extents [64, 32]
      : !tile.view<64x32xbf16>, i32, i32 -> tensor<64x32xbf16>
  %r = tile.dot %a, %b, %zero : tensor<16x64xbf16>, tensor<64x32xbf16>, tensor<16x32xf32>
  tile.store %r, %y[%c0, %c0] extents [16, 32] : tensor<16x32xf32>, !tile.view<16x32xf32>, i32, i32
  return
}
