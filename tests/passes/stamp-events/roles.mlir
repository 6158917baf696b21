// RUN: tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels --stamp-events=capacity=64 | FileCheck %s
// RUN: tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels --stamp-events=capacity=64 --expand-to-cuda | FileCheck %s --check-prefix=CUDA

// Waits, copies and products are stamped from before to behind. A wait for a full slot is for the role
// that fills it, one for a free slot for the role that releases it. A role of two warpgroups has two
// lanes, each with half of the product.

!ring = !cta.channel<3 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!rows = !cta.channel<3 x tensor<128x64xbf16>>
!wide = !cta.slot<tensor<128x64xbf16>>
!sum = !cta.pending<tensor<128x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @two_roles(
// CHECK-SAME: cta.timeline = {capacity = 64 : i64, events = [
// CHECK-SAME: {asynchronous = 0 : i64, bits = 0 : i64, by = ["use"], fmas = 0 : i64, kind = "wait", left = -1 : i64, line = {{[1-9][0-9]*}} : i64, name = "free slot of
// CHECK-SAME: kind = "copy"{{.*}} name = "x"
// CHECK-SAME: by = ["load"], fmas = 0 : i64, kind = "wait"
// CHECK-SAME: {asynchronous = 1 : i64, bits = 16 : i64, by = [], fmas = 262144 : i64, kind = "product"
// CHECK-SAME: by = ["tensor cores"], fmas = 0 : i64, kind = "wait", left = 1 : i64
// CHECK-SAME: kind = "tile", {{.*}}kind = "tile_end"
// CHECK-SAME: lanes = [{part = 0 : i64, parts = 1 : i64, role = "load"}, {part = 0 : i64, parts = 2 : i64, role = "use"}, {part = 1 : i64, parts = 2 : i64, role = "use"}]
// CHECK: cta.role "load"
// CHECK: %[[WAIT:.*]] = cuda.clock
// CHECK-NEXT: cuda.mbarrier_wait
// CHECK-NEXT: cta.stamp 1 from %[[WAIT]]
// CHECK: %[[COPY:.*]] = cuda.clock
// CHECK-NEXT: cta.copy
// CHECK-NEXT: cta.stamp {{[0-9]+}} from %[[COPY]]
// CHECK: } {cta.lane = 0 : i32}
// CHECK: cta.role "use"
// CHECK: cta.tiles
// CHECK-NEXT: cta.stamp [[#TILE:]]
// CHECK: cuda.clock
// CHECK: cuda.clock
// CHECK-NEXT: cta.mma
// CHECK-NEXT: cta.stamp {{[0-9]+}} from
// CHECK: cta.stamp [[#TILE+1]]
// CHECK: } {cta.lane = 1 : i32}

// The role of one thread needs no choice of a thread; warpgroups write their own lanes. Blocks behind
// the last that is recorded write none.
// CUDA-LABEL: func.func @two_roles(
// CUDA-SAME: %[[EVENTS:[a-z0-9]*]]: !cuda.ptr<i32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, bytes = 3072 : i64, kind = "events"}
// CUDA: cuda.elect
// CUDA: %[[CURSOR:.*]] = cuda.regs : <1 x i32>
// CUDA: cuda.stamp_edge %[[EVENTS]][%[[CURSOR]] of 64]
// CUDA: %[[BEGAN:.*]] = cuda.clock
// CUDA-NEXT: cuda.mbarrier_wait
// CUDA-NEXT: cuda.stamp %[[EVENTS]][%[[CURSOR]] of 64], 1 from %[[BEGAN]]
// CUDA: cuda.stamp_edge last %[[EVENTS]][%[[CURSOR]] of 64]
// CUDA: cuda.stamp_edge
func.func @two_roles(%x: !view {tile.name = "x"}, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = cta.channel tma : !rows
  %xs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%m) of (%n) {
      scf.for %i = %c0 to %n step %c1 : i32 {
        %r = cta.acquire %rows : !rows -> !wide
        %s = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%c0, %c0] extents [128, 64], %r : !view, !wide
        cta.copy %x[%c0, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %r : !wide
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    cta.tiles (%m) of (%n) {
      %e = cta.begin : !sum
      %p = scf.for %i = %c0 to %n step %c1 iter_args(%before = %e) -> (!sum) : i32 {
        %r = cta.wait %rows : !rows -> !wide
        %s = cta.wait %xs : !ring -> !slot
        %next = cta.mma %before, %r, %s by #cta.wgmma<64x64x16> over 8x1 : !sum, !wide, !slot -> !sum
        cta.release %r : !wide after %next : !sum
        cta.release %s : !slot after %next : !sum
        scf.yield %next : !sum
      }
      %done = cta.await %p : !sum -> tensor<128x64xf32>
    }
  }
  return
}
