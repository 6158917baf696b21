// RUN: tile-opt %s --make-persistent --store-by-tma --split-input-file | FileCheck %s

!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @k(
// CHECK: %[[C:.*]] = cta.channel store {plan.id = "e1"} : <1 x tensor<64x32xbf16>>
// CHECK: cta.store {{.*}}, %arg2{{.*}} extents [64, 64] through %[[C]]
// CHECK-NOT: tile.store
func.func @k(%a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %c: !view {tile.name = "c"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM, grouped 4\0A roles load: 1 warp, s1, s2; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 2 slots; s2: tma, 3 slots; e1: store, 1 slot of 32 columns"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles, %tiles]
  %m = tile.program_id 0
  %n = tile.program_id 1
  %row = arith.muli %m, %c64 : i32
  %column = arith.muli %n, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %b[%column, %k] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %x = tile.load %a[%row, %k] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %next = tile.dot %x, %t, %acc {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %r = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %r, %c[%row, %column] extents [64, 64] {plan.id = "e1"} : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x?xbf16, align 16>

// An end through the slots of another, which may be behind it. It says which it is.

// CHECK-LABEL: func.func @with(
// CHECK: %[[C:.*]] = cta.channel store {plan.id = "e2"} : <2 x tensor<64x32xbf16>>
// CHECK-NOT: cta.channel
// CHECK: cta.store {{.*}}, %arg1{{.*}} through %[[C]] {plan.id = "e1"}
// CHECK: cta.store {{.*}}, %arg1{{.*}} through %[[C]] :
func.func @with(%a: !view {tile.name = "a"}, %c: !view {tile.name = "c"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of with for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A channels e1: store, 2 slots of 32 columns, with e2; e2: store, 2 slots of 32 columns"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  tile.grid [%c64]
  %m = tile.program_id 0
  %x = tile.load %a[%m, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  tile.store %x, %c[%m, %c0] extents [64, 64] {plan.id = "e1"} : tensor<64x64xbf16>, !view, i32, i32
  tile.store %x, %c[%m, %c64] extents [64, 64] {plan.id = "e2"} : tensor<64x64xbf16>, !view, i32, i32
  return
}
