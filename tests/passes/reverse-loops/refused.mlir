// RUN: tile-opt %s --reverse-loops --split-input-file --verify-diagnostics

// A sum that decays: the first summand counts least.

!view = !tile.view<?xf32, align 16>

func.func @decays(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of decays for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %half = arith.constant dense<0.5> : tensor<64xf32>
  tile.grid [%c1]
  // expected-error @+1 {{carries a value, number 1, that depends on the order of iterations; it cannot go from the last}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none) -> (tensor<64xf32>) : i32 {
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at] extents [64] : !view, i32 -> tensor<64xf32>
    %kept = arith.mulf %a, %half : tensor<64xf32>
    %next = arith.addf %kept, %t : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %y[%c0] extents [64] : tensor<64xf32>, !view, i32
  return
}

// -----

// What is added follows from what is carried.

!view = !tile.view<?xf32, align 16>

func.func @follows(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of follows for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  tile.grid [%c1]
  // expected-error @+1 {{carries a value, number 1, that depends on the order of iterations}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none) -> (tensor<64xf32>) : i32 {
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at] extents [64] : !view, i32 -> tensor<64xf32>
    %more = math.exp2 %a : tensor<64xf32>
    %f = arith.mulf %t, %more : tensor<64xf32>
    %next = arith.addf %a, %f : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %y[%c0] extents [64] : tensor<64xf32>, !view, i32
  return
}

// -----

// What has been added up so far is stored.

!view = !tile.view<?xf32, align 16>

func.func @scans(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of scans for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  tile.grid [%c1]
  // expected-error @+1 {{carries a value, number 1, that depends on the order of iterations}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none) -> (tensor<64xf32>) : i32 {
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at] extents [64] : !view, i32 -> tensor<64xf32>
    %next = arith.addf %a, %t : tensor<64xf32>
    tile.store %next, %y[%at] extents [64] : tensor<64xf32>, !view, i32
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  return
}

// -----

// A sum under a maximum whose summands depend on that maximum in another way, too.

!view = !tile.view<?x64xf32, align 16>

func.func @depends(%x: !view {tile.name = "x"}, %y: !tile.view<?xf32, align 16> {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of depends for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %least = arith.constant dense<-1.0e30> : tensor<64xf32>
  tile.grid [%c1]
  // expected-error @+1 {{carries a value, number 1, that depends on the order of iterations}}
  %total, %peak = scf.for %i = %c0 to %n step %c1 iter_args(%a = %none, %m = %least) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
    %row = tile.reduce max %t, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %best = arith.maximumf %m, %row : tensor<64xf32>
    %moved = arith.subf %m, %best : tensor<64xf32>
    %shrink = math.exp2 %moved : tensor<64xf32>
    %below = arith.subf %row, %best : tensor<64xf32>
    %weight = math.exp2 %below : tensor<64xf32>
    %square = arith.mulf %best, %best : tensor<64xf32>
    %odd = arith.mulf %weight, %square : tensor<64xf32>
    %kept = arith.mulf %a, %shrink : tensor<64xf32>
    %next = arith.addf %kept, %odd : tensor<64xf32>
    scf.yield %next, %best : tensor<64xf32>, tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %total, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32, align 16>, i32
  return
}

// -----

// What is stored last stays.

!view = !tile.view<?xf32, align 16>

func.func @writes(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of writes for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  tile.grid [%c1]
  // expected-error @+1 {{writes to memory in the order of its iterations; it cannot go from the last}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %at = arith.muli %i, %c64 : i32
    %t = tile.load %x[%at] extents [64] : !view, i32 -> tensor<64xf32>
    tile.store %t, %y[%c0] extents [64] : tensor<64xf32>, !view, i32
  } {plan.id = "l1"}
  return
}

// -----

!view = !tile.view<?xf32, align 16>

func.func @steps(%x: !view {tile.name = "x"}, %y: !view {tile.name = "y"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of steps for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A loops l1: from last"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  tile.grid [%c1]
  // expected-error @+1 {{goes by another step than 1; it cannot go from the last}}
  %sum = scf.for %i = %c0 to %n step %c2 iter_args(%a = %none) -> (tensor<64xf32>) : i32 {
    %t = tile.load %x[%i] extents [64] : !view, i32 -> tensor<64xf32>
    %next = arith.addf %a, %t : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %y[%c0] extents [64] : tensor<64xf32>, !view, i32
  return
}
