// RUN: tile-opt %s --split-input-file --verify-diagnostics
// Tiles that say their steps by a region.

func.func @by_all_coordinates(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op gives the steps of a tile by ('i32'), not by its 2 coordinates of i32}}
    cta.tiles (%m, %n) of (%t, %t) split (%first to %end) of (%m) {
      cta.yield %m : i32
    } least 4 {
    }
  }
  return
}

// -----

func.func @as_a_number(%t: i32) {
  cta.role "load" warps 1 {
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) {
      %wide = arith.extsi %m : i32 to i64
      // expected-error @+1 {{'cta.yield' op gives ('i64') as the steps of a tile, not one number of i32}}
      cta.yield %wide : i64
    } least 4 {
    }
  }
  return
}

// -----

func.func @as_one_number(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.yield' op gives () as the steps of a tile, not one number of i32}}
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) {
    } least 4 {
    }
  }
  return
}

// -----

func.func @without_memory(%t: i32, %lengths: !tile.view<?xi32>) {
  cta.role "load" warps 1 {
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) {
      // expected-error @+1 {{'tile.load' op stands where `cta.tiles` says how many steps a tile has, by arithmetic of scalars; compute it in front of the tiles}}
      %steps = tile.load %lengths[%m] extents [0] : !tile.view<?xi32>, i32 -> i32
      cta.yield %steps : i32
    } least 4 {
    }
  }
  return
}

// -----

func.func @without_branches(%t: i32, %long: i1) {
  cta.role "load" warps 1 {
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) {
      // expected-error @+1 {{'scf.if' op stands where `cta.tiles` says how many steps a tile has, by arithmetic of scalars}}
      %steps = scf.if %long -> i32 {
        scf.yield %m : i32
      } else {
        scf.yield %t : i32
      }
      cta.yield %steps : i32
    } least 4 {
    }
  }
  return
}

// -----

func.func @without_register_tiles(%t: i32) {
  cta.role "load" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) {
      // expected-error @+1 {{'arith.constant' op stands where `cta.tiles` says how many steps a tile has, by arithmetic of scalars}}
      %tile = arith.constant dense<0.0> : tensor<64xf32>
      cta.yield %m : i32
    } least 4 {
    }
  }
  return
}

// -----

func.func @not_by_what_a_tile_computes(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{region entry argument '%first' is already in use}}
    cta.tiles (%m) of (%t) split (%first to %end) of (%i) {
      // expected-note @+1 {{previously referenced here}}
      cta.yield %first : i32
    } least 4 {
    }
  }
  return
}

// -----

func.func @with_a_least_number(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op splits tiles into parts of at least 0 steps; give the steps of a tile, and `least` 1 or more}}
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) { cta.yield %m : i32 } least 0 {
    }
  }
  return
}

// -----

func.func @once(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op says twice how many steps a tile has; give a number for all tiles, or the region}}
    "cta.tiles"(%t, %t) <{least = 8 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1, 0>}> ({
    ^bb0(%m: i32, %first: i32, %end: i32):
      "cta.yield"() : () -> ()
    }, {
    ^bb0(%m: i32):
      "cta.yield"(%m) : (i32) -> ()
    }) : (i32, i32) -> ()
  }
  return
}

// -----

func.func @alike_in_a_cluster(%t: i32) attributes {cta.cluster = array<i64: 2>} {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op splits tiles that differ in steps, while the 2 blocks of a cluster share their steps; give one number for all tiles, or take `cta.cluster` away}}
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) {
      cta.yield %m : i32
    } least 4 {
    }
  }
  return
}
