// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// Warpgroups of a role that part: each runs loops as often as its own number says.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @slots_are_passed_in_a_second_loop(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order loc("main")
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %wanted = arith.addi %i, %group : i32
      %own = arith.minsi %wanted, %n : i32
      scf.for %k = %c0 to %own step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        %turn = cta.enter %main
        %w0 = cta.get %s0 : !slot -> !tile
        cta.leave %turn
        cta.release %s0 : !slot
      }
      scf.for %k = %own to %n step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        %turn = cta.enter %main
        cta.leave %turn
        cta.release %s0 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @slots_are_left_to_others(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{the first that is filled}}
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %wanted = arith.addi %i, %group : i32
      %own = arith.minsi %wanted, %n : i32
      scf.for %k = %c0 to %own step %c1 : i32 {
        // expected-error @+1 {{role "load" fills slots of `xs` and role "use" takes them in different numbers}}
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_warpgroup_goes_on_behind_the_last_slot(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring loc("xs")
  // expected-note @+1 {{role "load" has ended by then}}
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    %own = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %own step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 0: warpgroup 1 of role "use" waits here until a slot of `xs` has been filled; let both use equally many slots}}
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %own to %n step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        cta.release %s0 : !slot
      }
    }
  }
  return
}

// -----

func.func @turns_are_left_to_others(%t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order loc("main")
  // expected-note @+1 {{warpgroup 0 of role "use" has ended by then}}
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %own = arith.muli %group, %n : i32
      scf.for %k = %c0 to %own step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 1: warpgroup 1 of role "use" waits here for its turn at `main`; let all take equally many turns}}
        %turn = cta.enter %main
        cta.leave %turn
      }
    }
  }
  return
}

// -----

func.func @the_first_warpgroup_has_a_turn_more(%t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c1 = arith.constant 1 : i32
  %main = cta.order loc("main")
  // expected-error @+2 {{hangs with tiles of the block = 1: warpgroup 0 of role "use" waits at its end until all have had equally many turns at `main`; let all take equally many turns}}
  // expected-note @+1 {{warpgroup 1 of role "use" has ended by then}}
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    scf.for %k = %group to %c1 step %c1 : i32 {
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<4 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_slot_is_kept_while_others_pass(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      // expected-error @+1 {{hangs with tiles of the block = 1, n = 4: role "load" waits here for a free slot of `xs`; let roles fill slots in the order in which they are taken, and give them back before waiting for others}}
      %s1 = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %wanted = arith.muli %n, %group : i32
      %own = arith.minsi %wanted, %n : i32
      scf.for %k = %c0 to %own step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      // expected-note @+1 {{warpgroup 0 of role "use" keeps the slot that it took here}}
      %kept = cta.wait %xs : !ring -> !slot
      scf.for %k = %own to %n step %c1 : i32 {
        // expected-note @+1 {{warpgroup 0 of role "use" waits here until a slot of `xs` has been filled}}
        %s0 = cta.wait %xs : !ring -> !slot
        cta.release %s0 : !slot
      }
      %w1 = cta.get %kept : !slot -> !tile
      cta.release %kept : !slot
    }
  }
  return
}

// -----

func.func @tiles_are_the_same_for_all(%t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    %own = arith.addi %t, %group : i32
    // expected-error @+1 {{goes through other tiles in each warpgroup: an extent, their order, or of how many steps a tile is, depends on `cta.warpgroup`; loops and branches in the tiles may}}
    cta.tiles (%i) of (%own) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    }
  }
  return
}

// -----

func.func @tiles_have_as_many_steps_for_all(%t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    %own = arith.addi %t, %group : i32
    // expected-error @+1 {{goes through other tiles in each warpgroup: an extent, their order, or of how many steps a tile is, depends on `cta.warpgroup`; loops and branches in the tiles may}}
    cta.tiles (%i) of (%t) split (%first to %end) of %own least 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %sum, %whole = cta.combine %zero : tensor<64x64xf32>
    }
  }
  return
}

// -----

func.func @tiles_are_as_long_for_all(%t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    // expected-error @+1 {{goes through other tiles in each warpgroup: an extent, their order, or of how many steps a tile is, depends on `cta.warpgroup`; loops and branches in the tiles may}}
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %own = arith.addi %i, %group : i32
      cta.yield %own : i32
    } least 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %sum, %whole = cta.combine %zero : tensor<64x64xf32>
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @numbers_of_two_roles_differ(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel put : !ring loc("xs")
  cta.role "make" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %group step %c1 : i32 {
        %v0 = tile.load %x[%i, %i] extents [64, 64] : !view, i32, i32 -> !tile
        // expected-note @+1 {{the first that is filled}}
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.put %v0, %s0 : !tile, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %group step %c1 : i32 {
        // expected-error @+1 {{role "make" fills slots of `xs` and role "use" takes them in different numbers}}
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_branch_leaves_a_slot_out(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      // expected-note @+1 {{the first that is filled}}
      %s0 = cta.acquire %xs : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
      cta.commit %s0 : !slot
    }
  }
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    %first = arith.cmpi eq, %group, %c0 : i32
    cta.tiles (%i) of (%t) {
      scf.if %first {
        // expected-error @+1 {{role "load" fills slots of `xs` and role "use" takes them in different numbers}}
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @turns_are_left_out_where_slots_are_passed(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order loc("main")
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  // expected-note @+1 {{warpgroup 0 of role "use" has ended by then}}
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %wanted = arith.muli %n, %group : i32
      %own = arith.minsi %wanted, %n : i32
      scf.for %k = %c0 to %own step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 1: warpgroup 1 of role "use" waits here for its turn at `main`; let all take equally many turns}}
        %turn = cta.enter %main
        %w0 = cta.get %s0 : !slot -> !tile
        cta.leave %turn
        cta.release %s0 : !slot
      }
      scf.for %k = %own to %n step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        cta.release %s0 : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @one_warpgroup_passes_in_another_order(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = cta.channel tma : !ring loc("xs")
  %ys = cta.channel tma : !ring loc("ys")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
        // expected-error @+1 {{hangs with tiles of the block = 1, n = 4: role "load" waits here for a free slot of `ys`; let roles fill slots in the order in which they are taken}}
        %s1 = cta.acquire %ys : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
        cta.commit %s1 : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    %group = cta.warpgroup : i32
    cta.tiles (%i) of (%t) {
      %wanted = arith.muli %n, %group : i32
      %own = arith.minsi %wanted, %n : i32
      scf.for %k = %c0 to %own step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        %s1 = cta.wait %ys : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s0 : !slot
        cta.release %s1 : !slot
      }
      scf.for %k = %own to %n step %c1 : i32 {
        // expected-note @+1 {{warpgroup 0 of role "use" waits here until a slot of `xs` has been filled}}
        %s0 = cta.wait %xs : !ring -> !slot
        cta.release %s0 : !slot
      }
      scf.for %k = %own to %n step %c1 : i32 {
        %s1 = cta.wait %ys : !ring -> !slot
        cta.release %s1 : !slot
      }
    }
  }
  return
}
