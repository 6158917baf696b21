// RUN: tile-opt %s --differentiate="wrt=x given=y" --verify-diagnostics --split-input-file

// expected-error@+1 {{`x` is a scalar, and gradients are of tensors of floats}}
func.func @no_gradient_by_scalars(%x: f32 {tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %v = arith.constant 1.0 : f32
  tile.store %v, %y[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// -----

// expected-error@+1 {{`x` is a tensor of integers}}
func.func @no_gradient_by_integers(%x: !tile.view<?xi32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %v = arith.constant 1.0 : f32
  tile.store %v, %y[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// -----

// expected-error@+2 {{`y` is not written: gradients are given of what the kernel writes}}
func.func @no_gradient_of_inputs(%x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"}) attributes {tile.kernel} {
  return
}

// -----

// expected-error@+1 {{the kernel has a `dx`, as the gradient of `x` is called: rename it}}
func.func @names_meet(%x: !tile.view<1xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<1xf32> {tile.dims = ["N"], tile.name = "y"}, %dx: i32 {tile.name = "dx"})
    attributes {tile.kernel} {
  %v = tile.load %x[%dx] extents [0] : !tile.view<1xf32>, i32 -> f32
  tile.store %v, %y[%dx] extents [0] : f32, !tile.view<1xf32>, i32
  return
}

// -----

func.func @carried_values_that_a_rule_needs(
    %x: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<1xf32> {tile.dims = ["1"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  tile.grid [%c1]
  %one = arith.constant 1.0 : f32
  %s = scf.for %j = %c0 to %c5 step %c1 iter_args(%t = %one) -> f32 : i32 {
    %v = tile.load %x[%j] extents [0] : !tile.view<5xf32>, i32 -> f32
    // expected-error@+1 {{the gradient needs a value as each iteration of the loop around it finds it}}
    %u = arith.mulf %t, %v : f32
    scf.yield %u : f32
  }
  tile.store %s, %y[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  return
}

// -----

func.func @atomic_maxima(%x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
                         %y: !tile.view<1xf32> {tile.dims = ["1"], tile.name = "y"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  tile.grid [%c0]
  %p = tile.program_id 0
  %v = tile.load %x[%p] extents [0] : !tile.view<?xf32>, i32 -> f32
  // expected-error@+1 {{which program's number is the largest is known when all have run}}
  tile.atomic max %v, %y[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  return
}

// -----

func.func @stores_of_iterations_to_one_place(
    %x: !tile.view<5xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<1xf32> {tile.dims = ["1"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  tile.grid [%c1]
  scf.for %j = %c0 to %c5 step %c1 : i32 {
    %v = tile.load %x[%j] extents [0] : !tile.view<5xf32>, i32 -> f32
    // expected-error@+1 {{iterations may store to the same elements of `y`}}
    tile.store %v, %y[%c0] extents [0] : f32, !tile.view<1xf32>, i32
  }
  return
}

// -----

func.func @fills_that_depend_on_tensors(
    %x: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "x"},
    %y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %f = tile.load %x[%c0] extents [0] : !tile.view<?xf32>, i32 -> f32
  // expected-error@+1 {{a `fill` that depends on a tensor has no adjoint}}
  %v = tile.load %x[%c0] extents [16] fill %f : f32 : !tile.view<?xf32>, i32 -> tensor<16xf32>
  tile.store %v, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// expected-error@+1 {{the kernel has no `x`}}
func.func @names_that_are_none(%y: !tile.view<?xf32> {tile.dims = ["N"], tile.name = "y"},
                               %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %v = arith.constant 1.0 : f32
  tile.store %v, %y[%n] extents [0] : f32, !tile.view<?xf32>, i32
  return
}
