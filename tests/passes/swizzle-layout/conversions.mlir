// RUN: tile-opt %s --swizzle-layout | FileCheck %s
// RUN: tile-opt %s --swizzle-layout -verify-diagnostics

#fragments = #cta.layout<registers [2:1:1, 2:0:8, 8:1:8], lanes [4:1:2, 8:0:1], warps []>
#rows_of_16_bits = #cta.layout<registers [8:1:1, 4:0:4], lanes [8:1:8, 4:0:1], warps []>
#rows_of_32_bits = #cta.layout<registers [4:1:1, 8:0:2], lanes [16:1:4, 2:0:1], warps []>
#narrow = #cta.layout<registers [2:1:1, 2:0:8, 5:1:8], lanes [4:1:2, 8:0:1], warps []>
#rows_of_40 = #cta.layout<registers [8:1:1, 5:1:8], lanes [16:0:1, 2:*], warps []>

// Rows of 128 bytes and 16 more: words, stmatrix's rows and 16-byte vectors go without conflict.
// CHECK-LABEL: @halves
// CHECK: cta.convert %{{.*}} {shared = #cta.shared<pitch 72, swizzle<0, 0>>}
func.func @halves(%a: tensor<16x64xf16, #fragments>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %b = cta.convert %a : tensor<16x64xf16, #fragments> -> tensor<16x64xf16, #rows_of_16_bits>
  return
}

// CHECK-LABEL: @halves_in_words
// CHECK: cta.convert %{{.*}} {shared = #cta.shared<pitch 72, swizzle<0, 0>>}
func.func @halves_in_words(%a: tensor<16x64xf16, #fragments>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %b = cta.convert %a : tensor<16x64xf16, #fragments> -> tensor<16x64xf16, #rows_of_16_bits>
  return
}

// Pairs of 32 bits are stored 8 bytes at a time: four rows are 128 bytes when they are 32 bytes apart.
// CHECK-LABEL: @words
// CHECK: cta.convert %{{.*}} {shared = #cta.shared<pitch 72, swizzle<0, 0>>}
func.func @words(%a: tensor<16x64xf32, #fragments>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %b = cta.convert %a : tensor<16x64xf32, #fragments> -> tensor<16x64xf32, #rows_of_32_bits>
  return
}

// An odd number of 16 bytes, to which an even one is added.
// CHECK-LABEL: @rows_of_80_bytes
// CHECK: cta.convert %{{.*}} {shared = #cta.shared<pitch 56, swizzle<0, 0>>}
func.func @rows_of_80_bytes(%a: tensor<16x40xf16, #narrow>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %b = cta.convert %a : tensor<16x40xf16, #narrow> -> tensor<16x40xf16, #rows_of_40>
  return
}
