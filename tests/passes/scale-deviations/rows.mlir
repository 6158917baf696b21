// RUN: tile-opt %s --scale-deviations --split-input-file | FileCheck %s

// A gradient of a norm: the number of the row that is added to scaled deviations goes into their
// addend.
// CHECK-LABEL: @scaled(
// CHECK-SAME: %[[X:.*]]: tensor<1x64xf32>, %[[Z:.*]]: tensor<1x64xf32>, %[[MEAN:.*]]: tensor<1x1xf32>, %[[SCALE:.*]]: tensor<1x1xf32>, %[[TERM:.*]]: tensor<1x1xf32>
// CHECK-DAG: %[[SCALES:.*]] = tile.broadcast %[[SCALE]]
// CHECK-DAG: %[[PRODUCT:.*]] = arith.mulf %[[MEAN]], %[[SCALE]]
// CHECK: %[[MINUS:.*]] = arith.negf %[[PRODUCT]]
// CHECK: %[[ADDEND:.*]] = arith.addf %[[MINUS]], %[[TERM]]
// CHECK: %[[ADDENDS:.*]] = tile.broadcast %[[ADDEND]]
// CHECK: %[[FMA:.*]] = math.fma %[[X]], %[[SCALES]], %[[ADDENDS]]
// CHECK: arith.addf %[[Z]], %[[FMA]]
func.func @scaled(%x: tensor<1x64xf32>, %z: tensor<1x64xf32>, %mean: tensor<1x1xf32>, %scale: tensor<1x1xf32>, %term: tensor<1x1xf32>) -> tensor<1x64xf32> attributes {tile.kernel} {
  %means = tile.broadcast %mean : tensor<1x1xf32> -> tensor<1x64xf32>
  %scales = tile.broadcast %scale : tensor<1x1xf32> -> tensor<1x64xf32>
  %terms = tile.broadcast %term : tensor<1x1xf32> -> tensor<1x64xf32>
  %d = arith.subf %x, %means : tensor<1x64xf32>
  %y = arith.mulf %d, %scales : tensor<1x64xf32>
  %a = arith.addf %z, %y : tensor<1x64xf32>
  %r = arith.addf %a, %terms : tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

// A scale of each element is none of the row.
// CHECK-LABEL: @elements
// CHECK-NOT: math.fma
func.func @elements(%x: tensor<1x64xf32>, %w: tensor<1x64xf32>, %mean: tensor<1x1xf32>) -> tensor<1x64xf32> attributes {tile.kernel} {
  %means = tile.broadcast %mean : tensor<1x1xf32> -> tensor<1x64xf32>
  %d = arith.subf %x, %means : tensor<1x64xf32>
  %y = arith.mulf %d, %w : tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}
