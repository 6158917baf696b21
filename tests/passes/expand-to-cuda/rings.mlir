// RUN: tile-opt %s --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// A tile of one axis is one box, through the barriers of the matrix beside it: 64·64·2 + 512·4 bytes,
// the vector in two boxes of 256. Threads read it, so each warp gives it back.
// CHECK-LABEL: @vectors_go_with_matrices
// CHECK-SAME: !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
// CHECK-SAME: !cuda.tensor_map<tensor<1x256xf32>, swizzle 0>
// CHECK: cuda.mbarrier_init %{{.*}}, 1
// CHECK: cuda.mbarrier_init %{{.*}}, 4
// CHECK: cuda.mbarrier_arrive_expect_tx %{{.*}}, %c10240
// CHECK: cuda.tma_load {{.*}}64x64xbf16
// CHECK: scf.for
// CHECK: cuda.tma_load {{.*}}1x256xf32
// CHECK: cuda.load_shared
// CHECK: cuda.warp_sync
// CHECK: scf.if
// CHECK-NEXT: cuda.mbarrier_arrive
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>
!scales = !tile.view<?x?xf32, align 16>
func.func @vectors_go_with_matrices(%x: !view, %scales: !scales, %y: !tile.view<?xf32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %ss = cta.channel tma : !cta.channel<2 x tensor<512xf32>>
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %a = cta.acquire %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %s = cta.acquire %ss : !cta.channel<2 x tensor<512xf32>> -> !cta.slot<tensor<512xf32>>
      cta.copy %x[%i, %c0] extents [64, 64], %a : !view, !slot
      cta.copy %scales[%i, %c0] extents [0, 512], %s : !scales, !cta.slot<tensor<512xf32>>
      cta.commit %a : !slot
      cta.commit %s : !cta.slot<tensor<512xf32>>
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %s = cta.wait %ss : !cta.channel<2 x tensor<512xf32>> -> !cta.slot<tensor<512xf32>>
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %v = cta.get %s : !cta.slot<tensor<512xf32>> -> tensor<512xf32>
      tile.store %v, %y[%c0] extents [512] : tensor<512xf32>, !tile.view<?xf32>, i32
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %a : !slot
      cta.release %s : !cta.slot<tensor<512xf32>>
    }
  }
  return
}

// One element of a row, for all threads. What is read behind a product stays behind it: a wait, here for
// more groups than there are, holds reads where they stand.
// CHECK-LABEL: @an_element_is_read_behind_a_product
// CHECK: cuda.wgmma_commit
// CHECK-NEXT: cuda.wgmma_wait 1
// CHECK-NOT: cuda.wgmma_wait
// CHECK: cuda.load_shared
// CHECK-SAME: {count = 1 : i64} : <1 x f32>
// CHECK: cuda.load_shared
// CHECK: cuda.wgmma_wait 0
func.func @an_element_is_read_behind_a_product(%x: !view, %scales: !scales, %y: !tile.view<?xf32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %ss = cta.channel tma : !cta.channel<2 x tensor<4xf32>>
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %a = cta.acquire %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %s = cta.acquire %ss : !cta.channel<2 x tensor<4xf32>> -> !cta.slot<tensor<4xf32>>
      cta.copy %x[%i, %c0] extents [64, 64], %a : !view, !slot
      cta.copy %scales[%i, %c0] extents [0, 4], %s : !scales, !cta.slot<tensor<4xf32>>
      cta.commit %a : !slot
      cta.commit %s : !cta.slot<tensor<4xf32>>
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %s = cta.wait %ss : !cta.channel<2 x tensor<4xf32>> -> !cta.slot<tensor<4xf32>>
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %u = cta.element %s[%c2] : !cta.slot<tensor<4xf32>> -> f32
      %v = cta.element %s[%c0] : !cta.slot<tensor<4xf32>> -> f32
      %w = arith.addf %u, %v : f32
      tile.store %w, %y[%c0] extents [0] : f32, !tile.view<?xf32>, i32
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %a : !slot
      cta.release %s : !cta.slot<tensor<4xf32>>
    }
  }
  return
}

