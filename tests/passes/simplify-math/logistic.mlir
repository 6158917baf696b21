// RUN: tile-opt %s --simplify-math | FileCheck %s

// gelu: v / 2 · (1 + tanh(v · 3)) is one power and one quotient.
// CHECK-LABEL: @one_and_tanh_is_a_quotient
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.0{{.*}}> : tensor<8xf32>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<-8.65{{.*}}> : tensor<8xf32>
// CHECK: %[[T:.*]] = tile.load
// CHECK: %[[X:.*]] = arith.mulf %[[T]], %[[SCALE]]
// CHECK: %[[E:.*]] = math.exp2 %[[X]]
// CHECK: %[[D:.*]] = arith.addf %[[E]], %[[ONE]]
// CHECK: %[[Q:.*]] = arith.divf %[[T]], %[[D]]
// CHECK: tile.store %[[Q]]
func.func @one_and_tanh_is_a_quotient(%x: !tile.view<8xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %three = arith.constant dense<3.0> : tensor<8xf32>
  %t = tile.load %x[%c0] extents [8] : !tile.view<8xf32>, i32 -> tensor<8xf32>
  %s = arith.mulf %t, %three : tensor<8xf32>
  %tanh = math.tanh %s : tensor<8xf32>
  %sum = arith.addf %one, %tanh : tensor<8xf32>
  %h = arith.mulf %t, %half : tensor<8xf32>
  %r = arith.mulf %h, %sum : tensor<8xf32>
  tile.store %r, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<8xf32>, i32
  return
}

// CHECK-LABEL: @other_sums_stay
// CHECK: math.tanh
// CHECK: math.tanh {{.*}} fastmath<afn>
func.func @other_sums_stay(%x: !tile.view<8xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %three = arith.constant dense<3.0> : tensor<8xf32>
  %t = tile.load %x[%c0] extents [8] : !tile.view<8xf32>, i32 -> tensor<8xf32>
  %tanh = math.tanh %t : tensor<8xf32>
  %a = arith.addf %tanh, %three : tensor<8xf32>
  %near = math.tanh %t fastmath<afn> : tensor<8xf32>
  %b = arith.addf %near, %one : tensor<8xf32>
  %r = arith.mulf %a, %b : tensor<8xf32>
  tile.store %r, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<8xf32>, i32
  return
}
