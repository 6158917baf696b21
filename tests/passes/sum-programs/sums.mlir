// RUN: tile-opt %s --sum-programs --load-first --split-input-file | FileCheck %s

// Each block runs every n-th program. A tile of few elements is added up whole, and summed along
// its rows behind the loop. What all programs have in common stays in front.
// CHECK-LABEL: @column_sums
// CHECK-SAME: cta.min_blocks = 32
// CHECK: %[[N:.*]] = arith.ceildivsi
// CHECK: %[[SMS:.*]] = cta.sms
// CHECK: %[[MOST:.*]] = arith.muli %[[SMS]], %c32
// CHECK: %[[BLOCKS:.*]] = arith.minsi %[[MOST]], %[[N]]
// CHECK: tile.grid[%[[BLOCKS]]]
// CHECK: %[[W:.*]] = tile.load %arg1
// CHECK: %[[B:.*]] = tile.program_id 0
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %[[B]] to %[[N]] step %[[BLOCKS]] iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (tensor<4x32xf32>)
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c4
// CHECK: %[[T:.*]] = tile.load %arg0[%[[ROW]]
// CHECK: %[[P:.*]] = arith.mulf %[[T]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[BEFORE]], %[[P]]
// CHECK: tile.store
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[TOTAL:.*]] = tile.reduce sum %[[SUM]], 0
// CHECK: tile.atomic add %[[TOTAL]], %arg3[%{{.*}}] extents [32] {in_order}
func.func @column_sums(%x: !tile.view<?x32xf32> {tile.name = "x"}, %w: !tile.view<4x32xbf16> {tile.name = "w"},
                       %y: !tile.view<?x32xf32> {tile.name = "y"}, %s: !tile.view<32xf32> {tile.name = "s"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %m = tile.dim %x, 0 : !tile.view<?x32xf32>
  %n = arith.ceildivsi %m, %c4 : i32
  tile.grid[%n]
  %i = tile.program_id 0
  %row = arith.muli %i, %c4 : i32
  %t = tile.load %x[%row, %c0] extents [4, 32] : !tile.view<?x32xf32>, i32, i32 -> tensor<4x32xf32>
  %w16 = tile.load %w[%c0, %c0] extents [4, 32] : !tile.view<4x32xbf16>, i32, i32 -> tensor<4x32xbf16>
  %wide = tile.cast %w16 : tensor<4x32xbf16> -> tensor<4x32xf32>
  %p = arith.mulf %t, %wide : tensor<4x32xf32>
  tile.store %p, %y[%row, %c0] extents [4, 32] : tensor<4x32xf32>, !tile.view<?x32xf32>, i32, i32
  %sum = tile.reduce sum %p, 0 : tensor<4x32xf32> -> tensor<32xf32>
  tile.atomic add %sum, %s[%c0] extents [32] : tensor<32xf32>, !tile.view<32xf32>, i32
  return
}

// -----

// What a program loads before it writes comes first.
// CHECK-LABEL: @loads_first
// CHECK: scf.for
// CHECK-NEXT: tile.load %arg0
// CHECK-NEXT: tile.load %arg1
// CHECK-NEXT: tile.reduce sum
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.load %arg1
func.func @loads_first(%x: !tile.view<?x32xf32> {tile.name = "x"}, %u: !tile.view<?x32xf32> {tile.name = "u"},
                       %y: !tile.view<?xf32> {tile.name = "y"}, %s: !tile.view<32xf32> {tile.name = "s"}, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 32] : !tile.view<?x32xf32>, i32, i32 -> tensor<32xf32>
  %r = tile.reduce sum %t, 0 : tensor<32xf32> -> f32
  %v = tile.load %u[%i, %c0] extents [0, 32] : !tile.view<?x32xf32>, i32, i32 -> tensor<32xf32>
  tile.store %r, %y[%i] extents [0] : f32, !tile.view<?xf32>, i32
  %w = tile.load %u[%c0, %i] extents [0, 32] : !tile.view<?x32xf32>, i32, i32 -> tensor<32xf32>
  %p = arith.mulf %v, %w : tensor<32xf32>
  tile.atomic add %p, %s[%c0] extents [32] : tensor<32xf32>, !tile.view<32xf32>, i32
  return
}

