// RUN: tile-opt %s --order-accesses | FileCheck %s --implicit-check-not=cta.sync

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

// Each thread sees its own elements.
// CHECK-LABEL: @in_place
func.func @in_place(%x: !vector)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %a = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
  %s = arith.addf %a, %a : !line
  tile.store %s, %x[%c0] extents [32] : !line, !vector, i32
  %b = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
  tile.store %b, %x[%c0] extents [32] : !line, !vector, i32
  return
}

// Iterations are 32 elements apart.
// CHECK-LABEL: @in_place_in_a_loop
func.func @in_place_in_a_loop(%x: !vector, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %here = arith.muli %i, %c32 : i32
    %b = tile.load %x[%here] extents [32] : !vector, i32 -> !line
    tile.store %b, %x[%here] extents [32] : !line, !vector, i32
  }
  return
}

// The second loop starts where the first ends: their layouts may differ.
// CHECK-LABEL: @in_place_in_loops_in_sequence
func.func @in_place_in_loops_in_sequence(%x: !vector, %m: i32, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  scf.for %i = %c0 to %m step %c1 : i32 {
    %here = arith.muli %i, %c32 : i32
    %b = tile.load %x[%here] extents [32] : !vector, i32 -> !line
    tile.store %b, %x[%here] extents [32] : !line, !vector, i32
  }
  scf.for %i = %m to %n step %c1 : i32 {
    %here = arith.muli %i, %c32 : i32
    %b = tile.load %x[%here] extents [32] : !vector, i32 -> !backwards
    tile.store %b, %x[%here] extents [32] : !backwards, !vector, i32
  }
  return
}

// A constant apart, whatever they start from.
// CHECK-LABEL: @halves
func.func @halves(%x: !vector, %i: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %second = arith.addi %i, %c32 : i32
  %a = tile.load %x[%i] extents [32] : !vector, i32 -> !line
  %b = tile.load %x[%second] extents [32] : !vector, i32 -> !backwards
  tile.store %b, %x[%second] extents [32] : !backwards, !vector, i32
  tile.store %a, %x[%i] extents [32] : !line, !vector, i32
  return
}

// Even and odd indices never meet; pad-tiles sent the padding out of the tensor.
// CHECK-LABEL: @pairs
func.func @pairs(%x: !vector, %i: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %n = tile.range %c0 : tensor<32xi32, #line>
  %two = arith.constant dense<2> : tensor<32xi32, #line>
  %one = arith.constant dense<1> : tensor<32xi32, #line>
  %outside = arith.constant dense<-1> : tensor<32xi32, #line>
  %limit = arith.constant dense<20> : tensor<32xi32, #line>
  %even = arith.muli %n, %two : tensor<32xi32, #line>
  %odd = arith.addi %even, %one : tensor<32xi32, #line>
  %used = arith.cmpi slt, %n, %limit : tensor<32xi32, #line>
  %first = arith.select %used, %even, %outside : tensor<32xi1, #line>, tensor<32xi32, #line>
  %second = arith.select %used, %odd, %outside : tensor<32xi1, #line>, tensor<32xi32, #line>
  %a = tile.load %x[%first] extents [-1] : !vector, tensor<32xi32, #line> -> !line
  %b = tile.load %x[%second] extents [-1] : !vector, tensor<32xi32, #line> -> !line
  tile.store %b, %x[%first] extents [-1] : !line, !vector, tensor<32xi32, #line>
  tile.store %a, %x[%second] extents [-1] : !line, !vector, tensor<32xi32, #line>
  return
}

// The inner loop by its step, the outer by its rows.
// CHECK-LABEL: @rows_of_a_matrix
func.func @rows_of_a_matrix(%x: !matrix, %m: i32, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  scf.for %h = %c0 to %m step %c1 : i32 {
    scf.for %i = %c0 to %n step %c32 : i32 {
      %a = tile.load %x[%h, %i] extents [0, 32] : !matrix, i32, i32 -> !line
      tile.store %a, %x[%h, %i] extents [0, 32] : !line, !matrix, i32, i32
    }
  }
  return
}

// Parameters are different tensors.
// CHECK-LABEL: @two_tensors
func.func @two_tensors(%x: !vector, %y: !vector)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %a = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
  tile.store %a, %y[%c1] extents [32] : !line, !vector, i32
  %b = tile.load %x[%c32] extents [32] : !vector, i32 -> !line
  return
}

