// RUN: tile-opt %s --make-persistent --cut-roles --place-products --skew-loops --split-input-file | FileCheck %s

// What is early of the first iteration, a loop over the others, and what is late of the last. A start has
// nothing in front of it that it does not need; the await of the late product stands behind the arithmetic
// beside it, and what only rounds stands behind that.

!view = !tile.view<?x64xbf16, align 16>

// CHECK-LABEL: func.func @k(
// CHECK: cta.role "use"
// CHECK: %[[Q:.*]] = cta.wait
// CHECK: %[[K0:.*]] = cta.wait
// CHECK: cta.mma {{.*}}, %[[Q]], %[[K0]] {{.*}}plan.id = "p1"
// CHECK: cta.await
// CHECK-NEXT: cta.release %[[K0]]
// CHECK: %[[E0:.*]] = math.exp2
// CHECK: %[[P0:.*]] = tile.cast %[[E0]]
// CHECK-NOT: plan.id = "p2"
// CHECK: %[[LEFT:.*]]:2 = scf.for %{{.*}} = %c1_i32{{.*}} to %{{.*}} iter_args(%[[P:.*]] = %[[P0]], %[[HALF:.*]] = %{{.*}}) -> (tensor<64x64xbf16>, tensor<64x64xf32>)
// CHECK-NEXT: %[[K:.*]] = cta.wait
// CHECK-NEXT: cta.begin
// CHECK-NEXT: %[[S:.*]] = cta.mma {{.*}}, %[[Q]], %[[K]] {{.*}}plan.id = "p1"
// CHECK-NEXT: %[[V:.*]] = cta.wait
// CHECK-NEXT: %[[O:.*]] = cta.mma %[[HALF]], %[[P]], %[[V]] {{.*}}plan.id = "p2"
// CHECK-NEXT: %[[SCORES:.*]] = cta.await %[[S]]
// CHECK-NEXT: cta.release %[[K]]
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[SCORES]]
// CHECK-NEXT: %[[SUM:.*]] = cta.await %[[O]] {{.*}} after %[[E]]
// CHECK-NEXT: cta.release %[[V]]
// CHECK: %[[PNOW:.*]] = tile.cast %[[E]]
// CHECK: %[[HALFNOW:.*]] = arith.mulf %[[SUM]]
// CHECK: scf.yield %[[PNOW]], %[[HALFNOW]]
// CHECK: cta.release %[[Q]]
// CHECK: %[[VLAST:.*]] = cta.wait
// CHECK: %[[LAST:.*]] = cta.mma %[[LEFT]]#1, %[[LEFT]]#0, %[[VLAST]] {{.*}}plan.id = "p2"
// CHECK: %[[RESULT:.*]] = cta.await %[[LAST]]
// CHECK-NEXT: cta.release %[[VLAST]]
// CHECK: tile.store %[[RESULT]]
func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1, 1 behind\0A loops l1: start p1, start p2, await p1, await p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %acc, %factor : tensor<64x64xf32>
    %next = tile.dot %p, %z, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// The other order of starts and of awaits.

// CHECK-LABEL: func.func @turned(
// CHECK: scf.for {{.*}} iter_args(%[[HALF:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}) ->
// CHECK-NEXT: %[[V:.*]] = cta.wait
// CHECK-NEXT: %[[O:.*]] = cta.mma %[[HALF]], %[[P]], %[[V]] {{.*}}plan.id = "p2"
// CHECK: %[[S:.*]] = cta.mma {{.*}}plan.id = "p1"
// CHECK-NEXT: %[[SUM:.*]] = cta.await %[[O]]
// CHECK-NEXT: cta.release %[[V]]
// CHECK: arith.mulf %[[SUM]]
// CHECK: cta.await %[[S]]
// CHECK: math.exp2
func.func @turned(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of turned for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1, 1 behind\0A loops l1: start p2, start p1, await p2, await p1\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %acc, %factor : tensor<64x64xf32>
    %next = tile.dot %p, %z, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}
