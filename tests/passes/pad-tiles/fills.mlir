// RUN: tile-opt %s --pad-tiles --cse --split-input-file | FileCheck %s

!view = !tile.view<?x100xbf16>
!row = tensor<1x100xf32>

// Padding of -inf is 0 in exp(x - max x), so neither reduction needs a select.
// CHECK-LABEL: @softmax
// CHECK: %[[LOW:.*]] = arith.constant 0xFF80 : bf16
// CHECK: tile.load {{.*}} extents [1, 112] fill %[[LOW]] : bf16
// CHECK-NOT: arith.select
// CHECK: tile.store
func.func @softmax(%x: !view {tile.dims = ["M", "V"]}, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %scale = arith.constant dense<1.5> : !row
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 100] : !view, i32, i32 -> tensor<1x100xbf16>
  %z = tile.cast %t : tensor<1x100xbf16> -> !row
  %peak = tile.reduce max %z, 1 : !row -> tensor<1xf32>
  %column = tile.expand_dims %peak, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %all = tile.broadcast %column : tensor<1x1xf32> -> !row
  %d = arith.subf %z, %all : !row
  %s = arith.mulf %d, %scale : !row
  %p = math.exp2 %s : !row
  %sum = tile.reduce sum %p, 1 : !row -> tensor<1xf32>
  tile.store %sum, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x100xf32>
!rows = tensor<8x100xf32>

