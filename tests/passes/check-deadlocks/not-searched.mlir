// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics
// What the search for deadlocks leaves out, it says.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_loop_of_unknown_length(%x: !view, %t: i32, %go: i1) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      // expected-remark @+1 {{check-deadlocks: cannot look for deadlocks, as this is not computed from sizes, arguments and tiles}}
      scf.while : () -> () {
        scf.condition(%go)
      } do {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
        scf.yield
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      scf.while : () -> () {
        scf.condition(%go)
      } do {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
        scf.yield
      }
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

// expected-remark @+1 {{check-deadlocks: looked for deadlocks with 5120 choices of sizes; there are more that might make a difference}}
func.func @many_sizes(%x: !view, %t: i32 {tile.name = "t"}, %n0: i32 {tile.name = "n0"}, %n1: i32 {tile.name = "n1"}, %n2: i32 {tile.name = "n2"}, %n3: i32 {tile.name = "n3"}, %n4: i32 {tile.name = "n4"}, %n5: i32 {tile.name = "n5"}, %n6: i32 {tile.name = "n6"}, %n7: i32 {tile.name = "n7"}, %n8: i32 {tile.name = "n8"}, %n9: i32 {tile.name = "n9"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n0 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n1 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n2 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n3 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n4 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n5 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n6 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n7 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n8 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n9 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n0 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n1 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n2 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n3 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n4 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n5 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n6 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n7 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n8 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n9 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
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
!one = !cta.channel<1 x !tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_size_that_is_drawn(%x: !view, %t: i32 {tile.name = "t"}, %n0: i32 {tile.name = "n0"}, %n1: i32 {tile.name = "n1"}, %n2: i32 {tile.name = "n2"}, %n3: i32 {tile.name = "n3"}, %n4: i32 {tile.name = "n4"}, %n5: i32 {tile.name = "n5"}, %n6: i32 {tile.name = "n6"}, %n7: i32 {tile.name = "n7"}, %n8: i32 {tile.name = "n8"}, %n9: i32 {tile.name = "n9"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %rare = arith.cmpi eq, %n9, %c2 : i32
  %ks = cta.channel tma : !ring loc("ks")
  %qs = cta.channel tma : !one loc("qs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n0 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n1 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n2 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n3 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n4 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n5 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n6 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n7 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n8 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.for %k = %c0 to %n9 step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
      scf.if %rare {
        %s1 = cta.acquire %qs : !one -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s1 : !view, !slot
        cta.commit %s1 : !slot
        // expected-error @+1 {{role "load" waits here for a free slot of `qs`; give `qs` 2 slots}}
        %s2 = cta.acquire %qs : !one -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s2 : !view, !slot
        cta.commit %s2 : !slot
        %s3 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s3 : !view, !slot
        cta.commit %s3 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n0 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n1 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n2 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n3 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n4 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n5 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n6 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n7 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n8 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.for %k = %c0 to %n9 step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
      scf.if %rare {
        // expected-note @+1 {{role "use" waits here until a slot of `ks` has been filled}}
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
        %s2 = cta.wait %qs : !one -> !slot
        %w2 = cta.get %s2 : !slot -> !tile
        cta.release %s2 : !slot
        %s3 = cta.wait %qs : !one -> !slot
        %w3 = cta.get %s3 : !slot -> !tile
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
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// expected-remark @+1 {{check-deadlocks: looked for deadlocks with small sizes, but some make loops too long to be simulated, and were left out}}
func.func @loops_too_long(%x: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c1000 = arith.constant 1000 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %long = arith.muli %n, %c1000 : i32
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %long step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %long step %c1 : i32 {
        %s0 = cta.wait %ks : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
      }
    }
  }
  return
}

// -----

!slot = !cta.slot<tensor<64x64xbf16>>
!ring = !cta.channel<2 x tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

// expected-remark @+1 {{check-deadlocks: looked for deadlocks as if all tiles of the queue were known; a role that takes slots of several tiles ahead may wait}}
func.func @slots_ahead_of_a_queue(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
    %more = cta.acquire %as : !ring -> !slot
    cta.copy %x[%c0, %c0] extents [64, 64], %more : !view, !slot
    cta.commit %more : !slot
  }
  cta.role "use" warps 4 {
    %first = cta.wait %as : !ring -> !slot
    %left = cta.tiles (%i) of (%t) queue iter_args(%now = %first) -> (!slot) {
      %w = cta.get %now : !slot -> tensor<64x64xbf16>
      cta.release %now : !slot
      %next = cta.wait %as : !ring -> !slot
      cta.yield %next : !slot
    }
    cta.release %left : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!one = !cta.channel<1 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @tiles_by_two_coordinates(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %c20 = arith.constant 20 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  %bs = cta.channel tma : !one loc("bs")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %both = arith.muli %i, %j : i32
      // expected-remark @below {{check-deadlocks: looked for deadlocks with some tiles only; at which other tiles this changes is not known}}
      %on = arith.cmpi eq, %both, %c20 : i32
      scf.if %on {
        %f0 = cta.acquire %bs : !one -> !slot
        cta.copy %x[%c0, %c0] extents [64, 64], %f0 : !view, !slot
        cta.commit %f0 : !slot
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
    cta.tiles (%i, %j) of (%t, %t) {
      %both = arith.muli %i, %j : i32
      %on = arith.cmpi eq, %both, %c20 : i32
      scf.if %on {
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
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_length_that_is_a_square(%x: !view, %t: i32 {tile.name = "t"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %square = arith.muli %i, %i : i32
      cta.yield %square : i32
    } least 2 {
      // expected-remark @below {{check-deadlocks: looked for deadlocks with some tiles only; at which other tiles this changes is not known}}
      scf.for %k = %first to %end step %c1 : i32 {
        %s0 = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %square = arith.muli %i, %i : i32
      cta.yield %square : i32
    } least 2 {
      scf.for %k = %first to %end step %c1 : i32 {
        %s1 = cta.wait %ks : !ring -> !slot
        %w1 = cta.get %s1 : !slot -> !tile
        cta.release %s1 : !slot
      }
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}
