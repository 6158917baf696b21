// RUN: tile-opt %s --simplify-math | FileCheck %s

// One factor of both terms joins the next, so a term has one multiplication less.
// CHECK-LABEL: @terms_share_a_factor
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[Y:.*]]: tensor<8x16xf32>, %{{.*}}: tensor<8x16xi1>, %[[SCALE:.*]]: f32, %[[SLOPE:.*]]: f32)
// CHECK: %[[RATIO:.*]] = arith.divf %[[SLOPE]], %[[SCALE]] : f32
// CHECK: %[[EACH:.*]] = tile.splat %[[RATIO]]
// CHECK: %[[TERM:.*]] = arith.mulf %[[Y]], %[[EACH]]
// CHECK: %[[SUM:.*]] = arith.subf %[[X]], %[[TERM]]
// CHECK: arith.select %{{.*}}, %[[SUM]], %{{.*}}
func.func @terms_share_a_factor(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %mask: tensor<8x16xi1>, %scale: f32,
                                %slope: f32) -> tensor<8x16xf32> attributes {tile.kernel} {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %log2e = arith.constant dense<1.44269504> : tensor<8x16xf32>
  %positive = arith.cmpf ogt, %scale, %zero : f32
  tile.assert %positive, "scale must be positive" : i1
  %scales = tile.splat %scale : f32 -> tensor<8x16xf32>
  %slopes = tile.splat %slope : f32 -> tensor<8x16xf32>
  %a = arith.mulf %x, %scales : tensor<8x16xf32>
  %b = arith.mulf %slopes, %y : tensor<8x16xf32>
  %sum = arith.subf %a, %b : tensor<8x16xf32>
  %whole = arith.mulf %sum, %log2e : tensor<8x16xf32>
  %seen = arith.select %mask, %whole, %lowest : tensor<8x16xi1>, tensor<8x16xf32>
  return %seen : tensor<8x16xf32>
}

// CHECK-LABEL: @factors_of_an_fma
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[Y:.*]]: tensor<8x16xf32>, %[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK: %[[AB:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK: %[[BOTH:.*]] = tile.splat %[[AB]]
// CHECK: math.fma %[[X]], %[[BOTH]], %[[Y]]
func.func @factors_of_an_fma(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %a: f32, %b: f32) -> tensor<8x16xf32>
    attributes {tile.kernel} {
  %as = tile.splat %a : f32 -> tensor<8x16xf32>
  %bs = tile.splat %b : f32 -> tensor<8x16xf32>
  %xa = arith.mulf %x, %as : tensor<8x16xf32>
  %fma = math.fma %xa, %bs, %y : tensor<8x16xf32>
  return %fma : tensor<8x16xf32>
}

// Nothing takes the factor of this sum.
// CHECK-LABEL: @a_sum_that_is_stored
// CHECK-NOT: arith.divf
func.func @a_sum_that_is_stored(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %slope: f32) -> tensor<8x16xf32>
    attributes {tile.kernel} {
  %twos = arith.constant dense<2.0> : tensor<8x16xf32>
  %slopes = tile.splat %slope : f32 -> tensor<8x16xf32>
  %a = arith.mulf %x, %twos : tensor<8x16xf32>
  %b = arith.mulf %slopes, %y : tensor<8x16xf32>
  %sum = arith.subf %a, %b : tensor<8x16xf32>
  return %sum : tensor<8x16xf32>
}
