// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_program_that_is_right(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @acquired_and_never_committed(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{gives a slot that is never committed; its consumer would wait forever}}
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @waited_for_and_never_released(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{gives a slot that is never released; its producer would wait forever}}
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @committed_twice(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      // expected-note @+1 {{the first time}}
      cta.commit %s : !slot
      // expected-error @+1 {{commits slot `slot` a second time}}
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @released_twice(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      // expected-note @+1 {{the first time}}
      cta.release %s : !slot
      // expected-error @+1 {{releases slot `slot` a second time}}
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @released_instead_of_committed(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      // expected-error @+1 {{closes a slot that was acquired; `cta.commit` does that}}
      cta.release %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @committed_instead_of_released(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      // expected-error @+1 {{closes a slot that was waited for; `cta.release` does that}}
      cta.commit %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @closed_in_a_loop(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{stands in another loop or branch than where its slot was waited for; close a slot beside where it was opened}}
        cta.release %s : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @copied_into_after_commit(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      // expected-note @+1 {{here}}
      cta.commit %s : !slot
      // expected-error @+1 {{uses slot `slot` after it has been committed}}
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @multiplied_after_release(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      // expected-note @+1 {{here}}
      cta.release %s : !slot
      %e = cta.begin : !sum
      // expected-error @+1 {{uses slot `slot` after it has been released}}
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @not_filled(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{is filled by 0 copies; one fills a slot whole}}
      %s = cta.acquire %as : !ring -> !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @filled_twice(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{is filled by 2 copies; one fills a slot whole}}
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @released_while_a_product_reads(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      // expected-note @+1 {{the product}}
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-error @+1 {{gives back slot `slot` while a product reads it; await the product first, or release the slot `after` it}}
      cta.release %s : !slot
      %d = cta.await %p : !sum -> tensor<64x64xf32>
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @released_after_an_earlier_product(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-note @+1 {{the product}}
      %q = cta.mma %p, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-error @+1 {{gives back slot `slot` while a product reads it}}
      cta.release %s : !slot after %p : !sum
      %d = cta.await %q : !sum -> tensor<64x64xf32>
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @released_after_another_loops_product(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %z = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = scf.for %k = %c0 to %n step %c1 iter_args(%b = %e) -> (!sum) : i32 {
        %p0 = cta.mma %b, %z, %z by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        scf.yield %p0 : !sum
      }
      // expected-error @+1 {{waits for a product of another loop; release the slot `after` one that stands beside it}}
      cta.release %z : !slot after %p : !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @nobody_awaits(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      // expected-error @+1 {{a product that is never awaited; `cta.await` makes its result readable}}
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      cta.release %s : !slot after %p : !sum
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @awaited_twice(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-error @+1 {{uses a pending sum that is used already; it stands for registers that change}}
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      // expected-note @+1 {{the other use}}
      %f = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @continued_and_awaited(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-error @+1 {{uses a pending sum that is used already}}
      %q = cta.mma %p, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-note @+1 {{the other use}}
      %f = cta.await %p : !sum -> tensor<64x64xf32>
      %d = cta.await %q : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @one_begin_for_two_sums(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      // expected-error @+1 {{uses a pending sum that is used already}}
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      // expected-note @+1 {{the other use}}
      %q = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %f = cta.await %p : !sum -> tensor<64x64xf32>
      %d = cta.await %q : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @more_filled_than_taken(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{the first that is filled}}
        %s = cta.acquire %as : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{role "load" fills slots of `channel` and role "use" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @more_taken_than_filled(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-note @+1 {{the first that is filled}}
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{role "load" fills slots of `channel` and role "use" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
        %s = cta.wait %as : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> tensor<64x64xf32>
        cta.release %s : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @loops_of_other_lengths(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{the first that is filled}}
        %s = cta.acquire %as : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c1 to %n step %c1 : i32 {
        // expected-error @+1 {{role "load" fills slots of `channel` and role "use" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
        %s = cta.wait %as : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> tensor<64x64xf32>
        cta.release %s : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @one_more_behind_the_loop(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{the first that is filled}}
        %s = cta.acquire %as : !ring -> !slot
        cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
      %r = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %r : !view, !slot
      cta.commit %r : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
      // expected-error @+1 {{role "load" fills slots of `channel` and role "use" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
        %s = cta.wait %as : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> tensor<64x64xf32>
        cta.release %s : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @taken_in_a_branch(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-note @+1 {{the first that is filled}}
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %b = arith.cmpi eq, %i, %c0 : i32
      scf.if %b {
        // expected-error @+1 {{role "load" fills slots of `channel` and role "use" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
        %s = cta.wait %as : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> tensor<64x64xf32>
        cta.release %s : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @other_tiles(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "load"; all roles share one loop over tiles}}
    cta.tiles (%i, %j) of (%t, %n) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @other_groups(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i, %j) of (%t, %t) grouped 8 {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "load"}}
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>

func.func @waits_for_a_slot_of_stores(%t: i32) attributes {cta.target = "sm_90"} {
  %as = cta.channel store : !ring
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{opens a slot of `channel`, a channel of kind `store`; its slots belong to stores}}
      %s = cta.wait %as : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>

// Nobody else has to do with the channel, which is no reason to take it for one of a single role.
func.func @nobody_fills_in_lockstep(%t: i32) attributes {cta.target = "sm_90"} {
  // expected-error @+1 {{`channel` has slots that nobody fills}}
  %as = cta.channel registers : !ring
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @nobody_fills(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{`channel` has slots that nobody fills}}
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @nobody_waits(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{`channel` has slots that nobody waits for}}
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @two_roles_fill(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{fills slots of `channel` in role "use" beside role "load"; one role fills a channel}}
      %r = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %r : !view, !slot
      cta.commit %r : !slot
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @multicast_of_different_tiles(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90", cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma multicast along 0 : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      // expected-error @+1 {{brings each block of the cluster another tile: an index depends on axis 0 of tiles}}
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @multicast_as_often_as_the_block_says(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90", cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma multicast along 0 : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %i step %c1 : i32 {
        // expected-error @+1 {{is `multicast` and stands in a loop or branch that differs among the blocks of the cluster: it depends on axis 0 of tiles}}
        %s = cta.acquire %as : !ring -> !slot
        cta.copy %x[%j, %c0] extents [64, 64], %s : !view, !slot
        cta.commit %s : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      scf.for %k = %c0 to %i step %c1 : i32 {
        %s = cta.wait %as : !ring -> !slot
        %e = cta.begin : !sum
        %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
        %d = cta.await %p : !sum -> tensor<64x64xf32>
        cta.release %s : !slot
      }
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// expected-error @+1 {{has clusters of 16 blocks; 1 to 8 run anywhere}}
func.func @too_large_clusters(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90", cta.cluster = array<i64: 16>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// expected-error @+1 {{has `cta.cluster` 2 : i32; it is the blocks along the first axis of tiles, and along the second: `array<i64: 2>`, `array<i64: 2, 4>`}}
func.func @clusters_without_axes(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90", cta.cluster = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// expected-error @+1 {{has clusters of 0 blocks; 1 to 8 run anywhere}}
func.func @clusters_of_nothing(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90", cta.cluster = array<i64: 2, 0>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
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

func.func @roles_that_take_turns_at_one_ring(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
    %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-note @+1 {{the first that is filled}}
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "even" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) turn 0 of 2 {
      // expected-error @+1 {{role "load" fills slots of `as` and role "even" takes them in different numbers, as far as their loops show; write the bounds of both alike}}
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %s : !slot
    }
  }
  cta.role "odd" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) turn 1 of 2 {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %s : !slot
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

func.func @turns_of_different_numbers(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
    %as = cta.channel tma : !ring loc("as")
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "even" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) turn 0 of 2 {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %s : !slot
    }
  }
  cta.role "odd" warps 4 {
    // expected-error @+1 {{takes one of 3 turns where role "even" takes one of 2; some tiles would be done twice or never}}
    cta.tiles (%i, %j) of (%t, %t) turn 1 of 3 {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #product over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> !tile
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<4xf32>>
!slot = !cta.slot<tensor<4xf32>>

func.func @a_copy_that_starts_anywhere(%x: !tile.view<?x?xf32, align 16>, %t: i32) attributes {cta.target = "sm_90"} {
  %ss = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %ss : !ring -> !slot
      // expected-error @+1 {{starts at an element of a row that is known to be a multiple of 1 only, not of 4; TMA starts at multiples of 16 bytes, and faults elsewhere; multiply the index by the tile's width, or round it with `arith.andi`}}
      cta.copy %x[%i, %j] extents [0, 4], %s : !tile.view<?x?xf32, align 16>, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ss : !ring -> !slot
      %v = cta.get %s : !slot -> tensor<4xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

// Multiples of 8: a product, a mask, a loop's steps; of 4: their sum with 4.
func.func @a_store_that_starts_amid_16_bytes(%y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %mask = arith.constant -8 : i32
  %os = cta.channel store : !ring
  cta.role "use" warps 4 {
    %v = arith.constant dense<0.0> : tensor<64x64xbf16>
    cta.tiles (%i, %j) of (%t, %t) {
      %rounded = arith.andi %j, %mask : i32
      cta.store %v, %y[%i, %rounded] extents [64, 64] through %os : tensor<64x64xbf16>, !view, !ring
      scf.for %k = %c0 to %t step %c64 : i32 {
        cta.store %v, %y[%i, %k] extents [64, 64] through %os : tensor<64x64xbf16>, !view, !ring
      }
      %column = arith.muli %j, %c64 : i32
      cta.store %v, %y[%i, %column] extents [64, 64] through %os : tensor<64x64xbf16>, !view, !ring
      %amid = arith.addi %column, %c4 : i32
      // expected-error @+1 {{starts at an element of a row that is known to be a multiple of 4 only, not of 8}}
      cta.store %v, %y[%i, %amid] extents [64, 64] through %os : tensor<64x64xbf16>, !view, !ring
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_store_that_starts_before_the_view(%y: !view, %t: i32, %first: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %os = cta.channel store : !ring
  cta.role "use" warps 4 {
    %v = arith.constant dense<0.0> : tensor<64x64xbf16>
    cta.tiles (%i, %j) of (%t, %t) {
      %from = arith.maxsi %first, %c0 : i32
      cta.store %v, %y[%from, %c0] extents [64, 64] through %os : tensor<64x64xbf16>, !view, !ring
      %row = arith.muli %i, %c64 : i32
      cta.store %v, %y[%row, %c0] extents [64, 64] through %os : tensor<64x64xbf16>, !view, !ring
      %back = arith.subi %row, %c64 : i32
      // expected-error @+1 {{starts at an index along axis 0 that is not known to be 0 or more; TMA loads zeros from before a view, but a store there faults; let the first tile start at 0, or bound the index with `arith.maxsi`}}
      cta.store %v, %y[%back, %c0] extents [64, 64] through %os : tensor<64x64xbf16>, !view, !ring
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_sum_of_outside_a_loop_used_in_it(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !ring -> !slot
      // expected-note @+1 {{the sum}}
      %e = cta.begin : !sum
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %d = scf.for %q = %c0 to %n step %c1 iter_args(%y = %zero) -> (tensor<64x64xf32>) : i32 {
        // expected-error @+1 {{uses a pending sum of outside the loop in every iteration; it stands for registers that change; carry it through the loop, or await it before}}
        %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
        %r = cta.await %p : !sum -> tensor<64x64xf32>
        scf.yield %r : tensor<64x64xf32>
      }
      cta.release %a : !slot
    }
  }
  return
}

// -----

// expected-error @+1 {{warps; a block has 32}}
func.func @more_warps_than_a_block_has() attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "a" warps 16 {
  }
  cta.role "b" warps 16 {
  }
  cta.role "c" warps 4 {
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16>

func.func @copies_of_two_bytes(%x: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel cp_async : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      // expected-error @+1 {{moves 2 bytes at a time; cp.async moves 4, 8 or 16: set `vector` to 2 or more, which takes a view of aligned rows; or take a channel of kind `registers`}}
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %as : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

func.func @a_part_is_read_from_its_start(%x: !view, %t: i32, %start: i32, %size: i32, %at: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  %part = tile.subview %x, 0 from %start size %size : !view -> !view
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      // expected-error @+1 {{starts at an index along axis 0 that is not known to be 0 or more, in a part of a tensor, before which TMA would bring what lies in the tensor}}
      cta.copy %part[%at, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %as : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}
