// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// Digits of size 1 go, and neighbours merge where one continues the other.
#fragment = #cta.layout<registers [2:1:1, 2:0:8, 1:1:8], lanes [2:1:2, 2:1:4, 8:0:1], warps [4:0:16]>
#copies = #cta.layout<registers [4:*], lanes [8:*, 4:*], warps [2:*, 2:0:1]>

// CHECK-LABEL: @layouts
// CHECK-SAME: tensor<64x8xf32, #cta.layout<registers [2:1:1, 2:0:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>>
// CHECK-SAME: tensor<2xf32, #cta.layout<registers [], lanes [32:*], warps [2:*, 2:0:1]>>
func.func @layouts(%a: tensor<64x8xf32, #fragment>, %b: tensor<2xf32, #copies>) {
  return
}

// CHECK-LABEL: @types
// CHECK-SAME: !cta.channel<3 x tensor<64x64xbf16>>
// CHECK-SAME: !cta.slot<tensor<64x64xbf16>>
// CHECK-SAME: !cta.pending<tensor<64x64xf32>>
func.func @types(%a: !cta.channel<3 x tensor<64x64xbf16>>, %b: !cta.slot<tensor<64x64xbf16>>,
                 %c: !cta.pending<tensor<64x64xf32>>) {
  return
}

