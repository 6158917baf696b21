// RUN: tile-opt %s --drop-absolutes --split-input-file | FileCheck %s

!tile = tensor<8x16xf32>
!ints = tensor<8x16xi32>

// rows - columns is not negative where columns <= rows + c, and nobody else reads the distance.
// CHECK-LABEL: @not_negative
// CHECK-NOT: math.absf
// CHECK: %[[D:.*]] = arith.subf
// CHECK: arith.mulf %[[D]]
func.func @not_negative(%x: !tile.view<?x?xf32>, %r: i32, %c: i32, %slope: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %s = tile.load %x[%r, %c] extents [8, 16] : !tile.view<?x?xf32>, i32, i32 -> !tile
  %row = tile.range %r : tensor<8xi32>
  %column = tile.range %c : tensor<16xi32>
  %row1 = tile.expand_dims %row, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %column1 = tile.expand_dims %column, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %row1 : tensor<8x1xi32> -> !ints
  %columns = tile.broadcast %column1 : tensor<1x16xi32> -> !ints
  %a = tile.cast %rows : !ints -> !tile
  %b = tile.cast %columns : !ints -> !tile
  %difference = arith.subf %a, %b : !tile
  %distance = math.absf %difference : !tile
  %slopes = tile.splat %slope : f32 -> !tile
  %term = arith.mulf %distance, %slopes : !tile
  %z = arith.subf %s, %term : !tile
  %bound = arith.constant dense<16> : !ints
  %inside = arith.cmpi slt, %columns, %bound : !ints
  %before = arith.cmpi sle, %columns, %rows : !ints
  %visible = arith.andi %inside, %before : tensor<8x16xi1>
  %hidden = arith.constant dense<0xFF800000> : !tile
  %masked = arith.select %visible, %z, %hidden : tensor<8x16xi1>, !tile
  tile.store %masked, %x[%c0, %c0] extents [8, 16] : !tile, !tile.view<?x?xf32>, i32, i32
  return
}

// -----

!tile = tensor<8x16xf32>
!ints = tensor<8x16xi32>

// columns - rows is not positive there; as integers, too.
// CHECK-LABEL: @not_positive
// CHECK-NOT: math.absi
// CHECK: %[[D:.*]] = arith.subi %[[C:.*]], %[[R:.*]] : tensor<8x16xi32>
// CHECK: %[[N:.*]] = arith.subi %{{.*}}, %[[D]]
// CHECK: tile.cast %[[N]]
func.func @not_positive(%x: !tile.view<?x?xf32>, %r: i32, %c: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %row = tile.range %r : tensor<8xi32>
  %column = tile.range %c : tensor<16xi32>
  %row1 = tile.expand_dims %row, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %column1 = tile.expand_dims %column, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %row1 : tensor<8x1xi32> -> !ints
  %columns = tile.broadcast %column1 : tensor<1x16xi32> -> !ints
  %difference = arith.subi %columns, %rows : !ints
  %distance = math.absi %difference : !ints
  %z = tile.cast %distance : !ints -> !tile
  %before = arith.cmpi slt, %columns, %rows : !ints
  %hidden = arith.constant dense<0.0> : !tile
  %masked = arith.select %before, %z, %hidden : tensor<8x16xi1>, !tile
  tile.store %masked, %x[%c0, %c0] extents [8, 16] : !tile, !tile.view<?x?xf32>, i32, i32
  return
}

// -----

!tile = tensor<8x16xf32>
!ints = tensor<8x16xi32>

// A mask that shows less, and a reader without the mask.
// CHECK-LABEL: @unknown
// CHECK: math.absi
// CHECK: math.absi
func.func @unknown(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xi32>, %r: i32, %c: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %row = tile.range %r : tensor<8xi32>
  %column = tile.range %c : tensor<16xi32>
  %row1 = tile.expand_dims %row, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %column1 = tile.expand_dims %column, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %row1 : tensor<8x1xi32> -> !ints
  %columns = tile.broadcast %column1 : tensor<1x16xi32> -> !ints
  %later = arith.constant dense<1> : !ints
  %limit = arith.addi %rows, %later : !ints
  %difference = arith.subi %rows, %columns : !ints
  %distance = math.absi %difference : !ints
  %z = tile.cast %distance : !ints -> !tile
  %before = arith.cmpi sle, %columns, %limit : !ints
  %hidden = arith.constant dense<0.0> : !tile
  %masked = arith.select %before, %z, %hidden : tensor<8x16xi1>, !tile
  tile.store %masked, %x[%c0, %c0] extents [8, 16] : !tile, !tile.view<?x?xf32>, i32, i32
  %difference2 = arith.subi %rows, %columns : !ints
  %distance2 = math.absi %difference2 : !ints
  %z2 = tile.cast %distance2 : !ints -> !tile
  %before2 = arith.cmpi sle, %columns, %rows : !ints
  %masked2 = arith.select %before2, %z2, %hidden : tensor<8x16xi1>, !tile
  tile.store %masked2, %x[%c0, %c0] extents [8, 16] : !tile, !tile.view<?x?xf32>, i32, i32
  tile.store %distance2, %y[%c0, %c0] extents [8, 16] : !ints, !tile.view<?x?xi32>, i32, i32
  return
}
