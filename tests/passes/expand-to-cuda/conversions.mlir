// RUN: tile-opt %s --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

#fragments = #cta.layout<registers [2:1:1, 2:0:8, 4:1:8], lanes [4:1:2, 8:0:1], warps []>
#tall_fragments = #cta.layout<registers [2:1:1, 2:0:8, 4:1:8, 8:0:16], lanes [4:1:2, 8:0:1], warps []>
#tall_rows = #cta.layout<registers [8:1:1, 16:0:8], lanes [4:1:8, 8:0:1], warps []>
#across = #cta.layout<registers [2:0:1, 2:1:8, 4:0:8], lanes [4:0:2, 8:1:1], warps []>
#rows = #cta.layout<registers [8:1:1, 2:0:8], lanes [4:1:8, 8:0:1], warps []>
#rows_across = #cta.layout<registers [8:1:1, 2:0:16], lanes [2:1:8, 16:0:1], warps []>
#pair = #cta.layout<registers [2:1:1, 2:0:8], lanes [4:1:2, 8:0:1], warps []>
#rows_of_pair = #cta.layout<registers [4:1:1], lanes [2:1:4, 16:0:1], warps []>
#copies = #cta.layout<registers [2:1:1, 2:0:8, 4:1:8], lanes [4:1:2, 8:0:1], warps [2:*]>
#rows_of_two_warps = #cta.layout<registers [8:1:1], lanes [4:1:8, 8:0:1], warps [2:0:8]>

// Four 8×8 matrices at a time; rows are padded to 40 elements, 80 bytes.
// CHECK-LABEL: @fragments_to_rows
// CHECK: cuda.barrier
// CHECK: arith.muli %{{.*}}, %c80_i32
// CHECK: cuda.stmatrix %{{.*}}[%{{.*}}], %{{.*}} {count = 4 : i64} : <{{.*}} x vector<2xf16>>
// CHECK-NOT: cuda.store_shared
// CHECK: cuda.barrier
// CHECK: cuda.load_shared {{.*}} {count = 8 : i64}
func.func @fragments_to_rows(%x: !tile.view<16x32xf16>, %y: !tile.view<16x32xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [16, 32] : !tile.view<16x32xf16>, i32, i32 -> tensor<16x32xf16, #fragments>
  %b = cta.convert %a : tensor<16x32xf16, #fragments> -> tensor<16x32xf16, #rows>
  tile.store %b, %y[%c0, %c0] extents [16, 32] : tensor<16x32xf16, #rows>, !tile.view<16x32xf16, align 16>, i32, i32
  return
}

// CHECK-LABEL: @fragments_of_the_transposed_tile
// CHECK: cuda.stmatrix {{.*}} trans {count = 4 : i64} : <{{.*}} x vector<2xbf16>>
func.func @fragments_of_the_transposed_tile(%x: !tile.view<32x16xbf16>, %y: !tile.view<32x16xbf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_120", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [32, 16] : !tile.view<32x16xbf16>, i32, i32 -> tensor<32x16xbf16, #across>
  %b = cta.convert %a : tensor<32x16xbf16, #across> -> tensor<32x16xbf16, #rows_across>
  tile.store %b, %y[%c0, %c0] extents [32, 16] : tensor<32x16xbf16, #rows_across>, !tile.view<32x16xbf16, align 16>, i32, i32
  return
}

// CHECK-LABEL: @one_pair_of_matrices
// CHECK: cuda.stmatrix {{.*}} {count = 2 : i64}
func.func @one_pair_of_matrices(%x: !tile.view<16x8xf16>, %y: !tile.view<16x8xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [16, 8] : !tile.view<16x8xf16>, i32, i32 -> tensor<16x8xf16, #pair>
  %b = cta.convert %a : tensor<16x8xf16, #pair> -> tensor<16x8xf16, #rows_of_pair>
  tile.store %b, %y[%c0, %c0] extents [16, 8] : tensor<16x8xf16, #rows_of_pair>, !tile.view<16x8xf16, align 16>, i32, i32
  return
}

