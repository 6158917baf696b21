// RUN: tile-opt %s --bind-config=warps=1 --assign-layouts --recompute-tiles --split-input-file | FileCheck %s

// Both sides of the reduction cast the row that was loaded. What is behind it cannot be merged with
// what is in front.
// CHECK-LABEL: @norm
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK: %[[A:.*]] = tile.cast %[[X]]
// CHECK: %[[B:.*]] = tile.cast %[[X]]
// CHECK: arith.mulf %[[B]], %[[A]]
// CHECK: %[[S:.*]] = tile.reduce sum
// CHECK: %[[AGAIN:.*]] = cta.opaque %[[X]]
// CHECK: %[[C:.*]] = tile.cast %[[AGAIN]]
// CHECK: arith.mulf %[[C]], %{{.*}}
func.func @norm(%x: !tile.view<?x2048xbf16> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xbf16>, i32, i32 -> tensor<1x2048xbf16>
  %v = tile.cast %t : tensor<1x2048xbf16> -> tensor<1x2048xf32>
  %square = arith.mulf %v, %v : tensor<1x2048xf32>
  %sum = tile.reduce sum %square, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %v, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}

// -----

// What takes long to compute is kept, as are tiles that were loaded in 32 bits.
// CHECK-LABEL: @softmax
// CHECK: %[[P:.*]] = math.exp2
// CHECK: tile.reduce sum %[[P]]
// CHECK-NOT: cta.opaque
// CHECK: arith.divf %[[P]]
func.func @softmax(%x: !tile.view<?x2048xbf16> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xbf16>, i32, i32 -> tensor<1x2048xbf16>
  %v = tile.cast %t : tensor<1x2048xbf16> -> tensor<1x2048xf32>
  %p = math.exp2 %v : tensor<1x2048xf32>
  %sum = tile.reduce sum %p, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.divf %p, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}

// -----

// CHECK-LABEL: @loaded_wide
// CHECK-NOT: cta.opaque
func.func @loaded_wide(%x: !tile.view<?x2048xf32> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xf32>, i32, i32 -> tensor<1x2048xf32>
  %square = arith.mulf %t, %t : tensor<1x2048xf32>
  %sum = tile.reduce sum %square, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %t, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}

// -----

// Fewer registers than 64 are worth it if a thread's do not hold what is kept: here nine rows of 32. Each
// phase reads the row as the one before has left it.
// CHECK-LABEL: @many
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK: tile.reduce sum
// CHECK: %[[SECOND:.*]] = cta.opaque %[[X]]
// CHECK: tile.reduce max
// CHECK: %[[THIRD:.*]] = cta.opaque %[[SECOND]]
// CHECK: tile.cast %[[THIRD]]
func.func @many(%x: !tile.view<?x1024xbf16> {tile.name = "x"}, %y: !tile.view<?x8192xf32> {tile.name = "y"},
                %z: !tile.view<?x8192xf32> {tile.name = "z"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x1024xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 1024] : !tile.view<?x1024xbf16>, i32, i32 -> tensor<1x1024xbf16>
  %v = tile.cast %t : tensor<1x1024xbf16> -> tensor<1x1024xf32>
  %k0 = arith.constant 0 : i32
  %y0 = tile.load %y[%i, %k0] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %k1 = arith.constant 1024 : i32
  %y1 = tile.load %y[%i, %k1] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %k2 = arith.constant 2048 : i32
  %y2 = tile.load %y[%i, %k2] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %k3 = arith.constant 3072 : i32
  %y3 = tile.load %y[%i, %k3] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %k4 = arith.constant 4096 : i32
  %y4 = tile.load %y[%i, %k4] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %k5 = arith.constant 5120 : i32
  %y5 = tile.load %y[%i, %k5] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %k6 = arith.constant 6144 : i32
  %y6 = tile.load %y[%i, %k6] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %k7 = arith.constant 7168 : i32
  %y7 = tile.load %y[%i, %k7] extents [1, 1024] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x1024xf32>
  %square = arith.mulf %v, %v : tensor<1x1024xf32>
  %sum = tile.reduce sum %square, 1 : tensor<1x1024xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x1024xf32>
  %scaled = arith.mulf %v, %sums : tensor<1x1024xf32>
  %peak = tile.reduce max %scaled, 1 : tensor<1x1024xf32> -> tensor<1xf32>
  %peak_column = tile.expand_dims %peak, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %peaks = tile.broadcast %peak_column : tensor<1x1xf32> -> tensor<1x1024xf32>
  %factor = arith.mulf %v, %peaks : tensor<1x1024xf32>
  %z0 = arith.mulf %y0, %factor : tensor<1x1024xf32>
  tile.store %z0, %z[%i, %k0] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  %z1 = arith.mulf %y1, %factor : tensor<1x1024xf32>
  tile.store %z1, %z[%i, %k1] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  %z2 = arith.mulf %y2, %factor : tensor<1x1024xf32>
  tile.store %z2, %z[%i, %k2] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  %z3 = arith.mulf %y3, %factor : tensor<1x1024xf32>
  tile.store %z3, %z[%i, %k3] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  %z4 = arith.mulf %y4, %factor : tensor<1x1024xf32>
  tile.store %z4, %z[%i, %k4] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  %z5 = arith.mulf %y5, %factor : tensor<1x1024xf32>
  tile.store %z5, %z[%i, %k5] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  %z6 = arith.mulf %y6, %factor : tensor<1x1024xf32>
  tile.store %z6, %z[%i, %k6] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  %z7 = arith.mulf %y7, %factor : tensor<1x1024xf32>
  tile.store %z7, %z[%i, %k7] extents [1, 1024] : tensor<1x1024xf32>, !tile.view<?x8192xf32>, i32, i32
  return
}