// -----

// The place depends on one axis of the grid, which stays; programs along the others are numbered.
// A tile of many elements is summed in each program.
// CHECK-LABEL: @kept_axis
// CHECK-SAME: cta.min_blocks = 1 :
// CHECK: %[[AB:.*]] = arith.muli %arg3, %arg4
// CHECK: %[[OTHERS:.*]] = arith.maxsi %arg2, %c1
// CHECK: %[[EACH:.*]] = arith.ceildivsi %{{.*}}, %[[OTHERS]]
// CHECK: %[[BLOCKS:.*]] = arith.minsi %[[EACH]], %[[AB]]
// CHECK: tile.grid[%arg2, %[[BLOCKS]]]
// CHECK: %[[COLUMN:.*]] = tile.program_id 0
// CHECK: %[[FIRST:.*]] = tile.program_id 1
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[AB]] step %[[BLOCKS]] iter_args(%{{.*}} = %{{.*}}) -> (tensor<64xf32>)
// CHECK: %[[A:.*]] = arith.remsi %[[I]], %arg3
// CHECK: %[[B:.*]] = arith.divsi %[[I]], %arg3
// CHECK: tile.load %arg0[%[[A]], %[[B]], %[[COLUMN]], %{{.*}}]
// CHECK: tile.reduce sum
// CHECK: tile.atomic add %{{.*}}, %arg1[%[[COLUMN]], %{{.*}}] extents [0, 64] {in_order}
func.func @kept_axis(%x: !tile.view<?x?x?x8192xf32> {tile.name = "x"}, %s: !tile.view<?x64xf32> {tile.name = "s"},
                     %n: i32, %a: i32, %b: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  tile.grid[%a, %n, %b]
  %i = tile.program_id 0
  %j = tile.program_id 1
  %k = tile.program_id 2
  %t = tile.load %x[%i, %k, %j, %c0] extents [0, 0, 128, 64] : !tile.view<?x?x?x8192xf32>, i32, i32, i32, i32 -> tensor<128x64xf32>
  %sum = tile.reduce sum %t, 0 : tensor<128x64xf32> -> tensor<64xf32>
  tile.atomic add %sum, %s[%j, %c0] extents [0, 64] : tensor<64xf32>, !tile.view<?x64xf32>, i32, i32
  return
}

// -----

