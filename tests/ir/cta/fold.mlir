// RUN: tile-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @convert_to_the_same_layout
// CHECK-NEXT: return
func.func @convert_to_the_same_layout(%tile: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %same = cta.convert %tile : tensor<64x8xf32> -> tensor<64x8xf32>
  return %same : tensor<64x8xf32>
}

// What a constant folds to has the type, and so the layout, of what it replaces.
#tile = #cta.layout<registers [2:1:1, 4:0:8], lanes [4:1:2, 8:0:1], warps [4:0:32]>
#rows = #cta.layout<registers [4:0:8], lanes [4:*, 8:0:1], warps [4:0:32]>
#flat = #cta.layout<registers [2:0:1, 4:1:8], lanes [4:0:2, 8:1:1], warps [4:1:32]>

// CHECK-LABEL: @constants_keep_layouts
// CHECK-DAG: %[[T:.*]] = arith.constant dense<1.000000e+00> : tensor<8x128xf32, [[FLAT:#cta.layout<registers \[2:0:1, 4:1:8\].*>]]>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<2.000000e+00> : tensor<128x8xf32, [[TILE:#cta.layout<registers \[2:1:1, 4:0:8\].*>]]>
// CHECK: return %[[T]], %[[B]]
func.func @constants_keep_layouts() -> (tensor<8x128xf32, #flat>, tensor<128x8xf32, #tile>) {
  %one = arith.constant dense<1.0> : tensor<128xf32, #rows>
  %column = tile.expand_dims %one, 1 : tensor<128xf32, #rows> -> tensor<128x1xf32, #rows>
  %ones = tile.broadcast %column : tensor<128x1xf32, #rows> -> tensor<128x8xf32, #tile>
  %flat = tile.transpose %ones [1, 0] : tensor<128x8xf32, #tile> -> tensor<8x128xf32, #flat>
  %twos = arith.addf %ones, %ones : tensor<128x8xf32, #tile>
  return %flat, %twos : tensor<8x128xf32, #flat>, tensor<128x8xf32, #tile>
}

// What fills a slot stays, though nothing uses a result of it.
// CHECK-LABEL: func.func @loads_stay(
// CHECK: cta.load
func.func @loads_stay(%x: !tile.view<?x?xbf16, align 16>) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %xs = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "load" warps 1 {
    cta.load %x[%c0, %c0] extents [64, 64] through %xs : !tile.view<?x?xbf16, align 16>, !cta.channel<2 x tensor<64x64xbf16>>
  }
  return
}

// Constants leave roles, each of whose threads makes them for itself.
// CHECK-LABEL: func.func @constants_are_captured(
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<64x64xf32>
// CHECK: cta.role "use"
// CHECK: arith.addf %{{.*}}, %[[ONES]]
func.func @constants_are_captured(%x: !tile.view<?x?xf32, align 16>) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  cta.role "use" warps 4 {
    %ones = arith.constant dense<1.0> : tensor<64x64xf32>
    %t = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x?xf32, align 16>, i32, i32 -> tensor<64x64xf32>
    %u = arith.addf %t, %ones : tensor<64x64xf32>
    tile.store %u, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, i32, i32
  }
  return
}
