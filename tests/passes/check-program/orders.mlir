// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics

func.func @roles_that_share_out_the_tiles(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) turn 0 of 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) turn 1 of 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @roles_that_take_all_tiles(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @never_left(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-error @+1 {{begins a section that never ends, so the next to enter it would wait forever; end it by `cta.leave`}}
      %turn = cta.enter %main
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @left_twice(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      // expected-note @+1 {{the first time}}
      cta.leave %turn
      // expected-error @+1 {{leaves a section a second time}}
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @left_in_a_branch(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      scf.if %c {
        // expected-error @+1 {{stands in another loop or branch than where its section began; end a section beside its `cta.enter`}}
        cta.leave %turn
      }
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @entered_twice(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-note @+1 {{that section}}
      %turn = cta.enter %main
      // expected-error @+1 {{waits for a turn while it has another, for which others wait; leave that section first}}
      %again = cta.enter %main
      cta.leave %again
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @two_sections_of_a_tile(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
      // expected-error @+1 {{is a second section of role "first" at `order`, which has one per role; give it an order of its own}}
      %again = cta.enter %main
      cta.leave %again
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @a_turn_in_a_branch(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      scf.if %c {
        // expected-error @+1 {{takes turns with other roles, which is done once per tile; move the section to the top level of a loop over tiles}}
        %turn = cta.enter %main
        cta.leave %turn
      }
    }
  }
  return
}

// -----

func.func @tiles_out_of_turn(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) turn 1 of 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-error @+1 {{is number 0 of 2 at `order`, as the roles stand in the program; its loop over tiles takes `turn 0 of 2`, or those of all these roles take no turns}}
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) turn 0 of 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @every_other_tile_and_all(%t: i32, %c: i1) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "first" warps 4 {
    cta.tiles (%i) of (%t) turn 0 of 2 {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-error @+1 {{is number 1 of 2 at `order`, as the roles stand in the program; its loop over tiles takes `turn 1 of 2`, or those of all these roles take no turns}}
      %turn = cta.enter %main
      cta.leave %turn
    }
  }
  return
}

// -----

func.func @nobody_enters(%t: i32) attributes {cta.target = "sm_90"} {
  // expected-error @+1 {{`order` has no sections; `cta.enter` begins one}}
  %main = cta.order
  cta.role "all" warps 4 {
  }
  return
}

// -----

func.func @a_role_of_one_thread(%t: i32) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "load" warps 4 {
    // expected-error @+1 {{is in role "load", which one thread runs, as it has no tiles; turns are taken by whole warps}}
    %turn = cta.enter %main
    cta.leave %turn
  }
  return
}

// -----

func.func @turns_of_one_warpgroup(%t: i32) attributes {cta.target = "sm_90"} {
  %main = cta.order
  cta.role "all" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{has nobody to take turns with: role "all" has 4 warps; several roles take turns, or a role's warpgroups of 4}}
    %turn = cta.enter %main
    cta.leave %turn
  }
  return
}

// -----

!tile = tensor<128x64xbf16>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<128x128xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @warpgroups_that_are_a_slot_apart(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order
  %as = cta.channel tma : !cta.channel<2 x !tile>
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.acquire %as : !cta.channel<2 x !tile> -> !slot
        cta.copy %x[%i, %c0] extents [128, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    cta.tiles (%i, %j) of (%t, %t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %turn = cta.enter %main
        %s = cta.wait %as : !cta.channel<2 x !tile> -> !slot
        %x0 = cta.get %s : !slot -> !tile
        cta.leave %turn
        cta.release %s : !slot
      }
    }
  }
  return
}

// -----

!tile = tensor<128x64xbf16>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<128x128xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_ring_that_two_roles_take_from(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order
  %as = cta.channel tma : !cta.channel<2 x !tile>
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.acquire %as : !cta.channel<2 x !tile> -> !slot
        cta.copy %x[%i, %c0] extents [128, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "first" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{may wait here for role "second", which uses `channel` too and waits for this turn; give each role a channel of its own}}
        %s = cta.wait %as : !cta.channel<2 x !tile> -> !slot
        %x0 = cta.get %s : !slot -> !tile
        cta.release %s : !slot
      }
      cta.leave %turn
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.wait %as : !cta.channel<2 x !tile> -> !slot
        %x0 = cta.get %s : !slot -> !tile
        cta.release %s : !slot
      }
      cta.leave %turn
    }
  }
  return
}

// -----

!tile = tensor<128x64xbf16>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<128x128xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_loop_in_a_section(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order
  %as = cta.channel tma : !cta.channel<2 x !tile>
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.acquire %as : !cta.channel<2 x !tile> -> !slot
        cta.copy %x[%i, %c0] extents [128, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    cta.tiles (%i, %j) of (%t, %t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %turn = cta.enter %main
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{goes round the ring in a section, while warpgroups that wait for the turn keep its slots; put the section into the loop}}
        %s = cta.wait %as : !cta.channel<2 x !tile> -> !slot
        %x0 = cta.get %s : !slot -> !tile
        cta.release %s : !slot
      }
      cta.leave %turn
    }
  }
  return
}

// -----

!tile = tensor<128x64xbf16>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<128x128xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_slot_kept_into_the_section(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order
  %as = cta.channel tma : !cta.channel<1 x !tile>
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.acquire %as : !cta.channel<1 x !tile> -> !slot
        cta.copy %x[%i, %c0] extents [128, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 8 {
    cta.tiles (%i, %j) of (%t, %t) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %turn = cta.enter %main
        // expected-error @+1 {{is slot 1 of `channel` in a section; warpgroups that wait for the turn may keep 1 more, and the channel has 1; give it 2}}
        %s = cta.wait %as : !cta.channel<1 x !tile> -> !slot
        %e = cta.begin : !sum
        cta.leave %turn
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x128x16> over 8x1 {b_transposed} : !sum, !slot, !slot -> !sum
        cta.release %s : !slot after %p : !sum
        %d = cta.await %p : !sum -> tensor<128x128xf32>
      }
    }
  }
  return
}

// -----

// expected-error @+1 {{needs 18 named barriers, one for the block and for each warpgroup, role and place in an order; a block has 16; make roles or orders fewer}}
func.func @more_places_than_barriers(%t: i32) attributes {cta.target = "sm_90"} {
  %o0 = cta.order
  %o1 = cta.order
  %o2 = cta.order
  %o3 = cta.order
  %o4 = cta.order
  %o5 = cta.order
  %o6 = cta.order
  cta.role "all" warps 8 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %t0 = cta.enter %o0
    cta.leave %t0
    %t1 = cta.enter %o1
    cta.leave %t1
    %t2 = cta.enter %o2
    cta.leave %t2
    %t3 = cta.enter %o3
    cta.leave %t3
    %t4 = cta.enter %o4
    cta.leave %t4
    %t5 = cta.enter %o5
    cta.leave %t5
    %t6 = cta.enter %o6
    cta.leave %t6
  }
  return
}
