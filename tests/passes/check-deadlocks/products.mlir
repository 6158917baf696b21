// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --verify-diagnostics
// What a product reads goes back where the product is found done, behind the loop that the role
// fills slots of another ring in; and the reader of those waits for more of the first.

!tile = tensor<64x64xbf16>
!ring = !cta.channel<1 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_slot_that_goes_back_behind_a_loop(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  %ps = cta.channel put : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
      // expected-error @+1 {{hangs with tiles of the block = 1: role "load" waits here for a free slot of `channel`; give `channel` 2 slots}}
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
      cta.load %x[%i, %c0] extents [64, 64] through %bs : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : !tile
      %u0 = cta.acquire %ps : !ring -> !slot
      cta.put %zero, %u0 : !tile, !slot
      cta.commit %u0 : !slot
      // expected-note @+1 {{role "use" keeps the slot that it took here}}
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      cta.release %s : !slot after %p : !sum
      scf.for %q = %c0 to %c1 step %c1 : i32 {
        // expected-note @+1 {{role "use" waits here for a free slot of `channel`}}
        %u = cta.acquire %ps : !ring -> !slot
        cta.put %zero, %u : !tile, !slot
        cta.commit %u : !slot
      }
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      %s2 = cta.wait %as : !ring -> !slot
      cta.release %s2 : !slot
    }
  }
  cta.role "take" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "take" waits here until a slot of `channel` has been filled}}
      %b = cta.wait %bs : !ring -> !slot
      cta.release %b : !slot
      scf.for %q = %c0 to %c1 step %c1 : i32 {
        %u = cta.wait %ps : !ring -> !slot
        %y = cta.get %u : !slot -> !tile
        cta.release %u : !slot
      }
      %u2 = cta.wait %ps : !ring -> !slot
      %y2 = cta.get %u2 : !slot -> !tile
      cta.release %u2 : !slot
    }
  }
  return
}
