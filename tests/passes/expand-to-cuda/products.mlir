// RUN: tile-opt %s --make-channels --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// Rows of B run along n: ldmatrix transposes them.
// CHECK-LABEL: @operands_as_they_lie
// CHECK: cuda.ldmatrix {{.*}} {count = 4 : i64} : <{{.*}} x vector<2xf16>>
// CHECK: cuda.ldmatrix {{.*}} trans {count = 4 : i64} : <{{.*}} x vector<2xf16>>
// CHECK: cuda.mma 16 x 8 x 16
func.func @operands_as_they_lie(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @operands_stored_transposed
// CHECK: cuda.ldmatrix {{.*}} trans {count = 4 : i64}
// CHECK-NOT: trans
// CHECK: cuda.ldmatrix
// CHECK-NOT: trans
// CHECK: cuda.mma
func.func @operands_stored_transposed(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %t = tile.transpose %a [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %d = tile.dot %t, %t, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// ldmatrix transposes elements of 16 bits only.
// CHECK-LABEL: @bytes_that_lie_across_are_gathered
// CHECK: cuda.load_shared {{.*}} {count = 1 : i64} : <4 x i8>
// CHECK: cuda.pack {{.*}} -> vector<4xi8>
// CHECK: cuda.mma 16 x 8 x 32
func.func @bytes_that_lie_across_are_gathered(%x: !tile.view<?x?xi8, align 16>, %y: !tile.view<?x?xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0> : tensor<64x64xi32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xi8, align 16>, i32, i32 -> tensor<64x64xi8>
  %d = tile.dot %a, %a, %z : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xi32>, !tile.view<?x?xi32>, i32, i32
  return
}

// Fragments of 8 rows have one word each: one ldmatrix brings four of them.
// CHECK-LABEL: @fragments_of_8_rows
// CHECK-DAG: cuda.ldmatrix {{.*}} {count = 4 : i64} : <4 x vector<4xi8>>
// CHECK: cuda.mma 8 x 8 x 16 {{.*}} : <32 x i32>, <4 x vector<4xi8>>, <4 x vector<4xi8>>
func.func @fragments_of_8_rows(%x: !tile.view<?x?xi8, align 16>, %y: !tile.view<?x?xi32>)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0> : tensor<64x64xi32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xi8, align 16>, i32, i32 -> tensor<64x64xi8>
  %t = tile.transpose %a [1, 0] : tensor<64x64xi8> -> tensor<64x64xi8>
  %d = tile.dot %a, %t, %z : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xi32>, !tile.view<?x?xi32>, i32, i32
  return
}

// CHECK-LABEL: @tf32_is_rounded_in_fragments
// CHECK: cuda.ldmatrix
// CHECK: cuda.round_tf32
// CHECK: cuda.mma 16 x 8 x 8
func.func @tf32_is_rounded_in_fragments(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  %t = tile.transpose %a [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %t, %z tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @without_tensor_cores
// CHECK-NOT: cuda.mma
// CHECK: scf.for {{.*}} to %c64_i32
// CHECK: cuda.load_shared
// CHECK: math.fma
func.func @without_tensor_cores(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// The old accumulator is stored as well: the product has its own.
// CHECK-LABEL: @accumulators_still_wanted_are_copied
// CHECK: %[[OLD:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.load_global {{.*}} %[[OLD]]
// CHECK: %[[NEW:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.mma 16 x 8 x 16 %[[NEW]]
// CHECK: cuda.store_global %[[NEW]]
// CHECK: cuda.store_global %[[OLD]]
func.func @accumulators_still_wanted_are_copied(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<64x64xf32, align 8>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %z = tile.load %y[%c0, %c0] extents [64, 64] : !tile.view<64x64xf32, align 8>, i32, i32 -> tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<64x64xf32, align 8>, i32, i32
  tile.store %z, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<64x64xf32, align 8>, i32, i32
  return
}
