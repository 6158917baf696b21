// RUN: tile-opt %s --make-channels --assign-layouts --swizzle-layout 2>&1 | FileCheck %s

// CHECK: swizzle-layout: swizzle <2, 4, 3>, 0 conflicts in 48 accesses
// CHECK: swizzle-layout: swizzle <3, 4, 3>, 0 conflicts in
func.func @swizzles(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x32xf16>
  %b = tile.load %x[%c0, %c0] extents [32, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x64xf16>
  %z = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tile.dot %a, %b, %z : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
  tile.store %d, %y[%c0, %c0] extents [128, 64] : tensor<128x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}


// CHECK: swizzle-layout: rows padded to 88 elements, 20 conflicts in 60 accesses
func.func @pads(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
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
