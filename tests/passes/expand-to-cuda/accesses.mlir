// RUN: tile-opt %s --assign-layouts --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// A vector that reaches over the end is moved element by element.
// CHECK-LABEL: @vectors_with_a_tail
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[AT:.*]] : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi sgt, %[[LEFT]], %c7_i32
// CHECK: scf.if %[[WHOLE]] {
// CHECK-NEXT: cuda.load_global %{{.*}}[%[[AT]]], {{.*}} {count = 8 : i64} : <f16>, i32, <4 x vector<2xf16>>
// CHECK-NEXT: } else {
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %c8_i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %[[LEFT]], %[[I]]
// CHECK: cuda.load_global {{.*}}, %[[INSIDE]] {count = 1 : i64}
// CHECK: cuda.unroll
// CHECK: scf.if
// CHECK-NEXT: cuda.store_global {{.*}} {count = 8 : i64} : <4 x vector<2xf16>>, <f16>, i32
// CHECK-NEXT: } else {
// CHECK: cuda.store_global {{.*}} {count = 1 : i64}
func.func @vectors_with_a_tail(%x: !tile.view<?xf16, align 16>, %y: !tile.view<?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c256 = arith.constant 256 : i32
  tile.grid [%c256]
  %p = tile.program_id 0
  %at = arith.muli %p, %c256 : i32
  %a = tile.load %x[%at] extents [256] : !tile.view<?xf16, align 16>, i32 -> tensor<256xf16>
  tile.store %a, %y[%at] extents [256] : tensor<256xf16>, !tile.view<?xf16, align 16>, i32
  return
}

// Where rows end with vectors, each vector is moved or not.
// CHECK-LABEL: @rows_end_with_vectors
// CHECK-NOT: scf.if
// CHECK: %[[LEFT:.*]] = arith.subi %c200_i32, %{{.*}} : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %[[LEFT]], %c0_i32
// CHECK: cuda.load_global {{.*}}, %[[INSIDE]] {count = 8 : i64}
// CHECK-NOT: scf.if
// CHECK: cuda.store_global {{.*}}, %{{.*}} {count = 8 : i64}
// CHECK-NOT: count = 1 : i64
// CHECK: return
func.func @rows_end_with_vectors(%x: !tile.view<200xf16, align 16>, %y: !tile.view<200xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [256] : !tile.view<200xf16, align 16>, i32 -> tensor<256xf16>
  tile.store %a, %y[%c0] extents [256] : tensor<256xf16>, !tile.view<200xf16, align 16>, i32
  return
}

// Many vectors are tested at once: if the tile does not reach over the end, none of them is a branch.
// CHECK-LABEL: @many_vectors_with_a_tail
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[AT:.*]] : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi sgt, %[[LEFT]], %c4095_i32
// CHECK: scf.if %[[INSIDE]] {
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: cuda.load_global {{.*}} {count = 8 : i64}
// CHECK-NOT: scf.if
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.if
// CHECK: cuda.load_global {{.*}} {count = 8 : i64}
// CHECK: cuda.load_global {{.*}} {count = 1 : i64}
func.func @many_vectors_with_a_tail(%x: !tile.view<?xf16, align 16>, %y: !tile.view<?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c4096 = arith.constant 4096 : i32
  tile.grid [%c4096]
  %p = tile.program_id 0
  %at = arith.muli %p, %c4096 : i32
  %a = tile.load %x[%at] extents [4096] : !tile.view<?xf16, align 16>, i32 -> tensor<4096xf16>
  tile.store %a, %y[%at] extents [4096] : tensor<4096xf16>, !tile.view<?xf16, align 16>, i32
  return
}

// CHECK-LABEL: @vectors_known_to_be_inside
// CHECK-NOT: scf.if
// CHECK: cuda.load_global {{.*}} {count = 8 : i64}
// CHECK-NOT: scf.if
// CHECK: cuda.store_global {{.*}} {count = 8 : i64}
func.func @vectors_known_to_be_inside(%x: !tile.view<?xf16, align 16>, %y: !tile.view<?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [256] {in_bounds = array<i1: true>} : !tile.view<?xf16, align 16>, i32 -> tensor<256xf16>
  tile.store %a, %y[%c0] extents [256] {in_bounds = array<i1: true>} : tensor<256xf16>, !tile.view<?xf16, align 16>, i32
  return
}

