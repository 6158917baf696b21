// RUN: tile-opt %s --make-channels | FileCheck %s

// CHECK-LABEL: @loads_are_copied
// CHECK: %[[B:.*]] = cta.channel cp_async : <1 x tensor<64x32xbf16>>
// CHECK-NOT: tile.load
// CHECK: %[[SLOT:.*]] = cta.acquire %[[B]]
// CHECK-NEXT: cta.copy %{{.*}}[%{{.*}}, %{{.*}}] extents [64, 32], %[[SLOT]] {vector = 8 : i64} : <?x?xbf16, align 16>
// CHECK: cta.commit %[[SLOT]]
// CHECK-DAG: cta.wait %[[B]]
// CHECK-DAG: cta.wait
// CHECK: cta.mma %{{.*}}, %{{.*}}, %{{.*}} by #cta.mma_sync<16x8x16> over 2x2
// CHECK: cta.await
// CHECK: cta.release
// CHECK: cta.release
func.func @loads_are_copied(%x: !tile.view<?x?xbf16, align 16>, %y: !tile.view<?x?xbf16, align 16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  %b = tile.load %y[%c0, %c0] extents [64, 32] : !tile.view<?x?xbf16, align 16>, i32, i32 -> tensor<64x32xbf16>
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tile.dot %a, %b, %z : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 32] : tensor<64x32xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @transposed_loads_are_copied_as_they_lie
// CHECK-NOT: tile.transpose
// CHECK: cta.mma {{.*}} {a_transposed, b_transposed} : tensor<64x32xf32>, !cta.slot<tensor<48x64xbf16>>, <tensor<32x48xbf16>>
func.func @transposed_loads_are_copied_as_they_lie(%x: !tile.view<?x?xbf16, align 16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [48, 64] : !tile.view<?x?xbf16, align 16>, i32, i32 -> tensor<48x64xbf16>
  %b = tile.load %x[%c0, %c0] extents [32, 48] : !tile.view<?x?xbf16, align 16>, i32, i32 -> tensor<32x48xbf16>
  %at = tile.transpose %a [1, 0] : tensor<48x64xbf16> -> tensor<64x48xbf16>
  %bt = tile.transpose %b [1, 0] : tensor<32x48xbf16> -> tensor<48x32xbf16>
  %z = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tile.dot %at, %bt, %z : tensor<64x48xbf16>, tensor<48x32xbf16>, tensor<64x32xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 32] : tensor<64x32xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @narrow_alignment_goes_through_registers
