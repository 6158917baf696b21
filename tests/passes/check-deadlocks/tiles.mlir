// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// Loops whose length is that of a tile.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_queue_may_give_any_tile(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      scf.for %k = %c0 to %i step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 4, axis 0 of tile 0 = 3: role "load" waits here for a free slot of `ks`}}
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) queue {
      // expected-note @+1 {{role "use" waits here until a slot of `qs` has been filled}}
      %s0 = cta.wait %qs : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      scf.for %k = %c0 to %i step %c1 : i32 {
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
      }
      cta.release %s0 : !slot
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

func.func @so_may_a_share_of_the_tiles(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %i step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 4, axis 0 of tile 0 = 3: role "load" waits here for a free slot of `ks`}}
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{role "use" waits here until a slot of `qs` has been filled}}
      %s0 = cta.wait %qs : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      scf.for %k = %c0 to %i step %c1 : i32 {
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
      }
      cta.release %s0 : !slot
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

func.func @roles_may_be_tiles_apart(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ks = cta.channel tma : !cta.channel<8 x !tile> loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      %s1 = cta.acquire %ks : !cta.channel<8 x !tile> -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) queue {
      %s1 = cta.wait %ks : !cta.channel<8 x !tile> -> !slot
      %w1 = cta.get %s1 : !slot -> !tile
      cta.release %s1 : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_part_may_be_a_whole_tile(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      scf.for %k = %first to %end step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 3, first step of tile 0 = 0, end of tile 0 = 3: role "load" waits here for a free slot of `ks`}}
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      // expected-note @+1 {{role "use" waits here until a slot of `qs` has been filled}}
      %s0 = cta.wait %qs : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      scf.for %k = %first to %end step %c1 : i32 {
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
      }
      cta.release %s0 : !slot
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_part_may_begin_at_any_step(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      scf.for %k = %c0 to %first step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 4, first step of tile 0 = 3: role "load" waits here for a free slot of `ks`}}
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      // expected-note @+1 {{role "use" waits here until a slot of `qs` has been filled}}
      %s0 = cta.wait %qs : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      scf.for %k = %c0 to %first step %c1 : i32 {
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
      }
      cta.release %s0 : !slot
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

// Tile 1 has three steps, where the ring has two slots.
func.func @a_tile_may_be_longer_than_its_ring(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c40 = arith.constant 40 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %steps = arith.muli %i, %c3 : i32
      cta.yield %steps : i32
    } least 2 {
      scf.for %k = %first to %end step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 2, axis 0 of tile 0 = 1, first step of tile 0 = 0, end of tile 0 = 3: role "load" waits here for a free slot of `ks`}}
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %steps = arith.muli %i, %c3 : i32
      cta.yield %steps : i32
    } least 2 {
      // expected-note @+1 {{role "use" waits here until a slot of `qs` has been filled}}
      %s0 = cta.wait %qs : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      scf.for %k = %first to %end step %c1 : i32 {
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
      }
      cta.release %s0 : !slot
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

// All tiles but one have no steps at all.
func.func @one_tile_may_have_steps(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c40 = arith.constant 40 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %is = arith.cmpi eq, %i, %c40 : i32
      %steps = arith.select %is, %c3, %c0 : i32
      cta.yield %steps : i32
    } least 2 {
      scf.for %k = %first to %end step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, t = 41, axis 0 of tile 0 = 40, first step of tile 0 = 0, end of tile 0 = 3: role "load" waits here for a free slot of `ks`; give `ks` 3 slots}}
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %is = arith.cmpi eq, %i, %c40 : i32
      %steps = arith.select %is, %c3, %c0 : i32
      cta.yield %steps : i32
    } least 2 {
      // expected-note @+1 {{role "use" waits here until a slot of `qs` has been filled}}
      %s0 = cta.wait %qs : !one -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      scf.for %k = %first to %end step %c1 : i32 {
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
      }
      cta.release %s0 : !slot
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}
