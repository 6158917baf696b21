// RUN: tile-opt %s --load-first --split-input-file | FileCheck %s

// A row that is read behind a reduction is loaded in front of it, and behind the grid.
// CHECK-LABEL: @backward
// CHECK: tile.grid
// CHECK: tile.load %arg0
// CHECK: tile.load %arg1
// CHECK: tile.reduce max
func.func @backward(%x: !tile.view<?x2048xbf16> {tile.name = "x"}, %dy: !tile.view<?x2048xbf16> {tile.name = "dy"},
                    %dx: !tile.view<?x2048xf32> {tile.name = "dx"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xbf16>, i32, i32 -> tensor<1x2048xbf16>
  %v = tile.cast %t : tensor<1x2048xbf16> -> tensor<1x2048xf32>
  %peak = tile.reduce max %v, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %peak, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %peaks = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %last = arith.subi %n, %i : i32
  %u = tile.load %dy[%last, %c0] extents [1, 2048] : !tile.view<?x2048xbf16>, i32, i32 -> tensor<1x2048xbf16>
  %w = tile.cast %u : tensor<1x2048xbf16> -> tensor<1x2048xf32>
  %z = arith.mulf %w, %peaks : tensor<1x2048xf32>
  tile.store %z, %dx[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}

// -----

// What was written may be read: the second load stays behind the store. An element of a row stays
// too.
// CHECK-LABEL: @written
// CHECK: tile.reduce max
// CHECK: tile.load %arg1
// CHECK: tile.store
// CHECK: tile.load %arg0
func.func @written(%x: !tile.view<?x2048xf32> {tile.name = "x"}, %s: !tile.view<?xf32> {tile.name = "s"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xf32>, i32, i32 -> tensor<1x2048xf32>
  %peak = tile.reduce max %t, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %factor = tile.load %s[%i] extents [1] : !tile.view<?xf32>, i32 -> tensor<1xf32>
  %product = arith.mulf %peak, %factor : tensor<1xf32>
  %column = tile.expand_dims %product, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %products = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %t, %products : tensor<1x2048xf32>
  tile.store %z, %x[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  %again = tile.load %x[%c0, %c0] extents [1, 2048] : !tile.view<?x2048xf32>, i32, i32 -> tensor<1x2048xf32>
  tile.store %again, %x[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}

// -----

// What is read behind arithmetic is loaded before it: at the end of a row a load is a branch, and no
// compiler behind moves the next load in front of that.
// CHECK-LABEL: @elements
// CHECK: tile.load %arg0
// CHECK: tile.load %arg1
// CHECK: math.exp2
func.func @elements(%x: !tile.view<?x?xf32> {tile.name = "x"}, %y: !tile.view<?x?xf32> {tile.name = "y"}, %z: !tile.view<?x?xf32> {tile.name = "z"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x?xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %a = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x?xf32>, i32, i32 -> tensor<1x2048xf32>
  %e = math.exp2 %a : tensor<1x2048xf32>
  %b = tile.load %y[%i, %c0] extents [1, 2048] : !tile.view<?x?xf32>, i32, i32 -> tensor<1x2048xf32>
  %s = arith.addf %e, %b : tensor<1x2048xf32>
  tile.store %s, %z[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x?xf32>, i32, i32
  return
}
