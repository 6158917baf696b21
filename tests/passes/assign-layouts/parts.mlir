// RUN: tile-opt %s --assign-layouts | FileCheck %s

!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>

// A thread leaves what it holds and takes up what its like left, so sums stay as the product has them.
// CHECK-LABEL: @parts_stay_where_they_are
// CHECK: %[[PART:.*]] = cta.await {{.*}} -> tensor<64x64xf32, [[LAYOUT:#cta.layout<registers \[2:1:1, 2:0:8, 8:1:8\].*>]]>
// CHECK-NOT: cta.convert
// CHECK: %[[SUM:.*]], %{{.*}} = cta.combine %[[PART]] : tensor<64x64xf32, [[LAYOUT]]>
// CHECK-NOT: cta.convert
// CHECK: cta.store %[[SUM]]
func.func @parts_stay_where_they_are(%y: !tile.view<?x?xf32, align 16>, %t: i32, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %rows = cta.channel store : !cta.channel<1 x tensor<64x64xf32>>
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %part = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %a : !slot
      %sum, %whole = cta.combine %part : tensor<64x64xf32>
      scf.if %whole {
        cta.store %sum, %y[%i, %c0] extents [64, 64] through %rows
            : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, !cta.channel<1 x tensor<64x64xf32>>
      }
    }
  }
  return
}
