// RUN: tile-opt %s --order-accesses | FileCheck %s

#line = #cta.layout<registers [], lanes [32:0:1], warps []>
#backwards = #cta.layout<registers [], lanes [16:0:2, 2:0:1], warps []>
#copies = #cta.layout<registers [], lanes [16:0:1, 2:*], warps []>
!vector = !tile.view<?xf32>
!matrix = !tile.view<?x?xf32>
!line = tensor<32xf32, #line>
!backwards = tensor<32xf32, #backwards>
!copies = tensor<16xf32, #copies>
#wide = #cta.layout<registers [], lanes [32:0:1], warps [2:0:32]>
!wide = tensor<64xf32, #wide>

// Element 1 goes from one thread to another.
// CHECK-LABEL: @load_of_what_was_stored_shifted
// CHECK: tile.store
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.load
// CHECK-NOT: cta.sync
func.func @load_of_what_was_stored_shifted(%x: !vector, %y: !vector, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %a, %x[%c0] extents [32] : !line, !vector, i32
  %b = tile.load %x[%c1] extents [32] : !vector, i32 -> !line
  tile.store %b, %y[%c0] extents [32] : !line, !vector, i32
  return
}

// CHECK-LABEL: @load_in_another_layout
// CHECK: tile.store
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.load
func.func @load_in_another_layout(%x: !vector, %y: !vector, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %a, %x[%c0] extents [32] : !line, !vector, i32
  %b = tile.load %x[%c0] extents [32] : !vector, i32 -> !backwards
  tile.store %b, %y[%c0] extents [32] : !backwards, !vector, i32
  return
}

// CHECK-LABEL: @store_over_what_others_load
// CHECK: tile.load
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.store
// CHECK-NOT: cta.sync
func.func @store_over_what_others_load(%x: !vector, %y: !vector, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %b = tile.load %x[%c1] extents [32] : !vector, i32 -> !line
  tile.store %a, %x[%c0] extents [32] : !line, !vector, i32
  tile.store %b, %y[%c0] extents [32] : !line, !vector, i32
  return
}

// CHECK-LABEL: @stores_by_different_threads
// CHECK: tile.store
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.store
func.func @stores_by_different_threads(%x: !vector, %a: !line, %b: !backwards)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %a, %x[%c0] extents [32] : !line, !vector, i32
  tile.store %b, %x[%c0] extents [32] : !backwards, !vector, i32
  return
}

// One of two replicas stores, both load.
// CHECK-LABEL: @replicas_load_what_one_stores
// CHECK: tile.store
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
func.func @replicas_load_what_one_stores(%x: !vector, %a: !copies)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %a, %x[%c0] extents [16] : !copies, !vector, i32
  %b = tile.load %x[%c0] extents [16] : !vector, i32 -> !copies
  tile.store %b, %x[%c32] extents [16] : !copies, !vector, i32
  return
}

// One thread stores a scalar, all load it.
// CHECK-LABEL: @scalars
// CHECK: tile.store
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.load
// CHECK-NOT: cta.sync
func.func @scalars(%x: !vector, %y: !vector, %s: f32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %s, %x[%c0] extents [0] : f32, !vector, i32
  %b = tile.load %x[%c0] extents [0] : !vector, i32 -> f32
  tile.store %b, %y[%c0] extents [0] : f32, !vector, i32
  return
}

// CHECK-LABEL: @atomics_read_and_write
// CHECK: tile.atomic add
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.atomic max
func.func @atomics_read_and_write(%x: !vector, %y: !vector, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.atomic add %a, %x[%c0] extents [32] : !line, !vector, i32
  %b = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
  tile.store %b, %y[%c0] extents [32] : !line, !vector, i32
  tile.atomic max %a, %x[%c0] extents [32] : !line, !vector, i32
  return
}

// CHECK-LABEL: @unknown_indices
// CHECK: tile.store
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.load
func.func @unknown_indices(%x: !vector, %y: !vector, %i: i32, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %a, %x[%c0] extents [32] : !line, !vector, i32
  %b = tile.load %x[%i] extents [32] : !vector, i32 -> !line
  tile.store %b, %y[%c0] extents [32] : !line, !vector, i32
  return
}

// Nothing separates the store from the next iteration's load.
// CHECK-LABEL: @loop_reads_what_the_iteration_before_stored
// CHECK: scf.for
// CHECK: cta.sync
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
func.func @loop_reads_what_the_iteration_before_stored(%x: !vector, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  scf.for %i = %c1 to %n step %c1 : i32 {
    %here = arith.muli %i, %c32 : i32
    %before = arith.subi %here, %c32 : i32
    %b = tile.load %x[%before] extents [32] : !vector, i32 -> !line
    tile.store %b, %x[%here] extents [32] : !line, !vector, i32
  }
  return
}

// CHECK-LABEL: @loop_stores_over_what_the_iteration_before_read
// CHECK: scf.for
// CHECK: tile.load
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.store
func.func @loop_stores_over_what_the_iteration_before_read(%x: !vector, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %here = arith.muli %i, %c32 : i32
    %behind = arith.addi %here, %c32 : i32
    %b = tile.load %x[%behind] extents [32] : !vector, i32 -> !line
    tile.store %b, %x[%here] extents [32] : !line, !vector, i32
  }
  return
}

