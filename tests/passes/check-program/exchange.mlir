// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @tiles_that_cross(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @products_of_tiles_that_cross(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      %r = tile.cast %d : tensor<64x64xf32> -> !tile
      cta.store %r, %y[%i, %c0] extents [64, 64] through %s : !tile, !view, !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @put_twice(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-error @+1 {{is filled by 2 puts; one fills a slot whole}}
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @never_put(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{is filled by 0 puts; one fills a slot whole}}
      %s = cta.acquire %ts : !ring -> !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @put_and_never_committed(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-error @+1 {{gives a slot that is never committed; its consumer would wait forever}}
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @put_after_commit(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      // expected-note @+1 {{here}}
      cta.commit %s : !slot
      // expected-error @+1 {{uses slot `slot` after it has been committed}}
      cta.put %v, %s : !tile, !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @copied_into_a_put_channel(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %ts : !ring -> !slot
      // expected-error @+1 {{fills a slot of a `put` channel, which takes a register tile: `cta.put`}}
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @put_into_a_tma_channel(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel tma : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      // expected-error @+1 {{fills a slot of a `tma` channel, which takes a copy: `cta.copy`}}
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @read_by_who_fills(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      // expected-error @+1 {{reads slot `slot`, which was acquired to be filled; only a consumer, which waits for it, reads it}}
      %again = cta.get %s : !slot -> !tile
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @filled_by_who_waits(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      // expected-error @+1 {{fills slot `slot`, which was waited for; acquire one to fill it}}
      cta.put %w, %s : !tile, !slot
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @got_after_release(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      // expected-note @+1 {{here}}
      cta.release %s : !slot
      // expected-error @+1 {{uses slot `slot` after it has been released}}
      %w = cta.get %s : !slot -> !tile
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @put_more_often(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-note @+1 {{the first that is filled}}
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
      %s2 = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s2 : !tile, !slot
      cta.commit %s2 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-error @+1 {{role "make" fills slots of `channel` and role "use" takes them in different numbers}}
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
      tile.store %w, %y[%i, %j] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @copied_to_another_role(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel cp_async : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %ts : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s {vector = 8} : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @stored_while_a_product_reads(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %e = cta.begin : !sum
      // expected-note @+1 {{the product}}
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-error @+1 {{writes over slot `slot` while a product reads it; await the product first}}
      cta.store %v, %y[%i, %c0] extents [64, 64] through %s : !tile, !view, !slot
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @read_after_a_store(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      // expected-error @+1 {{writes over slot `slot`, which is read again; store when it is done with}}
      cta.store %v, %y[%i, %c0] extents [64, 64] through %s : !tile, !view, !slot
      // expected-note @+1 {{the read}}
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @stored_after_release(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      // expected-note @+1 {{here}}
      cta.release %s : !slot
      // expected-error @+1 {{uses slot `slot` after it has been released}}
      cta.store %w, %y[%i, %c0] extents [64, 64] through %s : !tile, !view, !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @stored_through_what_another_reads(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %ts = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %ts : !ring -> !slot
      cta.put %v, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      // expected-error @+1 {{writes over a slot of `channel`, which role "watch" reads as well; store through a channel of kind `store`}}
      cta.store %w, %y[%i, %c0] extents [64, 64] through %s : !tile, !view, !slot
      cta.release %s : !slot
    }
  }
  cta.role "watch" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      // expected-note @+1 {{where it does}}
      %s = cta.wait %ts : !ring -> !slot
      %w = cta.get %s : !slot -> !tile
      cta.release %s : !slot
    }
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @stored_through_a_slot_of_its_own(%x: !view, %y: !view, %t: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %own = cta.channel put : !ring
  cta.role "make" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %v = tile.load %x[%i, %j] extents [64, 64] : !view, i32, i32 -> !tile
      %a = cta.acquire %own : !ring -> !slot
      cta.put %v, %a : !tile, !slot
      cta.commit %a : !slot
      %s = cta.wait %own : !ring -> !slot
      // expected-error @+1 {{goes through a slot that no other role has filled; store through a channel of kind `store`}}
      cta.store %v, %y[%i, %c0] extents [64, 64] through %s : !tile, !view, !slot
      cta.release %s : !slot
    }
  }
  return
}
