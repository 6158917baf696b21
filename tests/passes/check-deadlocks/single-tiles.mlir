// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// Roles fill and take slots in the same order, but for some tiles that are neither first nor last.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @one_tile(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c20 = arith.constant 20 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  %bs = cta.channel tma : !one loc("bs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %on = arith.cmpi eq, %i, %c20 : i32
      scf.if %on {
        %f0 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 21, axis 0 of tile 0 = 20: role "load" waits here for a free slot of `bs`}}
        %f1 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      } else {
        %f0 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        %f1 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %on = arith.cmpi eq, %i, %c20 : i32
      scf.if %on {
        // expected-note @+1 {{role "use" waits here until a slot of `as` has been filled}}
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      } else {
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @from_some_tile_on(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c20 = arith.constant 20 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  %bs = cta.channel tma : !one loc("bs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %on = arith.cmpi sgt, %i, %c20 : i32
      scf.if %on {
        %f0 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 22, axis 0 of tile 0 = 21: role "load" waits here for a free slot of `bs`}}
        %f1 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      } else {
        %f0 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        %f1 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %on = arith.cmpi sgt, %i, %c20 : i32
      scf.if %on {
        // expected-note @+1 {{role "use" waits here until a slot of `as` has been filled}}
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      } else {
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_row_of_some_tile(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c20 = arith.constant 20 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  %bs = cta.channel tma : !one loc("bs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %row = arith.muli %i, %c64 : i32
      %ahead = arith.addi %row, %c64 : i32
      %step = arith.divsi %ahead, %c3 : i32
      %on = arith.cmpi eq, %step, %c64 : i32
      scf.if %on {
        %f0 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 3, axis 0 of tile 0 = 2: role "load" waits here}}
        %f1 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      } else {
        %f0 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        %f1 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %row = arith.muli %i, %c64 : i32
      %ahead = arith.addi %row, %c64 : i32
      %step = arith.divsi %ahead, %c3 : i32
      %on = arith.cmpi eq, %step, %c64 : i32
      scf.if %on {
        // expected-note @+1 {{role "use" waits here until a slot of `as` has been filled}}
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      } else {
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @every_seventh_tile(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c20 = arith.constant 20 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  %bs = cta.channel tma : !one loc("bs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %place = arith.remsi %i, %c20 : i32
      %on = arith.cmpi eq, %place, %c7 : i32
      scf.if %on {
        %f0 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 8, axis 0 of tile 0 = 7: role "load" waits here for a free slot of `bs`}}
        %f1 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      } else {
        %f0 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        %f1 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %place = arith.remsi %i, %c20 : i32
      %on = arith.cmpi eq, %place, %c7 : i32
      scf.if %on {
        // expected-note @+1 {{role "use" waits here until a slot of `as` has been filled}}
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      } else {
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @tiles_of_a_size(%x: !view, %m: i32 {tile.name = "m"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c20 = arith.constant 20 : i32
  %c64 = arith.constant 64 : i32
  %t = arith.ceildivsi %m, %c64 : i32
  %as = cta.channel tma : !one loc("as")
  %bs = cta.channel tma : !one loc("bs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %on = arith.cmpi eq, %i, %c20 : i32
      scf.if %on {
        %f0 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        // expected-error @+1 {{hangs with tiles of the block = 1, m = 1344, axis 0 of tile 0 = 20: role "load" waits here for a free slot of `bs`}}
        %f1 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      } else {
        %f0 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
        %f1 = cta.acquire %as : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f1 : !view, !slot
        cta.commit %f1 : !slot
        %f2 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f2 : !view, !slot
        cta.commit %f2 : !slot
        %f3 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f3 : !view, !slot
        cta.commit %f3 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %on = arith.cmpi eq, %i, %c20 : i32
      scf.if %on {
        // expected-note @+1 {{role "use" waits here until a slot of `as` has been filled}}
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      } else {
        %s0 = cta.wait %as : !one -> !slot
        cta.release %s0 : !slot
        %s1 = cta.wait %as : !one -> !slot
        cta.release %s1 : !slot
        %s2 = cta.wait %bs : !one -> !slot
        cta.release %s2 : !slot
        %s3 = cta.wait %bs : !one -> !slot
        cta.release %s3 : !slot
      }
    }
  }
  return
}