// Only the first 100 of a row that is otherwise inside.
// CHECK-LABEL: @valid_ends_the_row
// CHECK: %[[LEFT:.*]] = arith.subi %c100_i32, %{{.*}} : i32
// CHECK: arith.cmpi sgt, %[[LEFT]], %c0_i32
// CHECK: cuda.load_global {{.*}}, %{{.*}} {count = 1 : i64}
func.func @valid_ends_the_row(%x: !tile.view<?xf16>, %y: !tile.view<?xf16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [128] {in_bounds = array<i1: true>, valid = array<i64: 100>} : !tile.view<?xf16>, i32 -> tensor<128xf16>
  tile.store %a, %y[%c0] extents [128] : tensor<128xf16>, !tile.view<?xf16>, i32
  return
}

// CHECK-LABEL: @fills_what_is_outside
// CHECK-SAME: %[[FILL:[a-z0-9]+]]: f32
// CHECK: cuda.set %[[FILL]]
// CHECK: cuda.load_global {{.*}}, %{{.*}} {count = 1 : i64}
func.func @fills_what_is_outside(%x: !tile.view<?xf32>, %fill: f32, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [32] fill %fill : f32 : !tile.view<?xf32>, i32 -> tensor<32xf32>
  tile.store %a, %y[%c0] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

// A start that may be negative is compared with 0 as well; a program's is not.
// CHECK-LABEL: @starts_that_may_be_negative
// CHECK: arith.cmpi sge, %{{.*}}, %c0_i32
// CHECK: cuda.load_global
// CHECK-NOT: arith.cmpi sge
// CHECK: cuda.store_global
func.func @starts_that_may_be_negative(%x: !tile.view<?xf32>, %i: i32, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  tile.grid [%i]
  %p = tile.program_id 0
  %a = tile.load %x[%i] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
  tile.store %a, %y[%p] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

// Rows are inside when 0 <= row < rows: one unsigned comparison.
// CHECK-LABEL: @rows_are_compared_unsigned
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK: cuda.load_global
func.func @rows_are_compared_unsigned(%x: !tile.view<?x64xf32>, %i: i32, %y: !tile.view<64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%i, %c0] extents [0, 64] : !tile.view<?x64xf32>, i32, i32 -> tensor<64xf32>
  tile.store %a, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<64xf32>, i32
  return
}

// CHECK-LABEL: @wide_views_have_64_bit_offsets
// CHECK-SAME: i64 {cuda.param = {{{.*}}kind = "stride"
// CHECK: arith.extsi
// CHECK: cuda.load_global {{.*}} : <f32>, i64
func.func @wide_views_have_64_bit_offsets(%x: !tile.view<?x?xf32, wide>, %i: i32, %y: !tile.view<64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%i, %c0] extents [0, 64] : !tile.view<?x?xf32, wide>, i32, i32 -> tensor<64xf32>
  tile.store %a, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<64xf32>, i32
  return
}

// CHECK-LABEL: @one_thread_stores_a_scalar
// CHECK: %[[THREAD:.*]] = cuda.thread_id
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
// CHECK: cuda.store_global {{.*}} {count = 1 : i64}
func.func @one_thread_stores_a_scalar(%x: !tile.view<8xf32>, %v: f32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  tile.store %v, %x[%c0] extents [0] : f32, !tile.view<8xf32>, i32
  return
}

