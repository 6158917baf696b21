// RUN: tile-opt %s --pipeline-loads | FileCheck %s

// CHECK-LABEL: @copies_run_two_iterations_ahead
// CHECK: cta.channel cp_async : <3 x tensor<64x64xf16>>
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %{{.*}}, %[[N:.*]] : i32
// CHECK: cta.acquire
// CHECK: cta.copy {{.*}} if %[[FIRST]]
// CHECK: cta.commit
// CHECK: %[[SECOND:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
// CHECK: cta.acquire
// CHECK: cta.copy {{.*}} if %[[SECOND]]
// CHECK: cta.commit
// CHECK-NOT: cta.acquire
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[FULL:.*]] = cta.wait
// CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %{{.*}} : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[AHEAD]], %[[N]] : i32
// CHECK: cta.acquire
// CHECK: cta.copy %{{.*}}[%[[AHEAD]], %{{.*}}] {{.*}} if %[[INSIDE]]
// CHECK: cta.commit
// CHECK: cta.mma %{{.*}}, %[[FULL]], %[[FULL]]
// CHECK: cta.await
// CHECK: cta.release %[[FULL]]
func.func @copies_run_two_iterations_ahead(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: @waits_that_stand_together_come_before_the_copies
// CHECK-COUNT-4: cta.copy
// CHECK: scf.for
// CHECK-NEXT: cta.wait
// CHECK-NEXT: cta.wait
// CHECK-NOT: cta.wait
// CHECK: cta.copy
// CHECK: cta.copy
// CHECK: cta.mma
func.func @waits_that_stand_together_come_before_the_copies(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %b = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %sa = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %sa {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %sa : !cta.slot<tensor<64x64xf16>>
    %sb = cta.acquire %b : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %sb {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %sb : !cta.slot<tensor<64x64xf16>>
    %fa = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %fb = cta.wait %b : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %fa, %fb by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %fa : !cta.slot<tensor<64x64xf16>>
    cta.release %fb : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: @prologue_comes_before_the_waits_of_the_loop
// CHECK: cta.copy
// CHECK-COUNT-2: cta.copy {{.*}} if
// CHECK: cta.wait
// CHECK-NEXT: scf.for
func.func @prologue_comes_before_the_waits_of_the_loop(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %q = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %sq = cta.acquire %q : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
  cta.copy %x[%c0, %c0] extents [64, 64], %sq {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
  cta.commit %sq : !cta.slot<tensor<64x64xf16>>
  %fq = cta.wait %q : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %fq, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  cta.release %fq : !cta.slot<tensor<64x64xf16>>
  return
}

// CHECK-LABEL: @computes_the_index_of_the_iteration_ahead
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: cta.wait
// CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %{{.*}} : i32
// CHECK: %[[AT:.*]] = arith.muli %[[AHEAD]], %{{.*}} : i32
// CHECK: cta.copy %{{.*}}[%[[AT]], %
func.func @computes_the_index_of_the_iteration_ahead(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %c64 = arith.constant 64 : i32
    %at = arith.muli %i, %c64 : i32
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%at, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: @steps_by_the_step_of_the_loop
// CHECK-SAME: %[[BY:[a-z0-9]+]]: i32, %{{[a-z0-9]+}}: tensor
// CHECK: arith.addi %{{.*}}, %[[BY]] : i32
// CHECK: scf.for %[[I:[a-z0-9]+]] = %{{.*}} step %[[BY]]
// CHECK: %[[TWO:.*]] = arith.muli {{.*}}%[[BY]]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %[[TWO]]
// CHECK: cta.copy %{{.*}}[%[[AHEAD]], 
func.func @steps_by_the_step_of_the_loop(%x: !tile.view<?x64xf16, align 16>, %n: i32, %by: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %by iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: @staged_channels_have_two_slots_and_commit_at_the_end
// CHECK: cta.channel registers : <2 x tensor<64x64xf16>>
// CHECK-COUNT-1: cta.copy
// CHECK: scf.for
// CHECK: cta.wait
// CHECK: cta.acquire
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.mma
// CHECK: cta.release
// CHECK-NEXT: cta.commit
// CHECK-NEXT: scf.yield
func.func @staged_channels_have_two_slots_and_commit_at_the_end(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel registers : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: @narrow_copies_follow_the_products
// CHECK: scf.for
// CHECK: cta.wait
// CHECK-NOT: cta.acquire
// CHECK: cta.mma
// CHECK: cta.release
// CHECK: cta.acquire
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.commit
// CHECK-NEXT: scf.yield
func.func @narrow_copies_follow_the_products(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel registers : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 1 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: @segments_share_one_prologue
// CHECK-SAME: %{{.*}}: i32, %[[N:[a-z0-9]+]]: i32
// CHECK: arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK: cta.copy
// CHECK: arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK: cta.copy
// CHECK-NOT: cta.copy
// CHECK: scf.for
// CHECK: arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK-COUNT-1: cta.copy
// CHECK-NOT: cta.copy
// CHECK: scf.for
// CHECK: arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK-COUNT-1: cta.copy
// CHECK-NOT: cta.copy
func.func @segments_share_one_prologue(%x: !tile.view<?x64xf16, align 16>, %mid: i32, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %head = scf.for %i = %c0 to %mid step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {in_bounds = array<i1: false, true>, vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 0 : i32}
  %d = scf.for %i = %mid to %n step %c1 iter_args(%sum = %head) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {in_bounds = array<i1: true, true>, vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 1 : i32}
  return
}

// The first loop prefetches into the second, and the copies of both are one sequence.
// CHECK-LABEL: @keeps_bounds_that_hold_in_every_segment
// CHECK: scf.for
// CHECK: cta.copy {{.*}} {in_bounds = array<i1: false, true>, vector
// CHECK: scf.for
// CHECK: cta.copy {{.*}} {in_bounds = array<i1: false, true>, vector
func.func @keeps_bounds_that_hold_in_every_segment(%x: !tile.view<?x64xf16, align 16>, %mid: i32, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %head = scf.for %i = %c0 to %mid step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {in_bounds = array<i1: false, true>, vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 0 : i32}
  %d = scf.for %i = %mid to %n step %c1 iter_args(%sum = %head) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {in_bounds = array<i1: true, true>, vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 1 : i32}
  return
}

// CHECK-LABEL: @keeps_copies_whose_index_is_computed_in_the_loop
// CHECK: cta.channel cp_async : <1 x
// CHECK-NOT: cta.copy
// CHECK: scf.for
// CHECK: cta.copy
// CHECK: cta.commit
// CHECK-NEXT: cta.wait
func.func @keeps_copies_whose_index_is_computed_in_the_loop(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %at = arith.constant 5 : i32
  %d:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc, %next = %at) -> (tensor<64x64xf32>, i32) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%next, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    %more = arith.muli %next, %i : i32
    scf.yield %t, %more : tensor<64x64xf32>, i32
  }
  return
}

// An iteration may load what the one before it stored.
// CHECK-LABEL: @keeps_copies_of_what_the_loop_writes
// CHECK: cta.channel cp_async : <1 x
// CHECK-NOT: cta.copy
// CHECK: scf.for
// CHECK: cta.copy
// CHECK: cta.commit
// CHECK-NEXT: cta.wait
func.func @keeps_copies_of_what_the_loop_writes(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %acc, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    %narrow = tile.cast %t : tensor<64x64xf32> -> tensor<64x64xf16>
    %next = arith.addi %i, %c1 : i32
    tile.store %narrow, %x[%next, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x64xf16, align 16>, i32, i32
  }
  return
}

// CHECK-LABEL: @keeps_copies_outside_loops
// CHECK: cta.channel cp_async : <1 x
// CHECK: cta.copy {{.*}} {vector = 8 : i64}
func.func @keeps_copies_outside_loops(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
  cta.copy %x[%n, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
  cta.commit %s : !cta.slot<tensor<64x64xf16>>
  %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
  %p = cta.mma %acc, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
  %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
  cta.release %f : !cta.slot<tensor<64x64xf16>>
  return
}

// CHECK-LABEL: @keeps_one_stage_serial
// CHECK: cta.channel cp_async : <1 x
// CHECK-NOT: cta.copy
// CHECK: scf.for
// CHECK: cta.copy
// CHECK: cta.wait
func.func @keeps_one_stage_serial(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// The loop around comes back to a ring whose last slots are committed and hold nothing.
// CHECK-LABEL: @left_over_slots_are_released_before_the_ring_is_used_again
// CHECK: scf.for
// CHECK-COUNT-2: cta.copy {{.*}} if
// CHECK: scf.for
// CHECK: scf.yield
// CHECK: %[[FIRST:.*]] = cta.wait
// CHECK-NEXT: %[[SECOND:.*]] = cta.wait
// CHECK-NEXT: cta.release %[[FIRST]]
// CHECK-NEXT: cta.release %[[SECOND]]
func.func @left_over_slots_are_released_before_the_ring_is_used_again(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
      %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
      cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
      cta.commit %s : !cta.slot<tensor<64x64xf16>>
      %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
      %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
      %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
      cta.release %f : !cta.slot<tensor<64x64xf16>>
      scf.yield %t : tensor<64x64xf32>
    }
  }
  return
}

// CHECK-LABEL: @leaves_other_functions
// CHECK: cta.channel cp_async : <1 x
func.func @leaves_other_functions(%x: !tile.view<?x64xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = cta.channel cp_async : !cta.channel<1 x tensor<64x64xf16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %s = cta.acquire %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8 : i64} : !tile.view<?x64xf16, align 16>, !cta.slot<tensor<64x64xf16>>
    cta.commit %s : !cta.slot<tensor<64x64xf16>>
    %f = cta.wait %a : !cta.channel<1 x tensor<64x64xf16>> -> !cta.slot<tensor<64x64xf16>>
    %p = cta.mma %sum, %f, %f by #cta.mma_sync<16x8x16> over 2x2 : tensor<64x64xf32>, !cta.slot<tensor<64x64xf16>>, !cta.slot<tensor<64x64xf16>> -> !cta.pending<tensor<64x64xf32>>
    %t = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
    cta.release %f : !cta.slot<tensor<64x64xf16>>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}