// A number of programs that the kernel chooses stays.
// CHECK-LABEL: @constant
// CHECK-NOT: scf.for
// CHECK: tile.grid[%c128
// CHECK: tile.atomic add %{{.*}}, %arg0[%{{.*}}] extents [0] {in_order}
func.func @constant(%s: !tile.view<1xf32> {tile.name = "s"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  tile.grid[%c128]
  %i = tile.program_id 0
  %t = arith.sitofp %i : i32 to f32
  tile.atomic add %t, %s[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  return
}

// -----

// Unless there are many, whose sums would fill memory.
// CHECK-LABEL: @many
// CHECK: scf.for
// CHECK: {in_order}
func.func @many(%s: !tile.view<1xf32> {tile.name = "s"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c4096 = arith.constant 4096 : i32
  tile.grid[%c4096]
  %i = tile.program_id 0
  %t = arith.sitofp %i : i32 to f32
  tile.atomic add %t, %s[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  return
}

// -----

// Places that differ between programs, or that data decides; other updates; narrow elements.
// CHECK-LABEL: @none
// CHECK: tile.grid[%arg4]
// CHECK-NOT: in_order
func.func @none(%a: !tile.view<?xf32>, %b: !tile.view<?xi32>, %c: !tile.view<?xbf16>, %ids: !tile.view<?xi32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %ones = arith.constant dense<1> : tensor<64xi32>
  %half = arith.constant dense<1.0> : tensor<64xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %start = arith.muli %i, %c64 : i32
  tile.atomic add %one, %a[%start] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  %at = tile.load %ids[%start] extents [64] : !tile.view<?xi32>, i32 -> tensor<64xi32>
  tile.atomic add %ones, %b[%at] extents [-1] : tensor<64xi32>, !tile.view<?xi32>, tensor<64xi32>
  tile.atomic add %half, %c[%c0] extents [64] : tensor<64xbf16>, !tile.view<?xbf16>, i32
  return
}

// -----

// Two additions to one tensor may meet.
// CHECK-LABEL: @twice
// CHECK-NOT: in_order
func.func @twice(%a: !tile.view<?xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  tile.grid[%n]
  tile.atomic add %one, %a[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  tile.atomic add %one, %a[%n] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// -----

// With products, their schedule comes first.
// CHECK-LABEL: @products
// CHECK-NOT: in_order
func.func @products(%x: !tile.view<?x64xf16>, %s: !tile.view<64xf32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x64xf16>, i32, i32 -> tensor<64x64xf16>
  %p = tile.dot %t, %t, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %sum = tile.reduce sum %p, 0 : tensor<64x64xf32> -> tensor<64xf32>
  tile.atomic add %sum, %s[%c0] extents [64] : tensor<64xf32>, !tile.view<64xf32>, i32
  return
}

// -----

// What starts at zero and is added to whole gets the total stored.
// CHECK-LABEL: @from_zero
// CHECK-SAME: %arg0: !tile.view<32xf32> {tile.starts_at_zero, tile.stored_whole}
// CHECK-SAME: %arg1: !tile.view<64xf32> {tile.starts_at_zero},
// CHECK-SAME: %arg2: !tile.view<1xf32> {tile.starts_at_zero, tile.stored_whole}
// CHECK-SAME: %arg3: !tile.view<?xf32> {tile.starts_at_zero},
// CHECK-COUNT-4: {in_order}
func.func @from_zero(%a: !tile.view<32xf32> {tile.starts_at_zero}, %b: !tile.view<64xf32> {tile.starts_at_zero},
                     %c: !tile.view<1xf32> {tile.starts_at_zero}, %d: !tile.view<?xf32> {tile.starts_at_zero}, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %number = arith.constant 1.0 : f32
  tile.grid[%n]
  tile.atomic add %one, %a[%c0] extents [32] : tensor<32xf32>, !tile.view<32xf32>, i32
  tile.atomic add %one, %b[%c0] extents [32] : tensor<32xf32>, !tile.view<64xf32>, i32
  tile.atomic add %number, %c[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  tile.atomic add %one, %d[%c0] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// The blocks of a cluster have a part of it each, so together they store it whole; twice as many
// elements they would not.
// CHECK-LABEL: @cluster_from_zero
// CHECK-SAME: %arg0: !tile.view<32xf32> {tile.starts_at_zero, tile.stored_whole}
// CHECK-SAME: %arg1: !tile.view<64xf32> {tile.starts_at_zero},
func.func @cluster_from_zero(%a: !tile.view<32xf32> {tile.starts_at_zero}, %b: !tile.view<64xf32> {tile.starts_at_zero}, %n: i32)
    attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c2 = arith.constant 2 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant dense<1.0> : tensor<16xf32>
  tile.grid[%c2, %n]
  %rank = tile.program_id 0
  %start = arith.muli %rank, %c16 : i32
  tile.atomic add %one, %a[%start] extents [16] : tensor<16xf32>, !tile.view<32xf32>, i32
  tile.atomic add %one, %b[%start] extents [16] : tensor<16xf32>, !tile.view<64xf32>, i32
  return
}
