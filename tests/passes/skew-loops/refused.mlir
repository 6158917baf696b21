// RUN: tile-opt %s --make-persistent --cut-roles --place-products --skew-loops --split-input-file --verify-diagnostics

// The second product follows from the first of the same iteration.

!view = !tile.view<?x64xbf16, align 16>

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1, 1 behind; p2: wgmma 64x64x16, warps 4x1\0A loops l1: start p1, start p2, await p1, await p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %acc, %factor : tensor<64x64xf32>
    // expected-error @+1 {{is product `p2`, which follows from one that is behind, and is not behind itself}}
    %next = tile.dot %p, %z, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// It cannot start before the first is awaited, unless it is behind.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A loops l1: start p1, start p2, await p1, await p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{has an order in which `start p2` stands before `await p1`, from which it follows}}
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %acc, %factor : tensor<64x64xf32>
    %next = tile.dot %p, %z, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// Nothing awaits it.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A loops l1: start p1, await p1, start p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{has an order that does not await `p2`}}
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %acc, %factor : tensor<64x64xf32>
    %next = tile.dot %p, %z, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// A sum that stays pending across iterations is awaited behind the loop.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A loops l1: start p1, await p1, start p2, await p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{does not await `p2`, whose sum stays pending from one iteration to the next}}
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %next = tile.dot %p, %z, %acc {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// The last iteration is the one before the upper bound.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1, 1 behind\0A loops l1: start p1, start p2, await p1, await p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  %c2 = arith.constant 2 : i32
  // expected-error @+1 {{has a product that is behind, and a step other than 1}}
  %sum = scf.for %i = %c0 to %steps step %c2 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %acc, %factor : tensor<64x64xf32>
    %next = tile.dot %p, %z, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// One stream for both products: a slot would be kept from one iteration to the next.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1, 1 behind\0A loops l1: start p1, start p2, await p1, await p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    // expected-error @+1 {{takes a slot of `s2` that goes back an iteration later, with a product that is behind; one that is not behind cannot share it, or go with it}}
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %acc, %factor : tensor<64x64xf32>
    %next = tile.dot %p, %y, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// -----

!view = !tile.view<?x64xbf16, align 16>

// A value that is carried on for an iteration.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1, 1 behind\0A loops l1: start p1, start p2, await p1, await p2\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  tile.grid [%tiles]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  // expected-error @+1 {{has a product that is behind, and carries on what it has carried for an iteration; such values cannot be planned yet}}
  %sum, %sum_before = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero, %old = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %c64 : i32
    %y = tile.load %a[%k, %c0] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> tensor<64x64xbf16>
    %z = tile.load %b[%k, %c0] extents [64, 64] {plan.id = "s3"} : !view, i32, i32 -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s = tile.dot %x, %t, %zero {plan.id = "p1"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xbf16>
    %half = arith.mulf %old, %factor : tensor<64x64xf32>
    %next = tile.dot %p, %z, %half {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next, %acc : tensor<64x64xf32>, tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}
