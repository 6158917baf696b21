// RUN: tile-opt %s --split-input-file --unfold-program --check-program --place-waits --check-deadlocks --verify-diagnostics
// Slots that a tile hands to the next.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_slot_crosses_tiles(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_slot_is_given_back_behind_those_that_follow(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %next = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @what_a_tile_gets_it_gives_back(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    // expected-error @+1 {{gives a slot that is never released; its producer would wait forever}}
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %next = cta.wait %as : !ring -> !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @the_last_slot_is_given_back(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    // expected-error @+1 {{gives a slot that is never released; its producer would wait forever}}
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      cta.yield %next : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @the_old_name_ends_where_the_loop_begins(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    // expected-note @+1 {{here}}
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      // expected-error @+1 {{after it has been handed on to a tile}}
      %p = cta.mma %e, %first, %first by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_slot_is_released_or_handed_on(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      // expected-note @+1 {{the first time}}
      cta.release %next : !slot
      // expected-error @+1 {{hands on slot `slot` a second time}}
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @products_have_read_what_is_handed_on(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      %e2 = cta.begin : !sum
      // expected-note @+1 {{the product}}
      %p2 = cta.mma %e2, %next, %next by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-error @+1 {{hands on slot `slot` while a product reads it; await the product first}}
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @nothing_is_stored_through_what_is_handed_on(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      %rounded = tile.cast %d : tensor<64x64xf32> -> !tile
      // expected-error @+1 {{writes over slot `slot`, which is handed on to the next tile; store through one that is released here}}
      cta.store %rounded, %y[%i, %c0] extents [64, 64] through %next : !tile, !view, !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_slot_keeps_its_channel(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  %bs = cta.channel tma : !ring loc("bs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
      cta.load %x[%i, %c0] extents [64, 64] through %bs : !view, !ring
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      %other = cta.wait %bs : !ring -> !slot
      cta.release %next : !slot
      // expected-error @+1 {{hands on a slot of `bs` where the first tile has one of `as`}}
      cta.yield %other : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @only_what_was_waited_for_is_handed_on(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    %first = cta.acquire %as : !ring -> !slot
    // expected-error @+1 {{closes a slot that was acquired; `cta.commit` does that}}
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      cta.copy %x[%i, %c0] extents [64, 64], %now : !view, !slot
      cta.commit %now : !slot
      %next = cta.acquire %as : !ring -> !slot
      cta.yield %next : !slot
    }
    cta.commit %left : !slot
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %as : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @slots_of_one_role_are_not_handed_on(%t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring loc("ts")
  cta.role "use" warps 4 {
    %zero = arith.constant dense<0.0> : !tile
    %own = cta.acquire %ts : !ring -> !slot
    cta.put %zero, %own : !tile, !slot
    cta.commit %own : !slot
    %first = cta.wait %ts : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      // expected-error @+1 {{hands on a slot of `ts`, which no other role fills; release it, and carry what it holds as a tile}}
      cta.yield %now : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @who_waits_a_tile_ahead_is_served(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{the first that is filled}}
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    // expected-error @+1 {{role "load" fills slots of `as` and role "use" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>
!one = !cta.channel<1 x !tile>

func.func @who_keeps_a_slot_while_it_waits_needs_two(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !one loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    // expected-error @+1 {{hangs with tiles of the block = 1: role "load" waits here for a free slot of `as`; give `as` 2 slots}}
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !one
  }
  cta.role "use" warps 4 {
    // expected-note @+1 {{role "use" keeps the slot that it took here}}
    %first = cta.wait %as : !one -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      // expected-note @+1 {{role "use" waits here until a slot of `as` has been filled}}
      %next = cta.wait %as : !one -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>
!one = !cta.channel<1 x !tile>

func.func @one_is_enough_where_it_is_given_back_before(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !one loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !one
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !one -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %e = cta.begin : !sum
      %p = cta.mma %e, %now, %now by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %now : !slot
      %next = cta.wait %as : !one -> !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>
!one = !cta.channel<1 x !tile>

func.func @what_a_tile_gets_is_kept_into_its_section(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !one loc("as")
  %main = cta.order
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !one
  }
  cta.role "use" warps 8 {
    %first = cta.wait %as : !one -> !slot
    %left = cta.tiles (%i) of (%t) iter_args(%now = %first) -> (!slot) {
      %w = cta.get %now : !slot -> !tile
      %turn = cta.enter %main
      // expected-error @+1 {{is slot 1 of `as` in a section; warpgroups that wait for the turn may keep 1 more, and the channel has 1; give it 2}}
      %next = cta.wait %as : !one -> !slot
      cta.leave %turn
      cta.release %now : !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}
