// Slots that a product of warpgroups has rounded to tf32 are for such products alone.
// RUN: tile-opt %s --split-input-file --check-program --verify-diagnostics

!tile = tensor<64x32xf32>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!acc = tensor<64x64xf32>
!sum = !cta.pending<!acc>
!view = !tile.view<?x?xf32, align 16>

func.func @read_rounded(%a: !view, %b: !view, %c: !view) attributes {cta.target = "sm_90", tile.kernel} {
  tile.grid []
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.load %a[%c0, %c0] extents [64, 32] through %as : !view, !ring
  }
  cta.role "multiply" warps 4 {
    %none = cta.begin : !sum
    %s = cta.wait %as : !ring -> !slot
    %p = cta.mma %none, %s, %s by #cta.wgmma<64x64x8> over 4x1 {b_transposed, tf32} : !sum, !slot, !slot -> !sum
    %r = cta.await %p : !sum -> !acc
    // expected-error @+1 {{reads slots of `as`, which are rounded to tf32 for a product by `#cta.wgmma`; load what it reads through a channel of its own}}
    %x = cta.get %s : !slot -> !tile
    cta.release %s : !slot
    tile.store %r, %c[%c0, %c0] extents [64, 64] : !acc, !view, i32, i32
    tile.store %x, %b[%c0, %c0] extents [64, 32] : !tile, !view, i32, i32
  }
  return
}
