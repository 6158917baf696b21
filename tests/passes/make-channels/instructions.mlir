// RUN: tile-opt %s --make-channels --split-input-file | FileCheck %s
// RUN: tile-opt %s --make-channels --split-input-file -verify-diagnostics

// CHECK-LABEL: @f16_on_sm_75
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x8>
func.func @f16_on_sm_75(%a: !tile.view<64x64xf16, align 16>, %b: !tile.view<64x64xf16, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  // expected-remark@+1 {{a 64x64x64 product as m16n8k8, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @f16_on_sm_80
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x16>
func.func @f16_on_sm_80(%a: !tile.view<64x64xf16, align 16>, %b: !tile.view<64x64xf16, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  // expected-remark@+1 {{a 64x64x64 product as m16n8k16, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @f16_of_depth_8_on_sm_80
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x8>
func.func @f16_of_depth_8_on_sm_80(%a: !tile.view<64x8xf16, align 16>, %b: !tile.view<8x64xf16, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 8] : !tile.view<64x8xf16, align 16>, i32, i32 -> tensor<64x8xf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [8, 64] : !tile.view<8x64xf16, align 16>, i32, i32 -> tensor<8x64xf16>
  // expected-remark@+1 {{a 64x64x8 product as m16n8k8, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x8xf16>, tensor<8x64xf16>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @bf16_on_sm_75_falls_back
// CHECK: cta.mma {{.*}}by #cta.fma
func.func @bf16_on_sm_75_falls_back(%a: !tile.view<64x64xbf16, align 16>, %b: !tile.view<64x64xbf16, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  // expected-remark@+1 {{a 64x64x64 product as fused multiply-adds, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @bf16_on_sm_80
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x16>
func.func @bf16_on_sm_80(%a: !tile.view<64x64xbf16, align 16>, %b: !tile.view<64x64xbf16, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  // expected-remark@+1 {{a 64x64x64 product as m16n8k16, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @tf32_on_sm_75_falls_back
// CHECK: cta.mma {{.*}}by #cta.fma
func.func @tf32_on_sm_75_falls_back(%a: !tile.view<64x64xf32, align 16>, %b: !tile.view<64x64xf32, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  // expected-remark@+1 {{a 64x64x64 product as fused multiply-adds, warps}}
  %d = tile.dot %x, %y, %acc tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @tf32_on_sm_80
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x8>
func.func @tf32_on_sm_80(%a: !tile.view<64x64xf32, align 16>, %b: !tile.view<64x64xf32, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  // expected-remark@+1 {{a 64x64x64 product as m16n8k8, warps}}
  %d = tile.dot %x, %y, %acc tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @f32_is_exact
// CHECK: cta.mma {{.*}}by #cta.fma
func.func @f32_is_exact(%a: !tile.view<64x64xf32, align 16>, %b: !tile.view<64x64xf32, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  // expected-remark@+1 {{a 64x64x64 product as fused multiply-adds, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @i8_on_sm_75
// CHECK: cta.mma {{.*}}by #cta.mma_sync<8x8x16>
func.func @i8_on_sm_75(%a: !tile.view<64x64xi8, align 16>, %b: !tile.view<64x64xi8, align 16>, %acc: tensor<64x64xi32>)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xi8, align 16>, i32, i32 -> tensor<64x64xi8>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xi8, align 16>, i32, i32 -> tensor<64x64xi8>
  // expected-remark@+1 {{a 64x64x64 product as m8n8k16, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  return
}

// -----

// CHECK-LABEL: @i8_on_sm_80
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x32>
func.func @i8_on_sm_80(%a: !tile.view<64x64xi8, align 16>, %b: !tile.view<64x64xi8, align 16>, %acc: tensor<64x64xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xi8, align 16>, i32, i32 -> tensor<64x64xi8>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xi8, align 16>, i32, i32 -> tensor<64x64xi8>
  // expected-remark@+1 {{a 64x64x64 product as m16n8k32, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  return
}

// -----

// CHECK-LABEL: @f8_on_sm_86_falls_back
// CHECK: cta.mma {{.*}}by #cta.fma
func.func @f8_on_sm_86_falls_back(%a: !tile.view<64x64xf8E4M3FN, align 16>, %b: !tile.view<64x64xf8E4M3FN, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_86", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf8E4M3FN, align 16>, i32, i32 -> tensor<64x64xf8E4M3FN>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf8E4M3FN, align 16>, i32, i32 -> tensor<64x64xf8E4M3FN>
  // expected-remark@+1 {{a 64x64x64 product as fused multiply-adds, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @f8_on_sm_89
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x32>
func.func @f8_on_sm_89(%a: !tile.view<64x64xf8E4M3FN, align 16>, %b: !tile.view<64x64xf8E4M3FN, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_89", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf8E4M3FN, align 16>, i32, i32 -> tensor<64x64xf8E4M3FN>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf8E4M3FN, align 16>, i32, i32 -> tensor<64x64xf8E4M3FN>
  // expected-remark@+1 {{a 64x64x64 product as m16n8k32, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @f8_on_sm_120
// CHECK: cta.mma {{.*}}by #cta.mma_sync<16x8x32>
func.func @f8_on_sm_120(%a: !tile.view<64x64xf8E5M2, align 16>, %b: !tile.view<64x64xf8E5M2, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_120", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xf8E5M2, align 16>, i32, i32 -> tensor<64x64xf8E5M2>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xf8E5M2, align 16>, i32, i32 -> tensor<64x64xf8E5M2>
  // expected-remark@+1 {{a 64x64x64 product as m16n8k32, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xf8E5M2>, tensor<64x64xf8E5M2>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: @few_rows_fall_back
// CHECK: cta.mma {{.*}}by #cta.fma
func.func @few_rows_fall_back(%a: !tile.view<8x64xbf16, align 16>, %b: !tile.view<64x64xbf16, align 16>, %acc: tensor<8x64xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [8, 64] : !tile.view<8x64xbf16, align 16>, i32, i32 -> tensor<8x64xbf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 64] : !tile.view<64x64xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  // expected-remark@+1 {{a 8x64x64 product as fused multiply-adds, warps}}
  %d = tile.dot %x, %y, %acc : tensor<8x64xbf16>, tensor<64x64xbf16>, tensor<8x64xf32>
  return
}

// -----

// CHECK-LABEL: @odd_columns_fall_back
// CHECK: cta.mma {{.*}}by #cta.fma
func.func @odd_columns_fall_back(%a: !tile.view<64x64xbf16, align 16>, %b: !tile.view<64x12xbf16, align 16>, %acc: tensor<64x12xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 64] : !tile.view<64x64xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [64, 12] : !tile.view<64x12xbf16, align 16>, i32, i32 -> tensor<64x12xbf16>
  // expected-remark@+1 {{a 64x12x64 product as fused multiply-adds, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x64xbf16>, tensor<64x12xbf16>, tensor<64x12xf32>
  return
}

// -----

// CHECK-LABEL: @short_depth_falls_back
// CHECK: cta.mma {{.*}}by #cta.fma
func.func @short_depth_falls_back(%a: !tile.view<64x8xbf16, align 16>, %b: !tile.view<8x64xbf16, align 16>, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  // expected-remark@+1 {{make-channels}}
  %x = tile.load %a[%c0, %c0] extents [64, 8] : !tile.view<64x8xbf16, align 16>, i32, i32 -> tensor<64x8xbf16>
  // expected-remark@+1 {{make-channels}}
  %y = tile.load %b[%c0, %c0] extents [8, 64] : !tile.view<8x64xbf16, align 16>, i32, i32 -> tensor<8x64xbf16>
  // expected-remark@+1 {{a 64x64x8 product as fused multiply-adds, warps}}
  %d = tile.dot %x, %y, %acc : tensor<64x8xbf16>, tensor<8x64xbf16>, tensor<64x64xf32>
  return
}
