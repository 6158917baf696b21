// RUN: tile-opt %s --cut-tiles --split-input-file --verify-diagnostics

!view = !tile.view<?x64xf32, align 16>

// A reduction along the rows.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows in 2 parts: it combines all of them}}
  %s = tile.reduce sum %x, 0 : tensor<64x64xf32> -> tensor<64xf32>
  %e = tile.expand_dims %s, 0 : tensor<64xf32> -> tensor<1x64xf32>
  %b = tile.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
  %y = arith.mulf %x, %b : tensor<64x64xf32>
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// A scan along the rows.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows in 2 parts: it combines all of them}}
  %s = tile.scan %x, 0 : tensor<64x64xf32>
  tile.store %s, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// The index of the largest.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows in 2 parts: it combines all of them}}
  %s = tile.arg_reduce max %x, 0 : tensor<64x64xf32> -> tensor<64xi32>
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// A product that adds up along them.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %w = tile.load %a[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @+1 {{stands against rows in 2 parts: it multiplies and adds up along them}}
  %d = tile.dot %w, %x, %z : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// What is transposed has them along two axes.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  // expected-error @+1 {{stands against rows in 2 parts: it has them along two axes}}
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %t = tile.transpose %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %y = arith.mulf %x, %t : tensor<64x64xf32>
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// Tiles that were padded.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows in 2 parts: it takes 50 of them, padded to 64}}
  tile.store %x, %o[%row, %c0] extents [64, 64] {valid = array<i64: 50, 0>} : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// Three equal parts there are not.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 3 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows in 3 parts: it stores 64, which is no multiple of 3}}
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// A part has to be such a tile as others.

// expected-error @+1 {{stands against rows in 64 parts: a part has 1, which would be padded to 16; take fewer parts}}
func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 64 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %w = tile.load %a[%c0, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %d = tile.dot %x, %w, %z : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// No tile is stored.

// expected-error @+1 {{stands against rows in 2 parts: the kernel stores no tile that has rows}}
func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  return
}

// -----

!view = !tile.view<?x64xf32, align 16>

// A `while` loop that carries them.

func.func @k(%a: !view, %o: !view, %p: !view)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows in 2 parts"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  tile.grid [%N]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows in 2 parts: a `while` loop that carries them cannot be cut yet}}
  %y = scf.while (%v = %x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    %go = arith.cmpi slt, %row, %c64 : i32
    scf.condition(%go) %v : tensor<64x64xf32>
  } do {
  ^bb0(%v: tensor<64x64xf32>):
    %w = arith.addf %v, %v : tensor<64x64xf32>
    scf.yield %w : tensor<64x64xf32>
  }
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}