// CHECK-LABEL: @one_thread_stores_scalars
func.func @one_thread_stores_scalars(%x: !vector, %s: f32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.store %s, %x[%c0] extents [0] : f32, !vector, i32
  tile.store %s, %x[%c0] extents [0] : f32, !vector, i32
  return
}

// They may happen in any order.
// CHECK-LABEL: @atomics_of_one_kind
func.func @atomics_of_one_kind(%x: !vector, %a: !line, %b: !backwards)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  tile.atomic add %a, %x[%c0] extents [32] : !line, !vector, i32
  tile.atomic add %b, %x[%c1] extents [32] : !backwards, !vector, i32
  return
}

// CHECK-LABEL: @loads_alone
func.func @loads_alone(%x: !vector)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %a = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
  %b = tile.load %x[%c1] extents [32] : !vector, i32 -> !backwards
  return
}

// A conversion has barriers of its own.
// CHECK-LABEL: @converted_in_between
func.func @converted_in_between(%x: !vector)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
  %b = cta.convert %a : !line -> !backwards
  tile.store %b, %x[%c0] extents [32] : !backwards, !vector, i32
  return
}

// Called in place, x is y: every thread stores what it has loaded.
// CHECK-LABEL: @a_call_in_place
func.func @a_call_in_place(%x: !vector {tile.dims = ["N"]}, %y: !vector {tile.dims = ["N"]})
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [32] : !vector, i32 -> !line
  tile.store %a, %y[%c0] extents [32] : !line, !vector, i32
  return
}

// Tensors of other dimensions are others.
// CHECK-LABEL: @other_tensors
func.func @other_tensors(%x: !vector {tile.dims = ["N"]}, %y: !vector {tile.dims = ["M"]})
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [16] : !vector, i32 -> !copies
  tile.store %a, %y[%c0] extents [16] : !copies, !vector, i32
  return
}

// A wait for the only slot is one for the copies of all threads.
// CHECK-LABEL: @copies_that_were_waited_for
func.func @copies_that_were_waited_for(%x: !vector {tile.dims = ["N"]}, %y: !vector {tile.dims = ["N"]}, %a: !line)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %ring = cta.channel cp_async : !cta.channel<1 x tensor<32xf32>>
  %slot = cta.acquire %ring : !cta.channel<1 x tensor<32xf32>> -> !cta.slot<tensor<32xf32>>
  cta.copy %x[%c0] extents [32], %slot {vector = 1 : i64} : !vector, !cta.slot<tensor<32xf32>>
  cta.commit %slot : !cta.slot<tensor<32xf32>>
  %full = cta.wait %ring : !cta.channel<1 x tensor<32xf32>> -> !cta.slot<tensor<32xf32>>
  tile.store %a, %y[%c0] extents [32] : !line, !vector, i32
  cta.release %full : !cta.slot<tensor<32xf32>>
  return
}

// Tiles have no order, wherever they run.
// CHECK-LABEL: @tiles_are_independent
func.func @tiles_are_independent(%x: !vector, %t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "fill" warps 1 {
    %a = arith.constant dense<0.0> : !line
    cta.tiles (%m) of (%t) {
      tile.store %a, %x[%m] extents [32] : !line, !vector, i32
    }
  }
  return
}

// Through a part too: the same elements of the tensor, and others.
// CHECK-LABEL: @of_a_part
func.func @of_a_part(%x: !vector, %start: i32, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %p = tile.subview %x, 0 from %start size %n : !vector -> !vector
  %a = tile.load %p[%c0] extents [32] : !vector, i32 -> !line
  tile.store %a, %p[%c0] extents [32] : !line, !vector, i32
  %b = tile.load %x[%start] extents [32] : !vector, i32 -> !line
  %q = tile.subview %p, 0 from %c32 size %n : !vector -> !vector
  tile.store %b, %q[%c0] extents [32] : !line, !vector, i32
  return
}

// Warps meet in a reduction, behind the load that the store may meet.
// CHECK-LABEL: @behind_a_reduction
func.func @behind_a_reduction(%x: !vector, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x[%c1] extents [64] : !vector, i32 -> !wide
    %m = tile.reduce max %a, 0 : !wide -> f32
    %r = tile.splat %m : f32 -> !wide
    tile.store %r, %x[%c0] extents [64] : !wide, !vector, i32
    %s = tile.reduce max %a, 0 : !wide -> f32
  }
  return
}
