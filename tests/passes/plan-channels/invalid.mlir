// RUN: tile-opt %s --split-input-file --unfold-program --check-program --assign-layouts --swizzle-layout --plan-channels --verify-diagnostics

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

!one = !cta.channel<32 x tensor<64x64xbf16>>
// expected-error @+1 {{takes 262656 bytes of shared memory (`channel` 262144, barriers 512); a block on sm_90 has 232448; use smaller tiles or fewer slots}}
func.func @too_much_shared_memory(%x: !view, %t: i32, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !one
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.acquire %as : !one -> !slot
      cta.copy %x[%i, %c0] extents [64, 64], %s : !view, !slot
      cta.commit %s : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%t, %t) {
      %s = cta.wait %as : !one -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %s by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<14 x !tile>
!xt = tensor<64x24xbf16>
!xr = !cta.channel<1 x !xt>
!xs = !cta.slot<!xt>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>
// The slots alone would fit.
// expected-error @+1 {{takes 232912 bytes of shared memory (`channel` 114688, `channel` 114688, `channel` 3072, barriers 464); a block on sm_90 has 232448; use smaller tiles or fewer slots}}
func.func @barriers_over_the_limit(%a: !view,
    %b: !view,
    %c: !out, %n: i32)
    attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %mt = arith.ceildivsi %M, %c64 : i32
  %nt = arith.ceildivsi %N, %c64 : i32
  %blocks = arith.muli %mt, %nt : i32
  tile.grid [%blocks]
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  %xs = cta.channel tma : !xr
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%mt, %nt) {
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      cta.load %a[%row, %c0] extents [64, 64] through %as : !view, !ring
      cta.load %b[%col, %c0] extents [64, 64] through %bs : !view, !ring
      cta.load %b[%col, %c0] extents [64, 24] through %xs : !view, !xr
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%mt, %nt) {
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      %s = cta.wait %as : !ring -> !slot
      %t = cta.wait %bs : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %t by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      cta.release %t : !slot after %p : !sum
      %d = cta.await %p : !sum -> !acc
      %x = cta.wait %xs : !xr -> !xs
      cta.release %x : !xs
      cta.store %d, %c[%row, %col] extents [64, 64] through %s : !acc, !out, !slot
      cta.release %s : !slot
    }
  }
  return
}

// -----

!tile = tensor<64x64xbf16>
!ring = !cta.channel<14 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>
// The sums change their layout to be stored.
// expected-error @+1 {{takes 248032 bytes of shared memory (`channel` 114688, `channel` 114688, barriers 224, scratch memory of role "use" 18432); a block on sm_90 has 232448}}
func.func @scratch_over_the_limit(%a: !view,
    %b: !view,
    %c: !out, %n: i32)
    attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %mt = arith.ceildivsi %M, %c64 : i32
  %nt = arith.ceildivsi %N, %c64 : i32
  %blocks = arith.muli %mt, %nt : i32
  tile.grid [%blocks]
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%mt, %nt) {
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      cta.load %a[%row, %c0] extents [64, 64] through %as : !view, !ring
      cta.load %b[%col, %c0] extents [64, 64] through %bs : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i, %j) of (%mt, %nt) {
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      %s = cta.wait %as : !ring -> !slot
      %t = cta.wait %bs : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %t by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      cta.release %s : !slot after %p : !sum
      cta.release %t : !slot after %p : !sum
      %d = cta.await %p : !sum -> !acc
      // expected-remark @+1 {{assign-layouts: converts 2-d tile of 4096 elements}}
      tile.store %d, %c[%row, %col] extents [64, 64] : !acc, !out, i32, i32
    }
  }
  return
}
