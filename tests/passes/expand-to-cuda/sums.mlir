// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s
// Which registers a sum takes that begins when an earlier one has been awaited.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!sum = !cta.pending<tensor<64x64xf32>>
!square = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32>

func.func private @multiply(%a: !slot) -> !sum {
  %e = cta.begin : !sum
  %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !slot, !slot -> !sum
  return %p : !sum
}

// The first has been scaled and added up, which nothing reads again.
// CHECK-LABEL: @a_sum_that_has_been_read
// CHECK: %[[SUM:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.wgmma 64 %[[SUM]][
// CHECK: cuda.wgmma_wait 0, %[[SUM]]
// CHECK: cuda.get %[[SUM]][
// CHECK: cuda.wgmma 64 %[[SUM]][
// CHECK: cuda.wgmma_wait 0, %[[SUM]]
// CHECK: cuda.get %[[SUM]][
func.func @a_sum_that_has_been_read(%x: !view, %y: !out, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %half = arith.constant dense<0.5> : !square
      %a = cta.wait %as : !ring -> !slot
      %p = func.call @multiply(%a) : (!slot) -> !sum
      %first = cta.await %p : !sum -> !square
      %scaled = arith.mulf %first, %half : !square
      %parts = cta.partial_sum %scaled : !square -> tensor<64x4xf32>
      %q = func.call @multiply(%a) : (!slot) -> !sum
      %second = cta.await %q : !sum -> !square
      cta.release %a : !slot
      %sums = tile.reduce sum %parts, 1 : tensor<64x4xf32> -> tensor<64xf32>
      %column = tile.expand_dims %sums, 1 : tensor<64xf32> -> tensor<64x1xf32>
      %all = tile.broadcast %column : tensor<64x1xf32> -> !square
      %both = arith.addf %second, %all : !square
      tile.store %both, %y[%i, %c0] extents [64, 64] : !square, !out, i32, i32
    }
  }
  return
}

// Nothing is left to its use that would read the first while the second is multiplied.
// CHECK-LABEL: @a_sum_that_has_been_scaled
// CHECK: %[[SUM:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.wgmma 64 %[[SUM]][
// CHECK: %[[SCALED:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.set %{{.*}}, %[[SCALED]][
// CHECK: cuda.wgmma 64 %[[SUM]][
func.func @a_sum_that_has_been_scaled(%x: !view, %y: !out, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %half = arith.constant dense<0.5> : !square
      %a = cta.wait %as : !ring -> !slot
      %p = func.call @multiply(%a) : (!slot) -> !sum
      %first = cta.await %p : !sum -> !square
      %scaled = arith.mulf %first, %half : !square
      %q = func.call @multiply(%a) : (!slot) -> !sum
      %second = cta.await %q : !sum -> !square
      cta.release %a : !slot
      %both = arith.addf %second, %scaled : !square
      tile.store %both, %y[%i, %c0] extents [64, 64] : !square, !out, i32, i32
    }
  }
  return
}

// CHECK-LABEL: @a_sum_that_is_read_later
// CHECK: %[[FIRST:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.wgmma 64 %[[FIRST]][
// CHECK: %[[SECOND:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.wgmma 64 %[[SECOND]][
// CHECK-DAG: cuda.get %[[FIRST]][
// CHECK-DAG: cuda.get %[[SECOND]][
func.func @a_sum_that_is_read_later(%x: !view, %y: !out, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !ring -> !slot
      %p = func.call @multiply(%a) : (!slot) -> !sum
      %first = cta.await %p : !sum -> !square
      %q = func.call @multiply(%a) : (!slot) -> !sum
      %second = cta.await %q : !sum -> !square
      cta.release %a : !slot
      %both = arith.addf %second, %first : !square
      tile.store %both, %y[%i, %c0] extents [64, 64] : !square, !out, i32, i32
    }
  }
  return
}

// A product may read its registers while the next runs.
// CHECK-LABEL: @a_sum_that_a_product_goes_on_with
// CHECK: %[[FIRST:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.wgmma 64 %[[FIRST]][
// CHECK: cuda.wgmma_wait 0, %[[FIRST]]
// CHECK: cuda.wgmma 64 %[[FIRST]][
// CHECK: %[[SECOND:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.wgmma 64 %[[SECOND]][
func.func @a_sum_that_a_product_goes_on_with(%x: !view, %y: !out, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !ring -> !slot
      %p = func.call @multiply(%a) : (!slot) -> !sum
      %first = cta.await %p : !sum -> !square
      %more = cta.mma %first, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !square, !slot, !slot -> !sum
      %q = func.call @multiply(%a) : (!slot) -> !sum
      %grown = cta.await %more : !sum -> !square
      %second = cta.await %q : !sum -> !square
      cta.release %a : !slot
      %both = arith.addf %second, %grown : !square
      tile.store %both, %y[%i, %c0] extents [64, 64] : !square, !out, i32, i32
    }
  }
  return
}

// What the next product reads are registers of their own already.
// CHECK-LABEL: @a_sum_that_was_rounded_for_a_product
// CHECK: %[[SUM:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.wgmma 64 %[[SUM]][
// CHECK: %[[WEIGHTS:.*]] = cuda.regs : <16 x vector<2xbf16>>
// CHECK: cuda.wgmma 64 %[[SUM]][{{.*}}], %[[WEIGHTS]][
func.func @a_sum_that_was_rounded_for_a_product(%x: !view, %y: !out, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %a = cta.wait %as : !ring -> !slot
      %p = func.call @multiply(%a) : (!slot) -> !sum
      %first = cta.await %p : !sum -> !square
      %weights = tile.cast %first : !square -> !tile
      %e = cta.begin : !sum
      %q = cta.mma %e, %weights, %a by #cta.wgmma<64x64x16> over 4x1 : !sum, !tile, !slot -> !sum
      %second = cta.await %q : !sum -> !square
      cta.release %a : !slot
      tile.store %second, %y[%i, %c0] extents [64, 64] : !square, !out, i32, i32
    }
  }
  return
}

// A loop may carry it: the next sum takes its registers when it has been added, with no copy at the end.
// CHECK-LABEL: @a_sum_that_a_loop_carries
// CHECK: %[[SUM:.*]] = cuda.regs : <32 x f32>
// CHECK: cuda.set %{{.*}}, %[[SUM]][
// CHECK: cuda.get %[[SUM]][
// CHECK: cuda.wgmma 64 %[[SUM]][
// CHECK: cuda.wgmma_wait 0, %[[SUM]]
// CHECK-NOT: cuda.set %{{.*}}, %[[SUM]][
// CHECK: cuda.store_global
func.func @a_sum_that_a_loop_carries(%x: !view, %y: !out, %t: i32, %n: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) {
      scf.for %k = %c0 to %n step %c1 : i32 {
        cta.load %x[%i, %c0] extents [64, 64] through %as : !view, !ring
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) {
      %none = arith.constant dense<0.0> : !square
      %last, %total = scf.for %k = %c0 to %n step %c1 iter_args(%before = %none, %total_before = %none)
          -> (!square, !square) : i32 {
        %a = cta.wait %as : !ring -> !slot
        %total_now = arith.addf %total_before, %before : !square
        %p = func.call @multiply(%a) : (!slot) -> !sum
        %now = cta.await %p : !sum -> !square
        cta.release %a : !slot
        scf.yield %now, %total_now : !square, !square
      }
      %all = arith.addf %total, %last : !square
      tile.store %all, %y[%i, %c0] extents [64, 64] : !square, !out, i32, i32
    }
  }
  return
}
