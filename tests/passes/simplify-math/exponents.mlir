// RUN: tile-opt %s --simplify-math | FileCheck %s

// CHECK-LABEL: @softmax_is_one_fma_and_exp2
// CHECK: %[[M:.*]] = tile.reduce max
// CHECK: arith.mulf %[[M]], %{{.*}} : f32
// CHECK: math.fma {{.*}} : tensor<64xf32>
// CHECK: math.exp2
// CHECK-NOT: math.exp %
func.func @softmax_is_one_fma_and_exp2(%x: !tile.view<64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0] extents [64] : !tile.view<64xf32>, i32 -> tensor<64xf32>
  %m = tile.reduce max %t, 0 : tensor<64xf32> -> f32
  %ms = tile.splat %m : f32 -> tensor<64xf32>
  %d = arith.subf %t, %ms : tensor<64xf32>
  %e = math.exp %d : tensor<64xf32>
  tile.store %e, %x[%c0] extents [64] : tensor<64xf32>, !tile.view<64xf32>, i32
  return
}

// CHECK-LABEL: @asserted_scale_leaves_the_maximum
// CHECK: %[[T:.*]] = tile.load
// CHECK: %[[V:.*]] = arith.select %{{.*}}, %[[T]], %{{.*}} : tensor<8x16xi1>
// CHECK: %[[M:.*]] = tile.reduce max %[[V]], 1
// CHECK: arith.mulf %[[M]], %{{.*}} : tensor<8xf32>
// CHECK: math.fma %[[V]]
func.func @asserted_scale_leaves_the_maximum(%x: !tile.view<8x16xf32>, %mask: !tile.view<8x16xi1>,
    %scale: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %scale, %zero : f32
  tile.assert %positive, "scale must be positive" : i1
  %low = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %t = tile.load %x[%c0, %c0] extents [8, 16] : !tile.view<8x16xf32>, i32, i32 -> tensor<8x16xf32>
  %seen = tile.load %mask[%c0, %c0] extents [8, 16] : !tile.view<8x16xi1>, i32, i32 -> tensor<8x16xi1>
  %scales = tile.splat %scale : f32 -> tensor<8x16xf32>
  %ts = arith.mulf %t, %scales : tensor<8x16xf32>
  %s = arith.select %seen, %ts, %low : tensor<8x16xi1>, tensor<8x16xf32>
  %m = tile.reduce max %s, 1 : tensor<8x16xf32> -> tensor<8xf32>
  %m1 = tile.expand_dims %m, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %ms = tile.broadcast %m1 : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = arith.subf %s, %ms : tensor<8x16xf32>
  %e = math.exp2 %d : tensor<8x16xf32>
  tile.store %e, %x[%c0, %c0] extents [8, 16] : tensor<8x16xf32>, !tile.view<8x16xf32>, i32, i32
  return
}

// Nothing is known of this scale, so the maximum is of the scaled values.
// CHECK-LABEL: @unknown_scale_stays
// CHECK: %[[S:.*]] = arith.mulf {{.*}} : tensor<8x16xf32>
// CHECK: tile.reduce max %[[S]], 1
func.func @unknown_scale_stays(%x: !tile.view<8x16xf32>, %y: !tile.view<8xf32>, %scale: f32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%c0, %c0] extents [8, 16] : !tile.view<8x16xf32>, i32, i32 -> tensor<8x16xf32>
  %scales = tile.splat %scale : f32 -> tensor<8x16xf32>
  %s = arith.mulf %t, %scales : tensor<8x16xf32>
  %m = tile.reduce max %s, 1 : tensor<8x16xf32> -> tensor<8xf32>
  tile.store %m, %y[%c0] extents [8] : tensor<8xf32>, !tile.view<8xf32>, i32
  return
}
