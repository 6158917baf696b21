// RUN: tile-opt %s --assign-layouts --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// Axis 0 is fastest; the last axis is what remains.
// CHECK-LABEL: @grids_are_numbered_in_one_dimension
// CHECK-SAME: %[[A:[a-z0-9]+]]: i32 {cuda.param = {argument = 0
// CHECK-SAME: %[[B:[a-z0-9]+]]: i32 {cuda.param = {argument = 1
// CHECK: %[[ID:.*]] = cuda.block_id
// CHECK: %[[REST:.*]] = cuda.quotient %[[ID]], %[[A]],
// CHECK: %[[WHOLE:.*]] = arith.muli %[[REST]], %[[A]]
// CHECK: %[[FIRST:.*]] = arith.subi %[[ID]], %[[WHOLE]]
// CHECK: %[[THIRD:.*]] = cuda.quotient %[[REST]], %[[B]],
// CHECK: %[[WHOLE2:.*]] = arith.muli %[[THIRD]], %[[B]]
// CHECK: %[[SECOND:.*]] = arith.subi %[[REST]], %[[WHOLE2]]
// CHECK: arith.muli %[[FIRST]], %[[SECOND]]
// CHECK: arith.addi %{{.*}}, %[[THIRD]]
func.func @grids_are_numbered_in_one_dimension(%a: i32, %b: i32, %c: i32, %y: !tile.view<?xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  tile.grid [%a, %b, %c]
  %i = tile.program_id 0
  %j = tile.program_id 1
  %k = tile.program_id 2
  %ij = arith.muli %i, %j : i32
  %v = arith.addi %ij, %k : i32
  tile.store %v, %y[%v] extents [0] : i32, !tile.view<?xi32>, i32
  return
}

// Pointers, sizes once per name, strides that are not 1, scalars.
// CHECK-LABEL: @parameters_in_the_order_of_a_reader
// CHECK-SAME: !cuda.ptr<f16> {cuda.param = {argument = 0 : i64, {{.*}} kind = "pointer", source = "x"}, cuda.read_only, tile.name = "x"}
// CHECK-SAME: !cuda.ptr<f16> {cuda.param = {argument = 2 : i64, {{.*}} kind = "pointer", source = "y"}, tile.name = "y"}
// CHECK-SAME: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "dim", source = "M"}
// CHECK-SAME: i32 {cuda.param = {argument = 2 : i64, axis = 1 : i64, kind = "dim", source = "N"}
// CHECK-SAME: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "stride", source = "x"}, tile.name = "x_stride0"}
// CHECK-SAME: i32 {cuda.param = {argument = 2 : i64, axis = 0 : i64, kind = "stride", source = "y"}, tile.name = "y_stride0"}
// CHECK-SAME: i32 {cuda.param = {argument = 2 : i64, axis = 1 : i64, kind = "stride", source = "y"}, tile.name = "y_stride1"}
// CHECK-SAME: f32 {cuda.param = {argument = 1 : i64, axis = 0 : i64, kind = "scalar", source = "scale"}, tile.name = "scale"}
// CHECK-SAME: cuda.min_blocks = 2 : i32
// CHECK-SAME: cuda.threads = 64 : i32
func.func @parameters_in_the_order_of_a_reader(
    %x: !tile.view<?x64xf16> {tile.name = "x", tile.dims = ["M", "D"]}, %scale: f32 {tile.name = "scale"},
    %y: !tile.view<?x?xf16, strided> {tile.name = "y", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 2 : i32, cta.min_blocks = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [0, 64] : !tile.view<?x64xf16>, i32, i32 -> tensor<64xf16>
  tile.store %a, %y[%c0, %c0] extents [0, 64] : tensor<64xf16>, !tile.view<?x?xf16, strided>, i32, i32
  return
}

// A call may be in place, with one tensor for x and y; not for z and y, whose dimensions differ.
// CHECK-LABEL: @only_what_nothing_writes_is_read_only
// CHECK-SAME: source = "x"}, tile.name = "x"}
// CHECK-SAME: source = "z"}, cuda.read_only, tile.name = "z"}
// CHECK-SAME: source = "h"}, cuda.read_only, tile.name = "h"}
// CHECK-SAME: source = "y"}, tile.name = "y"}
func.func @only_what_nothing_writes_is_read_only(
    %x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
    %z: !tile.view<?xf32> {tile.name = "z", tile.dims = ["M"]},
    %h: !tile.view<?xf16> {tile.name = "h", tile.dims = ["N"]},
    %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]})
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
  %b = tile.load %z[%c0] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
  %h16 = tile.load %h[%c0] extents [32] : !tile.view<?xf16>, i32 -> tensor<32xf16>
  %c = tile.cast %h16 : tensor<32xf16> -> tensor<32xf32>
  %ab = arith.addf %a, %b : tensor<32xf32>
  %abc = arith.addf %ab, %c : tensor<32xf32>
  tile.store %abc, %y[%c0] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

// An op that is used once is computed where it is used, and rounded in between only when kept.
// CHECK-LABEL: @chains_take_one_loop
// CHECK: cuda.load_global
// CHECK: math.exp2
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: cuda.store_global
func.func @chains_take_one_loop(%x: !tile.view<?xf32>, %s: f32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
  %e = math.exp2 %a : tensor<32xf32>
  %t = tile.splat %s : f32 -> tensor<32xf32>
  %m = arith.mulf %e, %t : tensor<32xf32>
  %p = arith.addf %m, %t : tensor<32xf32>
  tile.store %p, %x[%c0] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @narrow_values_are_computed_in_f32_and_rounded
// CHECK: cuda.unpack %{{.*}} : vector<2xbf16> -> f32
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK: %[[ROUNDED:.*]] = cuda.convert %[[SUM]] : f32 -> bf16
// CHECK: %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : bf16 to f32
// CHECK: arith.mulf %[[WIDE]]
// CHECK: cuda.pack
func.func @narrow_values_are_computed_in_f32_and_rounded(%x: !tile.view<?xbf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [64] : !tile.view<?xbf16, align 16>, i32 -> tensor<64xbf16>
  %s = arith.addf %a, %a : tensor<64xbf16>
  %m = arith.mulf %s, %a : tensor<64xbf16>
  tile.store %m, %x[%c0] extents [64] : tensor<64xbf16>, !tile.view<?xbf16, align 16>, i32
  return
}

// What a loop carries in tiles lives in arrays; only scalars are carried.
// CHECK-LABEL: @loops_carry_scalars
// CHECK: cuda.regs
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0_i32) -> (i32)
// CHECK: scf.yield %{{.*}} : i32
func.func @loops_carry_scalars(%x: !tile.view<?xf32>, %y: !tile.view<?xi32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %k = %c0) -> (tensor<32xf32>, i32) : i32 {
    %a = tile.load %x[%i] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
    %t = arith.addf %s, %a : tensor<32xf32>
    %l = arith.addi %k, %i : i32
    scf.yield %t, %l : tensor<32xf32>, i32
  }
  tile.store %r#0, %x[%c0] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  tile.store %r#1, %y[%c0] extents [0] : i32, !tile.view<?xi32>, i32
  return
}

// CHECK-LABEL: @leaves_other_functions
// CHECK: tile.store
func.func @leaves_other_functions(%x: !tile.view<?xf32>, %v: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  tile.store %v, %x[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  return
}
