// RUN: tile-opt %s --make-persistent --split-tiles --split-input-file --verify-diagnostics

// What a loop multiplies besides is not a sum of parts.

!view = !tile.view<?x64xbf16, align 16>

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM, split l1 least 8\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
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
  // expected-error @+1 {{is a loop whose iterations blocks are to share, and carries other than sums from zero on}}
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

// Nor is a sum that starts with something, which each block would add.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM, split l1 least 8\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
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
  // expected-error @+1 {{is a loop whose iterations blocks are to share, and carries other than sums from zero on}}
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %factor) -> (tensor<64x64xf32>) : i32 {
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

// Shares are counted from 0, one by one.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM, split l1 least 8\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
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
  // expected-error @+1 {{is a loop whose iterations blocks are to share, and does not count from 0 by 1}}
  %sum = scf.for %i = %c0 to %steps step %c2 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
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

// How many iterations a tile has follows from its place, not from memory.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"},
                %counts: !tile.view<?xi32, align 16> {tile.name = "counts"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM, split l1 least 8\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
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
  %x = tile.load %q[%row, %c0] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> tensor<64x64xbf16>
  %count = tile.load %counts[%m] extents [0] : !tile.view<?xi32, align 16>, i32 -> i32
  %twice = arith.addi %count, %count : i32
  // expected-error @+1 {{is a loop whose iterations blocks are to share, and has a number of them that `tile.load` gives; one that follows from the tile's place, sizes and scalar arguments can be shared}}
  %sum = scf.for %i = %c0 to %twice step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
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

// There is no such loop.

func.func @k(%q: !view {tile.name = "q"}, %a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %o: !tile.view<?x64xf32, align 16> {tile.name = "o"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks 1 per SM, split l2 least 8\0A roles load: 1 warp, s1, s2, s3; use: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 1 slot; s2: tma, 2 slots; s3: tma, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %factor = arith.constant dense<0.5> : tensor<64x64xf32>
  %M = tile.dim %q, 0 : !view
  %K = tile.dim %a, 0 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  // expected-error @+1 {{has no loop `l2`, whose iterations blocks are to share, at the top level of the kernel}}
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
    %next = tile.dot %p, %z, %acc {plan.id = "p2"} : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  } {plan.id = "l1"}
  tile.store %sum, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}
