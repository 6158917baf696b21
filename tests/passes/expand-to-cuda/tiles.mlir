// RUN: tile-opt %s --unfold-program --check-schedule --place-waits --check-deadlocks --assign-layouts --swizzle-layout --expand-to-cuda --canonicalize --cse | FileCheck %s

!slot = !cta.slot<tensor<64x64xbf16>>
!ring = !cta.channel<2 x tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>

// What a tile hands to the next has registers of its own: a tile an array, a slot its number, from which
// its address and its barriers follow.
// CHECK-LABEL: @tiles_hand_on
// CHECK: } else {
// CHECK: cuda.mbarrier_wait
// CHECK: %[[NUMBER:.*]] = cuda.regs : <1 x i32>
// CHECK: %[[SUM:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.set %{{.*}}, %[[NUMBER]]
// CHECK: cuda.set %{{.*}}, %[[SUM]]
// CHECK: scf.for
// CHECK: %[[NOW:.*]] = cuda.get %[[NUMBER]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[NOW]], %c8192_i32
// CHECK: %[[ADDRESS:.*]] = arith.addi %{{.*}}, %[[BYTES]]
// CHECK: cuda.matrix_descriptor %[[ADDRESS]]
// CHECK: %[[OWN:.*]] = arith.muli %[[NOW]], %c8_i32
// CHECK: %[[EMPTY:.*]] = arith.addi %[[EMPTIES:.*]], %[[OWN]]
// CHECK: cuda.mbarrier_arrive %[[EMPTY]]
// CHECK: arith.addf
// CHECK: %[[NEXT:.*]] = cuda.get
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.set %[[NEXT]], %[[NUMBER]]
// CHECK: cuda.set %{{.*}}, %[[SUM]]
// CHECK: %[[LEFT:.*]] = cuda.get %[[NUMBER]]
// CHECK: %[[OWN:.*]] = arith.muli %[[LEFT]], %c8_i32
// CHECK: %[[EMPTY:.*]] = arith.addi %[[EMPTIES]], %[[OWN]]
// CHECK: cuda.mbarrier_arrive %[[EMPTY]]
// CHECK: cuda.store_global %[[SUM]]
func.func @tiles_hand_on(%x: !view, %y: !tile.view<?x?xf32>, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %zero = arith.constant dense<0.0> : !tile
    %first = cta.wait %as : !ring -> !slot
    %left:2 = cta.tiles (%i) of (%t) iter_args(%now = %first, %sum = %zero) -> (!slot, !tile) {
      %none = cta.begin : !sum
      %p = cta.mma %none, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %product = cta.await %p : !sum -> !tile
      cta.release %now : !slot
      %more = arith.addf %sum, %product : !tile
      %next = cta.wait %as : !ring -> !slot
      cta.yield %next, %more : !slot, !tile
    }
    cta.release %left#0 : !slot
    tile.store %left#1, %y[%c0, %c0] extents [64, 64] : !tile, !tile.view<?x?xf32>, i32, i32
  }
  return
}
