// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// Roles and warpgroups that take turns.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_section_waits_for_what_is_given_behind_the_next_turn(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %main = cta.order loc("main")
  %xs = cta.channel put : !ring loc("xs")
  %ys = cta.channel put : !ring loc("ys")
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "first" keeps the turn that it took here}}
      %turn0 = cta.enter %main
      // expected-error @+1 {{hangs with tiles of the block = 1: role "first" waits here until a slot of `ys` has been filled; leave a section before waiting for what others give only behind their turns}}
      %s0 = cta.wait %ys : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      cta.leave %turn0
    }
  }
  cta.role "relay" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "relay" waits here until a slot of `xs` has been filled}}
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %ys : !ring -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "second" waits here for its turn at `main`}}
      %turn0 = cta.enter %main
      %v0 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s0 = cta.acquire %xs : !ring -> !slot
      cta.put %v0, %s0 : !tile, !slot
      cta.commit %s0 : !slot
      cta.leave %turn0
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

func.func @a_turn_is_given_before_the_wait(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %main = cta.order loc("main")
  %xs = cta.channel put : !ring loc("xs")
  %ys = cta.channel put : !ring loc("ys")
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %turn0 = cta.enter %main
      cta.leave %turn0
      %s0 = cta.wait %ys : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
    }
  }
  cta.role "relay" warps 4 {
    cta.tiles (%i) of (%t) {
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %v1 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s1 = cta.acquire %ys : !ring -> !slot
      cta.put %v1, %s1 : !tile, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %turn0 = cta.enter %main
      %v0 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s0 = cta.acquire %xs : !ring -> !slot
      cta.put %v0, %s0 : !tile, !slot
      cta.commit %s0 : !slot
      cta.leave %turn0
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

func.func @a_section_waits_for_the_next_role(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %main = cta.order loc("main")
  %xs = cta.channel put : !ring loc("xs")
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %turn0 = cta.enter %main
      // expected-error @+1 {{may wait here for role "second", which uses `xs` too and waits for this turn}}
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      cta.leave %turn0
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %turn0 = cta.enter %main
      cta.leave %turn0
      %v0 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
      %s0 = cta.acquire %xs : !ring -> !slot
      cta.put %v0, %s0 : !tile, !slot
      cta.commit %s0 : !slot
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

func.func @slots_come_in_another_order_than_turns(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order loc("main")
  %xs = cta.channel tma : !ring loc("xs")
  %ys = cta.channel tma : !ring loc("ys")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 3: role "load" waits here for a free slot of `ys`; leave a section before waiting for what others give only behind their turns}}
        %s0 = cta.acquire %ys : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "first" keeps the turn that it took here}}
      %turn0 = cta.enter %main
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{role "first" waits here until a slot of `xs` has been filled}}
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      cta.leave %turn0
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "second" waits here for its turn at `main`}}
      %turn0 = cta.enter %main
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.wait %ys : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      cta.leave %turn0
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

func.func @a_warpgroup_that_waits_for_its_turn_keeps_a_slot(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order loc("main")
  %xs = cta.channel tma : !one loc("xs")
  %ys = cta.channel tma : !one loc("ys")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s0 = cta.acquire %xs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
      cta.commit %s0 : !slot
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 1: role "load" waits here for a free slot of `xs`; give `xs` 2 slots}}
        %s1 = cta.acquire %xs : !one -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
        cta.commit %s1 : !slot
        %s2 = cta.acquire %ys : !one -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s2 : !view, !slot
        cta.commit %s2 : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{warpgroup 1 of role "use" keeps the slot that it took here}}
        %s0 = cta.wait %xs : !one -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        // expected-note @+2 {{warpgroup 1 of role "use" waits here for its turn at `main`}}
        // expected-note @+1 {{warpgroup 0 of role "use" keeps the turn that it took here}}
        %turn0 = cta.enter %main
        cta.release %s0 : !slot
        // expected-note @+1 {{warpgroup 0 of role "use" waits here until a slot of `ys` has been filled}}
        %s1 = cta.wait %ys : !one -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.leave %turn0
        cta.release %s1 : !slot
      }
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

func.func @turns_with_any_number_of_tiles(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %main = cta.order loc("main")
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) turn 0 of 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn0 = cta.enter %main
      cta.leave %turn0
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) turn 1 of 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn0 = cta.enter %main
      cta.leave %turn0
    }
  }
  return
}
