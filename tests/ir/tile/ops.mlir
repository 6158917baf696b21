// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @views
// CHECK-SAME: !tile.view<?x64xbf16, align 16>
// CHECK-SAME: !tile.view<128xf32>
// CHECK-SAME: !tile.view<?x?x?xf16, align 4, strided, wide>
// CHECK-SAME: !tile.view<8xi1>
// CHECK-SAME: !tile.view<f32, wide>
func.func @views(%a: !tile.view<?x64xbf16, align 16>, %b: !tile.view<128xf32, align 4>,
                 %c: !tile.view<?x?x?xf16, wide, strided, align 4>, %d: !tile.view<8xi1>,
                 %e: !tile.view<f32, wide>) {
  return
}

// CHECK-LABEL: @program
// CHECK: tile.dim %{{.*}}, 1 : <?x?xf16>
// CHECK: tile.grid[%{{.*}}, %{{.*}}]
// CHECK: tile.grid[]
// CHECK: tile.program_id 1
// CHECK: tile.assert %{{.*}}, "a claim" : i1
// CHECK: tile.assert %{{.*}}, "of every element" : tensor<8xi1>
func.func @program(%x: !tile.view<?x?xf16>, %claim: i1, %each: tensor<8xi1>) {
  %n = tile.dim %x, 1 : !tile.view<?x?xf16>
  tile.grid [%n, %n]
  tile.grid []
  %p = tile.program_id 1
  tile.assert %claim, "a claim" : i1
  tile.assert %each, "of every element" : tensor<8xi1>
  return
}

// CHECK-LABEL: @loads
// CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] extents [0, 128] : <?x?xf16>, i32, i32 -> tensor<128xf16>
// CHECK: tile.load %{{.*}} extents [0, 0] : <?x?xf16>, i32, i32 -> f16
// CHECK: tile.load %{{.*}} extents [-1, 16] : <?x?xf16>, tensor<32xi32>, i32 -> tensor<32x16xf16>
// CHECK: tile.load %{{.*}} extents [8, 16] fill %{{.*}} : f16
// CHECK-SAME: {in_bounds = array<i1: true, false>, valid = array<i64: 0, 10>} : <?x?xf16>
func.func @loads(%x: !tile.view<?x?xf16>, %i: i32, %at: tensor<32xi32>, %fill: f16) {
  %row = tile.load %x[%i, %i] extents [0, 128] : !tile.view<?x?xf16>, i32, i32 -> tensor<128xf16>
  %one = tile.load %x[%i, %i] extents [0, 0] : !tile.view<?x?xf16>, i32, i32 -> f16
  %some = tile.load %x[%at, %i] extents [-1, 16] : !tile.view<?x?xf16>, tensor<32xi32>, i32 -> tensor<32x16xf16>
  %part = tile.load %x[%i, %i] extents [8, 16] fill %fill : f16
      {in_bounds = array<i1: true, false>, valid = array<i64: 0, 10>}
      : !tile.view<?x?xf16>, i32, i32 -> tensor<8x16xf16>
  return
}

