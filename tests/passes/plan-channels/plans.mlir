// RUN: tile-opt %s --split-input-file --unfold-program --assign-layouts --swizzle-layout --plan-channels | FileCheck %s

// Channels lie one after the other, then come the barriers; two whose slots always change hands
// together share theirs, and the bytes of both are counted on one.

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!row = !cta.channel<2 x tensor<32xf32>>
!sum = !cta.pending<tensor<64x64xf32>>
!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @together(
// CHECK-SAME: cta.shared_bytes = 33856 : i32
// CHECK: %{{.*}} = cta.channel tma {plan = #cta.plan<offset = 0, stride = 8192, ring = <number = 0, full = 33792, empty = 33808, fills = 1, returns = 1, bytes = 16384>>}
// CHECK: %{{.*}} = cta.channel tma {plan = #cta.plan<offset = 16384, stride = 8192, ring = <number = 0, full = 33792, empty = 33808, fills = 1, returns = 1, bytes = 16384>>}
// CHECK: %{{.*}} = cta.channel tma {plan = #cta.plan<offset = 32768, stride = 128, ring = <number = 1, full = 33824, empty = 33840, fills = 1, returns = 4, bytes = 128>>}
func.func @together(%x: !view, %y: !tile.view<?xf32, align 16>, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  %rs = cta.channel tma : !row
  cta.role "load" warps 1 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
      cta.load %x[%c0, %c0] extents [64, 64] through %bs : !view, !ring
      cta.load %y[%c0] extents [32] through %rs : !tile.view<?xf32, align 16>, !row
    }
  }
  cta.role "use" warps 4 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = cta.wait %as : !ring -> !slot
      %t = cta.wait %bs : !ring -> !slot
      %e = cta.begin : !sum
      %p = cta.mma %e, %s, %t by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
      %d = cta.await %p : !sum -> tensor<64x64xf32>
      cta.release %s : !slot
      cta.release %t : !slot
      %r = cta.wait %rs : !row -> !cta.slot<tensor<32xf32>>
      %one = cta.element %r[%c0] : !cta.slot<tensor<32xf32>> -> f32
      cta.release %r : !cta.slot<tensor<32xf32>>
    }
  }
  return
}

// -----

// One slot is given back before the other is waited for: who fills the first must not have to wait
// for the second.

!ring = !cta.channel<1 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @apart(
// CHECK: %{{.*}} = {{.*}}number = 0,
// CHECK: %{{.*}} = {{.*}}number = 1,
func.func @apart(%x: !view, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
    cta.load %x[%c0, %c0] extents [64, 64] through %bs : !view, !ring
  }
  cta.role "use" warps 1 {
    %s = cta.wait %as : !ring -> !slot
    cta.release %s : !slot
    %t = cta.wait %bs : !ring -> !slot
    cta.release %t : !slot
  }
  return
}

// -----

// Threads that copy arrive each when their copies are there; warps that put or store, when they
// have. A role that fills and reads a channel by itself needs no barriers of it. Who only waits and
// gives back arrives once per warp.

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!tile = tensor<64x64xbf16>
!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @kinds(
// CHECK: %{{.*}} = cta.channel cp_async {{.*}}fills = 64, returns = 4, bytes = 0>>
// CHECK: %{{.*}} = cta.channel registers {{.*}}fills = 2, returns = 4, bytes = 0>>
// CHECK: %{{.*}} = cta.channel put {{.*}}fills = 2, returns = 4, bytes = 0>>
// CHECK: %{{.*}} = cta.channel put {plan = #cta.plan<offset = {{[0-9]+}}, stride = 8192>
func.func @kinds(%x: !view) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel cp_async : !ring
  %bs = cta.channel registers : !ring
  %ps = cta.channel put : !ring
  %own = cta.channel put : !ring
  cta.role "load" warps 2 {
    cta.load %x[%c0, %c0] extents [64, 64] through %as : !view, !ring
    cta.load %x[%c0, %c0] extents [64, 64] through %bs : !view, !ring
    %v = tile.load %x[%c0, %c0] extents [64, 64] : !view, i32, i32 -> !tile
    %p = cta.acquire %ps : !ring -> !slot
    cta.put %v, %p : !tile, !slot
    cta.commit %p : !slot
    %o = cta.acquire %own : !ring -> !slot
    cta.put %v, %o : !tile, !slot
    cta.commit %o : !slot
    %w = cta.wait %own : !ring -> !slot
    %g = cta.get %w : !slot -> !tile
    cta.release %w : !slot
    tile.store %g, %x[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  }
  cta.role "use" warps 4 {
    %s = cta.wait %as : !ring -> !slot
    cta.release %s : !slot
    %b = cta.wait %bs : !ring -> !slot
    cta.release %b : !slot
    %p = cta.wait %ps : !ring -> !slot
    cta.release %p : !slot
    %v = tile.load %x[%c0, %c0] extents [64, 64] : !view, i32, i32 -> !tile
    tile.store %v, %x[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  }
  return
}
