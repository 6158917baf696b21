// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// A role may take slots that it has filled itself.

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @filled_and_taken(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %free = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %free : !view, !slot
      cta.commit %free : !slot
      %s = cta.wait %xs : !ring -> !slot
      %held = cta.get %s : !slot -> !tile
      cta.release %s : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>

func.func @put_and_taken_beside_another(%t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %xs = cta.channel put : !ring loc("xs")
  cta.role "put" warps 4 {
    cta.tiles (%i) of (%t) {
      %one = arith.constant dense<1.0> : !tile
      %free = cta.acquire %xs : !ring -> !slot
      cta.put %one, %free : !tile, !slot
      cta.commit %free : !slot
      %s = cta.wait %xs : !ring -> !slot
      %held = cta.get %s : !slot -> !tile
      cta.release %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %xs : !ring -> !slot
      %held = cta.get %s : !slot -> !tile
      cta.release %s : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<1 x !tile>
!slot = !cta.slot<!tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @filled_twice_before_taken(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %free = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %free : !view, !slot
      cta.commit %free : !slot
      // expected-error @+1 {{hangs with tiles of the block = 1: role "use" waits here for a free slot of `xs`; give `xs` 2 slots}}
      %next = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %next : !view, !slot
      cta.commit %next : !slot
      %s = cta.wait %xs : !ring -> !slot
      %held = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      %last = cta.wait %xs : !ring -> !slot
      %same = cta.get %last : !slot -> !tile
      cta.release %last : !slot
    }
  }
  return
}
