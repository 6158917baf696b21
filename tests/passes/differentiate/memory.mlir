// RUN: tile-opt %s --differentiate="wrt=x given=y" --verify-diagnostics --split-input-file

func.func @programs_and_iterations_are_told_apart(
    %x: !tile.view<?x?xf32> {tile.dims = ["M", "N"], tile.name = "x"},
    %y: !tile.view<?x?xf32> {tile.dims = ["M", "N"], tile.name = "y"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  tile.grid [%n]
  %p = tile.program_id 0
  %row = arith.muli %p, %c4 : i32
  scf.for %j = %c0 to %n step %c1 : i32 {
    %column = arith.muli %j, %c16 : i32
    // expected-remark@+1 {{`dx` is stored: every element is loaded once}}
    %v = tile.load %x[%row, %column] extents [4, 16] : !tile.view<?x?xf32>, i32, i32 -> tensor<4x16xf32>
    tile.store %v, %y[%row, %column] extents [4, 16] : tensor<4x16xf32>, !tile.view<?x?xf32>, i32, i32
  }
  return
}

// -----

// 8 programs take every 8th block: i runs from p on.
func.func @counters_that_start_at_programs_tell_both(
    %x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  tile.grid [%c8]
  %p = tile.program_id 0
  scf.for %i = %p to %n step %c8 : i32 {
    %at = arith.muli %i, %c16 : i32
    // expected-remark@+1 {{`dx` is stored: every element is loaded once}}
    %v = tile.load %x[%at] extents [16] : !tile.view<?xf32>, i32 -> tensor<16xf32>
    tile.store %v, %y[%at] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  }
  return
}

// -----

func.func @strides_below_the_extent_overlap(
    %x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  tile.grid [%n]
  %p = tile.program_id 0
  %at = arith.muli %p, %c15 : i32
  %to = arith.muli %p, %c16 : i32
  // expected-remark@+1 {{`dx` starts at 0 and is added to atomically}}
  %v = tile.load %x[%at] extents [16] : !tile.view<?xf32>, i32 -> tensor<16xf32>
  tile.store %v, %y[%to] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// Two loads of one program, each of which no other program makes, may be another's together.
func.func @shifted_loads_meet_those_of_others(
    %x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  tile.grid [%n]
  %p = tile.program_id 0
  %at = arith.muli %p, %c16 : i32
  %next = arith.addi %at, %c1 : i32
  // expected-remark@+1 {{`dx` starts at 0 and is added to atomically}}
  %v = tile.load %x[%at] extents [16] : !tile.view<?xf32>, i32 -> tensor<16xf32>
  // expected-remark@+1 {{`dx` starts at 0 and is added to atomically}}
  %u = tile.load %x[%next] extents [16] : !tile.view<?xf32>, i32 -> tensor<16xf32>
  %r = arith.addf %v, %u : tensor<16xf32>
  tile.store %r, %y[%at] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  return
}

// -----

func.func @parts_of_one_programs_rows_are_added(
    %x: !tile.view<?x64xf32> {tile.dims = ["M", "D"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["M"], tile.name = "y"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c33 = arith.constant 33 : i32
  tile.grid [%n]
  %p = tile.program_id 0
  // expected-remark@+1 {{`dx` starts at 0 and is added to:}}
  %v = tile.load %x[%p, %c0] extents [0, 32] : !tile.view<?x64xf32>, i32, i32 -> tensor<32xf32>
  // expected-remark@+1 {{`dx` starts at 0 and is added to:}}
  %u = tile.load %x[%p, %c1] extents [0, 32] : !tile.view<?x64xf32>, i32, i32 -> tensor<32xf32>
  // expected-remark@+1 {{`dx` is stored}}
  %w = tile.load %x[%p, %c33] extents [0, 32] : !tile.view<?x64xf32>, i32, i32 -> tensor<32xf32>
  %r = arith.addf %v, %u : tensor<32xf32>
  %q = arith.addf %r, %w : tensor<32xf32>
  %s = tile.reduce sum %q, 0 : tensor<32xf32> -> f32
  tile.store %s, %y[%p] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// -----

// An index may be there twice.
func.func @gathers_add_atomically(%x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
                       %ids: !tile.view<?xi32> {tile.dims = ["M"], tile.name = "ids"},
                       %y: !tile.view<?xf32> {tile.dims = ["M"], tile.name = "y"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %at = tile.load %ids[%c0] extents [16] : !tile.view<?xi32>, i32 -> tensor<16xi32>
  // expected-remark@+1 {{`dx` starts at 0 and is added to atomically}}
  %v = tile.load %x[%at] extents [-1] : !tile.view<?xf32>, tensor<16xi32> -> tensor<16xf32>
  tile.store %v, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  return
}

// -----

func.func @every_second_element_is_there_once(
    %x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["M"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %two = arith.constant dense<2> : tensor<16xi32>
  %range = tile.range %c0 : tensor<16xi32>
  %at = arith.muli %range, %two : tensor<16xi32>
  // expected-remark@+1 {{`dx` is stored}}
  %v = tile.load %x[%at] extents [-1] : !tile.view<?xf32>, tensor<16xi32> -> tensor<16xf32>
  tile.store %v, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  return
}
