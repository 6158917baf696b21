// RUN: tile-opt %s --split-input-file --unfold-program --check-program --verify-diagnostics

// Channels of one role keep the rules of those between roles.

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!view = !tile.view<?x?xbf16, align 16>

func.func @put_for_itself(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ps = cta.channel put : !ring
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ps : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
      %w = cta.wait %ps : !ring -> !slot
      %g = cta.get %w : !slot -> !tile
      cta.release %w : !slot
      tile.store %g, %x[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!view = !tile.view<?x?xbf16, align 16>

func.func @committed_twice(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ps = cta.channel put : !ring
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ps : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      // expected-note @+1 {{the first time}}
      cta.commit %s : !slot
      // expected-error @+1 {{commits slot `slot` a second time}}
      cta.commit %s : !slot
      %w = cta.wait %ps : !ring -> !slot
      cta.release %w : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!view = !tile.view<?x?xbf16, align 16>

func.func @released_twice(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ps = cta.channel put : !ring
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ps : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
      %w = cta.wait %ps : !ring -> !slot
      // expected-note @+1 {{the first time}}
      cta.release %w : !slot
      // expected-error @+1 {{releases slot `slot` a second time}}
      cta.release %w : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!view = !tile.view<?x?xbf16, align 16>

func.func @never_released(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ps = cta.channel put : !ring
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ps : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
      // expected-error @+1 {{gives a slot that is never released; its producer would wait forever}}
      %w = cta.wait %ps : !ring -> !slot
      %g = cta.get %w : !slot -> !tile
      tile.store %g, %x[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

func.func @copied_in_a_branch(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      %on = arith.cmpi slt, %i, %n : i32
      scf.if %on {
        // expected-error @+1 {{fills slot `slot` in another loop or branch than where it was acquired, which may run never or several times; acquire, fill and commit a slot side by side}}
        cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      }
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!view = !tile.view<?x?xbf16, align 16>

func.func @put_in_a_loop(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ps = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ps : !ring -> !slot
      scf.for %q = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{fills slot `slot` in another loop or branch than where it was acquired}}
        cta.put %v, %s : !tile, !slot
      }
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ps : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!part = !cta.channel<1 x tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!view = !tile.view<?x?xbf16, align 16>

func.func @two_roles_store_through_one_channel(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %rows = cta.channel store : !part
  cta.role "one" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-note @+1 {{where that role does}}
      cta.store %v, %x[%i, %c0] extents [64, 64] through %rows : !tile, !view, !part
    }
  }
  cta.role "other" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-error @+1 {{goes through slots of `channel` beside role "one", whose stores it would overwrite; declare a `store` channel for each role}}
      cta.store %v, %x[%i, %c0] extents [64, 64] through %rows : !tile, !view, !part
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

func.func @copied_two_bytes_at_a_time(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel cp_async : !ring
  cta.role "load" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      // expected-error @+1 {{moves 2 bytes at a time; cp.async moves 4, 8 or 16: set `vector` to 2 or more}}
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

func.func @copied_from_anywhere_in_a_row(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %as = cta.channel registers : !ring
  cta.role "load" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      // expected-error @+1 {{moves 8 elements at a time, but its rows and indices are known to allow 1 only; set `vector` to that, or multiply the last index by the tile's width}}
      cta.copy %x[%i, %j] extents [64, 64], %s {vector = 8} : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}
