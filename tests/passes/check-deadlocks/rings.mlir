// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @a_product_keeps_the_only_slot(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, argument 2 = 2: role "load" waits here for a free slot of `as`; give `as` 2 slots}}
        %s = cta.acquire %as : !one -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %e = cta.begin : !sum
      %p = scf.for %k = %c0 to %n step %c1 iter_args(%before = %e) -> (!sum) : i32 {
        // expected-note @+2 {{role "use" keeps the slot that it took here}}
        // expected-note @+1 {{role "use" waits here until a slot of `as` has been filled}}
        %s = cta.wait %as : !one -> !slot
        %next = cta.mma %before, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
        cta.release %s : !slot after %next : !sum
        scf.yield %next : !sum
      }
      %d = cta.await %p : !sum -> !tile
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @one_slot_is_enough_where_products_are_awaited(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.acquire %as : !one -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.wait %as : !one -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
        cta.release %s : !slot after %p : !sum
        %d = cta.await %p : !sum -> !tile
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @slots_of_two_rings_in_another_order_are_fine(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %q = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %q : !view, !slot
      cta.commit %q : !slot
      %k = cta.acquire %ks : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %k : !view, !slot
      cta.commit %k : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %k = cta.wait %ks : !ring -> !slot
      %q = cta.wait %qs : !one -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %q, %k by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %k : !slot
      cta.release %q : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @filled_twice_before_what_is_waited_for_first(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %qs = cta.channel tma : !one loc("qs")
  %ks = cta.channel tma : !one loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %q = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %q : !view, !slot
      cta.commit %q : !slot
      // expected-error @+1 {{role "load" waits here for a free slot of `qs`; give `qs` 2 slots}}
      %r = cta.acquire %qs : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %r : !view, !slot
      cta.commit %r : !slot
      %k = cta.acquire %ks : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %k : !view, !slot
      cta.commit %k : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-note @+1 {{role "use" waits here until a slot of `ks` has been filled}}
      %k = cta.wait %ks : !one -> !slot
      %q = cta.wait %qs : !one -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %q, %k by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %q : !slot
      %r = cta.wait %qs : !one -> !slot
      %f = cta.begin : !sum
      %o = cta.mma %f, %r, %k by #product over 4x1 : !sum, !slot, !slot -> !sum
      %g = cta.await %o : !sum -> !tile
      cta.release %r : !slot
      cta.release %k : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @all_of_one_ring_before_the_other(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %ks = cta.channel tma : !ring loc("ks")
  %vs = cta.channel tma : !ring loc("vs")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{hangs with tiles of the block = 1, argument 2 = 3: role "load" waits here for a free slot of `ks`; let roles fill slots in the order in which they are taken, and give them back before waiting for others}}
        %a = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %a : !view, !slot
        cta.commit %a : !slot
      }
      scf.for %k = %c0 to %n step %c1 : i32 {
        %b = cta.acquire %vs : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %b : !view, !slot
        cta.commit %b : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{role "use" keeps the slot that it took here}}
        %a = cta.wait %ks : !ring -> !slot
        // expected-note @+1 {{role "use" waits here until a slot of `vs` has been filled}}
        %b = cta.wait %vs : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %a, %b by #product over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> !tile
        cta.release %a : !slot
        cta.release %b : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @given_back_in_another_order_than_taken(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %a = cta.acquire %ks : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %a : !view, !slot
      cta.commit %a : !slot
      %b = cta.acquire %ks : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %b : !view, !slot
      cta.commit %b : !slot
      // expected-error @+1 {{role "load" waits here for a free slot of `ks`; give `ks` 3 slots}}
      %c = cta.acquire %ks : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %c : !view, !slot
      cta.commit %c : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-note @+1 {{role "use" keeps the slot that it took here}}
      %a = cta.wait %ks : !ring -> !slot
      %b = cta.wait %ks : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %b, %b by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %b : !slot
      // expected-note @+1 {{role "use" waits here until a slot of `ks` has been filled}}
      %c = cta.wait %ks : !ring -> !slot
      %f = cta.begin : !sum
      %o = cta.mma %f, %a, %c by #product over 4x1 : !sum, !slot, !slot -> !sum
      %g = cta.await %o : !sum -> !tile
      cta.release %a : !slot
      cta.release %c : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @a_first_iteration_that_need_not_be_there(%x: !view {tile.name = "x", tile.dims = ["M", "K"]}, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %last = arith.subi %n, %c1 : i32
  %ks = cta.channel tma : !ring loc("ks")
  // expected-note @+1 {{role "load" has ended by then}}
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %a = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %a : !view, !slot
        cta.commit %a : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{hangs with tiles of the block = 1, n = 0: role "use" waits here until a slot of `ks` has been filled; let both use equally many slots, or rule such sizes out with `tile.assert`}}
      %a = cta.wait %ks : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %a : !slot
      scf.for %k = %c0 to %last step %c1 : i32 {
        %b = cta.wait %ks : !ring -> !slot
        %f = cta.begin : !sum
        %o = cta.mma %f, %b, %b by #product over 4x1 : !sum, !slot, !slot -> !sum
        %g = cta.await %o : !sum -> !tile
        cta.release %b : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @a_first_iteration_that_is_asserted(%x: !view {tile.name = "x", tile.dims = ["M", "K"]}, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"}) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %last = arith.subi %n, %c1 : i32
  %some = arith.cmpi sge, %n, %c1 : i32
  tile.assert %some, "n is 1 or more" : i1
  %ks = cta.channel tma : !ring loc("ks")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %a = cta.acquire %ks : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %a : !view, !slot
        cta.commit %a : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %a = cta.wait %ks : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %a, %a by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %a : !slot
      scf.for %k = %c0 to %last step %c1 : i32 {
        %b = cta.wait %ks : !ring -> !slot
        %f = cta.begin : !sum
        %o = cta.mma %f, %b, %b by #product over 4x1 : !sum, !slot, !slot -> !sum
        %g = cta.await %o : !sum -> !tile
        cta.release %b : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!one = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
#product = #cta.wgmma<64x64x16>

func.func @one_of_two_consumers_keeps_the_only_slot(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %as = cta.channel tma : !one loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{role "load" waits here for a free slot of `as`; give `as` 2 slots}}
        %s = cta.acquire %as : !one -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "quick" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s = cta.wait %as : !one -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> !tile
        cta.release %s : !slot
      }
    }
  }
  cta.role "slow" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %e = cta.begin : !sum
      %p = scf.for %k = %c0 to %n step %c1 iter_args(%before = %e) -> (!sum) : i32 {
        // expected-note @+2 {{role "slow" keeps the slot that it took here}}
        // expected-note @+1 {{role "slow" waits here until a slot of `as` has been filled}}
        %s = cta.wait %as : !one -> !slot
        %next = cta.mma %before, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
        cta.release %s : !slot after %next : !sum
        scf.yield %next : !sum
      }
      %d = cta.await %p : !sum -> !tile
    }
  }
  return
}
