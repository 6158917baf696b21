// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// Each role searches memory for what its tile needs. What is searched alike is found alike.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>
!ends = !tile.view<?xi32, align 16>

// expected-remark @+1 {{check-deadlocks: looked for deadlocks with 5120 choices of sizes; there are more that might make a difference}}
func.func @both_find_the_same(%a0: !view, %ends: !ends {tile.name = "ends", tile.dims = ["X1"]}, %t: i32 {tile.name = "t"}, %x: i32 {tile.name = "x"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.floordivsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %next = arith.addi %found#0, %c1 : i32
      %a = tile.load %ends[%found#0] extents [0] : !ends, i32 -> i32
      %b = tile.load %ends[%next] extents [0] : !ends, i32 -> i32
      %n = arith.subi %b, %a : i32
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %a0[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %a0[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.floordivsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %next = arith.addi %found#0, %c1 : i32
      %a = tile.load %ends[%found#0] extents [0] : !ends, i32 -> i32
      %b = tile.load %ends[%next] extents [0] : !ends, i32 -> i32
      %n = arith.subi %b, %a : i32
      %s1 = cta.wait %qs : !one -> !slot
      %w1 = cta.get %s1 : !slot -> !tile
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
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
!ends = !tile.view<?xi32, align 16>

func.func @so_may_a_long_loop(%a0: !view, %ends: !ends {tile.name = "ends", tile.dims = ["X1"]}, %t: i32 {tile.name = "t"}, %x: i32 {tile.name = "x"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.floordivsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %next = arith.addi %found#0, %c1 : i32
      %a = tile.load %ends[%found#0] extents [0] : !ends, i32 -> i32
      %b = tile.load %ends[%next] extents [0] : !ends, i32 -> i32
      %n = arith.subi %b, %a : i32
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{role "load" waits here for a free slot of `ks`}}
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %a0[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      %s1 = cta.acquire %qs : !one -> !slot
      cta.copy %a0[%i, %c0] extents [64, 64], %s1 : !view, !slot
      cta.commit %s1 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.floordivsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %next = arith.addi %found#0, %c1 : i32
      %a = tile.load %ends[%found#0] extents [0] : !ends, i32 -> i32
      %b = tile.load %ends[%next] extents [0] : !ends, i32 -> i32
      %n = arith.subi %b, %a : i32
      // expected-note @+1 {{role "use" waits here until a slot of `qs` has been filled}}
      %s1 = cta.wait %qs : !one -> !slot
      %w1 = cta.get %s1 : !slot -> !tile
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      cta.release %s1 : !slot
    }
  }
  return
}
