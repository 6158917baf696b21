// RUN: tile-opt %s --split-input-file --select-rows | FileCheck %s

#tile = #cta.layout<registers [2:1:1, 2:0:8, 8:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>
#column = #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps [4:0:16]>

// Rows of what a product has left in registers, behind other arithmetic.

// CHECK-LABEL: func.func @rows_of_a_product
// CHECK: arith.select {{.*}} {cta.by_rows}
func.func @rows_of_a_product(%sum: !cta.pending<tensor<64x64xf32, #tile>>, %factors: tensor<64x64xf32, #tile>,
                             %seen: tensor<64xi1, #column>) -> tensor<64x64xf32, #tile> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #tile>
  %done = cta.await %sum : !cta.pending<tensor<64x64xf32, #tile>> -> tensor<64x64xf32, #tile>
  %scaled = arith.mulf %done, %factors : tensor<64x64xf32, #tile>
  %column = tile.expand_dims %seen, 1 : tensor<64xi1, #column> -> tensor<64x1xi1, #column>
  %all = tile.broadcast %column : tensor<64x1xi1, #column> -> tensor<64x64xi1, #tile>
  %kept = arith.select %all, %scaled, %zero : tensor<64x64xi1, #tile>, tensor<64x64xf32, #tile>
  return %kept : tensor<64x64xf32, #tile>
}

// What is computed as it is read stays so: here its elements come from memory.

// CHECK-LABEL: func.func @rows_of_a_load
// CHECK-NOT: cta.by_rows
func.func @rows_of_a_load(%x: !tile.view<?x64xf32>, %i: i32, %seen: tensor<64xi1, #column>) -> tensor<64x64xf32, #tile> {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #tile>
  %loaded = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf32>, i32, i32 -> tensor<64x64xf32, #tile>
  %column = tile.expand_dims %seen, 1 : tensor<64xi1, #column> -> tensor<64x1xi1, #column>
  %all = tile.broadcast %column : tensor<64x1xi1, #column> -> tensor<64x64xi1, #tile>
  %kept = arith.select %all, %loaded, %zero : tensor<64x64xi1, #tile>, tensor<64x64xf32, #tile>
  return %kept : tensor<64x64xf32, #tile>
}

// -----

// A thread with few elements of a row, and a condition of columns.

#narrow = #cta.layout<registers [2:1:1, 2:0:8, 2:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>
#column = #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps [4:0:16]>
#across = #cta.layout<registers [2:1:1, 2:1:8], lanes [4:1:2, 8:*], warps [4:*]>
#row = #cta.layout<registers [2:0:1, 2:0:8], lanes [4:0:2, 8:*], warps [4:*]>

// CHECK-LABEL: func.func @few_elements
// CHECK-NOT: cta.by_rows
func.func @few_elements(%sum: !cta.pending<tensor<64x16xf32, #narrow>>, %seen: tensor<64xi1, #column>,
                        %wanted: tensor<16xi1, #row>) -> tensor<64x16xf32, #narrow> {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #narrow>
  %done = cta.await %sum : !cta.pending<tensor<64x16xf32, #narrow>> -> tensor<64x16xf32, #narrow>
  %column = tile.expand_dims %seen, 1 : tensor<64xi1, #column> -> tensor<64x1xi1, #column>
  %all = tile.broadcast %column : tensor<64x1xi1, #column> -> tensor<64x16xi1, #narrow>
  %kept = arith.select %all, %done, %zero : tensor<64x16xi1, #narrow>, tensor<64x16xf32, #narrow>
  %across = tile.expand_dims %wanted, 0 : tensor<16xi1, #row> -> tensor<1x16xi1, #across>
  %both = tile.broadcast %across : tensor<1x16xi1, #across> -> tensor<64x16xi1, #narrow>
  %left = arith.select %both, %kept, %zero : tensor<64x16xi1, #narrow>, tensor<64x16xf32, #narrow>
  return %left : tensor<64x16xf32, #narrow>
}
