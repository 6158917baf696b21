// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!square = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>

// The wait for the second product comes after the sums of the first, which are computed beside it.
// CHECK-LABEL: @waits_come_after_what_runs_beside_the_product
// CHECK: cuda.wgmma_wait 1, %[[FIRST:.*]] : !cuda.regs<32 x f32>
// CHECK: cuda.get %[[FIRST]]
// CHECK: cuda.set %{{.*}}, %[[TOTAL:.*]][
// CHECK: cuda.shuffle_xor
// CHECK: cuda.settle %[[TOTAL]] : <2 x f32>
// CHECK-NEXT: cuda.wgmma_wait 0
func.func @waits_come_after_what_runs_beside_the_product(%x: !view, %y: !tile.view<?xf32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !cta.channel<2 x tensor<64x64xbf16>>
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %f = cta.begin : !sum
      %q = cta.mma %f, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %first = cta.await %p : !sum -> !square
      %total = tile.reduce sum %first, 1 : !square -> tensor<64xf32>
      %second = cta.await %q : !sum -> !square after %total : tensor<64xf32>
      cta.release %a : !slot
      %more = tile.reduce max %second, 1 : !square -> tensor<64xf32>
      %both = arith.addf %total, %more : tensor<64xf32>
      tile.store %both, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
    }
  }
  return
}
