// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

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
// CHECK: cuda.set %{{.*}}, %[[NUMBER]]
// CHECK: %[[SUM:.*]] = cuda.regs : <32 x f32>
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
func.func @tiles_hand_on(%x: !view, %y: !tile.view<?x?xf32, align 8>, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
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
    tile.store %left#1, %y[%c0, %c0] extents [64, 64] : !tile, !tile.view<?x?xf32, align 8>, i32, i32
  }
  return
}

// Columns below a limit that vectors end with: the neighbours of a vector compare alike, by their
// first. Below another limit, and rows, each by its own number.
// CHECK-LABEL: @neighbours_compare_alike
// CHECK: %[[STEP:.*]] = arith.andi %{{.*}}, %c-8_i32 : i32
// CHECK: arith.cmpi slt, %[[STEP]],
// CHECK-LABEL: @each_by_its_own_number
// CHECK-NOT: %c-8_i32
// CHECK: arith.cmpi slt
// CHECK: return
func.func @neighbours_compare_alike(%x: !tile.view<256xbf16, align 16>, %y: !tile.view<256xbf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %end = arith.constant dense<200> : tensor<256xi32>
  %zeros = arith.constant dense<0.0> : tensor<256xbf16>
  %a = tile.load %x[%c0] extents [256] : !tile.view<256xbf16, align 16>, i32 -> tensor<256xbf16>
  %columns = tile.range %c0 : tensor<256xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<256xi32>
  %s = arith.select %mask, %a, %zeros : tensor<256xi1>, tensor<256xbf16>
  tile.store %s, %y[%c0] extents [256] : tensor<256xbf16>, !tile.view<256xbf16, align 16>, i32
  return
}

func.func @each_by_its_own_number(%x: !tile.view<256xbf16, align 16>, %y: !tile.view<256xbf16, align 16>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %end = tile.splat %n : i32 -> tensor<256xi32>
  %zeros = arith.constant dense<0.0> : tensor<256xbf16>
  %a = tile.load %x[%c0] extents [256] : !tile.view<256xbf16, align 16>, i32 -> tensor<256xbf16>
  %columns = tile.range %c0 : tensor<256xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<256xi32>
  %s = arith.select %mask, %a, %zeros : tensor<256xi1>, tensor<256xbf16>
  tile.store %s, %y[%c0] extents [256] : tensor<256xbf16>, !tile.view<256xbf16, align 16>, i32
  return
}

// What only the host asks for is no parameter; what the kernel asks for is.
// CHECK-LABEL: @the_host_counts_multiprocessors
// CHECK-NOT: num_sms
// CHECK: return
func.func @the_host_counts_multiprocessors(%x: !tile.view<?xi32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %sms = cta.sms : i32
  %blocks = arith.minsi %t, %sms : i32
  tile.grid [%blocks]
  cta.role "a" warps 1 {
    cta.tiles (%i) of (%t) {
      tile.store %t, %x[%i] extents [0] : i32, !tile.view<?xi32>, i32
    }
  }
  return
}

// CHECK-LABEL: @the_kernel_counts_multiprocessors
// CHECK-SAME: %[[SMS:[a-z0-9]+]]: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "number", source = "num_sms"
// CHECK: arith.muli %{{.*}}, %[[SMS]]
func.func @the_kernel_counts_multiprocessors(%x: !tile.view<?xi32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %sms = cta.sms : i32
  cta.role "a" warps 1 {
    cta.tiles (%i) of (%t) {
      %far = arith.muli %i, %sms : i32
      tile.store %t, %x[%far] extents [0] : i32, !tile.view<?xi32>, i32
    }
  }
  return
}

// A group that the launch gives is divided by like an extent; the order of axes is a few selections.
// CHECK-LABEL: @the_launch_gives_the_order
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32 {{[^%]*}}source = "arg1"
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32 {{[^%]*}}source = "arg2"
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i32 {{[^%]*}}source = "arg3"
// CHECK-SAME: %[[GROUP:[a-z0-9]+]]: i32 {{[^%]*}}source = "arg5"
// CHECK: %[[IS_M:.*]] = arith.cmpi eq, %[[FIRST]], %c0_i32
// CHECK: %[[FAST:.*]] = arith.select %[[IS_M]], %[[M]], %[[N]]
// CHECK: cuda.reciprocal %[[GROUP]]
// CHECK: arith.muli %{{.*}}, %[[GROUP]]
func.func @the_launch_gives_the_order(%x: !tile.view<?x?xi32>, %m_tiles: i32, %n_tiles: i32,
                                      %first: i32, %second: i32, %group: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "a" warps 1 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) axes (%first, %second) grouped %group {
      tile.store %m, %x[%m, %n] extents [0, 0] : i32, !tile.view<?x?xi32>, i32, i32
    }
  }
  return
}