// CHECK-LABEL: @older_targets_store_words
// CHECK-NOT: cuda.stmatrix
// CHECK: cuda.store_shared {{.*}} {count = 2 : i64}
func.func @older_targets_store_words(%x: !tile.view<16x32xf16>, %y: !tile.view<16x32xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_89", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [16, 32] : !tile.view<16x32xf16>, i32, i32 -> tensor<16x32xf16, #fragments>
  %b = cta.convert %a : tensor<16x32xf16, #fragments> -> tensor<16x32xf16, #rows>
  tile.store %b, %y[%c0, %c0] extents [16, 32] : tensor<16x32xf16, #rows>, !tile.view<16x32xf16, align 16>, i32, i32
  return
}

// CHECK-LABEL: @other_widths_store_vectors
// CHECK-NOT: cuda.stmatrix
// CHECK: cuda.store_shared {{.*}} {count = 2 : i64}
func.func @other_widths_store_vectors(%x: !tile.view<16x32xf32>, %y: !tile.view<16x32xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [16, 32] : !tile.view<16x32xf32>, i32, i32 -> tensor<16x32xf32, #fragments>
  %b = cta.convert %a : tensor<16x32xf32, #fragments> -> tensor<16x32xf32, #rows>
  tile.store %b, %y[%c0, %c0] extents [16, 32] : tensor<16x32xf32, #rows>, !tile.view<16x32xf32, align 16>, i32, i32
  return
}

// Only the first of two warps that hold the same stores; stmatrix takes no predicate.
// CHECK-LABEL: @replicas
// CHECK-NOT: cuda.stmatrix
// CHECK: cuda.store_shared
func.func @replicas(%x: !tile.view<16x32xf16>, %y: !tile.view<16x32xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [16, 32] : !tile.view<16x32xf16>, i32, i32 -> tensor<16x32xf16, #copies>
  %b = cta.convert %a : tensor<16x32xf16, #copies> -> tensor<16x32xf16, #rows_of_two_warps>
  tile.store %b, %y[%c0, %c0] extents [16, 32] : tensor<16x32xf16, #rows_of_two_warps>, !tile.view<16x32xf16, align 16>, i32, i32
  return
}

// A computed operand goes to its slot in the same way.
// CHECK-LABEL: @fragments_into_a_slot
// CHECK: cuda.stmatrix {{.*}} {count = 4 : i64}
func.func @fragments_into_a_slot(%x: !tile.view<16x32xf16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %ring = cta.channel put : !cta.channel<1 x tensor<16x32xf16>>
  %a = tile.load %x[%c0, %c0] extents [16, 32] : !tile.view<16x32xf16>, i32, i32 -> tensor<16x32xf16, #fragments>
  %slot = cta.acquire %ring : !cta.channel<1 x tensor<16x32xf16>> -> !cta.slot<tensor<16x32xf16>>
  cta.put %a, %slot : tensor<16x32xf16, #fragments>, !cta.slot<tensor<16x32xf16>>
  cta.commit %slot : !cta.slot<tensor<16x32xf16>>
  return
}

// A tile that is stored as it arrives takes no registers: each vector goes from shared memory to
// global memory. Where it may have to go element by element, few copies of that are made.
// CHECK-LABEL: @stored_from_shared_memory
// CHECK: cuda.barrier
// CHECK: scf.for
// CHECK: cuda.stmatrix
// CHECK: cuda.barrier
// CHECK: scf.for
// CHECK: cuda.load_shared {{.*}} {count = 8 : i64}
// CHECK: scf.if
// CHECK: cuda.store_global {{.*}} {count = 8 : i64}
// CHECK: cuda.store_global {{.*}} {count = 1 : i64}
// CHECK: {cuda.unroll = 4 : i32}
func.func @stored_from_shared_memory(%x: !tile.view<128x32xf16>, %y: !tile.view<128x?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 32] : !tile.view<128x32xf16>, i32, i32 -> tensor<128x32xf16, #tall_fragments>
  %b = cta.convert %a : tensor<128x32xf16, #tall_fragments> -> tensor<128x32xf16, #tall_rows>
  tile.store %b, %y[%c0, %c0] extents [128, 32] : tensor<128x32xf16, #tall_rows>, !tile.view<128x?xf16, align 16>, i32, i32
  return
}
