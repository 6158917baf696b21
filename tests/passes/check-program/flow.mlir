// RUN: tile-opt %s --split-input-file --check-program --verify-diagnostics

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

// expected-error @+1 {{takes a channel; use what `cta.channel` gives, in each branch its own}}
func.func @channel_argument(%a: !view, %c: !out, %n: i32, %as: !ring) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "load" warps 1 {
    %free = cta.acquire %as : !ring -> !slot
    cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
    cta.commit %free : !slot
  }
  cta.role "use" warps 4 {
    %s = cta.wait %as : !ring -> !slot
    cta.release %s : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @channel_carried(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    %free = cta.acquire %as : !ring -> !slot
    cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
    cta.commit %free : !slot
  }
  cta.role "use" warps 4 {
    // expected-error @+1 {{hands on a channel; use what `cta.channel` gives}}
    %res = scf.for %q = %c0 to %c1 step %c1 iter_args(%x = %as) -> (!ring) : i32 {
      %s = cta.wait %x : !ring -> !slot
      cta.release %s : !slot
      scf.yield %x : !ring
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @channel_selected(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  %on = arith.cmpi sgt, %n, %c0 : i32
  cta.role "load" warps 1 {
    %free = cta.acquire %as : !ring -> !slot
    cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
    cta.commit %free : !slot
  }
  cta.role "use" warps 4 {
    // expected-error @+1 {{hands on a channel; use what `cta.channel` gives}}
    %xs = arith.select %on, %as, %bs : !ring
    %s = cta.wait %xs : !ring -> !slot
    cta.release %s : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @channel_from_branch(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  %on = arith.cmpi sgt, %n, %c0 : i32
  cta.role "load" warps 1 {
    %free = cta.acquire %as : !ring -> !slot
    cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
    cta.commit %free : !slot
  }
  cta.role "use" warps 4 {
    // expected-error @+1 {{hands on a channel; use what `cta.channel` gives}}
    %xs = scf.if %on -> !ring {
      scf.yield %as : !ring
    } else {
      scf.yield %bs : !ring
    }
    %s = cta.wait %xs : !ring -> !slot
    cta.release %s : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @channel_in_role(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "use" warps 4 {
    // expected-error @+1 {{declares a channel in `cta.role`; they are declared at the top level of a kernel}}
    %as = cta.channel put : !ring
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @slot_carried(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    %free = cta.acquire %as : !ring -> !slot
    cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
    cta.commit %free : !slot
  }
  cta.role "use" warps 4 {
    %s = cta.wait %as : !ring -> !slot
    // expected-error @+1 {{hands on a slot; open and close it in one block; only `cta.tiles` hands slots on}}
    %last = scf.for %q = %c0 to %c1 step %c1 iter_args(%x = %s) -> (!slot) : i32 {
      scf.yield %x : !slot
    }
    cta.release %last : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @pending_from_branch(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    %free = cta.acquire %as : !ring -> !slot
    cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
    cta.commit %free : !slot
  }
  cta.role "use" warps 4 {
    %s = cta.wait %as : !ring -> !slot
    cta.release %s : !slot
    %on = arith.cmpi sgt, %n, %c0 : i32
    %e = cta.begin : !sum
    // expected-error @+1 {{hands on a pending sum; await it before; only `scf.for` carries products under way}}
    %one = scf.if %on -> !sum {
      scf.yield %e : !sum
    } else {
      %other = cta.begin : !sum
      scf.yield %other : !sum
    }
    %d = cta.await %one : !sum -> !acc
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @pending_through_while(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    %free = cta.acquire %as : !ring -> !slot
    cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
    cta.commit %free : !slot
  }
  cta.role "use" warps 4 {
    %s = cta.wait %as : !ring -> !slot
    %e = cta.begin : !sum
    // expected-error @+1 {{hands on a pending sum; await it before}}
    %sum, %last = scf.while (%x = %e, %i = %c0) : (!sum, i32) -> (!sum, i32) {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %x, %i : !sum, i32
    } do {
    ^body(%y: !sum, %i: i32):
      %p = cta.mma %y, %s, %s by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %next = arith.addi %i, %c1 : i32
      scf.yield %p, %next : !sum, i32
    }
    %d = cta.await %sum : !sum -> !acc
    cta.release %s : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @turn_from_branch(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %main = cta.order
  %on = arith.cmpi sgt, %n, %c0 : i32
  cta.role "use" warps 8 {
    // expected-error @+1 {{hands on a turn; enter and leave in one block}}
    %turn = scf.if %on -> !cta.turn {
      %own = cta.enter %main
      scf.yield %own : !cta.turn
    } else {
      %own = cta.enter %main
      scf.yield %own : !cta.turn
    }
    cta.leave %turn
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @store_outside_of_roles(%a: !view, %c: !out, %n: i32) attributes {cta.warps = 4 : i32, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = cta.channel store : !cta.channel<1 x !acc>
  %z = arith.constant dense<0.0> : !acc
  // expected-error @+1 {{stands outside of roles, which wait for their stores when they end; write by `tile.store`}}
  cta.store %z, %c[%c0, %c0] extents [64, 64] through %rows : !acc, !out, !cta.channel<1 x !acc>
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @tma_acquired_outside_of_roles(%a: !view, %c: !out, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  // expected-error @+1 {{opens a slot of a `tma` channel outside of roles; put it into the role that fills the slot, or take kind `cp_async`}}
  %free = cta.acquire %as : !ring -> !slot
  cta.copy %a[%c0, %c0] extents [64, 64], %free : !view, !slot
  cta.commit %free : !slot
  cta.role "use" warps 4 {
    %s = cta.wait %as : !ring -> !slot
    cta.release %s : !slot
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @tma_without_roles(%a: !view, %c: !out, %n: i32) attributes {cta.warps = 4 : i32, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  // expected-error @+1 {{opens a slot of a `tma` channel outside of roles; put it into the role that reads the slot, or take kind `cp_async`}}
  %s = cta.wait %as : !ring -> !slot
  cta.release %s : !slot
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>

func.func @product_of_no_role_awaited_twice(%a: !view, %c: !out, %n: i32) attributes {cta.warps = 4 : i32, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel put : !ring
  %s = cta.wait %as : !ring -> !slot
  %z = arith.constant dense<0.0> : !acc
  %p = cta.mma %z, %s, %s by #cta.mma_sync<16x8x16> over 4x1 {b_transposed} : !acc, !slot, !slot -> !sum
  // expected-error @+1 {{uses a pending sum that is used already; it stands for registers that change}}
  %d = cta.await %p : !sum -> !acc
  // expected-note @+1 {{the other use}}
  %f = cta.await %p : !sum -> !acc
  return
}