// CHECK: cta.channel registers
// CHECK: cta.copy {{.*}}, %{{[0-9a-z_]+}} : <?x?xbf16>
func.func @narrow_alignment_goes_through_registers(%x: !tile.view<?x?xbf16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xbf16>, i32, i32 -> tensor<64x64xbf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// An index that is a multiple of 2 elements leaves vectors of 4 bytes, the least that cp.async moves.
// CHECK-LABEL: @index_bounds_the_vector
// CHECK: cta.channel cp_async
// CHECK: cta.copy {{.*}} {vector = 2 : i64}
func.func @index_bounds_the_vector(%x: !tile.view<?x?xbf16, align 16>, %c: !tile.view<?x?xf32>, %i: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %at = arith.muli %i, %c2 : i32
  %a = tile.load %x[%c0, %at] extents [64, 64] : !tile.view<?x?xbf16, align 16>, i32, i32 -> tensor<64x64xbf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @target_without_copies_loads_vectors
// CHECK: cta.channel registers
// CHECK: cta.copy {{.*}} {vector = 8 : i64}
func.func @target_without_copies_loads_vectors(%x: !tile.view<?x?xf16, align 16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @bounds_go_with_the_copy
// CHECK: cta.copy {{.*}} {in_bounds = array<i1: true, false>, valid = array<i64: 0, 50>, vector = 8 : i64}
func.func @bounds_go_with_the_copy(%x: !tile.view<?x?xf16, align 16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] {in_bounds = array<i1: true, false>, valid = array<i64: 0, 50>}
      : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// Both operands are one load: one copy.
// CHECK-LABEL: @one_load_is_copied_once
// CHECK-COUNT-1: cta.copy
// CHECK-NOT: cta.copy
// CHECK: %[[SLOT:.*]] = cta.wait
// CHECK: cta.mma %{{.*}}, %[[SLOT]], %[[SLOT]] by {{.*}} {b_transposed
// CHECK: cta.await
// CHECK-NEXT: cta.release %[[SLOT]]
// CHECK-NOT: cta.release
func.func @one_load_is_copied_once(%x: !tile.view<?x?xf16, align 16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %t = tile.transpose %a [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %t, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @other_users_get_the_tile
// CHECK: %[[SLOT:.*]] = cta.wait
// CHECK: %[[TILE:.*]] = cta.get %[[SLOT]] : <tensor<64x64xf16>> -> tensor<64x64xf16>
// CHECK: cta.mma
// CHECK: cta.release %[[SLOT]]
// CHECK: tile.cast %[[TILE]]
func.func @other_users_get_the_tile(%x: !tile.view<?x?xf16, align 16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %w = tile.cast %a : tensor<64x64xf16> -> tensor<64x64xf32>
  %s = arith.addf %d, %w : tensor<64x64xf32>
  tile.store %s, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @computed_right_operands_are_put
// CHECK: %[[CHANNEL:.*]] = cta.channel put
// CHECK: %[[SLOT:.*]] = cta.acquire %[[CHANNEL]]
// CHECK-NEXT: cta.put %{{.*}}, %[[SLOT]]
// CHECK-NEXT: cta.commit %[[SLOT]]
// CHECK-NEXT: cta.wait %[[CHANNEL]]
func.func @computed_right_operands_are_put(%x: !tile.view<?x?xf16, align 16>, %b: tensor<64x64xf16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = arith.addf %b, %b : tensor<64x64xf16>
  %d = tile.dot %a, %s, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @computed_left_operands_of_16_bits_stay_in_registers
// CHECK-NOT: cta.put
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: cta.mma %{{.*}}, %[[SUM]], %{{.*}} : tensor<64x64xf32>, tensor<64x64xf16>, <tensor<64x64xf16>>
func.func @computed_left_operands_of_16_bits_stay_in_registers(%x: !tile.view<?x?xf16, align 16>, %a: tensor<64x64xf16>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %b = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = arith.addf %a, %a : tensor<64x64xf16>
  %d = tile.dot %s, %b, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @computed_left_operands_of_32_bits_are_put
// CHECK: cta.channel put
// CHECK: cta.put
func.func @computed_left_operands_of_32_bits_are_put(%x: !tile.view<?x?xf32, align 16>, %a: tensor<64x64xf32>, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %b = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = arith.addf %a, %a : tensor<64x64xf32>
  %d = tile.dot %s, %b, %z tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// A gather and a fill are no copies.
// CHECK-LABEL: @keeps_gathers_and_fills
// CHECK-NOT: cta.copy
// CHECK: tile.load {{.*}} extents [-1, 64]
// CHECK: tile.load {{.*}} fill
// CHECK: cta.put
// CHECK: cta.put
func.func @keeps_gathers_and_fills(%x: !tile.view<?x?xf16, align 16>, %at: tensor<64xi32>, %fill: f16, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%at, %c0] extents [-1, 64] : !tile.view<?x?xf16, align 16>, tensor<64xi32>, i32 -> tensor<64x64xf16>
  %b = tile.load %x[%c0, %c0] extents [64, 64] fill %fill : f16 : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %b, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @keeps_loads_of_no_product
// CHECK: tile.load
// CHECK-NOT: cta.channel
func.func @keeps_loads_of_no_product(%x: !tile.view<?xf16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [64] : !tile.view<?xf16>, i32 -> tensor<64xf16>
  tile.store %a, %x[%c0] extents [64] : tensor<64xf16>, !tile.view<?xf16>, i32
  return
}

// The slot is kept while the loop that reads it runs.
// CHECK-LABEL: @waits_before_the_loop_that_reads
// CHECK: cta.commit
// CHECK: cta.wait
// CHECK-NEXT: scf.for
// CHECK: cta.mma
// CHECK: scf.yield
// CHECK: cta.release
func.func @waits_before_the_loop_that_reads(%x: !tile.view<?x?xf16, align 16>, %n: i32, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// A transpose that is more than an operand of products is read from the slot, too.
// CHECK-LABEL: @transpose_with_other_readers
// CHECK: %[[SLOT:.*]] = cta.wait
// CHECK-NEXT: %[[TILE:.*]] = cta.get %[[SLOT]]
// CHECK-NEXT: %[[TURNED:.*]] = tile.transpose %[[TILE]] [1, 0]
// CHECK: tile.reduce sum %[[TURNED]], 1
// CHECK: cta.mma
// CHECK: cta.release %[[SLOT]]
func.func @transpose_with_other_readers(%x: !tile.view<?x?xf16, align 16>, %c: !tile.view<?x?xf32>, %s: !tile.view<?xf16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %t = tile.transpose %a [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %b = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %r = tile.reduce sum %t, 1 : tensor<64x64xf16> -> tensor<64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %t, %b, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  tile.store %r, %s[%c0] extents [64] : tensor<64xf16>, !tile.view<?xf16>, i32
  return
}