// CHECK-LABEL: @loop_over_what_was_stored_before
// CHECK: tile.store
// CHECK: scf.for
// CHECK: cta.sync
// CHECK-NEXT: tile.load
func.func @loop_over_what_was_stored_before(%x: !vector, %y: !vector, %n: i32, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %a, %x[%c1] extents [32] : !line, !vector, i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %here = arith.muli %i, %c32 : i32
    %b = tile.load %x[%here] extents [32] : !vector, i32 -> !line
    tile.store %b, %y[%here] extents [32] : !line, !vector, i32
  }
  return
}

// CHECK-LABEL: @while_loop
// CHECK: scf.while
// CHECK: } do {
// CHECK: cta.sync
// CHECK-NEXT: tile.load
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.store
func.func @while_loop(%x: !vector, %some: i1)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  scf.while : () -> () {
    scf.condition(%some)
  } do {
    %b = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
    tile.store %b, %x[%c1] extents [32] : !line, !vector, i32
    scf.yield
  }
  return
}

// CHECK-LABEL: @either_branch
// CHECK: scf.if
// CHECK-NOT: cta.sync
// CHECK: }
// CHECK: }
// CHECK-NEXT: cta.sync
// CHECK-NEXT: tile.load
// CHECK-NOT: cta.sync
func.func @either_branch(%x: !vector, %y: !vector, %some: i1, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  scf.if %some {
    tile.store %a, %x[%c0] extents [32] : !line, !vector, i32
  } else {
    tile.store %a, %y[%c0] extents [32] : !line, !vector, i32
  }
  %b = tile.load %x[%c1] extents [32] : !vector, i32 -> !line
  tile.store %b, %y[%c32] extents [32] : !line, !vector, i32
  return
}

// A copy is ordered like a load; the threads' own parts of it are not compared.
// CHECK-LABEL: @copies_into_channels
// CHECK: tile.store
// CHECK: cta.acquire
// CHECK-NEXT: cta.sync
// CHECK-NEXT: cta.copy
func.func @copies_into_channels(%x: !vector, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %ring = cta.channel cp_async : !cta.channel<1 x tensor<32xf32>>
  tile.store %a, %x[%c0] extents [32] : !line, !vector, i32
  %slot = cta.acquire %ring : !cta.channel<1 x tensor<32xf32>> -> !cta.slot<tensor<32xf32>>
  cta.copy %x[%c0] extents [32], %slot {vector = 1 : i64} : !vector, !cta.slot<tensor<32xf32>>
  cta.commit %slot : !cta.slot<tensor<32xf32>>
  return
}

// Called in place, x is y: the replicas have loaded before one of them stores.
// CHECK-LABEL: @stores_wait_for_the_loads_of_a_call_in_place
// CHECK: tile.load
// CHECK: cta.sync
// CHECK-NEXT: tile.store
func.func @stores_wait_for_the_loads_of_a_call_in_place(%x: !vector {tile.dims = ["N"]}, %y: !vector {tile.dims = ["N"]})
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [16] : !vector, i32 -> !copies
  tile.store %a, %y[%c0] extents [16] : !copies, !vector, i32
  return
}

// Two parts of a tensor may be the same elements.
// CHECK-LABEL: @parts_meet
// CHECK: tile.store
// CHECK: cta.sync
// CHECK-NEXT: tile.load
func.func @parts_meet(%x: !vector, %one: i32, %other: i32, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%other] extents [32] : !vector, i32 -> !line
  %p = tile.subview %x, 0 from %one size %n : !vector -> !vector
  %q = tile.subview %x, 0 from %other size %n : !vector -> !vector
  tile.store %a, %q[%c0] extents [32] : !line, !vector, i32
  %b = tile.load %p[%c0] extents [32] : !vector, i32 -> !line
  tile.store %b, %p[%c0] extents [32] : !line, !vector, i32
  return
}

// A part that each iteration takes elsewhere.
// CHECK-LABEL: @parts_of_iterations
// CHECK: scf.for
// CHECK: cta.sync
// CHECK: tile.load
func.func @parts_of_iterations(%x: !vector, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tile.subview %x, 0 from %i size %c1 : !vector -> !vector
    %b = tile.load %p[%c0] extents [32] : !vector, i32 -> !line
    tile.store %b, %p[%c0] extents [32] : !line, !vector, i32
  }
  return
}

// A warp reduces alone, and another may still load.
// CHECK-LABEL: @behind_a_reduction_in_warps
// CHECK: tile.reduce
// CHECK: cta.sync
// CHECK-NEXT: tile.store
func.func @behind_a_reduction_in_warps(%x: !vector, %y: !vector)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.load %x[%c1] extents [32] : !vector, i32 -> !line
  %m = tile.reduce max %a, 0 : !line -> f32
  %r = tile.splat %m : f32 -> !line
  tile.store %r, %x[%c0] extents [32] : !line, !vector, i32
  return
}

// Without a loop a barrier takes no time.
// CHECK-LABEL: @behind_a_reduction_without_a_loop
// CHECK: tile.reduce
// CHECK: cta.sync
// CHECK-NEXT: tile.store
func.func @behind_a_reduction_without_a_loop(%x: !vector)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.load %x[%c1] extents [64] : !vector, i32 -> !wide
  %m = tile.reduce max %a, 0 : !wide -> f32
  %r = tile.splat %m : f32 -> !wide
  tile.store %r, %x[%c0] extents [64] : !wide, !vector, i32
  return
}
