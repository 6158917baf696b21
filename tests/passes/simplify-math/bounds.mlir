// RUN: tile-opt %s --simplify-math | FileCheck %s

// CHECK-LABEL: @bounds_of_one_index_are_joined
// CHECK: %[[LIMIT:.*]] = arith.minsi
// CHECK: %[[ALL:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}}
// CHECK-NOT: arith.andi
func.func @bounds_of_one_index_are_joined(%x: !tile.view<?xf32>, %n: i32, %m: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %r = tile.range %c0 : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %ms = tile.splat %m : i32 -> tensor<8xi32>
  %a = arith.cmpi slt, %r, %ns : tensor<8xi32>
  %b = arith.cmpi sle, %r, %ms : tensor<8xi32>
  %both = arith.andi %a, %b : tensor<8xi1>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %v = arith.select %both, %one, %zero : tensor<8xi1>, tensor<8xf32>
  tile.store %v, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// One index along rows and along columns is two indices.
// CHECK-LABEL: @bounds_along_different_axes_stay
// CHECK: arith.andi
func.func @bounds_along_different_axes_stay(%x: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %r = tile.range %n : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %a = arith.cmpi slt, %r, %ns : tensor<8xi32>
  %rows1 = tile.expand_dims %a, 1 : tensor<8xi1> -> tensor<8x1xi1>
  %rows = tile.broadcast %rows1 : tensor<8x1xi1> -> tensor<8x8xi1>
  %columns1 = tile.expand_dims %a, 0 : tensor<8xi1> -> tensor<1x8xi1>
  %columns = tile.broadcast %columns1 : tensor<1x8xi1> -> tensor<8x8xi1>
  %both = arith.andi %rows, %columns : tensor<8x8xi1>
  %one = arith.constant dense<1.0> : tensor<8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %v = arith.select %both, %one, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  tile.store %v, %x[%c0, %c0] extents [8, 8] : tensor<8x8xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @equality_is_no_bound
// CHECK: arith.cmpi eq
// CHECK: arith.andi
func.func @equality_is_no_bound(%x: !tile.view<?xf32>, %n: i32, %m: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %r = tile.range %c0 : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %ms = tile.splat %m : i32 -> tensor<8xi32>
  %a = arith.cmpi eq, %r, %ns : tensor<8xi32>
  %b = arith.cmpi sge, %r, %ms : tensor<8xi32>
  %both = arith.andi %a, %b : tensor<8xi1>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %v = arith.select %both, %one, %zero : tensor<8xi1>, tensor<8xf32>
  tile.store %v, %x[%c0] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}
