// RUN: tile-opt %s --make-channels | FileCheck %s

// CHECK-LABEL: @square_parts_read_least
// CHECK: cta.mma {{.*}}over 2x2
func.func @square_parts_read_least(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %acc: tensor<128x128xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %d = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  return
}

// CHECK-LABEL: @long_results_are_split_lengthwise
// CHECK: cta.mma {{.*}}over 1x4
func.func @long_results_are_split_lengthwise(%a: tensor<16x64xf16>, %b: tensor<64x256xf16>, %acc: tensor<16x256xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %d = tile.dot %a, %b, %acc : tensor<16x64xf16>, tensor<64x256xf16>, tensor<16x256xf32>
  return
}

// CHECK-LABEL: @rows_that_are_reduced_stay_in_a_warp
// CHECK: cta.mma {{.*}}over 4x1
func.func @rows_that_are_reduced_stay_in_a_warp(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %acc: tensor<128x128xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %d = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %s = tile.reduce max %d, 1 : tensor<128x128xf32> -> tensor<128xf32>
  return
}

// The result of the first is the left operand of the second, through a cast.
// CHECK-LABEL: @rows_of_the_next_left_operand_stay_in_a_warp
// CHECK: cta.mma {{.*}}over 4x1
// CHECK: cta.mma {{.*}}over 4x1
func.func @rows_of_the_next_left_operand_stay_in_a_warp(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %acc: tensor<128x128xf32>, %e: tensor<128x128xf16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %d = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %p = tile.cast %d : tensor<128x128xf32> -> tensor<128x128xf16>
  %f = tile.dot %p, %e, %acc : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
  return
}

// CHECK-LABEL: @rows_that_are_reduced_behind_a_branch_stay_in_a_warp
// CHECK: cta.mma {{.*}}over 4x1
func.func @rows_that_are_reduced_behind_a_branch_stay_in_a_warp(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %acc: tensor<128x128xf32>, %if: i1)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %d = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %v = scf.if %if -> (tensor<128x128xf32>) {
    %n = arith.negf %d : tensor<128x128xf32>
    scf.yield %n : tensor<128x128xf32>
  } else {
    scf.yield %d : tensor<128x128xf32>
  }
  %s = tile.reduce max %v, 1 : tensor<128x128xf32> -> tensor<128xf32>
  return
}

// 48 rows are three fragments, which four warps cannot share along m.
// CHECK-LABEL: @splits_fit_the_fragments
// CHECK: cta.mma {{.*}}over 1x4
func.func @splits_fit_the_fragments(%a: tensor<48x64xf16>, %b: tensor<64x64xf16>, %acc: tensor<48x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %d = tile.dot %a, %b, %acc : tensor<48x64xf16>, tensor<64x64xf16>, tensor<48x64xf32>
  return
}

// CHECK-LABEL: @warps_too_many_are_left_over
// CHECK: cta.mma {{.*}}over 1x2
func.func @warps_too_many_are_left_over(%a: tensor<16x64xf16>, %b: tensor<64x16xf16>, %acc: tensor<16x16xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %d = tile.dot %a, %b, %acc : tensor<16x64xf16>, tensor<64x16xf16>, tensor<16x16xf32>
  return
}