// CHECK-LABEL: @updates
// CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] extents [0, 128] : tensor<128xf32>, <?x?xf32>, i32, i32
// CHECK: tile.store %{{.*}} extents [0, 0] : f32, <?x?xf32>, i32, i32
// CHECK: tile.store %{{.*}} extents [-1, 0] {in_bounds = array<i1: false, true>, valid = array<i64: 0, 0>} : tensor<128xf32>
// CHECK: tile.atomic add %{{.*}}, %{{.*}} extents [0, 128] : tensor<128xf32>
// CHECK: tile.atomic max %{{.*}} extents [0, 0] : f32
// CHECK: tile.atomic min %{{.*}} extents [-1, 0] : tensor<128xf32>
// CHECK: tile.atomic add %{{.*}} extents [0, 0] {in_order} : f32
func.func @updates(%x: !tile.view<?x?xf32>, %i: i32, %at: tensor<128xi32>, %v: tensor<128xf32>, %s: f32) {
  tile.store %v, %x[%i, %i] extents [0, 128] : tensor<128xf32>, !tile.view<?x?xf32>, i32, i32
  tile.store %s, %x[%i, %i] extents [0, 0] : f32, !tile.view<?x?xf32>, i32, i32
  tile.store %v, %x[%at, %i] extents [-1, 0] {in_bounds = array<i1: false, true>, valid = array<i64: 0, 0>}
      : tensor<128xf32>, !tile.view<?x?xf32>, tensor<128xi32>, i32
  tile.atomic add %v, %x[%i, %i] extents [0, 128] : tensor<128xf32>, !tile.view<?x?xf32>, i32, i32
  tile.atomic max %s, %x[%i, %i] extents [0, 0] : f32, !tile.view<?x?xf32>, i32, i32
  tile.atomic min %v, %x[%at, %i] extents [-1, 0] : tensor<128xf32>, !tile.view<?x?xf32>, tensor<128xi32>, i32
  tile.atomic add %s, %x[%i, %i] extents [0, 0] {in_order} : f32, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @shapes
// CHECK: tile.range %{{.*}} : tensor<48xi32>
// CHECK: tile.splat %{{.*}} : f16 -> tensor<4x8xf16>
// CHECK: tile.expand_dims %{{.*}}, 1 : tensor<48xi32> -> tensor<48x1xi32>
// CHECK: tile.broadcast %{{.*}} : tensor<48x1xi32> -> tensor<48x3xi32>
// CHECK: tile.transpose %{{.*}} [2, 0, 1] : tensor<4x5x6xf32> -> tensor<6x4x5xf32>
func.func @shapes(%i: i32, %v: f16, %cube: tensor<4x5x6xf32>) {
  %range = tile.range %i : tensor<48xi32>
  %splat = tile.splat %v : f16 -> tensor<4x8xf16>
  %column = tile.expand_dims %range, 1 : tensor<48xi32> -> tensor<48x1xi32>
  %repeated = tile.broadcast %column : tensor<48x1xi32> -> tensor<48x3xi32>
  %turned = tile.transpose %cube [2, 0, 1] : tensor<4x5x6xf32> -> tensor<6x4x5xf32>
  return
}

// CHECK-LABEL: @compute
// CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32>
// CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} tf32 : tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>
// CHECK: tile.reduce sum %{{.*}}, 0 : tensor<16x32xf32> -> tensor<32xf32>
// CHECK: tile.reduce max %{{.*}}, 1 : tensor<16x32xf32> -> tensor<16xf32>
// CHECK: tile.reduce min %{{.*}}, 0 : tensor<16xf32> -> f32
// CHECK: tile.reduce any %{{.*}}, 0 : tensor<8xi1> -> i1
// CHECK: tile.reduce all %{{.*}}, 0 : tensor<8xi1> -> i1
// CHECK: tile.arg_reduce max %{{.*}}, 1 : tensor<16x32xf32> -> tensor<16xi32>
// CHECK: tile.arg_reduce min %{{.*}}, 0 : tensor<16xf32> -> i32
// CHECK: tile.scan %{{.*}}, 1 : tensor<16x32xf32>
// CHECK: tile.random_bytes %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}}, %{{.*}} : tensor<16x32xi32>
// CHECK: tile.cast %{{.*}} : tensor<16x32xf32> -> tensor<16x32xf8E4M3FN>
// CHECK: tile.cast %{{.*}} : f32 -> i32
func.func @compute(%a8: tensor<16x32xi8>, %b8: tensor<32x8xi8>, %c8: tensor<16x8xi32>,
                   %a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>, %mask: tensor<8xi1>,
                   %seed: i64, %n: i32, %places: tensor<16x32xi32>) {
  %d8 = tile.dot %a8, %b8, %c8 : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32>
  %d = tile.dot %a, %b, %c tf32 : tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>
  %columns = tile.reduce sum %a, 0 : tensor<16x32xf32> -> tensor<32xf32>
  %rows = tile.reduce max %a, 1 : tensor<16x32xf32> -> tensor<16xf32>
  %least = tile.reduce min %rows, 0 : tensor<16xf32> -> f32
  %any = tile.reduce any %mask, 0 : tensor<8xi1> -> i1
  %all = tile.reduce all %mask, 0 : tensor<8xi1> -> i1
  %where = tile.arg_reduce max %a, 1 : tensor<16x32xf32> -> tensor<16xi32>
  %place = tile.arg_reduce min %rows, 0 : tensor<16xf32> -> i32
  %sums = tile.scan %a, 1 : tensor<16x32xf32>
  %dice = tile.random_bytes %seed, %n, %n at %places, %places : tensor<16x32xi32>
  %narrow = tile.cast %a : tensor<16x32xf32> -> tensor<16x32xf8E4M3FN>
  %integer = tile.cast %least : f32 -> i32
  return
}

// CHECK-LABEL: @parts
// CHECK: tile.subview %{{.*}}, 0 from %{{.*}} size %{{.*}} : <?x64xbf16, align 16> -> <?x64xbf16, align 16>
// CHECK: tile.subview %{{.*}}, 1 from %{{.*}} size %{{.*}} : <?x64xbf16, align 16> -> <?x?xbf16>
func.func @parts(%x: !tile.view<?x64xbf16, align 16>, %start: i32, %size: i32) {
  %rows = tile.subview %x, 0 from %start size %size
      : !tile.view<?x64xbf16, align 16> -> !tile.view<?x64xbf16, align 16>
  %both = tile.subview %rows, 1 from %start size %size
      : !tile.view<?x64xbf16, align 16> -> !tile.view<?x?xbf16>
  return
}
