// RUN: tile-opt %s --split-input-file --assign-layouts --verify-diagnostics | FileCheck %s

!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>

// Four lanes share a row of a product's result; its maxima, broadcast, and its sums meet without a conversion.
// CHECK-LABEL: @four_threads_share_a_row
// CHECK: cta.partial_sum %{{.*}} -> tensor<64x4xf32, #cta.layout<registers [2:0:8], lanes [4:1:1, 8:0:1], warps [4:0:16]>>
// CHECK-NOT: cta.convert
func.func @four_threads_share_a_row(%y: !tile.view<?xf32>, %at: i32) attributes {cta.target = "sm_90"} {
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
    %e = cta.begin : !sum
    %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
    %x = cta.await %p : !sum -> tensor<64x64xf32>
    cta.release %a : !slot
    %high = tile.reduce max %x, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %column = tile.expand_dims %high, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %each = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x4xf32>
    %parts = cta.partial_sum %x : tensor<64x64xf32> -> tensor<64x4xf32>
    %scaled = arith.mulf %parts, %each : tensor<64x4xf32>
    %sums = tile.reduce sum %scaled, 1 : tensor<64x4xf32> -> tensor<64xf32>
    tile.store %sums, %y[%at] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  }
  return
}

// -----

!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>

func.func @a_sum_per_thread(%y: !tile.view<?x?xf32>, %at: i32) attributes {cta.target = "sm_90"} {
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %a = cta.wait %as : !cta.channel<2 x tensor<64x64xbf16>> -> !slot
    %e = cta.begin : !sum
    %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
    %x = cta.await %p : !sum -> tensor<64x64xf32>
    cta.release %a : !slot
    // expected-error @below {{gives 2 sums for a row that 4 threads share; make it 4 columns}}
    %parts = cta.partial_sum %x : tensor<64x64xf32> -> tensor<64x2xf32>
    tile.store %parts, %y[%at, %at] extents [64, 2] : tensor<64x2xf32>, !tile.view<?x?xf32>, i32, i32
  }
  return
}
