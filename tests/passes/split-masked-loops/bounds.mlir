// RUN: tile-opt %s --split-masked-loops | FileCheck %s
// RUN: tile-opt %s --split-masked-loops=split-bounds=false | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: @splits_off_the_tail
// CHECK: %[[FULL:.*]] = arith.shrsi
// CHECK: arith.minsi %{{.*}}, %[[FULL]]
// CHECK: scf.for
// CHECK: tile.load {{.*}} {in_bounds = array<i1: true>}
// CHECK: } {tile.segment = 0 : i32{{.*}}}
// CHECK: scf.for
// CHECK: tile.load {{.*}} extents [64] :
// CHECK: } {tile.segment = 1 : i32{{.*}}}

// WHOLE-LABEL: @splits_off_the_tail
// WHOLE: scf.for
// WHOLE-NOT: scf.for
// WHOLE-LABEL: @static_sizes_that_divide_need_no_split
func.func @splits_off_the_tail(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %steps = arith.ceildivsi %n, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
    %start = arith.muli %i, %c64 : i32
    %a = tile.load %x[%start] extents [64] : !tile.view<?xf32>, i32 -> tensor<64xf32>
    %next = arith.addf %s, %a : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tile.store %sum, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @static_sizes_that_divide_need_no_split
// CHECK: scf.for
// CHECK: tile.load {{.*}} {in_bounds = array<i1: true>}
// CHECK-NOT: scf.for
func.func @static_sizes_that_divide_need_no_split(%x: !tile.view<4096xf32>, %y: !tile.view<64xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %n = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %sum = scf.for %start = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64xf32>) : i32 {
    %a = tile.load %x[%start] extents [64] : !tile.view<4096xf32>, i32 -> tensor<64xf32>
    %next = arith.addf %s, %a : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tile.store %sum, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<64xf32>, i32
  return
}

// One size by its name, whichever view it is asked of.
// CHECK-LABEL: @program_ids_stay_within_the_grid
// CHECK: tile.load {{.*}} {in_bounds = array<i1: true, true>}
// CHECK: tile.store {{.*}} {in_bounds = array<i1: true, true>}
func.func @program_ids_stay_within_the_grid(
    %x: !tile.view<?x64xf32> {tile.name = "x", tile.dims = ["R", "C"]},
    %y: !tile.view<?x64xf32> {tile.name = "y", tile.dims = ["R", "C"]}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x64xf32>
  tile.grid [%n]
  %r = tile.program_id 0
  %a = tile.load %x[%r, %c0] extents [0, 64] : !tile.view<?x64xf32>, i32, i32 -> tensor<64xf32>
  tile.store %a, %y[%r, %c0] extents [0, 64] : tensor<64xf32>, !tile.view<?x64xf32>, i32, i32
  return
}
