// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

!slot = !cta.slot<tensor<128x64xbf16>>
!ring = !cta.channel<2 x tensor<128x64xbf16>>
!sum = !cta.pending<tensor<128x128xf32>>
!square = tensor<128x128xf32>
!view = !tile.view<?x?xbf16, align 16>
!row = !tile.view<?xf32>

// Warps are counted from the role's first, which is the block's fifth; each warpgroup waits for, and gives
// back, all slots. Stores of rows that a warpgroup has to itself meet at its own barrier.
// CHECK-LABEL: @warpgroups_part
// CHECK: %[[WARP:.*]] = arith.subi %{{.*}}, %c4_i32
// CHECK: %[[GROUP:.*]] = arith.shrsi %[[WARP]], %c2_i32
// CHECK: %[[WANTED:.*]] = arith.addi %{{.*}}, %[[GROUP]]
// CHECK: %[[OWN:.*]] = arith.minsi %[[WANTED]]
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[OWN]]
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.wgmma
// CHECK: cuda.mbarrier_arrive
// CHECK-NOT: cuda.named_barrier_sync %{{.*}}, 256
// CHECK: cuda.named_barrier_sync %{{.*}}, 128
// CHECK: cuda.tma_store
// CHECK: scf.for %{{.*}} = %[[OWN]] to
// CHECK: cuda.mbarrier_wait
// CHECK-NOT: cuda.wgmma
// CHECK: cuda.mbarrier_arrive
func.func @warpgroups_part(%x: !view, %y: !view, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  %os = cta.channel store : !cta.channel<1 x tensor<128x128xbf16>>
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        cta.load %x[%i, %c0] extents [128, 64] through %as : !view, !ring
      }
    }
  }
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %wanted = arith.addi %i, %group : i32
      %own = arith.minsi %wanted, %n : i32
      scf.for %k = %c0 to %own step %c1 : i32 {
        %a = cta.wait %as : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %a, %a by #cta.wgmma<64x128x16> over 8x1 {b_transposed} : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> !square
        cta.release %a : !slot
        %u = tile.cast %d : !square -> tensor<128x128xbf16>
        cta.store %u, %y[%i, %c0] extents [128, 128] through %os : tensor<128x128xbf16>, !view, !cta.channel<1 x tensor<128x128xbf16>>
      }
      scf.for %k = %own to %n step %c1 : i32 {
        %a = cta.wait %as : !ring -> !slot
        cta.release %a : !slot
      }
    }
  }
  return
}

// A scalar from the number decides nothing as long as only arithmetic has it; nor does the counter of a loop
// that it is used in.
// CHECK-LABEL: @warpgroups_stay_together
// CHECK: cuda.named_barrier_sync %{{.*}}, 256
func.func @warpgroups_stay_together(%y: !row, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%before = %group) -> (i32) : i32 {
        %after = arith.addi %before, %group : i32
        %early = arith.cmpi slt, %k, %c1 : i32
        scf.if %early {
          cta.sync
        }
        scf.yield %after : i32
      }
      %offsets = tile.range %sum : tensor<256xi32>
      %values = arith.sitofp %offsets : tensor<256xi32> to tensor<256xf32>
      tile.store %values, %y[%c0] extents [256] : tensor<256xf32>, !row, i32
    }
  }
  return
}

// What is done once is done by the first thread of the role.
// CHECK-LABEL: @one_thread_of_a_role_stores
// CHECK: %[[WARP:.*]] = arith.subi %{{.*}}, %c4_i32
// CHECK: %[[LANES:.*]] = arith.muli %[[WARP]], %c32_i32
// CHECK: %[[THREAD:.*]] = arith.addi %[[LANES]], %{{.*}}
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %[[FIRST]]
// CHECK: cuda.store_global {{.*}}, %[[INSIDE]]
// CHECK: %[[UPDATES:.*]] = arith.andi %{{.*}}, %[[FIRST]]
// CHECK: cuda.atomic {{.*}}, %[[UPDATES]]
func.func @one_thread_of_a_role_stores(%y: !row, %z: !row, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  cta.role "first" warps 4 {
    %one = arith.constant dense<1.0> : tensor<128xf32>
    tile.store %one, %y[%c0] extents [128] : tensor<128xf32>, !row, i32
  }
  cta.role "use" warps 8 {
    %value = arith.sitofp %t : i32 to f32
    tile.store %value, %y[%t] extents [0] : f32, !row, i32
    tile.atomic add %value, %z[%t] extents [0] : f32, !row, i32
    %one = arith.constant dense<1.0> : tensor<128xf32>
    tile.store %one, %z[%c0] extents [128] : tensor<128xf32>, !row, i32
  }
  return
}
