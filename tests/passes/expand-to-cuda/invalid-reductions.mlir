// RUN: tile-opt %s --assign-layouts --plan-channels --lower-channels --expand-to-cuda --verify-diagnostics

func.func @rows_of_a_raise_lie_in_one_warp(%x: !tile.view<?x2048xf32, align 16>, %y: !tile.view<?xf32>, %scale: f32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [1, 2048] : !tile.view<?x2048xf32, align 16>, i32, i32 -> tensor<1x2048xf32>
  %lowest = arith.constant dense<-1.0e30> : tensor<1xf32>
  // expected-error @+1 {{has rows that are split over warps; let each warp have whole rows}}
  %r, %shrink = cta.raise %lowest, %a times %scale by 8.0 : tensor<1xf32>, tensor<1x2048xf32>
  tile.store %r, %y[%c0] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}
