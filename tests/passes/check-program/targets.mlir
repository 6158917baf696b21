// RUN: tile-opt %s --split-input-file --check-program --verify-diagnostics

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>

// Roles that meet at barriers need no TMA.
func.func @put_between_roles_on_sm_80(%x: !view, %t: i32) attributes {cta.target = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %xs = cta.channel put : !ring
  cta.role "put" warps 4 {
    cta.tiles (%i) of (%t) {
      %tile = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> !tile
      %s = cta.acquire %xs : !ring -> !slot
      cta.put %tile, %s : !tile, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %xs : !ring -> !slot
      %zeros = arith.constant dense<0.0> : !sum
      %p = cta.mma %zeros, %s, %s by #cta.mma_sync<16x8x16> over 4x1 {b_transposed}
          : !sum, !slot, !slot -> !cta.pending<!sum>
      %d = cta.await %p : !cta.pending<!sum> -> !sum
      cta.release %s : !slot
    }
  }
  return
}

// -----

func.func @roles_on_sm_75() attributes {cta.target = "sm_75"} {
  // expected-error @+1 {{meets other roles at barriers in shared memory, which `sm_75` lacks; write the kernel without roles, or compile for a target that has it, such as `sm_80`}}
  cta.role "one" warps 4 {
  }
  cta.role "other" warps 4 {
  }
  return
}

// -----

// expected-error @+1 {{needs a target that exists, such as `cta.target = "sm_90"`}}
func.func @no_target() {
  cta.role "one" warps 4 {
  }
  return
}

// -----

// expected-error @+1 {{needs a target that exists, such as `cta.target = "sm_90"`}}
func.func @unknown_target() attributes {cta.target = "sm_91"} {
  return
}

// -----

func.func @registers_on_sm_89() attributes {cta.target = "sm_89"} {
  // expected-error @+1 {{exchanges registers with other roles (setmaxnreg), which `sm_89` lacks; take `registers` away, or compile for a target that has it, such as `sm_90`}}
  cta.role "one" warps 4 registers 40 {
  }
  return
}

// -----

func.func @tma_on_sm_80() attributes {cta.target = "sm_80"} {
  // expected-error @+1 {{is filled by TMA, which `sm_80` lacks; take kind `cp_async` or `put`, or compile for a target that has it, such as `sm_90`}}
  %as = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  return
}

// -----

func.func @cp_async_on_sm_75() attributes {cta.target = "sm_75"} {
  // expected-error @+1 {{is filled by cp.async, which `sm_75` lacks; take kind `registers`, or compile for a target that has it, such as `sm_80`}}
  %as = cta.channel cp_async : !cta.channel<2 x tensor<64x64xbf16>>
  return
}

// -----

func.func @store_on_sm_80() attributes {cta.target = "sm_80"} {
  // expected-error @+1 {{is for stores by TMA, which `sm_80` lacks; write by `tile.store`}}
  %as = cta.channel store : !cta.channel<2 x tensor<64x64xbf16>>
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

func.func @store_through_a_slot_on_sm_80(%x: !view, %tile: tensor<64x64xbf16>) attributes {cta.target = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel put : !ring
  %s = cta.wait %as : !ring -> !slot
  // expected-error @+1 {{stores by TMA, which `sm_80` lacks; write by `tile.store`}}
  cta.store %tile, %x[%c0, %c0] extents [64, 64] through %s : tensor<64x64xbf16>, !view, !slot
  return
}

// -----

// expected-error @+1 {{runs in clusters of blocks, which `sm_89` lacks; take `cta.cluster` away}}
func.func @clusters_on_sm_89() attributes {cta.target = "sm_89", cta.cluster = array<i64: 2>} {
  return
}

// -----

func.func @multicast_on_sm_120() attributes {cta.target = "sm_120", cta.cluster = array<i64: 2>} {
  // expected-error @+1 {{copies to all blocks of a cluster at once, which `sm_120` lacks; take `multicast` away}}
  %as = cta.channel tma multicast along 0 : !cta.channel<2 x tensor<64x64xbf16>>
  return
}

// -----

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @wgmma_on_sm_120(%x: !view, %t: i32) attributes {cta.target = "sm_120"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 registers 24 {
    cta.tiles (%i) of (%t) {
      %s = cta.acquire %as : !ring -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 registers 240 {
    cta.tiles (%i) of (%t) {
      %s = cta.wait %as : !ring -> !slot
      %e = cta.begin : !sum
      // expected-error @+1 {{multiplies by `#cta.wgmma<64x64x16>`, which `sm_120` lacks; take `#cta.mma_sync<16x8x16>`, or compile for a target that has it, such as `sm_90`}}
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

func.func @wgmma_on_sm_100() attributes {cta.target = "sm_100"} {
  %as = cta.channel tma : !ring
  cta.role "use" warps 4 {
    %s = cta.wait %as : !ring -> !slot
    %e = cta.begin : !sum
    // expected-error @+1 {{multiplies by `#cta.wgmma<64x64x16>`, which `sm_100` lacks}}
    %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
    %d = cta.await %p : !sum -> tensor<64x64xf32>
    cta.release %s : !slot
  }
  return
}

// -----

func.func @f8_on_sm_80(%a: !cta.slot<tensor<64x64xf8E4M3FN>>, %acc: tensor<64x64xf32>) attributes {cta.target = "sm_80", cta.warps = 4 : i32} {
  // expected-error @+1 {{multiplies by `#cta.mma_sync<16x8x32>`, which `sm_80` lacks; take `#cta.fma`, or compile for a target that has it, such as `sm_89`}}
  %p = cta.mma %acc, %a, %a by #cta.mma_sync<16x8x32> over 4x1 {b_transposed}
      : tensor<64x64xf32>, !cta.slot<tensor<64x64xf8E4M3FN>>, !cta.slot<tensor<64x64xf8E4M3FN>> -> !cta.pending<tensor<64x64xf32>>
  %d = cta.await %p : !cta.pending<tensor<64x64xf32>> -> tensor<64x64xf32>
  return
}
