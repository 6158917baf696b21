// RUN: tile-opt %s --swap-products --split-input-file | FileCheck %s

!a = !tile.view<16x?xbf16, align 16>
!b = !tile.view<64x?xbf16, align 16>
!c = !tile.view<16x64xf32, align 16>

// A sum that a loop carries from zero is carried transposed; ids of tiles change sides.

// CHECK-LABEL: func.func @carried
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[ZERO]]) -> (tensor<64x16xf32>)
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[B:.*]] = tile.load
// CHECK: %[[RIGHT:.*]] = tile.transpose %[[A]] [1, 0]
// CHECK: %[[NOW:.*]] = tile.dot %[[B]], %[[RIGHT]], %[[BEFORE]] {plan.id = "p1", plan.left = "t2", plan.right = "t1", plan.swapped}
// CHECK: scf.yield %[[NOW]]
// CHECK: %[[C:.*]] = tile.transpose %[[SUM]] [1, 0]
// CHECK: tile.store %[[C]]
func.func @carried(%a: !a, %b: !b, %c: !c)
    attributes {tile.kernel, plan.text = "plan 1 of carried for sm_90\0A products p1: wgmma 64x16x16, warps 4x1, swapped"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = tile.dim %a, 1 : !a
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<16x64xf32>) : i32 {
    %x = tile.load %a[%c0, %i] extents [16, 64] : !a, i32, i32 -> tensor<16x64xbf16>
    %y = tile.load %b[%c0, %i] extents [64, 64] : !b, i32, i32 -> tensor<64x64xbf16>
    %z = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %now = tile.dot %x, %z, %before {plan.id = "p1", plan.left = "t1", plan.right = "t2"} : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
    scf.yield %now : tensor<16x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %c[%c0, %c0] extents [16, 64] : tensor<16x64xf32>, !c, i32, i32
  return
}

// -----

!a = !tile.view<16x?xbf16, align 16>
!b = !tile.view<64x?xbf16, align 16>
!c = !tile.view<16x64xf32, align 16>

// One that something else reads is carried as it is, and so is one that is scaled on the way.

// CHECK-LABEL: func.func @read
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}, %[[SCALED:.*]] = %{{.*}}) -> (tensor<16x64xf32>, tensor<16x64xf32>)
// CHECK: tile.store %[[BEFORE]]
// CHECK: %[[SUM:.*]] = tile.transpose %[[BEFORE]] [1, 0]
// CHECK: %[[NOW:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[SUM]] {plan.id = "p1", plan.swapped}
// CHECK: %[[FIRST:.*]] = tile.transpose %[[NOW]] [1, 0]
// CHECK: %[[HALF:.*]] = arith.mulf %[[SCALED]]
// CHECK: %[[TURNED:.*]] = tile.transpose %[[HALF]] [1, 0]
// CHECK: %[[NEXT:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[TURNED]] {plan.id = "p2", plan.swapped}
// CHECK: %[[SECOND:.*]] = tile.transpose %[[NEXT]] [1, 0]
// CHECK: scf.yield %[[FIRST]], %[[SECOND]]
func.func @read(%a: !a, %b: !b, %c: !c)
    attributes {tile.kernel, plan.text = "plan 1 of read for sm_90\0A products p1: wgmma 64x16x16, warps 4x1, swapped; p2: wgmma 64x16x16, warps 4x1, swapped"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = tile.dim %a, 1 : !a
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %half = arith.constant dense<0.5> : tensor<16x64xf32>
  tile.grid [%c1]
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero, %scaled = %zero) -> (tensor<16x64xf32>, tensor<16x64xf32>) : i32 {
    %x = tile.load %a[%c0, %i] extents [16, 64] : !a, i32, i32 -> tensor<16x64xbf16>
    %y = tile.load %b[%c0, %i] extents [64, 64] : !b, i32, i32 -> tensor<64x64xbf16>
    %z = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    tile.store %before, %c[%c0, %c0] extents [16, 64] : tensor<16x64xf32>, !c, i32, i32
    %now = tile.dot %x, %z, %before {plan.id = "p1"} : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
    %less = arith.mulf %scaled, %half : tensor<16x64xf32>
    %next = tile.dot %x, %z, %less {plan.id = "p2"} : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
    scf.yield %now, %next : tensor<16x64xf32>, tensor<16x64xf32>
  } {plan.id = "l1"}
  tile.store %sums#0, %c[%c0, %c0] extents [16, 64] : tensor<16x64xf32>, !c, i32, i32
  return
}

// -----

!a = !tile.view<16x?xbf16, align 16>
!b = !tile.view<64x?xbf16, align 16>
!c = !tile.view<16x64xf32, align 16>

// Two products that add to one sum, in loops one behind the other: no sum is turned in between.

// CHECK-LABEL: func.func @chained
// CHECK: %[[FIRST:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (tensor<64x16xf32>)
// CHECK: %[[SUM:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[BEFORE]]
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[SUM]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (tensor<64x16xf32>)
// CHECK: tile.dot
func.func @chained(%a: !a, %b: !b, %c: !c)
    attributes {tile.kernel, plan.text = "plan 1 of chained for sm_90\0A products p1: wgmma 64x16x16, warps 4x1, swapped; p2: wgmma 64x16x16, warps 4x1, swapped; p3: wgmma 64x16x16, warps 4x1, swapped"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = tile.dim %a, 1 : !a
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (tensor<16x64xf32>) : i32 {
    %x = tile.load %a[%c0, %i] extents [16, 64] : !a, i32, i32 -> tensor<16x64xbf16>
    %y = tile.load %b[%c0, %i] extents [64, 64] : !b, i32, i32 -> tensor<64x64xbf16>
    %now = tile.dot %x, %y, %before {plan.id = "p1"} : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
    %next = tile.dot %x, %y, %now {plan.id = "p2"} : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  } {plan.id = "l1"}
  %both = scf.for %i = %c0 to %n step %c1 iter_args(%before = %sum) -> (tensor<16x64xf32>) : i32 {
    %x = tile.load %a[%c0, %i] extents [16, 64] : !a, i32, i32 -> tensor<16x64xbf16>
    %y = tile.load %b[%c0, %i] extents [64, 64] : !b, i32, i32 -> tensor<64x64xbf16>
    %now = tile.dot %x, %y, %before {plan.id = "p3"} : tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xf32>
    scf.yield %now : tensor<16x64xf32>
  } {plan.id = "l2"}
  tile.store %both, %c[%c0, %c0] extents [16, 64] : tensor<16x64xf32>, !c, i32, i32
  return
}
