// RUN: tile-opt %s --assign-layouts | FileCheck %s

// A table of wide elements follows the narrow ones that a loop loads, which are as many: threads
// load and store 16 bytes of a row there, and nothing is converted.
// CHECK-LABEL: @table
// CHECK: tile.load %arg0{{.*}} -> tensor<8x64xf32, [[LAYOUT:#cta.layout<registers .8:1:1.*]]>{{$}}
// CHECK: scf.for
// CHECK: tile.load %arg1{{.*}} -> tensor<8x64xbf16, [[LAYOUT]]>{{$}}
// CHECK-NOT: cta.convert
// CHECK: tile.store
func.func @table(%table: !tile.view<8x64xf32, align 16> {tile.name = "table"},
                 %x: !tile.view<?x8x64xbf16, align 16> {tile.name = "x"}, %n: i32)
    attributes {tile.kernel, cta.warps = 1 : i32, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid[%c1]
  %c = tile.load %table[%c0, %c0] extents [8, 64] : !tile.view<8x64xf32, align 16>, i32, i32 -> tensor<8x64xf32>
  scf.for %h = %c0 to %n step %c1 : i32 {
    %t = tile.load %x[%h, %c0, %c0] extents [0, 8, 64] : !tile.view<?x8x64xbf16, align 16>, i32, i32, i32 -> tensor<8x64xbf16>
    %wide = tile.cast %t : tensor<8x64xbf16> -> tensor<8x64xf32>
    %p = arith.mulf %wide, %c : tensor<8x64xf32>
    %y = tile.cast %p : tensor<8x64xf32> -> tensor<8x64xbf16>
    tile.store %y, %x[%h, %c0, %c0] extents [0, 8, 64] : tensor<8x64xbf16>, !tile.view<?x8x64xbf16, align 16>, i32, i32, i32
  }
  return
}