// CHECK-LABEL: @channels
// CHECK: cta.channel cp_async {shared = #cta.shared<pitch 64, swizzle<3, 3>>} : <3 x tensor<64x64xbf16>>
// CHECK: cta.channel registers : <2 x tensor<64x64xbf16>>
// CHECK: cta.channel put : <1 x tensor<64x64xbf16>>
// CHECK: cta.acquire %{{.*}} : <3 x tensor<64x64xbf16>> -> <tensor<64x64xbf16>>
// CHECK: cta.copy %{{.*}}[%{{.*}}, %{{.*}}] extents [64, 64], %{{.*}} {vector = 8 : i64} : <?x64xbf16>, <tensor<64x64xbf16>>
// CHECK: cta.commit %{{.*}} : <tensor<64x64xbf16>>
// CHECK: cta.copy %{{.*}} extents [64, 64], %{{.*}} if %{{.*}} {in_bounds = array<i1: false, true>, valid = array<i64: 0, 50>}
// CHECK: cta.put %{{.*}}, %{{.*}} : tensor<64x64xbf16>, <tensor<64x64xbf16>>
// CHECK: cta.wait %{{.*}} : <3 x tensor<64x64xbf16>> -> <tensor<64x64xbf16>>
// CHECK: cta.get %{{.*}} : <tensor<64x64xbf16>> -> tensor<64x64xbf16>
// CHECK: cta.element %{{.*}}[%{{.*}}] : <tensor<4xf32>> -> f32
// CHECK: cta.release %{{.*}} : <tensor<64x64xbf16>>
func.func @channels(%x: !tile.view<?x64xbf16>, %i: i32, %some: i1, %tile: tensor<64x64xbf16>,
                    %row: !cta.slot<tensor<4xf32>>) {
  %a = cta.channel cp_async {shared = #cta.shared<pitch 64, swizzle <3, 3>>} : !cta.channel<3 x tensor<64x64xbf16>>
  %b = cta.channel registers : !cta.channel<2 x tensor<64x64xbf16>>
  %c = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %filled = cta.acquire %a : !cta.channel<3 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  cta.copy %x[%i, %i] extents [64, 64], %filled {vector = 8 : i64} : !tile.view<?x64xbf16>, !cta.slot<tensor<64x64xbf16>>
  cta.commit %filled : !cta.slot<tensor<64x64xbf16>>
  %staged = cta.acquire %b : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  cta.copy %x[%i, %i] extents [64, 64], %staged if %some
      {vector = 1 : i64, valid = array<i64: 0, 50>, in_bounds = array<i1: false, true>}
      : !tile.view<?x64xbf16>, !cta.slot<tensor<64x64xbf16>>
  %computed = cta.acquire %c : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  cta.put %tile, %computed : tensor<64x64xbf16>, !cta.slot<tensor<64x64xbf16>>
  %full = cta.wait %a : !cta.channel<3 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  %got = cta.get %full : !cta.slot<tensor<64x64xbf16>> -> tensor<64x64xbf16>
  %element = cta.element %row[%i] : !cta.slot<tensor<4xf32>> -> f32
  cta.release %full : !cta.slot<tensor<64x64xbf16>>
  return
}

// CHECK-LABEL: @products
// CHECK: cta.mma %{{.*}}, %{{.*}}, %{{.*}} by #cta.mma_sync<16x8x16> over 4x1 {b_transposed}
// CHECK-SAME: : tensor<64x32xf32>, !cta.slot<tensor<64x128xbf16>>, <tensor<32x128xbf16>> -> <tensor<64x32xf32>>
// CHECK: cta.await %{{.*}} : <tensor<64x32xf32>> -> tensor<64x32xf32>{{$}}
// CHECK: cta.mma {{.*}} : tensor<64x32xf32>, tensor<64x128xbf16>, <tensor<32x128xbf16>> -> <tensor<64x32xf32>>
// CHECK: cta.mma {{.*}} by #cta.fma over 1x1 {a_transposed, tf32}
// CHECK: cta.convert %{{.*}} : tensor<64x8xf32, #cta.layout<{{.*}}>> -> tensor<64x8xf32>
// CHECK: cta.convert %{{.*}} {shared = #cta.shared<pitch 12, swizzle<0, 0>>}
// CHECK: cta.sync
func.func @products(%acc: tensor<64x32xf32>, %a: !cta.slot<tensor<64x128xbf16>>, %b: !cta.slot<tensor<32x128xbf16>>,
                    %held: tensor<64x128xbf16>, %at: !cta.slot<tensor<128x64xf32>>, %bf: !cta.slot<tensor<128x32xf32>>,
                    %tile: tensor<64x8xf32, #fragment>) {
  %p = cta.mma %acc, %a, %b by #cta.mma_sync<16x8x16> over 4x1 {b_transposed}
      : tensor<64x32xf32>, !cta.slot<tensor<64x128xbf16>>, !cta.slot<tensor<32x128xbf16>> -> !cta.pending<tensor<64x32xf32>>
  %s = cta.await %p : !cta.pending<tensor<64x32xf32>> -> tensor<64x32xf32>
  %q = cta.mma %acc, %held, %b by #cta.mma_sync<16x8x16> over 4x1 {b_transposed}
      : tensor<64x32xf32>, tensor<64x128xbf16>, !cta.slot<tensor<32x128xbf16>> -> !cta.pending<tensor<64x32xf32>>
  %r = cta.mma %acc, %at, %bf by #cta.fma over 1x1 {a_transposed, tf32}
      : tensor<64x32xf32>, !cta.slot<tensor<128x64xf32>>, !cta.slot<tensor<128x32xf32>> -> !cta.pending<tensor<64x32xf32>>
  %c = cta.convert %tile : tensor<64x8xf32, #fragment> -> tensor<64x8xf32>
  %d = cta.convert %tile {shared = #cta.shared<pitch 12, swizzle<0, 0>>} : tensor<64x8xf32, #fragment> -> tensor<64x8xf32>
  cta.sync
  return
}

// CHECK-LABEL: @waits_for_products
// CHECK: %[[NONE:.*]] = cta.no_slot %{{.*}} : <2 x tensor<64x64xbf16>> -> <tensor<64x64xbf16>>
// CHECK: cta.wait_group 1{{$}}
// CHECK: cta.wait_group 0, %{{.*}} after %{{.*}} : !cta.pending<tensor<64x64xf32>> after tensor<64xf32>
// CHECK: cta.release %[[NONE]] if %{{.*}} : <tensor<64x64xbf16>>
func.func @waits_for_products(%ring: !cta.channel<2 x tensor<64x64xbf16>>, %sum: !cta.pending<tensor<64x64xf32>>,
                              %rows: tensor<64xf32>, %later: i1) {
  %none = cta.no_slot %ring : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  cta.wait_group 1
  cta.wait_group 0, %sum after %rows : !cta.pending<tensor<64x64xf32>> after tensor<64xf32>
  cta.release %none if %later : !cta.slot<tensor<64x64xbf16>>
  return
}

// CHECK-LABEL: @cluster_reduce
// CHECK: cta.cluster_reduce max %{{.*}} : tensor<4xf32>
// CHECK: cta.cluster_reduce sum %{{.*}} : i32
func.func @cluster_reduce(%peaks: tensor<4xf32>, %count: i32) attributes {cta.cluster = array<i64: 8>} {
  %all = cta.cluster_reduce max %peaks : tensor<4xf32>
  %total = cta.cluster_reduce sum %count : i32
  return
}

// CHECK-LABEL: @moments
// CHECK: %[[PARTS:.*]]:4 = cta.moments %{{.*}}, %{{.*}} along 1 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK: cta.cluster_reduce sum %[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2, %[[PARTS]]#3 moments 8 : tensor<4xf32>
func.func @moments(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>) attributes {cta.cluster = array<i64: 8>} {
  %parts:4 = cta.moments %x, %w along 1 : tensor<4x8xf32> -> tensor<4xf32>
  %all:4 = cta.cluster_reduce sum %parts#0, %parts#1, %parts#2, %parts#3 moments 8 : tensor<4xf32>
  return
}

// CHECK-LABEL: @joint_reduce
// CHECK: %[[PARTS:.*]]:2 = cta.joint_reduce sum %{{.*}}, %{{.*}} along 1 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK: cta.cluster_reduce sum %[[PARTS]]#0, %[[PARTS]]#1 : tensor<4xf32>
func.func @joint_reduce(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) attributes {cta.cluster = array<i64: 8>} {
  %parts:2 = cta.joint_reduce sum %x, %y along 1 : tensor<4x8xf32> -> tensor<4xf32>
  %sums:2 = cta.cluster_reduce sum %parts#0, %parts#1 : tensor<4xf32>
  return
}
