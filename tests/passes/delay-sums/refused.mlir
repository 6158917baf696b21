// RUN: tile-opt %s --delay-sums --split-input-file --verify-diagnostics

// Maxima are no sums.

!view = !tile.view<?x64xbf16, align 16>

func.func @maxima(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of maxima for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{is loop `l1`, which carries no sum of rows that could be made behind it}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %f = tile.reduce max %s, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %next = arith.maximumf %t, %f : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// The sum is asked for in each iteration.

func.func @asked(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of asked for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{is loop `l1`, which carries no sum of rows that could be made behind it}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %row = tile.reduce sum %p, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %next = arith.addf %t, %row : tensor<64xf32>
    tile.store %next, %o[%i] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// What was there is added twice.

func.func @twice(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of twice for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{is loop `l1`, which carries no sum of rows that could be made behind it}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %row = tile.reduce sum %p, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %all = arith.addf %t, %row : tensor<64xf32>
    %next = arith.addf %all, %t : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// A sum of columns has no row that four threads hold.

func.func @columns(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of columns for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{is loop `l1`, which carries no sum of rows that could be made behind it}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %row = tile.reduce sum %p, 0 : tensor<64x64xf32> -> tensor<64xf32>
    %next = arith.addf %t, %row : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// No product says how threads hold the tile.

func.func @of_a_load(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %o: !tile.view<?xf32> {tile.name = "o"}, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of of_a_load for sm_90\0A products p1: wgmma 64x64x16, warps 4x1\0A loops l1: late sums"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %q[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{is loop `l1`, which carries no sum of rows that could be made behind it}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%t = %none) -> (tensor<64xf32>) : i32 {
    %y = tile.load %a[%i, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
    %turned = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %turned, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %p = math.exp2 %s : tensor<64x64xf32>
    %values = tile.cast %y : tensor<64x64xbf16> -> tensor<64x64xf32>
    %row = tile.reduce sum %values, 1 : tensor<64x64xf32> -> tensor<64xf32>
    %next = arith.addf %t, %row : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}
