// RUN: tile-opt %s --sink-sums --split-input-file --verify-diagnostics

!view = !tile.view<?x64xf32, align 16>

// A number is added too.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %f = arith.addf %p, %half : tensor<64x64xf32>
    // expected-error @+1 {{adds what may be other than 0 where a product that is added late, and what goes with it, are 0, as they are in the first iteration}}
    %next = arith.addf %a, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// The exponential of 0 is 1.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %f = math.exp2 %p : tensor<64x64xf32>
    // expected-error @+1 {{adds what may be other than 0 where a product that is added late, and what goes with it, are 0, as they are in the first iteration}}
    %next = arith.addf %a, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// Nothing divided by nothing.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %f = arith.divf %p, %v : tensor<64x64xf32>
    // expected-error @+1 {{adds what may be other than 0 where a product that is added late, and what goes with it, are 0, as they are in the first iteration}}
    %next = arith.addf %a, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// The sum is scaled.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %b = arith.mulf %a, %half : tensor<64x64xf32>
    // expected-error @+1 {{adds a product late to what is no sum that the loop carries, or one that something else in it reads}}
    %next = arith.addf %b, %p : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// The sum is read.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %f = arith.mulf %a, %p : tensor<64x64xf32>
    // expected-error @+1 {{adds a product late to what is no sum that the loop carries, or one that something else in it reads}}
    %next = arith.addf %a, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// A maximum.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    // expected-error @+1 {{adds a product late to what is no sum that the loop carries, or one that something else in it reads}}
    %next = arith.maximumf %a, %p : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// It is stored in the loop.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    // expected-error @+1 {{follows from product `p1`, which the plan adds at a place of its own, and is more than that}}
    tile.store %p, %o[%i, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
    %next = arith.addf %a, %p : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// It is multiplied in the loop.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1, start p2, await p2"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    // expected-error @+1 {{follows from product `p1`, which the plan adds at a place of its own, and is more than that}}
    %q = tile.dot %p, %v, %a {plan.id = "p2"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %next = arith.addf %q, %p : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// It is added under a condition.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %c = arith.cmpi slt, %i, %c1 : i32
    %f = scf.if %c -> (tensor<64x64xf32>) {
    // expected-error @+1 {{follows from product `p1`, which the plan adds at a place of its own, and is more than that}}
      %n = arith.negf %p : tensor<64x64xf32>
      scf.yield %n : tensor<64x64xf32>
    } else {
      scf.yield %v : tensor<64x64xf32>
    }
    %next = arith.addf %a, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// The product is carried, and added to nothing.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p1, start p1, await p1"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    // expected-error @+1 {{is product `p1`, which leads to no sum}}
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %next = tile.dot %v, %w, %a : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// Two products make one addend.

func.func @k(%x: !view, %y: !view, %o: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A loops l1: add p2, start p1, await p1, add p1, start p2, await p2"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %N = tile.dim %x, 0 : !view
  tile.grid [%c1]
  %sum = scf.for %i = %c0 to %N step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %w = tile.load %y[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %p = tile.dot %v, %w, %zero {plan.id = "p1"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    %q = tile.dot %w, %v, %zero {plan.id = "p2"} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    // expected-error @+1 {{is added with product `p1` and with `p2`, which the plan adds at two places}}
    %f = arith.addf %p, %q : tensor<64x64xf32>
    %next = arith.addf %a, %f : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}
