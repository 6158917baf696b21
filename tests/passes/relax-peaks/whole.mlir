// RUN: tile-opt %s --relax-peaks --canonicalize | FileCheck %s

// Whole peaks rise exactly as they are written. A factor of unknown sign leaves the masked tile, and
// goes into the exponents.

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %[[F:[a-z0-9]+]]: f32
// CHECK-DAG: %[[LEAST:.*]] = arith.constant 1.17549435E-38 : f32
// CHECK: %[[ZERO:.*]] = arith.cmpf oeq, %[[F]]
// CHECK: %[[FACTOR:.*]] = arith.select %[[ZERO]], %[[LEAST]], %[[F]] : f32
// CHECK: %[[UP:.*]] = arith.cmpf ogt, %[[FACTOR]]
// CHECK: %[[INFINITY:.*]] = arith.select %[[UP]]
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}})
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK: %[[S:.*]] = scf.if
// CHECK: %[[MASKED:.*]] = tile.splat %[[INFINITY]]
// CHECK: %[[VISIBLE:.*]] = arith.select %{{.*}}, %[[X]], %[[MASKED]]
// CHECK: scf.yield %[[VISIBLE]]
// CHECK: else
// CHECK: scf.yield %[[X]]
// CHECK: %[[SCALE:.*]] = tile.splat %[[FACTOR]]
// CHECK-NOT: arith.mulf
// CHECK: %[[PEAK:.*]], %[[SHRINK:.*]] = cta.raise %[[M]], %[[S]] times any %[[FACTOR]] by 0.0{{.*}} whole 8.0
// CHECK: tile.expand_dims %[[PEAK]], 1
// CHECK: arith.negf
// CHECK: %[[E:.*]] = math.fma %[[S]], %[[SCALE]],
// CHECK: math.exp2 %[[E]]
// CHECK: arith.mulf %[[T]], %[[SHRINK]]
func.func @whole(%x: !view, %o: !tile.view<?xf32>, %n: i32, %factor: f32)
    attributes {tile.kernel, plan.text = "plan 1 of whole for sm_90\0A loops l1: late peak 0"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %lowest = arith.constant dense<0xFF7FFFFF> : !rows
  %none = arith.constant dense<0.0> : !rows
  %hidden = arith.constant dense<0xFF800000> : !tile
  %eight = arith.constant dense<8.0> : !rows
  %scale = tile.splat %factor : f32 -> !tile
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %loaded = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %scaled = arith.mulf %loaded, %scale : !tile
    %is_last = arith.cmpi sge, %i, %c7 : i32
    %s = scf.if %is_last -> (!tile) {
      %row = tile.range %c0 : tensor<64xi32>
      %column = tile.expand_dims %row, 0 : tensor<64xi32> -> tensor<1x64xi32>
      %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
      %end = tile.splat %n : i32 -> tensor<64x64xi32>
      %visible = arith.cmpi slt, %columns, %end : tensor<64x64xi32>
      %masked = arith.select %visible, %scaled, %hidden : tensor<64x64xi1>, !tile
      scf.yield %masked : !tile
    } else {
      scf.yield %scaled : !tile
    }
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %up = math.ceil %most : !rows
    %top = arith.subf %up, %eight : !rows
    %now = arith.maximumf %m, %top : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}
