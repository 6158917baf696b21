// RUN: tile-opt %s --split-masked-loops | FileCheck %s

// Columns up to row + shift: iterations run to the last column that the last row sees, and without
// the mask to the last that the first row sees.
// CHECK-LABEL: @causal_mask_has_a_full_and_a_partial_part
// CHECK-DAG: %[[END:.*]] = arith.minsi %{{.*}}, %{{.*}}
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: tile.segment = 0 : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK: arith.cmpi sle
// CHECK: arith.select
// CHECK: tile.segment = 1 : i32
func.func @causal_mask_has_a_full_and_a_partial_part(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %shift: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %m = tile.program_id 0
  %row = arith.muli %m, %c32 : i32
  %start = arith.addi %row, %shift : i32
  %rows = tile.range %start : tensor<32xi32>
  %rows1 = tile.expand_dims %rows, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bound = tile.broadcast %rows1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %T = tile.dim %x, 1 : !tile.view<?x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<32xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %cols1 = tile.expand_dims %cols, 0 : tensor<16xi32> -> tensor<1x16xi32>
    %place = tile.broadcast %cols1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %a = tile.load %x[%row, %col] extents [32, 16] : !tile.view<?x?xf32>, i32, i32 -> tensor<32x16xf32>
    %seen = arith.cmpi sle, %place, %bound : tensor<32x16xi32>
    %v = arith.select %seen, %a, %zeros : tensor<32x16xi1>, tensor<32x16xf32>
    %part = tile.reduce sum %v, 1 : tensor<32x16xf32> -> tensor<32xf32>
    %next = arith.addf %s, %part : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sum, %y[%row] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

// The far edge of the window comes first, where both masks are needed; at the near edge only one is.
// CHECK-LABEL: @window_has_three_parts
// CHECK: scf.for
// CHECK: arith.cmpi sgt
// CHECK: arith.cmpi sle
// CHECK: tile.segment = 0 : i32
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: tile.segment = 1 : i32
// CHECK: scf.for
// CHECK-NOT: arith.cmpi sgt
// CHECK: arith.cmpi sle
// CHECK: tile.segment = 2 : i32
func.func @window_has_three_parts(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %shift: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %m = tile.program_id 0
  %row = arith.muli %m, %c32 : i32
  %start = arith.addi %row, %shift : i32
  %rows = tile.range %start : tensor<32xi32>
  %rows1 = tile.expand_dims %rows, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bound = tile.broadcast %rows1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %T = tile.dim %x, 1 : !tile.view<?x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<32xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %cols1 = tile.expand_dims %cols, 0 : tensor<16xi32> -> tensor<1x16xi32>
    %place = tile.broadcast %cols1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %a = tile.load %x[%row, %col] extents [32, 16] : !tile.view<?x?xf32>, i32, i32 -> tensor<32x16xf32>
    %reach = arith.constant dense<100> : tensor<32x16xi32>
    %first = arith.subi %bound, %reach : tensor<32x16xi32>
    %near = arith.cmpi sgt, %place, %first : tensor<32x16xi32>
    %before = arith.cmpi sle, %place, %bound : tensor<32x16xi32>
    %seen = arith.andi %before, %near : tensor<32x16xi1>
    %v = arith.select %seen, %a, %zeros : tensor<32x16xi1>, tensor<32x16xf32>
    %part = tile.reduce sum %v, 1 : tensor<32x16xf32> -> tensor<32xf32>
    %next = arith.addf %s, %part : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sum, %y[%row] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}