// Each warp of who puts arrives, and each of who gets: 4 and 2. Nothing is fenced, since threads read.
// CHECK-LABEL: @tiles_cross_by_threads
// CHECK: cuda.mbarrier_init %{{.*}}, 4
// CHECK: cuda.mbarrier_init %{{.*}}, 2
// CHECK: cuda.mbarrier_wait
// CHECK-NOT: cuda.mbarrier_arrive_expect_tx
// CHECK: cuda.store_shared
// CHECK-NOT: cuda.fence
// CHECK: cuda.warp_sync
// CHECK: cuda.mbarrier_arrive
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.load_shared
// CHECK: cuda.warp_sync
// CHECK: cuda.mbarrier_arrive
func.func @tiles_cross_by_threads(%x: !view, %y: !view, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "make" warps 4 {
    cta.tiles (%i) of (%t) {
      %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
      %s = cta.acquire %ts : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      cta.put %v, %s : tensor<64x64xbf16>, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 2 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %ts : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %v = cta.get %s : !slot -> tensor<64x64xbf16>
      cta.release %s : !slot
      tile.store %v, %y[%i, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
    }
  }
  return
}

// A product reads what was put by itself: who puts fences. The result goes through the same slot, once
// all have read it, and the slot goes back once that has been read.
// CHECK-LABEL: @products_of_tiles_that_cross
// CHECK: cuda.mbarrier_init %{{.*}}, 4
// CHECK: cuda.mbarrier_init %{{.*}}, 2
// CHECK: cuda.store_shared
// CHECK: cuda.fence async_shared
// CHECK-NEXT: cuda.warp_sync
// CHECK: cuda.mbarrier_arrive
// CHECK: cuda.wgmma_wait 0
// CHECK: cuda.named_barrier_sync %{{.*}}, 256
// CHECK: cuda.stmatrix
// CHECK: cuda.fence async_shared
// CHECK: cuda.tma_store
// CHECK: cuda.bulk_wait 0 read
// CHECK: cuda.mbarrier_arrive
func.func @products_of_tiles_that_cross(%x: !view, %y: !view, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !cta.channel<2 x tensor<128x128xbf16>>
  cta.role "make" warps 4 {
    cta.tiles (%i) of (%t) {
      %v = tile.load %x[%i, %c0] extents [128, 128] : !view, i32, i32 -> tensor<128x128xbf16>
      %s = cta.acquire %ts : !cta.channel<2 x tensor<128x128xbf16>> -> !cta.slot<tensor<128x128xbf16>>
      cta.put %v, %s : tensor<128x128xbf16>, !cta.slot<tensor<128x128xbf16>>
      cta.commit %s : !cta.slot<tensor<128x128xbf16>>
    }
  }
  cta.role "use" warps 8 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %ts : !cta.channel<2 x tensor<128x128xbf16>> -> !cta.slot<tensor<128x128xbf16>>
      %e = cta.begin : !cta.pending<tensor<128x128xf32>>
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x128x16> over 8x1
          : !cta.pending<tensor<128x128xf32>>, !cta.slot<tensor<128x128xbf16>>, !cta.slot<tensor<128x128xbf16>> -> !cta.pending<tensor<128x128xf32>>
      %d = cta.await %p : !cta.pending<tensor<128x128xf32>> -> tensor<128x128xf32>
      %r = tile.cast %d : tensor<128x128xf32> -> tensor<128x128xbf16>
      cta.store %r, %y[%i, %c0] extents [128, 128] through %s : tensor<128x128xbf16>, !view, !cta.slot<tensor<128x128xbf16>>
      cta.release %s : !cta.slot<tensor<128x128xbf16>>
    }
  }
  return
}

// Slots that are waited for together but go back one by one have barriers of their own: who fills
// them may need the first before the role can give back the second.
// CHECK-LABEL: @slots_that_go_back_apart
// CHECK: cuda.wgmma_wait
// CHECK: cuda.mbarrier_arrive %
// CHECK: cuda.wgmma_wait
// CHECK: cuda.mbarrier_arrive %
!ring = !cta.channel<2 x tensor<64x64xbf16>>
func.func @slots_that_go_back_apart(%x: !view, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !ring -> !slot
      %b = cta.wait %bs : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %a : !slot
      %f = cta.begin : !sum
      %q = cta.mma %f, %b, %b by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %g = cta.await %q : !sum -> tensor<64x64xf32>
      cta.release %b : !slot
    }
  }
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %a = cta.acquire %as : !ring -> !slot
      %b = cta.acquire %bs : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %a : !view, !slot
      cta.copy %x[%i, %c0] extents [64, 64], %b : !view, !slot
      cta.commit %a : !slot
      cta.commit %b : !slot
    }
  }
  return
}

// A step adds up the product of the step before while the answer to the wait for its operands comes; the role
// that fills slots waits as ever.
// CHECK-LABEL: @tiles_are_computed_beside_a_wait
// CHECK: cuda.mbarrier_wait %
// CHECK: } else {
// CHECK: cuda.mbarrier_wait beside %
// CHECK: arith.addf
// CHECK: cuda.wgmma
// CHECK-LABEL: @a_wait_for_a_product_has_nothing_beside_it
// CHECK-NOT: cuda.mbarrier_wait beside
// CHECK: return
func.func @tiles_are_computed_beside_a_wait(%x: !view, %y: !tile.view<?x?xf32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "load" warps 1 {
    scf.for %i = %c0 to %t step %c1 : i32 {
      %s = cta.acquire %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sums:2 = scf.for %i = %c0 to %t step %c1 iter_args(%sum = %zero, %before = %zero)
        -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
      %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %now = arith.addf %sum, %before : tensor<64x64xf32>
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %a : !slot
      scf.yield %now, %d : tensor<64x64xf32>, tensor<64x64xf32>
    }
    tile.store %sums#0, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  }
  return
}

func.func @a_wait_for_a_product_has_nothing_beside_it(%x: !view, %y: !tile.view<?x?xf32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "load" warps 1 {
    scf.for %i = %c0 to %t step %c1 : i32 {
      %s = cta.acquire %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %i = %c0 to %t step %c1 iter_args(%before = %zero) -> (tensor<64x64xf32>) : i32 {
      %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %a : !slot
      %now = arith.addf %before, %d : tensor<64x64xf32>
      scf.yield %now : tensor<64x64xf32>
    }
    tile.store %sum, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  }
  return
}