// 16 elements for 64 threads: lanes 0-15 of warp 0 store.
// CHECK-LABEL: @the_first_replica_stores
// CHECK-DAG: %[[LANE:.*]] = arith.shrsi %{{.*}}, %c4_i32
// CHECK-DAG: arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-DAG: %[[WARP:.*]] = arith.shrsi %{{.*}}, %c5_i32
// CHECK-DAG: arith.cmpi eq, %[[WARP]], %c0_i32
// CHECK: cuda.store_global {{.*}}, %{{.*}} {count = 1 : i64}
func.func @the_first_replica_stores(%x: !tile.view<16xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [16] {in_bounds = array<i1: true>} : !tile.view<16xf32>, i32 -> tensor<16xf32>
  tile.store %a, %x[%c0] extents [16] {in_bounds = array<i1: true>} : tensor<16xf32>, !tile.view<16xf32>, i32
  return
}

// CHECK-LABEL: @atomics_go_one_by_one
// CHECK: scf.for {{.*}} to %c2_i32
// CHECK: cuda.atomic "add" %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : f32, <f32>, i32
func.func @atomics_go_one_by_one(%x: !tile.view<?xf32, align 16>, %y: !tile.view<?xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [64] : !tile.view<?xf32, align 16>, i32 -> tensor<64xf32>
  tile.atomic add %a, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32, align 16>, i32
  return
}

// A part is where addresses start, in the width of the view's strides, and where they end.
// CHECK-LABEL: @wide_part
// CHECK-SAME: %[[STRIDE:[a-z0-9]+]]: i64
// CHECK-SAME: %[[START:[a-z0-9]+]]: i32 {cuda.param = {argument = 2
// CHECK-SAME: %[[SIZE:[a-z0-9]+]]: i32 {cuda.param = {argument = 3
// CHECK: %[[ROW:.*]] = arith.extsi %[[START]] : i32 to i64
// CHECK: %[[FIRST:.*]] = arith.muli %[[ROW]], %[[STRIDE]] : i64
// CHECK: arith.addi %[[FIRST]], %{{.*}} : i64
// CHECK: arith.cmpi ult, %{{.*}}, %[[SIZE]]
func.func @wide_part(%x: !tile.view<?x64xf16, align 16, wide>, %y: !tile.view<8x64xf16, align 16>, %start: i32, %size: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %p = tile.subview %x, 0 from %start size %size : !tile.view<?x64xf16, align 16, wide> -> !tile.view<?x64xf16, align 16, wide>
  %a = tile.load %p[%c0, %c0] extents [8, 64] : !tile.view<?x64xf16, align 16, wide>, i32, i32 -> tensor<8x64xf16>
  tile.store %a, %y[%c0, %c0] extents [8, 64] : tensor<8x64xf16>, !tile.view<8x64xf16, align 16>, i32, i32
  return
}

// What lies outside the tensor is stored as the copy's fill, which cp.async cannot do: in vectors, with
// which rows end.
// CHECK-LABEL: @fill_of_a_copy
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: cuda.cp_async %[[TO:.*]], %{{.*}} {bytes = 16 : i64}
// CHECK-NEXT: } else {
// CHECK: %[[WORD:.*]] = cuda.pack %cst, %cst
// CHECK: cuda.store_shared %{{.*}}[%c0_i32], %[[TO]] {count = 8 : i64}
func.func @fill_of_a_copy(%x: !tile.view<2000xbf16, align 16>, %y: !tile.view<2048xbf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %r = cta.channel cp_async : !cta.channel<1 x tensor<2048xbf16>>
  %s = cta.acquire %r : !cta.channel<1 x tensor<2048xbf16>> -> !cta.slot<tensor<2048xbf16>>
  cta.copy %x[%c0] extents [2048], %s {vector = 8 : i64, fill = 0xFF80 : bf16} : !tile.view<2000xbf16, align 16>, !cta.slot<tensor<2048xbf16>>
  cta.commit %s : !cta.slot<tensor<2048xbf16>>
  %w = cta.wait %r : !cta.channel<1 x tensor<2048xbf16>> -> !cta.slot<tensor<2048xbf16>>
  %t = cta.get %w : !cta.slot<tensor<2048xbf16>> -> tensor<2048xbf16>
  tile.store %t, %y[%c0] extents [2048] : tensor<2048xbf16>, !tile.view<2048xbf16, align 16>, i32
  cta.release %w : !cta.slot<tensor<2048xbf16>>
  return
}
