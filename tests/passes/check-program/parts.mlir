// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// Stream-K: tiles whose steps blocks divide.

!tile = tensor<64x64xf32>
!view = !tile.view<?x?xf32, align 16>

func.func @a_program_that_is_right(%y: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"})
    attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %slots = cta.channel store : !cta.channel<1 x !tile>
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %part = arith.constant dense<0.0> : !tile
      %sum, %whole = cta.combine %part : !tile
      scf.if %whole {
        cta.store %sum, %y[%i, %c0] extents [64, 64] through %slots : !tile, !view, !cta.channel<1 x !tile>
      }
    }
    %last = arith.constant dense<1.0> : !tile
    tile.store %last, %y[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  }
  return
}

// -----

func.func @somebody_puts_parts_together(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  cta.role "add" warps 4 {
    // expected-error @+1 {{splits tiles whose parts are never combined; use `cta.combine` on what a part sums up to}}
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
    }
  }
  return
}

// -----

func.func @one_role_puts_parts_together(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  cta.role "sums" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  cta.role "maxima" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      // expected-error @+1 {{puts parts together in role "maxima" beside role "sums"; let one role do it}}
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}

// -----

!tile = tensor<64x64xf32>
!view = !tile.view<?x?xf32, align 16>

func.func @parts_are_not_stored(%y: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %slots = cta.channel store : !cta.channel<1 x !tile>
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %part = arith.constant dense<0.0> : !tile
      // expected-note @+1 {{where the tile is whole}}
      %sum, %whole = cta.combine %part : !tile
      // expected-error @+1 {{stores what may be a part of a tile; put it in an `scf.if` on the last result of `cta.combine`}}
      cta.store %sum, %y[%i, %c0] extents [64, 64] through %slots : !tile, !view, !cta.channel<1 x !tile>
    }
  }
  return
}

// -----

!tile = tensor<64x64xf32>
!view = !tile.view<?x?xf32, align 16>

func.func @another_condition_is_not_enough(%y: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %part = arith.constant dense<0.0> : !tile
      // expected-note @+1 {{where the tile is whole}}
      %sum, %whole = cta.combine %part : !tile
      %ends = arith.cmpi eq, %end, %n : i32
      scf.if %ends {
        // expected-error @+1 {{stores what may be a part of a tile}}
        tile.store %sum, %y[%i, %c0] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}

// -----

!tile = tensor<64x64xf32>
!view = !tile.view<?x?xf32, align 16>

func.func @the_other_branch_has_parts(%y: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      %part = arith.constant dense<0.0> : !tile
      // expected-note @+1 {{where the tile is whole}}
      %sum, %whole = cta.combine %part : !tile
      scf.if %whole {
      } else {
        // expected-error @+1 {{stores what may be a part of a tile}}
        tile.store %sum, %y[%i, %c0] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}

// -----

func.func @all_roles_have_the_same_least(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 4 {
    }
  }
  return
}

// -----

func.func @all_roles_have_the_same_steps(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i) of (%t) split (%first to %end) of %t least 2 {
    }
  }
  return
}

// -----

func.func @all_roles_split_or_none(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i) of (%t) {
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

// The role that multiplies goes through all steps where the one that loads has some.
func.func @parts_have_fewer_steps(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"})
    attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      scf.for %k = %first to %end step %c1 : i32 {
        // expected-note @+1 {{the first that is filled}}
        %slot = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %slot : !view, !slot
        cta.commit %slot : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{role "load" fills slots of `ks` and role "use" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
        %slot = cta.wait %ks : !ring -> !slot
        %tile = cta.get %slot : !slot -> !tile
        cta.release %slot : !slot
      }
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}

// -----

func.func @all_roles_have_the_same_lengths(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c1 = arith.constant 1 : i32
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %steps = arith.addi %i, %c1 : i32
      cta.yield %steps : i32
    } least 2 {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %steps = arith.addi %i, %n : i32
      cta.yield %steps : i32
    } least 2 {
    }
  }
  return
}

// -----

func.func @lengths_are_of_the_same_axis(%t: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i, %j) of (%t, %t) split (%first to %end) of (%i, %j) { cta.yield %i : i32 } least 2 {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i, %j) of (%t, %t) split (%first to %end) of (%i, %j) { cta.yield %j : i32 } least 2 {
    }
  }
  return
}

// -----

func.func @all_roles_have_lengths_or_a_number(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 2 {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) { cta.yield %n : i32 } least 2 {
    }
  }
  return
}

// -----

func.func @parts_of_any_length_are_put_together(%t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  cta.role "add" warps 4 {
    // expected-error @+1 {{splits tiles whose parts are never combined; use `cta.combine` on what a part sums up to}}
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) { cta.yield %i : i32 } least 2 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
    }
  }
  return
}
