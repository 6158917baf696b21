// RUN: tile-opt %s --simplify-math | FileCheck %s

// gelu: of 0.5 v (1 + tanh u), u a multiple of v, v / (1 + exp2 (c v)) is left.
// CHECK-LABEL: @one_and_a_tanh_is_a_quotient
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<-1.44269502> : tensor<8xf32>
// CHECK: %[[V:.*]] = tile.load
// CHECK-NEXT: %[[CV:.*]] = arith.mulf %[[V]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[CV]]
// CHECK-NEXT: %[[D:.*]] = arith.addf %[[E]], %[[ONE]]
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[V]], %[[D]]
// CHECK-NEXT: tile.store %[[Q]]
func.func @one_and_a_tanh_is_a_quotient(%x: !tile.view<?xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %v = tile.load %x[%c0] extents [8] : !tile.view<?xf32>, i32 -> tensor<8xf32>
  %u = arith.mulf %v, %half : tensor<8xf32>
  %t = math.tanh %u : tensor<8xf32>
  %s = arith.addf %t, %one : tensor<8xf32>
  %h = arith.mulf %half, %v : tensor<8xf32>
  %y = arith.mulf %h, %s : tensor<8xf32>
  tile.store %y, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// One instruction of a GPU; a tanh that is needed otherwise; other sums; narrow floats.
// CHECK-LABEL: @other_tanh_stay
// CHECK-COUNT-4: math.tanh
// CHECK-NOT: math.exp
// CHECK: return
func.func @other_tanh_stay(%x: !tile.view<?xf32>, %z: !tile.view<?xf16>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %narrow = arith.constant dense<1.0> : tensor<8xf16>
  %v = tile.load %x[%c0] extents [8] : !tile.view<?xf32>, i32 -> tensor<8xf32>
  %approximate = math.tanh %v fastmath<afn> : tensor<8xf32>
  %a = arith.addf %approximate, %one : tensor<8xf32>
  %twice = math.tanh %a : tensor<8xf32>
  %b = arith.addf %one, %twice : tensor<8xf32>
  %c = arith.subf %b, %twice : tensor<8xf32>
  %t = math.tanh %c : tensor<8xf32>
  %d = arith.addf %t, %two : tensor<8xf32>
  tile.store %d, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  %n = tile.load %z[%c0] extents [8] : !tile.view<?xf16>, i32 -> tensor<8xf16>
  %tn = math.tanh %n : tensor<8xf16>
  %e = arith.addf %tn, %narrow : tensor<8xf16>
  tile.store %e, %z[%c0] extents [8] : tensor<8xf16>, !tile.view<?xf16>, i32
  return
}

// What is divided by a tile that is 1 stays apart: the sigmoid of silu.
// CHECK-LABEL: @numerators
// CHECK: %[[D:.*]] = arith.divf %{{.*}}, %{{.*}}
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %[[D]]
// CHECK: %[[T:.*]] = arith.mulf %[[S]], %{{.*}}
// CHECK: arith.divf %[[T]], %{{.*}}
func.func @numerators(%x: !tile.view<?xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %three = arith.constant dense<3.0> : tensor<8xf32>
  %v = tile.load %x[%c0] extents [8] : !tile.view<?xf32>, i32 -> tensor<8xf32>
  %p = arith.divf %one, %v : tensor<8xf32>
  %s = arith.mulf %v, %p : tensor<8xf32>
  %q = arith.divf %three, %v : tensor<8xf32>
  %y = arith.mulf %q, %s : tensor<8xf32>
  tile.store %y, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// The slope of the tangent beside it: l (2 - l) with l = 1 + tanh x.
// CHECK-LABEL: @slope_of_a_tanh
// CHECK: %[[L:.*]] = arith.divf
// CHECK-NOT: math.tanh
// CHECK: %[[REST:.*]] = arith.subf %{{.*}}, %[[L]]
// CHECK: %[[SLOPE:.*]] = arith.mulf %[[L]], %[[REST]]
// CHECK: arith.addf %[[L]], %[[SLOPE]]
func.func @slope_of_a_tanh(%x: !tile.view<?xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %v = tile.load %x[%c0] extents [8] : !tile.view<?xf32>, i32 -> tensor<8xf32>
  %t = math.tanh %v : tensor<8xf32>
  %l = arith.addf %t, %one : tensor<8xf32>
  %square = arith.mulf %t, %t : tensor<8xf32>
  %slope = arith.subf %one, %square : tensor<8xf32>
  %sum = arith.addf %l, %slope : tensor<8xf32>
  tile.store %sum, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}
