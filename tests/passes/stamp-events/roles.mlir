// RUN: tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels --stamp-events=capacity=64 | FileCheck %s
// RUN: tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels --stamp-events=capacity=64 --expand-to-cuda | FileCheck %s --check-prefix=CUDA
// RUN: tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels "--stamp-events=capacity=64 detail=slots" | FileCheck %s --check-prefix=SLOTS
// RUN: tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels "--stamp-events=capacity=64 detail=tiles" | FileCheck %s --check-prefix=TILES
// RUN: not tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels --stamp-events=detail=most 2>&1 | FileCheck %s --check-prefix=WORD

// Waits are stamped from before to behind, waits for mbarriers only where they take time, and products
// before they start. Copies by one thread need none. A straight line of them is a run, with one record. A wait for a full slot
// is for the role that fills it, one for a free slot for the role that releases it. A role of two
// warpgroups has two lanes, each with half of the product.

!ring = !cta.channel<3 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!rows = !cta.channel<3 x tensor<128x64xbf16>>
!wide = !cta.slot<tensor<128x64xbf16>>
!sum = !cta.pending<tensor<128x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @two_roles(
// CHECK-SAME: cta.timeline = {capacity = 64 : i64, detail = "all", events = [
// CHECK-SAME: kind = "tile", left = -1
// CHECK-SAME: {asynchronous = 0 : i64, bits = 0 : i64, by = ["use"], fmas = 0 : i64, kind = "wait", left = -1 : i64, line = {{[1-9][0-9]*}} : i64, name = "free slot of
// CHECK-SAME: {asynchronous = 1 : i64, {{.*}}kind = "copy"{{.*}} name = "x"
// CHECK-SAME: by = ["load"], fmas = 0 : i64, kind = "wait"
// CHECK-SAME: {asynchronous = 1 : i64, bits = 16 : i64, by = [], fmas = 262144 : i64, kind = "product"
// CHECK-SAME: by = ["tensor cores"], fmas = 0 : i64, kind = "wait", left = 1 : i64
// CHECK-SAME: lanes = [{part = 0 : i64, parts = 1 : i64, role = "load"}, {part = 0 : i64, parts = 2 : i64, role = "use"}, {part = 1 : i64, parts = 2 : i64, role = "use"}]
// CHECK-SAME: longest = 4 : i64, runs = [array<i64: 1>, array<i64: 2, -3, -4>, array<i64: 5>, array<i64: 6>, array<i64: 7, 8, 9>, array<i64: 10, 11>]
// CHECK: cta.role "load"
// CHECK: cta.tiles
// CHECK-NEXT: cta.stamp [[#]] at 1
// CHECK-NEXT: cta.stamp_run 1 takes 2
// CHECK: cuda.mbarrier_wait {{.*}} {cta.stamp = 1 : i64}
// CHECK-NOT: cuda.clock
// CHECK: cta.stamp_run 2 takes 2
// CHECK: } {cta.lane = 0 : i32}
// CHECK: cta.role "use"
// CHECK: cuda.mbarrier_wait {{.*}} {cta.stamp = 1 : i64}
// CHECK: cta.stamp [[#PRODUCT:]] at 2
// CHECK-NEXT: cta.mma
// CHECK: cuda.clock
// CHECK-NEXT: cta.wait_group 1
// CHECK-NEXT: cta.stamp [[#PRODUCT+1]] at 3 from
// CHECK: cta.stamp_run
// CHECK: } {cta.lane = 1 : i32}

// With less detail, waits for products have no stamps, or nothing but tiles has.
// SLOTS: detail = "slots"
// SLOTS: cta.role "use"
// SLOTS: cuda.mbarrier_wait {{.*}} {cta.stamp = 1 : i64}
// SLOTS: cta.stamp
// SLOTS-NEXT: cta.mma
// SLOTS-NOT: cuda.clock
// SLOTS: cta.wait_group 1
// SLOTS-NOT: cta.stamp [[#]] at
// SLOTS: cta.stamp_run
// TILES: detail = "tiles"
// TILES-SAME: longest = 3 : i64, runs = [array<i64: 1, 2>, array<i64: 3, 4>]
// TILES: cuda.mbarrier_wait
// TILES-NOT: cta.stamp =
// WORD: error: there is no detail 'most' of a timeline: all, slots or tiles

// The role of one thread needs no choice of a thread; warpgroups write their own lanes. Blocks behind
// the last that is recorded write none.
// CUDA-LABEL: func.func @two_roles(
// CUDA-SAME: %[[EVENTS:[a-z0-9]*]]: !cuda.ptr<i32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, bytes = 1536 : i64, kind = "events"}
// CUDA: cuda.elect
// CUDA: %[[LANE:.*]] = cuda.start_lane %[[EVENTS]][%{{.*}} to 64], records {{[0-9]+}} when
// CUDA: cuda.stamped_wait {{.*}}, {{.*}}, %[[LANE]][1]
// CUDA: cuda.stamp_run %[[LANE]], 2 takes 2
// CUDA: cuda.end_lane %[[LANE]]
// CUDA: cuda.start_lane
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
