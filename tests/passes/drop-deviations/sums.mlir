// RUN: tile-opt %s --drop-deviations --split-input-file | FileCheck %s

// sum (a · r + (v - mean v) · s) is sum a · r.
// CHECK-LABEL: @rows
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[S:.*]] = tile.reduce sum %[[A]], 1
// CHECK: %[[SR:.*]] = arith.mulf %[[S]], %{{.*}} : tensor<8xf32>
// CHECK: arith.negf %[[SR]]
func.func @rows(%x: !tile.view<8x16xf32>, %r: !tile.view<8xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %v = tile.load %x[%c0, %c0] extents [8, 16] : !tile.view<8x16xf32>, i32, i32 -> tensor<8x16xf32>
  %a = tile.load %x[%c8, %c0] extents [8, 16] : !tile.view<8x16xf32>, i32, i32 -> tensor<8x16xf32>
  %n = arith.constant dense<16.0> : tensor<8xf32>
  %sum = tile.reduce sum %v, 1 : tensor<8x16xf32> -> tensor<8xf32>
  %mean = arith.divf %sum, %n : tensor<8xf32>
  %mean1 = tile.expand_dims %mean, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %means = tile.broadcast %mean1 : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = arith.subf %v, %means : tensor<8x16xf32>
  %row = tile.load %r[%c0] extents [8] : !tile.view<8xf32>, i32 -> tensor<8xf32>
  %row1 = tile.expand_dims %row, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %rows = tile.broadcast %row1 : tensor<8x1xf32> -> tensor<8x16xf32>
  %ar = arith.mulf %a, %rows : tensor<8x16xf32>
  %ds = arith.mulf %rows, %d : tensor<8x16xf32>
  %terms = arith.addf %ds, %ar : tensor<8x16xf32>
  %negated = arith.negf %terms : tensor<8x16xf32>
  %total = tile.reduce sum %negated, 1 : tensor<8x16xf32> -> tensor<8xf32>
  tile.store %total, %r[%c0] extents [8] : tensor<8xf32>, !tile.view<8xf32>, i32
  return
}

// -----

// A sum of deviations alone corrects what rounding left of a mean.
// CHECK-LABEL: @correction
// CHECK: tile.reduce sum
// CHECK: tile.reduce sum
func.func @correction(%x: !tile.view<16xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0] extents [16] : !tile.view<16xf32>, i32 -> tensor<16xf32>
  %per = arith.constant 6.250000e-02 : f32
  %sum = tile.reduce sum %v, 0 : tensor<16xf32> -> f32
  %mean = arith.mulf %sum, %per : f32
  %means = tile.splat %mean : f32 -> tensor<16xf32>
  %d = arith.subf %v, %means : tensor<16xf32>
  %total = tile.reduce sum %d, 0 : tensor<16xf32> -> f32
  %totals = tile.splat %total : f32 -> tensor<16xf32>
  tile.store %totals, %x[%c0] extents [16] : tensor<16xf32>, !tile.view<16xf32>, i32
  return
}

// -----

// Neither deviations from another number, nor deviations times a column, nor sums along another
// axis are 0; and with two other terms nothing is gained.
// CHECK-LABEL: @kept
// CHECK-COUNT-5: tile.reduce sum
func.func @kept(%x: !tile.view<8x16xf32>, %c: !tile.view<16xf32>, %r: !tile.view<8xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %v = tile.load %x[%c0, %c0] extents [8, 16] : !tile.view<8x16xf32>, i32, i32 -> tensor<8x16xf32>
  %n = arith.constant dense<15.0> : tensor<8xf32>
  %m = arith.constant dense<16.0> : tensor<8xf32>
  %sum = tile.reduce sum %v, 1 : tensor<8x16xf32> -> tensor<8xf32>
  %other = arith.divf %sum, %n : tensor<8xf32>
  %other1 = tile.expand_dims %other, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %others = tile.broadcast %other1 : tensor<8x1xf32> -> tensor<8x16xf32>
  %e = arith.subf %v, %others : tensor<8x16xf32>
  %a = tile.reduce sum %e, 1 : tensor<8x16xf32> -> tensor<8xf32>
  tile.store %a, %r[%c0] extents [8] : tensor<8xf32>, !tile.view<8xf32>, i32
  %mean = arith.divf %sum, %m : tensor<8xf32>
  %mean1 = tile.expand_dims %mean, 1 : tensor<8xf32> -> tensor<8x1xf32>
  %means = tile.broadcast %mean1 : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = arith.subf %v, %means : tensor<8x16xf32>
  %column = tile.load %c[%c0] extents [16] : !tile.view<16xf32>, i32 -> tensor<16xf32>
  %column1 = tile.expand_dims %column, 0 : tensor<16xf32> -> tensor<1x16xf32>
  %columns = tile.broadcast %column1 : tensor<1x16xf32> -> tensor<8x16xf32>
  %dc = arith.mulf %d, %columns : tensor<8x16xf32>
  %b = tile.reduce sum %dc, 1 : tensor<8x16xf32> -> tensor<8xf32>
  tile.store %b, %r[%c0] extents [8] : tensor<8xf32>, !tile.view<8xf32>, i32
  %f = tile.reduce sum %d, 0 : tensor<8x16xf32> -> tensor<16xf32>
  tile.store %f, %c[%c0] extents [16] : tensor<16xf32>, !tile.view<16xf32>, i32
  %exp = math.exp2 %v : tensor<8x16xf32>
  %two = arith.addf %exp, %v : tensor<8x16xf32>
  %three = arith.addf %two, %d : tensor<8x16xf32>
  %g = tile.reduce sum %three, 1 : tensor<8x16xf32> -> tensor<8xf32>
  tile.store %g, %r[%c0] extents [8] : tensor<8xf32>, !tile.view<8xf32>, i32
  return
}
