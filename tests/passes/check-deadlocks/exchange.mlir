// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// Roles that exchange tiles.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @each_waits_for_the_others_tile(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %xs = cta.channel put : !ring loc("xs")
  %ys = cta.channel put : !ring loc("ys")
  cta.role "left" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-error @+1 {{hangs with tiles of the block = 1: role "left" waits here until a slot of `ys` has been filled; let one of them fill its slot before it waits for the other's}}
      %s0 = cta.wait %ys : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %xs : !ring -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "right" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "right" waits here until a slot of `xs` has been filled}}
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %ys : !ring -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @each_answers_the_other(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %xs = cta.channel put : !one loc("xs")
  %ys = cta.channel put : !one loc("ys")
  cta.role "left" warps 4 {
    cta.tiles (%i) of (%t) {
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %xs : !one -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
      %s0 = cta.wait %ys : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
    }
  }
  cta.role "right" warps 4 {
    cta.tiles (%i) of (%t) {
      %s0 = cta.wait %xs : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %ys : !one -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @rings_are_entered_in_opposite_order(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %xs = cta.channel put : !one loc("xs")
  %ys = cta.channel put : !one loc("ys")
  cta.role "make" warps 4 {
    cta.tiles (%i) of (%t) {
      %v0 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s0 = cta.acquire %xs : !one -> !slot
      cta.put %v0, %s0 : !tile, !slot
      cta.commit %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-error @+1 {{hangs with tiles of the block = 1: role "make" waits here for a free slot of `xs`; give `xs` 2 slots}}
      %s1 = cta.acquire %xs : !one -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
      %v2 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s2 = cta.acquire %ys : !one -> !slot
      cta.put %v2, %s2 : !tile, !slot
      cta.commit %s2 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "use" waits here until a slot of `ys` has been filled}}
      %s0 = cta.wait %ys : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %s1 = cta.wait %xs : !one -> !slot
      %w1 = cta.get %s1 : !slot -> !tile
      cta.release %s1 : !slot
      %s2 = cta.wait %xs : !one -> !slot
      %w2 = cta.get %s2 : !slot -> !tile
      cta.release %s2 : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @three_roles_in_a_circle(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %xs = cta.channel put : !ring loc("xs")
  %ys = cta.channel put : !ring loc("ys")
  %zs = cta.channel put : !ring loc("zs")
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-error @+1 {{hangs with tiles of the block = 1: role "first" waits here until a slot of `zs` has been filled}}
      %s0 = cta.wait %zs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %xs : !ring -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "second" waits here until a slot of `xs` has been filled}}
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %ys : !ring -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "third" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "third" waits here until a slot of `ys` has been filled}}
      %s0 = cta.wait %ys : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %zs : !ring -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_product_keeps_the_only_put_slot(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel put : !one loc("xs")
  cta.role "make" warps 4 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %v0 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
        // expected-error @+1 {{role "make" waits here for a free slot of `xs`; give `xs` 2 slots}}
        %s0 = cta.acquire %xs : !one -> !slot
        cta.put %v0, %s0 : !tile, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %e = cta.begin : !sum
      %p = scf.for %k = %c0 to %n step %c1 iter_args(%before = %e) -> (!sum) : i32 {
        // expected-note @+2 {{role "use" keeps the slot that it took here}}
        // expected-note @+1 {{role "use" waits here until a slot of `xs` has been filled}}
        %s0 = cta.wait %xs : !one -> !slot
        %next = cta.mma %before, %s0, %s0 by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        cta.release %s0 : !slot after %next : !sum
        scf.yield %next : !sum
      }
      %d = cta.await %p : !sum -> tensor<64x64xf32>
    }
  }
  return
}
