// RUN: tile-opt %s --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels --canonicalize --cse | FileCheck %s

// A slot is a number; who waits does so at the barrier of that number, and who gives it back arrives
// at one. Slots that a loop carries beside a product are numbers in registers.

!ring = !cta.channel<3 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @carried(
// CHECK: %[[XS:.*]] = cta.channel tma
// CHECK: cta.role "load"
// CHECK: %[[FILLS:.*]] = cuda.regs
// CHECK: cuda.set %c0_i32, %[[FILLS]]
// CHECK: %[[PARITY:.*]] = cuda.regs
// CHECK: cuda.set %c1_i32, %[[PARITY]]
// CHECK: scf.for
// CHECK: %[[I:.*]] = cuda.get %[[FILLS]]
// CHECK: %[[PHASE:.*]] = cuda.get %[[PARITY]]
// CHECK: %[[FULL:.*]] = cta.barrier_of full %[[XS]][%[[I]]]
// CHECK: %[[EMPTY:.*]] = cta.barrier_of empty %[[XS]][%[[I]]]
// CHECK: cuda.mbarrier_wait %[[EMPTY]], %[[PHASE]]
// CHECK: cta.once role 1 {
// CHECK: cuda.mbarrier_arrive_expect_tx %[[FULL]], %c8192_i32
// CHECK: %[[SLOT:.*]] = cta.slot_at %[[XS]][%[[I]]]
// CHECK: cta.copy {{.*}}, %[[SLOT]]
// CHECK-NOT: cta.commit
// CHECK: cta.role "use"
// CHECK: cta.begin
// CHECK: %[[HELD:.*]] = cuda.regs
// CHECK: cuda.set %c0_i32, %[[HELD]]
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) -> (!cta.pending
// CHECK: %[[BEFORE:.*]] = cuda.get %[[HELD]]
// CHECK: cuda.mbarrier_wait
// CHECK: cta.mma
// CHECK: cta.wait_group 1
// CHECK: %[[BACK:.*]] = cta.barrier_of empty %[[XS]][%[[BEFORE]]]
// CHECK: cta.once warpgroup 1 if %{{.*}} {
// CHECK: cuda.mbarrier_arrive %[[BACK]]
// CHECK: cuda.set %{{.*}}, %[[HELD]]
func.func @carried(%x: !view, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%c0, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    %e = cta.begin : !sum
    %p = scf.for %i = %c0 to %n step %c1 iter_args(%before = %e) -> (!sum) : i32 {
      %s = cta.wait %xs : !ring -> !slot
      %next = cta.mma %before, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      cta.release %s : !slot after %next : !sum
      scf.yield %next : !sum
    }
    %d = cta.await %p : !sum -> tensor<64x64xf32>
  }
  return
}

// A slot that a store went through goes back when TMA has read it.

// CHECK-LABEL: func.func @stored_through(
// CHECK: cta.role "pass"
// CHECK: cta.store
// CHECK: cta.await_stores
// CHECK: %[[EMPTY:.*]] = cta.barrier_of empty
// CHECK: cuda.mbarrier_arrive %[[EMPTY]]
func.func @stored_through(%x: !view, %y: !view, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%c0, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "pass" warps 4 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = cta.wait %xs : !ring -> !slot
      %t = cta.get %s : !slot -> tensor<64x64xbf16>
      cta.store %t, %y[%c0, %c0] extents [64, 64] through %s : tensor<64x64xbf16>, !view, !slot
      cta.release %s : !slot
    }
  }
  return
}

// At the end of a role, one thread of several warps waits until other blocks have given back what it
// filled by multicast, as one fills: the others have not kept pace with the barriers' phases.

// CHECK-LABEL: func.func @leaves_alone(
// CHECK: cta.role "load"
// CHECK: scf.for
// CHECK: cta.once role 1 {
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.mbarrier_arrive_expect_tx
// CHECK: scf.for
// CHECK-NOT: cuda.mbarrier_wait
// CHECK: cta.once role 1 {
// CHECK: cuda.mbarrier_wait
// CHECK: cta.role "use"
func.func @leaves_alone(%x: !view, %n: i32) attributes {cta.target = "sm_90", cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma multicast along 0 : !ring
  cta.role "load" warps 4 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%c0, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = cta.wait %xs : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// Roles whose warpgroups count on their own read the numbers of their slots from one lane when they come
// to a tile of a queue, so that ptxas keeps them in uniform registers.
//
// CHECK-LABEL: func.func @queue(
// CHECK: cta.role "load"
// CHECK-NOT: cuda.shuffle_idx
// CHECK: cta.role "use"
// CHECK: %[[NUMBER:.*]] = cuda.regs
// CHECK: cta.tiles
// CHECK-NEXT: %[[OWN:.*]] = cuda.get %[[NUMBER]]
// CHECK-NEXT: %[[SAME:.*]] = cuda.shuffle_idx %[[OWN]], %c0_i32
// CHECK-NEXT: cuda.set %[[SAME]], %[[NUMBER]]
// CHECK-NEXT: cta.warpgroup
// CHECK-NEXT: scf.for
func.func @queue(%x: !view, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%m) of (%n) queue {
      scf.for %i = %c0 to %m step %c1 : i32 {
        %s = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%m) of (%n) queue {
      %group = cta.warpgroup : i32
      scf.for %i = %group to %m step %c1 : i32 {
        %s = cta.wait %xs : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> tensor<64x64xf32>
        cta.release %s : !slot
      }
    }
  }
  return
}

// Where all warpgroups count alike, ptxas knows.
//
// CHECK-LABEL: func.func @queue_of_all(
// CHECK-NOT: cuda.shuffle_idx
// CHECK: return
func.func @queue_of_all(%x: !view, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%m) of (%n) queue {
      scf.for %i = %c0 to %m step %c1 : i32 {
        %s = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%m) of (%n) queue {
      scf.for %i = %c0 to %m step %c1 : i32 {
        %s = cta.wait %xs : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> tensor<64x64xf32>
        cta.release %s : !slot
      }
    }
  }
  return
}
