// RUN: tile-opt %s --pad-tiles --cse | FileCheck %s

// CHECK-LABEL: @bounds_serve_for_whole_dimensions
// CHECK: tile.load {{.*}} extents [112] : <100xf32>
// CHECK: tile.store {{.*}} extents [112] : tensor<112xf32>, <100xf32>
func.func @bounds_serve_for_whole_dimensions(%x: !tile.view<100xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [100] : !tile.view<100xf32>, i32 -> tensor<100xf32>
  tile.store %a, %x[%c0] extents [100] : tensor<100xf32>, !tile.view<100xf32>, i32
  return
}

// CHECK-LABEL: @valid_keeps_neighbours_out
// CHECK: tile.load {{.*}} extents [112] {valid = array<i64: 100>}
// CHECK: tile.store {{.*}} extents [112] {valid = array<i64: 100>}
func.func @valid_keeps_neighbours_out(%x: !tile.view<?xf32>, %i: i32) attributes {tile.kernel} {
  %a = tile.load %x[%i] extents [100] : !tile.view<?xf32>, i32 -> tensor<100xf32>
  tile.store %a, %x[%i] extents [100] : tensor<100xf32>, !tile.view<?xf32>, i32
  return
}

// Nothing along the axis meets the padding, and the view is only read.
// CHECK-LABEL: @loads_may_read_neighbours
// CHECK: tile.load {{.*}} extents [112] : <?xf32>
func.func @loads_may_read_neighbours(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %i: i32)
    attributes {tile.kernel} {
  %a = tile.load %x[%i] extents [100] : !tile.view<?xf32>, i32 -> tensor<100xf32>
  tile.store %a, %y[%i] extents [100] : tensor<100xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @index_tiles_point_outside
// CHECK-DAG: %[[OUTSIDE:.*]] = arith.constant dense<-1> : tensor<8xi32>
// CHECK: %[[INDICES:.*]] = arith.select %{{.*}}, %{{.*}}, %[[OUTSIDE]]
// CHECK: tile.atomic add %{{.*}}, %{{.*}}[%[[INDICES]]] extents [-1]
func.func @index_tiles_point_outside(%x: !tile.view<?xf32>, %i: !tile.view<5xi32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<5xf32>
  %a = tile.load %i[%c0] extents [5] : !tile.view<5xi32>, i32 -> tensor<5xi32>
  tile.atomic add %one, %x[%a] extents [-1] : tensor<5xf32>, !tile.view<?xf32>, tensor<5xi32>
  return
}