// -----

// A tile of any width that lies in a slot until the end of its block is read again in each phase.
// CHECK-LABEL: @held
// CHECK: %[[SLOT:.*]] = cta.wait
// CHECK: %[[T:.*]] = cta.get %[[SLOT]]
// CHECK: tile.reduce sum %[[T]]
// CHECK: %[[AGAIN:.*]] = cta.get %[[SLOT]]
// CHECK: arith.mulf %[[AGAIN]]
// CHECK: tile.store
// CHECK: cta.release %[[SLOT]]
func.func @held(%x: !tile.view<?x2048xf32, align 16> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xf32, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %ring = cta.channel cp_async : !cta.channel<1 x tensor<1x2048xf32>>
  %empty = cta.acquire %ring : !cta.channel<1 x tensor<1x2048xf32>> -> !cta.slot<tensor<1x2048xf32>>
  cta.copy %x[%i, %c0] extents [1, 2048], %empty {vector = 4 : i64} : !tile.view<?x2048xf32, align 16>, !cta.slot<tensor<1x2048xf32>>
  cta.commit %empty : !cta.slot<tensor<1x2048xf32>>
  %full = cta.wait %ring : !cta.channel<1 x tensor<1x2048xf32>> -> !cta.slot<tensor<1x2048xf32>>
  %t = cta.get %full : !cta.slot<tensor<1x2048xf32>> -> tensor<1x2048xf32>
  %sum = tile.reduce sum %t, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %t, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  cta.release %full : !cta.slot<tensor<1x2048xf32>>
  return
}

// -----

// An exponential of such a tile is computed again too.
// CHECK-LABEL: @exponentials_of_held
// CHECK: %[[SLOT:.*]] = cta.wait
// CHECK: %[[T:.*]] = cta.get %[[SLOT]]
// CHECK: %[[P:.*]] = math.exp2 %[[T]]
// CHECK: tile.reduce sum %[[P]]
// CHECK: %[[AGAIN:.*]] = cta.get %[[SLOT]]
// CHECK: %[[Q:.*]] = math.exp2 %[[AGAIN]]
// CHECK: arith.mulf %[[Q]]
func.func @exponentials_of_held(%x: !tile.view<?x2048xf32, align 16> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xf32, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %ring = cta.channel cp_async : !cta.channel<1 x tensor<1x2048xf32>>
  %empty = cta.acquire %ring : !cta.channel<1 x tensor<1x2048xf32>> -> !cta.slot<tensor<1x2048xf32>>
  cta.copy %x[%i, %c0] extents [1, 2048], %empty {vector = 4 : i64} : !tile.view<?x2048xf32, align 16>, !cta.slot<tensor<1x2048xf32>>
  cta.commit %empty : !cta.slot<tensor<1x2048xf32>>
  %full = cta.wait %ring : !cta.channel<1 x tensor<1x2048xf32>> -> !cta.slot<tensor<1x2048xf32>>
  %t = cta.get %full : !cta.slot<tensor<1x2048xf32>> -> tensor<1x2048xf32>
  %p = math.exp2 %t : tensor<1x2048xf32>
  %sum = tile.reduce sum %p, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %p, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  cta.release %full : !cta.slot<tensor<1x2048xf32>>
  return
}

// -----

// What stands in front of a reduction and is computed where it is used, behind it, comes there: so
// the cast and the comparison that it needs are computed again, and only the loaded row is kept.
// CHECK-LABEL: @used_behind
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK: tile.reduce sum
// CHECK: %[[AGAIN:.*]] = cta.opaque %[[X]]
// CHECK-DAG: %[[V:.*]] = tile.cast %[[AGAIN]]
// CHECK-DAG: arith.cmpf oeq
// CHECK: arith.select
// CHECK: tile.store
func.func @used_behind(%x: !tile.view<?x2048xbf16> {tile.name = "x"}, %y: !tile.view<?x2048xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x2048xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 2048] : !tile.view<?x2048xbf16>, i32, i32 -> tensor<1x2048xbf16>
  %v = tile.cast %t : tensor<1x2048xbf16> -> tensor<1x2048xf32>
  %zero = arith.constant dense<0.0> : tensor<1x2048xf32>
  %one = arith.constant dense<1.0> : tensor<1x2048xf32>
  %is = arith.cmpf oeq, %v, %zero : tensor<1x2048xf32>
  %held = arith.select %is, %one, %v : tensor<1x2048xi1>, tensor<1x2048xf32>
  %rest = arith.select %is, %zero, %v : tensor<1x2048xi1>, tensor<1x2048xf32>
  %sum = tile.reduce sum %held, 1 : tensor<1x2048xf32> -> tensor<1xf32>
  %column = tile.expand_dims %sum, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x2048xf32>
  %z = arith.mulf %rest, %sums : tensor<1x2048xf32>
  tile.store %z, %y[%i, %c0] extents [1, 2048] : tensor<1x2048xf32>, !tile.view<?x2048xf32>, i32, i32
  return
}
