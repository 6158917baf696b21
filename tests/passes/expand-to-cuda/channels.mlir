// RUN: tile-opt %s --make-channels --pipeline-loads --cse --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// Two copies per iteration, two iterations ahead: of the 2 (3 - 1) groups under way at the waits,
// the two of the next iteration may still be unfinished.
// CHECK-LABEL: @two_channels_of_three_slots
// CHECK-COUNT-4: cuda.cp_async_commit
// CHECK: scf.for
// CHECK: cuda.cp_async_wait 2
// CHECK-NEXT: cuda.barrier
// CHECK-NOT: cuda.barrier
// CHECK: cuda.cp_async_commit
// CHECK: cuda.cp_async_commit
// CHECK-NOT: cuda.barrier
// CHECK: cuda.mma
func.func @two_channels_of_three_slots(%x: !tile.view<?x?xf16, align 16>, %w: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %w[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %b = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// One slot: its readers must be done before it is filled again.
// CHECK-LABEL: @acquire_of_a_lone_slot_waits_for_its_readers
// CHECK: scf.for
// CHECK: cuda.barrier
// CHECK: cuda.cp_async
// CHECK: cuda.cp_async_commit
// CHECK: cuda.cp_async_wait 0
// CHECK-NEXT: cuda.barrier
// CHECK: cuda.mma
func.func @acquire_of_a_lone_slot_waits_for_its_readers(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// CHECK-LABEL: @first_fill_needs_no_barrier
// CHECK-NOT: cuda.barrier
// CHECK: cuda.cp_async_commit
// CHECK-NEXT: cuda.cp_async_wait 0
// CHECK-NEXT: cuda.barrier
// CHECK-NOT: cuda.barrier
func.func @first_fill_needs_no_barrier(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// The loop's copies are younger than the one waited for, but the loop might be in the branch that is
// not taken: then nothing is.
// CHECK-LABEL: @branches_may_not_be_taken
// CHECK: scf.if
// CHECK: scf.for
// CHECK: cuda.cp_async_wait 1
// CHECK: cuda.mma
// CHECK: cuda.cp_async_wait 0
// CHECK: cuda.mma
func.func @branches_may_not_be_taken(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>, %n: i32, %some: i1)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %c = scf.if %some -> (tensor<64x64xf32>) {
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
      %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
      %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    scf.yield %d : tensor<64x64xf32>
  } else {
    scf.yield %z : tensor<64x64xf32>
  }
  %e = tile.dot %q, %q, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %e, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// A loop may not run: what is waited for behind it is not older than its prologue.
// CHECK-LABEL: @loops_may_not_run
// CHECK: scf.for
// CHECK: cuda.cp_async_wait 1
// CHECK: cuda.mma
// CHECK: cuda.cp_async_wait 2
// CHECK: cuda.mma
func.func @loops_may_not_run(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %e = tile.dot %q, %q, %d : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %e, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// Loaded before the products, stored after them.
// CHECK-LABEL: @staged_copies_surround_the_products
// CHECK-NOT: cuda.cp_async
// CHECK: scf.for
// CHECK: cuda.barrier
// CHECK: cuda.load_global
// CHECK: cuda.mma
// CHECK: cuda.store_shared
func.func @staged_copies_surround_the_products(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_75", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// Bytes beyond the row's end are zeros.
// CHECK-LABEL: @copies_end_with_the_row
// CHECK: %[[MOST:.*]] = arith.minsi %{{.*}}, %c16_i32
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[MOST]], %c0_i32
// CHECK: %[[VALID:.*]] = arith.select %{{.*}}, %[[LEAST]], %c0_i32
// CHECK: cuda.cp_async %{{.*}}, %{{.*}}[%{{.*}}], %[[VALID]] {bytes = 16 : i64}
func.func @copies_end_with_the_row(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// Slots are multiples of 1024 bytes; the ring of the one follows that of the other.
// CHECK-LABEL: @rings_lie_one_after_the_other
// CHECK-SAME: cuda.shared_bytes = 36864 : i32
// CHECK-DAG: cuda.shared 0, 12288
// CHECK-DAG: cuda.shared 12288, 24576
func.func @rings_lie_one_after_the_other(%x: !tile.view<?x?xf16, align 16>, %w: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32, align 8>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<32x64xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<32x64xf32>) : i32 {
    %a = tile.load %w[%i, %c0] extents [32, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x64xf16>
    %b = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %b, %s : tensor<32x64xf16>, tensor<64x64xf16>, tensor<32x64xf32>
    scf.yield %t : tensor<32x64xf32>
  }
  tile.store %d, %y[%c0, %c0] extents [32, 64] : tensor<32x64xf32>, !tile.view<?x?xf32, align 8>, i32, i32
  return
}

// The channels are done with: the conversion before the store takes their memory.
// CHECK-LABEL: @scratch_takes_the_memory_of_finished_channels
// CHECK-SAME: cuda.shared_bytes = 9216 : i32
// CHECK: cuda.mma
// CHECK: cuda.barrier
// CHECK: cuda.store_shared
// CHECK: cuda.barrier
// CHECK: cuda.load_shared {{.*}} {count = 8 : i64}
// CHECK: cuda.store_global
func.func @scratch_takes_the_memory_of_finished_channels(%x: !tile.view<?x?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %d = tile.dot %a, %a, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = tile.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  tile.store %p, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x?xf16, align 16>, i32, i32
  return
}
