// RUN: tile-opt %s --split-input-file --unfold-program --place-waits --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --verify-diagnostics
// What takes all warps of a role does not stand where its warpgroups may be apart.

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_loop_to_an_own_bound(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    scf.for %k = %c0 to %group step %c1 : i32 {
      // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      cta.sync
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_branch(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %first = arith.cmpi eq, %group, %c0 : i32
    scf.if %first {
      // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      cta.sync
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_loop_in_a_branch(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %first = arith.cmpi eq, %group, %c0 : i32
    scf.if %first {
    } else {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
        cta.sync
      }
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_while_loop(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %end = scf.while (%k = %c0) : (i32) -> i32 {
      %more = arith.cmpi slt, %k, %group : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      cta.sync
      %next = arith.addi %k, %c1 : i32
      scf.yield %next : i32
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_bound_that_a_loop_has_counted(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %bound = scf.for %k = %c0 to %n step %c1 iter_args(%before = %c0) -> (i32) : i32 {
      %after = arith.addi %before, %group : i32
      scf.yield %after : i32
    }
    scf.for %k = %c0 to %bound step %c1 : i32 {
      // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      cta.sync
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_bound_that_a_loop_carries(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%bound = %group) -> (i32) : i32 {
      scf.for %j = %c0 to %bound step %c1 : i32 {
        // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
        cta.sync
      }
      %next = arith.addi %bound, %c1 : i32
      scf.yield %next : i32
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_bound_of_a_branch(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %first = arith.cmpi eq, %group, %c0 : i32
    %bound = scf.if %first -> i32 {
      scf.yield %c1 : i32
    } else {
      scf.yield %n : i32
    }
    scf.for %k = %c0 to %bound step %c1 : i32 {
      // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      cta.sync
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_counter_from_an_own_start(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    scf.for %k = %group to %n step %c1 : i32 {
      %odd = arith.remsi %k, %n : i32
      %some = arith.cmpi eq, %odd, %c1 : i32
      scf.if %some {
        // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
        cta.sync
      }
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_reduction_across_warps(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    scf.for %k = %c0 to %group step %c1 : i32 {
      // expected-error @+1 {{is where all warps meet, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      %sums = tile.reduce sum %tile, 0 : tensor<128x16xf32> -> tensor<16xf32>
      tile.store %sums, %y[%c0] extents [16] : tensor<16xf32>, !row, i32
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_scalar_that_is_stored(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %first = arith.cmpi sgt, %group, %c0 : i32
    scf.if %first {
      %number = arith.sitofp %group : i32 to f32
      // expected-error @+1 {{is done by one thread for all, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      tile.store %number, %y[%c0] extents [0] : f32, !row, i32
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}

// -----

!row = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
func.func @a_tile_of_which_all_warpgroups_hold_the_same(%y: !row, %z: !matrix, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %tile = arith.constant dense<1.0> : tensor<128x16xf32>
    %group = cta.warpgroup : i32
    %first = arith.cmpi sgt, %group, %c0 : i32
    scf.if %first {
      %numbers = tile.range %n : tensor<32xi32>
      %values = arith.sitofp %numbers : tensor<32xi32> to tensor<32xf32>
      // expected-error @+1 {{is done by one warp for all that hold the same, in a loop or branch of role "use" that depends on `cta.warpgroup`; move it out of there}}
      tile.store %values, %y[%c0] extents [32] : tensor<32xf32>, !row, i32
    }
    tile.store %tile, %z[%c0, %c0] extents [128, 16] : tensor<128x16xf32>, !matrix, i32, i32
  }
  return
}
