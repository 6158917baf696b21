// RUN: tile-opt %s --make-channels --assign-layouts | FileCheck %s

// Four warps split 64 rows.
// CHECK-LABEL: @accumulators_are_fragments
// CHECK: cta.mma {{.*}} : tensor<64x16xf32, #cta.layout<registers [2:1:1, 2:0:8, 2:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>>
// CHECK: cta.await {{.*}} -> tensor<64x16xf32, #cta.layout<registers [2:1:1, 2:0:8, 2:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>>
func.func @accumulators_are_fragments(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %b = tile.load %x[%c0, %c0] extents [64, 16] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x16xf16>
  %z = arith.constant dense<0.0> : tensor<64x16xf32>
  %d = tile.dot %a, %b, %z : tensor<64x64xf16>, tensor<64x16xf16>, tensor<64x16xf32>
  %r = tile.reduce sum %d, 1 : tensor<64x16xf32> -> tensor<64xf32>
  tile.store %r, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @rows_of_fragments_are_slices
// CHECK: tile.reduce max {{.*}} -> tensor<64xf32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps [4:0:16]>>
func.func @rows_of_fragments_are_slices(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %r = tile.reduce max %d, 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.store %r, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @loops_carry_the_fragments
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #cta.layout<registers [2:1:1, 2:0:8, 4:1:8, 2:0:16], lanes [4:1:2, 8:0:1], warps [2:0:32, 2:1:32]>>)
// CHECK-NOT: cta.convert
// CHECK: scf.yield
func.func @loops_carry_the_fragments(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// The result of one product is the left operand of the next without moving.
// CHECK-LABEL: @results_are_the_next_left_operand
// CHECK: cta.mma
// CHECK-NOT: cta.convert
// CHECK: tile.cast
// CHECK-NOT: cta.convert
// CHECK: cta.mma
func.func @results_are_the_next_left_operand(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = tile.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  %e = tile.dot %p, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %r = tile.reduce sum %e, 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.store %r, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// A mask is computed in the fragments' layout.
// CHECK-LABEL: @masks_are_computed_where_they_are_wanted
// CHECK: tile.range {{.*}} : tensor<64xi32, #cta.layout<registers [2:0:1, 8:0:8], lanes [4:0:2, 8:*], warps [4:*]>>
// CHECK: arith.cmpi slt, {{.*}} : tensor<64xi32, #cta.layout<registers [2:0:1, 8:0:8], lanes [4:0:2, 8:*], warps [4:*]>>
// CHECK: tile.broadcast {{.*}} -> tensor<64x64xi1, #cta.layout<registers [2:1:1, 2:0:8, 8:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>>
// CHECK-NOT: cta.convert
// CHECK: tile.reduce
func.func @masks_are_computed_where_they_are_wanted(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %columns = tile.range %c0 : tensor<64xi32>
  %last = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %columns, %last : tensor<64xi32>
  %row = tile.expand_dims %inside, 0 : tensor<64xi1> -> tensor<1x64xi1>
  %mask = tile.broadcast %row : tensor<1x64xi1> -> tensor<64x64xi1>
  %m = arith.select %mask, %d, %z : tensor<64x64xi1>, tensor<64x64xf32>
  %r = tile.reduce sum %m, 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.store %r, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// Two layouts want the range: each has its own.
// CHECK-LABEL: @masks_are_computed_once_per_layout
// CHECK-COUNT-2: tile.range
// CHECK-NOT: tile.range
// CHECK-NOT: cta.convert
func.func @masks_are_computed_once_per_layout(%x: !tile.view<?x64xf32, align 16>, %y: !tile.view<?xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %range = tile.range %c0 : tensor<64xi32>
  %a = tile.load %x[%range, %c0] extents [-1, 64] : !tile.view<?x64xf32, align 16>, tensor<64xi32>, i32 -> tensor<64x64xf32>
  tile.store %a, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  tile.store %range, %y[%c0] extents [64] : tensor<64xi32>, !tile.view<?xi32>, i32
  return
}

// CHECK-LABEL: @converts_before_a_wide_store
// CHECK: %[[ROWS:.*]] = cta.convert {{.*}} -> tensor<64x64xf16, #cta.layout<registers [8:1:1, 4:0:16], lanes [8:1:8, 4:0:1], warps [4:0:4]>>
// CHECK: tile.store %[[ROWS]]
func.func @converts_before_a_wide_store(%x: !tile.view<?x?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = tile.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  tile.store %p, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x?xf16, align 16>, i32, i32
  return
}

// Fragments hold pairs, which is all that the alignment allows; four of them are a sector.
// CHECK-LABEL: @keeps_fragments_before_a_narrow_store
// CHECK: cta.await
// CHECK-NOT: cta.convert
// CHECK: tile.store
func.func @keeps_fragments_before_a_narrow_store(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// Of rows that start at any element, a store of fragments would write 8 bytes each of 8 rows.
// CHECK-LABEL: @converts_before_a_store_of_single_elements
// CHECK: %[[ROWS:.*]] = cta.convert {{.*}} -> tensor<64x64xf16, #cta.layout<registers [2:1:32, 16:0:4], lanes [32:1:1], warps [4:0:1]>>
// CHECK: tile.store %[[ROWS]]
func.func @converts_before_a_store_of_single_elements(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = tile.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  tile.store %p, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x?xf16>, i32, i32
  return
}

// CHECK-LABEL: @fma_products_have_thread_tiles
// CHECK: cta.mma {{.*}} : tensor<64x64xf32, #cta.layout<registers [4:1:1, 2:1:16, 4:0:8], lanes [4:1:4, 8:0:1], warps [2:0:32, 2:1:32]>>
func.func @fma_products_have_thread_tiles(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// Each has the layout of its instruction, however they meet.
// CHECK-LABEL: @products_of_two_instructions
// CHECK: %[[PLAIN:.*]] = cta.await {{.*}} -> tensor<64x64xf32, #cta.layout<registers [4:1:1, 2:1:16, 4:0:8]
// CHECK: %[[FAST:.*]] = cta.await {{.*}} -> tensor<64x64xf32, #cta.layout<registers [2:1:1, 2:0:8, 4:1:8, 2:0:16]
// CHECK: %[[MOVED:.*]] = cta.convert %[[FAST]]
// CHECK: arith.addf %[[PLAIN]], %[[MOVED]]
func.func @products_of_two_instructions(%x: !tile.view<?x?xf32, align 16>, %h: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  %b = tile.load %h[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  %e = tile.dot %b, %b, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %s = arith.addf %d, %e : tensor<64x64xf32>
  tile.store %s, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// A scan down the rows of a product, which are split over warps.
// CHECK-LABEL: @scans_leave_the_fragments
// CHECK: cta.await
// CHECK: cta.convert
// CHECK: tile.scan
func.func @scans_leave_the_fragments(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %s = tile.scan %d, 0 : tensor<64x64xf32>
  tile.store %s, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// 66 KiB in padded rows, of 64.
// CHECK-LABEL: @keeps_fragments_that_shared_memory_cannot_hold
// CHECK: cta.await
// CHECK-NOT: cta.convert
// CHECK: tile.store
func.func @keeps_fragments_that_shared_memory_cannot_hold(%x: !tile.view<?x?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [128, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x32xf16>
  %b = tile.load %x[%c0, %c0] extents [32, 256] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x256xf16>
  %z = arith.constant dense<0.0> : tensor<128x256xf32>
  %d = tile.dot %a, %b, %z : tensor<128x32xf16>, tensor<32x256xf16>, tensor<128x256xf32>
  %p = tile.cast %d : tensor<128x256xf32> -> tensor<128x256xf16>
  tile.store %p, %x[%c0, %c0] extents [128, 256] : tensor<128x256xf16>, !tile.view<?x?xf16, align 16>, i32, i32
  return
}
