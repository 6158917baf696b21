// RUN: tile-opt %s --pad-tiles | FileCheck %s

// CHECK-LABEL: @rounds_to_an_eighth_of_a_power_of_two
// CHECK: tile.range {{.*}} : tensor<1024xi32>
// CHECK: tile.range {{.*}} : tensor<112xi32>
// CHECK: tile.range {{.*}} : tensor<8xi32>
// CHECK: tile.range {{.*}} : tensor<96xi32>
// CHECK: tile.range {{.*}} : tensor<1xi32>
func.func @rounds_to_an_eighth_of_a_power_of_two(%n: i32) attributes {tile.kernel} {
  %a = tile.range %n : tensor<1000xi32>
  %b = tile.range %n : tensor<104xi32>
  %c = tile.range %n : tensor<5xi32>
  %d = tile.range %n : tensor<96xi32>
  %e = tile.range %n : tensor<1xi32>
  return
}

// CHECK-LABEL: @pads_loop_values_alike
// CHECK: scf.for {{.*}} -> (tensor<112xf32>)
// CHECK: scf.yield {{.*}} : tensor<112xf32>
func.func @pads_loop_values_alike(%x: !tile.view<?x100xf32>, %y: !tile.view<100xf32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<100xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<100xf32>) : i32 {
    %row = tile.load %x[%i, %c0] extents [0, 100] : !tile.view<?x100xf32>, i32, i32 -> tensor<100xf32>
    %next = arith.addf %s, %row : tensor<100xf32>
    scf.yield %next : tensor<100xf32>
  }
  tile.store %sum, %y[%c0] extents [100] : tensor<100xf32>, !tile.view<100xf32>, i32
  return
}

// CHECK-LABEL: @leaves_other_functions
// CHECK: tensor<1000xi32>
func.func @leaves_other_functions(%n: i32) {
  %a = tile.range %n : tensor<1000xi32>
  return
}