// Rows behind the tensor's last are filled too. That is right where the store drops them, and only
// there: of rows further on, one that is outside gives 0, and that counts.
// CHECK-LABEL: @same_rows
// CHECK: tile.load {{.*}} fill
// CHECK-NOT: arith.select
// CHECK-LABEL: @rows_further_on
// CHECK-NOT: fill
// CHECK: arith.select
// CHECK: tile.reduce max
func.func @same_rows(%x: !view {tile.dims = ["M", "V"]}, %i: i32, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %t = tile.load %x[%i, %c0] extents [8, 100] : !view, i32, i32 -> !rows
  %peak = tile.reduce max %t, 1 : !rows -> tensor<8xf32>
  tile.store %peak, %y[%i] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

func.func @rows_further_on(%x: !view {tile.dims = ["M", "V"]}, %i: i32, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %next = arith.addi %i, %c1 : i32
  %t = tile.load %x[%next, %c0] extents [8, 100] : !view, i32, i32 -> !rows
  %peak = tile.reduce max %t, 1 : !rows -> tensor<8xf32>
  tile.store %peak, %y[%i] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x100xbf16>
!row = tensor<1x100xf32>

// Less another row's maximum, -inf may be NaN where the row is not, so the sum keeps its select.
// CHECK-LABEL: @maximum_of_another
// CHECK: arith.select
// CHECK: tile.reduce sum
func.func @maximum_of_another(%x: !view {tile.dims = ["M", "V"]}, %other: tensor<1xf32>, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 100] : !view, i32, i32 -> tensor<1x100xbf16>
  %z = tile.cast %t : tensor<1x100xbf16> -> !row
  %column = tile.expand_dims %other, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %all = tile.broadcast %column : tensor<1x1xf32> -> !row
  %d = arith.subf %z, %all : !row
  %p = math.exp2 %d : !row
  %sum = tile.reduce sum %p, 1 : !row -> tensor<1xf32>
  tile.store %sum, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x100xbf16>
!row = tensor<1x100xf32>

// Zeros stay zeros in squares and products.
// CHECK-LABEL: @squares
// CHECK-NOT: fill
// CHECK-NOT: arith.select
// CHECK: tile.store
func.func @squares(%x: !view, %w: !view, %y: !tile.view<?xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 100] : !view, i32, i32 -> tensor<1x100xbf16>
  %u = tile.load %w[%i, %c0] extents [1, 100] : !view, i32, i32 -> tensor<1x100xbf16>
  %z = tile.cast %t : tensor<1x100xbf16> -> !row
  %v = tile.cast %u : tensor<1x100xbf16> -> !row
  %square = arith.mulf %z, %z : !row
  %product = arith.mulf %square, %v : !row
  %sum = tile.reduce sum %product, 1 : !row -> tensor<1xf32>
  tile.store %sum, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x100xf32>
!rows = tensor<8x100xf32>

// Where rows meet, those behind the tensor's last stay 0.
// CHECK-LABEL: @rows_meet
// CHECK-NOT: fill
// CHECK: arith.select
// CHECK: tile.reduce max
func.func @rows_meet(%x: !view {tile.dims = ["M", "V"]}, %y: !tile.view<?xf32> {tile.dims = ["M"]}, %total: !tile.view<100xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [8, 100] : !view, i32, i32 -> !rows
  %peak = tile.reduce max %t, 1 : !rows -> tensor<8xf32>
  %sum = tile.reduce sum %t, 0 : !rows -> tensor<100xf32>
  tile.store %peak, %y[%i] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
  tile.store %sum, %total[%c0] extents [100] : tensor<100xf32>, !tile.view<100xf32>, i32
  return
}

// -----

!view = !tile.view<?x100xf32>
!row = tensor<1x100xf32>

// What the user fills with stays, and a fill that spares nothing is not taken: a sum of the row
// itself, and its maximum, need a select with either.
// CHECK-LABEL: @stays
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: tile.load {{.*}} fill %[[ONE]]
// CHECK: tile.load {{.*}} extents [1, 112] {{.*}}: <?x100xf32>
// CHECK-NOT: fill
func.func @stays(%x: !view {tile.dims = ["M", "V"]}, %z: !view {tile.dims = ["M", "V"]}, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 100] fill %one : f32 : !view, i32, i32 -> !row
  %u = tile.load %z[%i, %c0] extents [1, 100] : !view, i32, i32 -> !row
  %a = tile.reduce max %t, 1 : !row -> tensor<1xf32>
  %b = tile.reduce max %u, 1 : !row -> tensor<1xf32>
  %c = tile.reduce sum %u, 1 : !row -> tensor<1xf32>
  tile.store %a, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  tile.store %b, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  tile.store %c, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// A row of one axis, of a program that the tensor has; columns that a mask leaves out are -inf too.
// CHECK-LABEL: @masked_row
// CHECK: tile.load {{.*}} extents [0, 112] fill
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: tile.store
!view = !tile.view<?x100xf32>
func.func @masked_row(%x: !view {tile.dims = ["M", "V"]}, %end: i32, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %low = arith.constant dense<0xFF800000> : tensor<100xf32>
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 100] : !view, i32, i32 -> tensor<100xf32>
  %columns = tile.range %c0 : tensor<100xi32>
  %ends = tile.splat %end : i32 -> tensor<100xi32>
  %below = arith.cmpi slt, %columns, %ends : tensor<100xi32>
  %z = arith.select %below, %t, %low : tensor<100xi1>, tensor<100xf32>
  %peak = tile.reduce max %z, 0 : tensor<100xf32> -> f32
  %all = tile.splat %peak : f32 -> tensor<100xf32>
  %d = arith.subf %z, %all : tensor<100xf32>
  %p = math.exp %d : tensor<100xf32>
  %sum = tile.reduce sum %p, 0 : tensor<100xf32> -> f32
  tile.store %sum, %y[%i] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// -----

// A row of -inf is NaN less its maximum, and so is its padding: a selection of one column, which may
// be none, keeps its select. A sum does not.
// CHECK-LABEL: @selected_of_nan
// CHECK: tile.load {{.*}} fill
// CHECK: tile.reduce max
// CHECK: %[[CHOSEN:.*]] = arith.select
// CHECK: %[[MASKED:.*]] = arith.select %{{.*}}, %[[CHOSEN]],
// CHECK: tile.reduce sum %[[MASKED]]
// CHECK-NOT: arith.select
// CHECK: return
!view = !tile.view<?x100xf32>
func.func @selected_of_nan(%x: !view {tile.dims = ["M", "V"]}, %label: i32, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<100xf32>
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 100] : !view, i32, i32 -> tensor<100xf32>
  %peak = tile.reduce max %t, 0 : tensor<100xf32> -> f32
  %all = tile.splat %peak : f32 -> tensor<100xf32>
  %d = arith.subf %t, %all : tensor<100xf32>
  %p = math.exp2 %d : tensor<100xf32>
  %columns = tile.range %c0 : tensor<100xi32>
  %labels = tile.splat %label : i32 -> tensor<100xi32>
  %is = arith.cmpi eq, %columns, %labels : tensor<100xi32>
  %chosen = arith.select %is, %p, %zeros : tensor<100xi1>, tensor<100xf32>
  %a = tile.reduce sum %chosen, 0 : tensor<100xf32> -> f32
  %b = tile.reduce sum %p, 0 : tensor<100xf32> -> f32
  %c = arith.addf %a, %b : f32
  tile.store %c, %y[%i] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// -----

// What an iteration has loaded behind the end, the next may store in front of it.
// CHECK-LABEL: @rows_of_a_loop
// CHECK-NOT: fill
// CHECK: arith.select
!view = !tile.view<?x100xf32>
func.func @rows_of_a_loop(%x: !view {tile.dims = ["M", "V"]}, %n: i32, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %first = arith.constant dense<0.0> : tensor<8xf32>
  %last = scf.for %k = %c0 to %n step %c8 iter_args(%before = %first) -> (tensor<8xf32>) : i32 {
    %row = arith.subi %n, %k : i32
    tile.store %before, %y[%row] extents [8] : tensor<8xf32>, !tile.view<?xf32>, i32
    %t = tile.load %x[%row, %c0] extents [8, 100] : !view, i32, i32 -> tensor<8x100xf32>
    %peak = tile.reduce max %t, 1 : tensor<8x100xf32> -> tensor<8xf32>
    scf.yield %peak : tensor<8xf32>
  }
  return
}

// -----

// A power by the sum of its row is 0 in the padding too, and so is what is multiplied by it; or NaN,
// where all of the row is. By another sum it may be 0 / 0.
// CHECK-LABEL: @quotient
// CHECK-NOT: arith.select
// CHECK: tile.store
// CHECK: arith.select
// CHECK: tile.reduce sum
!view = !tile.view<?x100xf32>
func.func @quotient(%x: !view {tile.dims = ["M", "V"]}, %w: !view {tile.dims = ["M", "V"]}, %y: !tile.view<?xf32> {tile.dims = ["M"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 100] : !view, i32, i32 -> tensor<100xf32>
  %u = tile.load %w[%i, %c0] extents [0, 100] : !view, i32, i32 -> tensor<100xf32>
  %peak = tile.reduce max %t, 0 : tensor<100xf32> -> f32
  %all = tile.splat %peak : f32 -> tensor<100xf32>
  %d = arith.subf %t, %all : tensor<100xf32>
  %p = math.exp2 %d : tensor<100xf32>
  %s = tile.reduce sum %p, 0 : tensor<100xf32> -> f32
  %sums = tile.splat %s : f32 -> tensor<100xf32>
  %q = arith.divf %p, %sums : tensor<100xf32>
  %a = arith.mulf %u, %q : tensor<100xf32>
  %b = tile.reduce sum %a, 0 : tensor<100xf32> -> f32
  tile.store %b, %y[%i] extents [0] : f32, !tile.view<?xf32>, i32
  %others = tile.splat %b : f32 -> tensor<100xf32>
  %r = arith.divf %p, %others : tensor<100xf32>
  %e = tile.reduce sum %r, 0 : tensor<100xf32> -> f32
  tile.store %e, %y[%i] extents [0] : f32, !tile.view<?xf32>, i32
  return
}
