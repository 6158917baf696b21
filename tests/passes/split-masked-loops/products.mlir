// RUN: tile-opt %s --split-masked-loops --verify-diagnostics | FileCheck %s

// One loop, whatever masks it has: full iterations branch around them.
// CHECK-LABEL: @masks_stand_behind_a_branch
// CHECK: %[[FULL:.*]] = arith.maxsi
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK: %[[PARTIAL:.*]] = arith.cmpi sge, %[[N]], %[[FULL]]
// CHECK-NOT: tensor<16x16xi1>
// CHECK: %[[DOT:.*]] = tile.dot
// CHECK: %[[MASKED:.*]] = scf.if %[[PARTIAL]] -> (tensor<16x16xf32>) {
// CHECK: tile.range
// CHECK: arith.cmpi slt
// CHECK: %[[S:.*]] = arith.select {{.*}}, %[[DOT]], %{{.*}}
// CHECK: scf.yield %[[S]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[DOT]]
// CHECK: tile.reduce sum %[[MASKED]]
// CHECK-NOT: scf.for
func.func @masks_stand_behind_a_branch(%x: !tile.view<16x16xf16>, %w: !tile.view<?x16xf16>, %y: !tile.view<16xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %T = tile.dim %w, 0 : !tile.view<?x16xf16>
  %ends = tile.splat %T : i32 -> tensor<16xi32>
  %steps = arith.ceildivsi %T, %c16 : i32
  %a = tile.load %x[%c0, %c0] extents [16, 16] : !tile.view<16x16xf16>, i32, i32 -> tensor<16x16xf16>
  // expected-remark@+1 {{1 masks are applied behind a branch, in partial iterations}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<16xf32>) : i32 {
    %row = arith.muli %n, %c16 : i32
    %b = tile.load %w[%row, %c0] extents [16, 16] : !tile.view<?x16xf16>, i32, i32 -> tensor<16x16xf16>
    %bt = tile.transpose %b [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
    %d = tile.dot %a, %bt, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %cols = tile.range %row : tensor<16xi32>
    %seen = arith.cmpi slt, %cols, %ends : tensor<16xi32>
    %seen1 = tile.expand_dims %seen, 0 : tensor<16xi1> -> tensor<1x16xi1>
    %mask = tile.broadcast %seen1 : tensor<1x16xi1> -> tensor<16x16xi1>
    %v = arith.select %mask, %d, %zeros : tensor<16x16xi1>, tensor<16x16xf32>
    %part = tile.reduce sum %v, 1 : tensor<16x16xf32> -> tensor<16xf32>
    %next = arith.addf %s, %part : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  tile.store %sum, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<16xf32>, i32
  return
}

// Loads of a product keep their bounds: asynchronous copies check them for nothing.
// CHECK-LABEL: @bounds_split_no_product
// CHECK: scf.for
// CHECK: tile.load {{.*}} extents [16, 16] {in_bounds = array<i1: true, false>}
// CHECK-NOT: scf.for
func.func @bounds_split_no_product(%x: !tile.view<16x?xf16>, %w: !tile.view<?x16xf16>, %y: !tile.view<16x16xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %T = tile.dim %w, 0 : !tile.view<?x16xf16>
  %steps = arith.ceildivsi %T, %c16 : i32
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zeros) -> (tensor<16x16xf32>) : i32 {
    %k = arith.muli %n, %c16 : i32
    %a = tile.load %x[%c0, %k] extents [16, 16] : !tile.view<16x?xf16>, i32, i32 -> tensor<16x16xf16>
    %b = tile.load %w[%k, %c0] extents [16, 16] : !tile.view<?x16xf16>, i32, i32 -> tensor<16x16xf16>
    %d = tile.dot %a, %b, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}

// What else decides a select stays in full iterations; a mask that falls cuts off the first ones.
// CHECK-LABEL: @other_conditions_stay
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK: %[[PARTIAL:.*]] = arith.cmpi slt, %[[N]]
// CHECK: scf.if %[[PARTIAL]]
// CHECK: arith.andi
// CHECK: } else {
// CHECK: arith.select %arg{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xi1>
func.func @other_conditions_stay(%x: !tile.view<16x16xf16>, %y: !tile.view<16x16xf32>, %first: i32,
    %steps: i32, %other: tensor<16x16xi1>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %starts = tile.splat %first : i32 -> tensor<16xi32>
  %a = tile.load %x[%c0, %c0] extents [16, 16] : !tile.view<16x16xf16>, i32, i32 -> tensor<16x16xf16>
  // expected-remark@+1 {{1 masks are applied behind a branch}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zeros) -> (tensor<16x16xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %seen = arith.cmpi sge, %cols, %starts : tensor<16xi32>
    %seen1 = tile.expand_dims %seen, 0 : tensor<16xi1> -> tensor<1x16xi1>
    %mask = tile.broadcast %seen1 : tensor<1x16xi1> -> tensor<16x16xi1>
    %both = arith.andi %mask, %other : tensor<16x16xi1>
    %d = tile.dot %a, %a, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %v = arith.select %both, %d, %ones : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %v : tensor<16x16xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}

// From the loop's end on, what is loaded lies behind the view, and adds nothing.
// CHECK-LABEL: @nothing_is_added_past_the_end
// CHECK: tile.idle_behind
func.func @nothing_is_added_past_the_end(%x: !tile.view<16x?xf16>, %w: !tile.view<16x?xf16>, %y: !tile.view<16x16xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %K = tile.dim %x, 1 : !tile.view<16x?xf16>
  %steps = arith.ceildivsi %K, %c16 : i32
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zeros) -> (tensor<16x16xf32>) : i32 {
    %k = arith.muli %n, %c16 : i32
    %a = tile.load %x[%c0, %k] extents [16, 16] : !tile.view<16x?xf16>, i32, i32 -> tensor<16x16xf16>
    %b = tile.load %w[%c0, %k] extents [16, 16] : !tile.view<16x?xf16>, i32, i32 -> tensor<16x16xf16>
    %bt = tile.transpose %b [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
    %d = tile.dot %a, %bt, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}

// One iteration fewer than there are, and one that is filled with ones.
// CHECK-LABEL: @something_is_added_past_the_end
// CHECK-NOT: tile.idle_behind
func.func @something_is_added_past_the_end(%x: !tile.view<16x?xf16>, %y: !tile.view<16x16xf32>)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %one = arith.constant 1.0 : f16
  %K = tile.dim %x, 1 : !tile.view<16x?xf16>
  %steps = arith.ceildivsi %K, %c16 : i32
  %fewer = arith.subi %steps, %c1 : i32
  %sum = scf.for %n = %c0 to %fewer step %c1 iter_args(%s = %zeros) -> (tensor<16x16xf32>) : i32 {
    %k = arith.muli %n, %c16 : i32
    %a = tile.load %x[%c0, %k] extents [16, 16] : !tile.view<16x?xf16>, i32, i32 -> tensor<16x16xf16>
    %bt = tile.transpose %a [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
    %d = tile.dot %a, %bt, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %all = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %sum) -> (tensor<16x16xf32>) : i32 {
    %k = arith.muli %n, %c16 : i32
    %a = tile.load %x[%c0, %k] extents [16, 16] fill %one : f16 : !tile.view<16x?xf16>, i32, i32 -> tensor<16x16xf16>
    %bt = tile.transpose %a [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
    %d = tile.dot %a, %bt, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tile.store %all, %y[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}

// Where a mask that falls and one that rises both have to hold, each stands behind a branch of its own: the
// first iterations ask nothing about the last, nor the last about the first.
// CHECK-LABEL: @first_and_last_ask_for_themselves
// CHECK: scf.for %[[N:[a-z0-9]+]] =
// CHECK-DAG: %[[LAST:.*]] = arith.cmpi sge, %[[N]], %
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi slt, %[[N]], %
// CHECK-NOT: tensor<16x16xi1>
// CHECK: %[[DOT:.*]] = tile.dot
// CHECK: %[[CUT:.*]] = scf.if %[[LAST]]
// CHECK-NOT: arith.cmpi sge
// CHECK: arith.cmpi slt
// CHECK: arith.select {{.*}}, %[[DOT]], %
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[DOT]]
// CHECK: scf.if %[[FIRST]]
// CHECK-NOT: arith.cmpi slt
// CHECK: arith.cmpi sge
// CHECK: arith.select {{.*}}, %[[CUT]], %
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[CUT]]
func.func @first_and_last_ask_for_themselves(%x: !tile.view<16x16xf16>, %y: !tile.view<16x16xf32>, %first: i32,
    %end: i32, %steps: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %starts = tile.splat %first : i32 -> tensor<16xi32>
  %ends = tile.splat %end : i32 -> tensor<16xi32>
  %a = tile.load %x[%c0, %c0] extents [16, 16] : !tile.view<16x16xf16>, i32, i32 -> tensor<16x16xf16>
  // expected-remark@+1 {{2 masks are applied behind a branch}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zeros) -> (tensor<16x16xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %begun = arith.cmpi sge, %cols, %starts : tensor<16xi32>
    %open = arith.cmpi slt, %cols, %ends : tensor<16xi32>
    %seen = arith.andi %begun, %open : tensor<16xi1>
    %seen1 = tile.expand_dims %seen, 0 : tensor<16xi1> -> tensor<1x16xi1>
    %mask = tile.broadcast %seen1 : tensor<1x16xi1> -> tensor<16x16xi1>
    %d = tile.dot %a, %a, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %v = arith.select %mask, %d, %ones : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %v : tensor<16x16xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}

// Where one of the two is enough, both are asked together.
// CHECK-LABEL: @either_is_enough
// CHECK: %[[PARTIAL:.*]] = arith.ori
// CHECK: scf.if %[[PARTIAL]]
// CHECK-NOT: scf.if
func.func @either_is_enough(%x: !tile.view<16x16xf16>, %y: !tile.view<16x16xf32>, %first: i32,
    %end: i32, %steps: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %starts = tile.splat %first : i32 -> tensor<16xi32>
  %ends = tile.splat %end : i32 -> tensor<16xi32>
  %a = tile.load %x[%c0, %c0] extents [16, 16] : !tile.view<16x16xf16>, i32, i32 -> tensor<16x16xf16>
  // expected-remark@+1 {{2 masks are applied behind a branch}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zeros) -> (tensor<16x16xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %begun = arith.cmpi sge, %cols, %starts : tensor<16xi32>
    %open = arith.cmpi slt, %cols, %ends : tensor<16xi32>
    %seen = arith.ori %begun, %open : tensor<16xi1>
    %seen1 = tile.expand_dims %seen, 0 : tensor<16xi1> -> tensor<1x16xi1>
    %mask = tile.broadcast %seen1 : tensor<1x16xi1> -> tensor<16x16xi1>
    %d = tile.dot %a, %a, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %v = arith.select %mask, %d, %ones : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %v : tensor<16x16xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}
