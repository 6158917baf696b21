// RUN: tile-opt %s --delay-sums --split-input-file | FileCheck %s

// Each of the four threads that hold a row adds up its part; the sum is one behind the loop.

!view = !tile.view<?x64xbf16, align 16>

// CHECK-LABEL: func.func @from_zero(
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x4xf32>
// CHECK: %[[PARTS:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %[[ZERO]]) -> (tensor<64x4xf32>)
// CHECK: %[[P:.*]] = math.exp2
// CHECK: %[[ADDED:.*]] = cta.partial_sum %[[P]] : tensor<64x64xf32> -> tensor<64x4xf32>
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[T]], %[[ADDED]]
// CHECK-NOT: tile.reduce
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[SUM:.*]] = tile.reduce sum %[[PARTS]], 1
// CHECK: tile.store %[[SUM]]
func.func @from_zero(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of from_zero for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %row = tile.reduce sum %p, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %next = arith.addf %t, %row : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// A factor of what was there is one of each part; columns over two warps are eight parts.

// CHECK-LABEL: func.func @with_a_factor(
// CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<64x8xf32>)
// CHECK: %[[F:.*]] = tile.reduce max
// CHECK: %[[ADDED:.*]] = cta.partial_sum
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[F]], 1
// CHECK: %[[ALL:.*]] = tile.broadcast %[[COLUMN]]
// CHECK: math.fma %[[T]], %[[ALL]], %[[ADDED]]
func.func @with_a_factor(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of with_a_factor for sm_90\0A products p1: wgmma 64x64x16, warps 4x2\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %f = tile.reduce max %s, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %row = tile.reduce sum %p, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %kept = arith.mulf %f, %t : tensor<64xf32>
    %next = arith.addf %row, %kept : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// As one op.

// CHECK-LABEL: func.func @fused(
// CHECK: cta.partial_sum
// CHECK: math.fma
// CHECK-NOT: tile.reduce sum
// CHECK: scf.yield
func.func @fused(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of fused for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %f = tile.reduce max %s, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %row = tile.reduce sum %p, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %next = math.fma %t, %f, %row : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// What the sum starts with goes to the first part.

// CHECK-LABEL: func.func @from_one(
// CHECK: %[[NUMBERS:.*]] = tile.range
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[START:.*]] = arith.select %[[FIRST]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]]) -> (tensor<64x4xf32>)
func.func @from_one(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of from_one for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %one) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %row = tile.reduce sum %p, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %next = arith.addf %t, %row : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// A loop of which the plan says nothing keeps its sums.

// CHECK-LABEL: func.func @as_it_is(
// CHECK-NOT: cta.partial_sum
// CHECK: tile.reduce sum
func.func @as_it_is(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of as_it_is for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: split masks"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %row = tile.reduce sum %p, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %next = arith.addf %t, %row : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}
