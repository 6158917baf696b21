// RUN: tile-opt %s --make-channels | FileCheck %s

// Loops that were split from one loop: each starts where the one before it ends.
// CHECK-LABEL: @segments_share_a_channel
// CHECK-COUNT-1: cta.channel
// CHECK-NOT: cta.channel
// CHECK: scf.for
// CHECK: cta.copy {{.*}} {vector = 8 : i64}
// CHECK: scf.for
// CHECK: cta.copy {{.*}} {in_bounds = array<i1: true, true>, vector = 8 : i64}
func.func @segments_share_a_channel(%x: !tile.view<?x64xf16, align 16>, %mid: i32, %n: i32, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %head = scf.for %i = %c0 to %mid step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 0 : i32}
  %tail = scf.for %i = %mid to %n step %c1 iter_args(%s = %head) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] {in_bounds = array<i1: true, true>} : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 1 : i32}
  tile.store %tail, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @other_loops_have_their_own
// CHECK-COUNT-2: cta.channel
// CHECK-NOT: cta.channel
func.func @other_loops_have_their_own(%x: !tile.view<?x64xf16, align 16>, %mid: i32, %n: i32, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %one = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %two = scf.for %i = %c0 to %n step %c1 iter_args(%s = %one) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tile.store %two, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// The first segment ran once and was folded into the kernel; nothing stands before the second.
// CHECK-LABEL: @segment_without_its_predecessor
// CHECK-COUNT-1: cta.channel
// CHECK: scf.for
func.func @segment_without_its_predecessor(%x: !tile.view<?x64xf16, align 16>, %n: i32, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %one = scf.for %i = %c1 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 1 : i32}
  tile.store %one, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// Segments 0 and 1 of different loops, of which the others were folded: no iteration space in common.
// CHECK-LABEL: @segments_that_do_not_meet
// CHECK-COUNT-2: cta.channel
func.func @segments_that_do_not_meet(%x: !tile.view<?x64xf16, align 16>, %n: i32, %c: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %one = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 0 : i32}
  %two = scf.for %i = %c1 to %n step %c1 iter_args(%s = %one) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  } {tile.segment = 1 : i32}
  tile.store %two, %c[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}
