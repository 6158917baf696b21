// RUN: tile-opt %s --make-channels --assign-layouts --swizzle-layout | FileCheck %s

// CHECK-LABEL: @rows_of_128_bytes_take_the_hardware_swizzle
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 64, swizzle<3, 3>>} : <1 x tensor<32x64xf16>>
func.func @rows_of_128_bytes_take_the_hardware_swizzle(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x32xf16>
  %b = tile.load %x[%c0, %c0] extents [32, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x64xf16>
  %z = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tile.dot %a, %b, %z : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
  tile.store %d, %y[%c0, %c0] extents [128, 64] : tensor<128x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @transposed_rows_of_128_bytes_too
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 64, swizzle<3, 3>>} : <1 x tensor<32x64xf16>>
func.func @transposed_rows_of_128_bytes_too(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x64xf16>
  %b = tile.load %x[%c0, %c0] extents [32, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x64xf16>
  %t = tile.transpose %b [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
  %z = arith.constant dense<0.0> : tensor<128x32xf32>
  %d = tile.dot %a, %t, %z : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
  tile.store %d, %y[%c0, %c0] extents [128, 32] : tensor<128x32xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @rows_of_64_bytes
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 32, swizzle<2, 3>>} : <1 x tensor<64x32xf16>>
func.func @rows_of_64_bytes(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x64xf16>
  %b = tile.load %x[%c0, %c0] extents [64, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x32xf16>
  %z = arith.constant dense<0.0> : tensor<128x32xf32>
  %d = tile.dot %a, %b, %z : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
  tile.store %d, %y[%c0, %c0] extents [128, 32] : tensor<128x32xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @rows_of_256_bytes_take_bits_from_further_up
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 128, swizzle<3, 4>>} : <1 x tensor<32x128xf16>>
func.func @rows_of_256_bytes_take_bits_from_further_up(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x32xf16>
  %b = tile.load %x[%c0, %c0] extents [32, 128] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x128xf16>
  %z = arith.constant dense<0.0> : tensor<64x128xf32>
  %d = tile.dot %a, %b, %z : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 128] : tensor<64x128xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// Every warp reads the whole operand, which counts for more than the copy that fills it.
// CHECK-LABEL: @rows_of_160_bytes_are_padded
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 88, swizzle<0, 0>>} : <1 x tensor<32x80xf16>>
func.func @rows_of_160_bytes_are_padded(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [256, 80] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<256x80xf16>
  %b = tile.load %x[%c0, %c0] extents [32, 80] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x80xf16>
  %t = tile.transpose %b [1, 0] : tensor<32x80xf16> -> tensor<80x32xf16>
  %z = arith.constant dense<0.0> : tensor<256x32xf32>
  %d = tile.dot %a, %t, %z : tensor<256x80xf16>, tensor<80x32xf16>, tensor<256x32xf32>
  tile.store %d, %y[%c0, %c0] extents [256, 32] : tensor<256x32xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @rows_of_352_bytes_are_padded
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 184, swizzle<0, 0>>} : <1 x tensor<32x176xf16>>
func.func @rows_of_352_bytes_are_padded(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [256, 176] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<256x176xf16>
  %b = tile.load %x[%c0, %c0] extents [32, 176] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x176xf16>
  %t = tile.transpose %b [1, 0] : tensor<32x176xf16> -> tensor<176x32xf16>
  %z = arith.constant dense<0.0> : tensor<256x32xf32>
  %d = tile.dot %a, %t, %z : tensor<256x176xf16>, tensor<176x32xf16>, tensor<256x32xf32>
  tile.store %d, %y[%c0, %c0] extents [256, 32] : tensor<256x32xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @rows_of_32_bit_elements
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 32, swizzle<3, 3>>} : <1 x tensor<64x32xf32>>
func.func @rows_of_32_bit_elements(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 32] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<128x32xf32>
  %b = tile.load %x[%c0, %c0] extents [64, 32] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x32xf32>
  %t = tile.transpose %b [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %z = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tile.dot %a, %t, %z tf32 : tensor<128x32xf32>, tensor<32x64xf32>, tensor<128x64xf32>
  tile.store %d, %y[%c0, %c0] extents [128, 64] : tensor<128x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @rows_of_8_bit_elements
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 128, swizzle<3, 3>>} : <1 x tensor<64x128xi8>>
func.func @rows_of_8_bit_elements(%x: !tile.view<?x?xi8, align 16>, %y: !tile.view<?x?xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 128] : !tile.view<?x?xi8, align 16>, i32, i32 -> tensor<128x128xi8>
  %b = tile.load %x[%c0, %c0] extents [64, 128] : !tile.view<?x?xi8, align 16>, i32, i32 -> tensor<64x128xi8>
  %t = tile.transpose %b [1, 0] : tensor<64x128xi8> -> tensor<128x64xi8>
  %z = arith.constant dense<0> : tensor<128x64xi32>
  %d = tile.dot %a, %t, %z : tensor<128x128xi8>, tensor<128x64xi8>, tensor<128x64xi32>
  tile.store %d, %y[%c0, %c0] extents [128, 64] : tensor<128x64xi32>, !tile.view<?x?xi32>, i32, i32
  return
}

// Words that ldmatrix cannot transpose are gathered: four rows and eight columns at once.
// CHECK-LABEL: @gathered_words_of_32_bits
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 72, swizzle<0, 0>>} : <1 x tensor<32x64xf32>>
func.func @gathered_words_of_32_bits(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %b = tile.load %x[%c0, %c0] extents [32, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<32x64xf32>
  %a = arith.constant dense<1.0> : tensor<64x32xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %b, %z tf32 : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// Of 99 KiB, 160 are taken.
// CHECK-LABEL: @padding_where_there_is_no_room
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 64, swizzle<2, 4>>} : <1 x tensor<320x64xf32>>
func.func @padding_where_there_is_no_room(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_86", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %b = tile.load %x[%c0, %c0] extents [320, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<320x64xf32>
  %a = arith.constant dense<1.0> : tensor<64x320xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %b, %z tf32 : tensor<64x320xf32>, tensor<320x64xf32>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// Fused multiply-adds read eight rows at one column.
// CHECK-LABEL: @columns_of_rows_of_128_bytes
// CHECK: cta.channel {{.*}} {shared = #cta.shared<pitch 32, swizzle<3, 3>>} : <1 x tensor<64x32xf32>>
func.func @columns_of_rows_of_128_bytes(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 32] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x32xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %b, %z : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}
