// RUN: tile-opt %s --join-programs --split-input-file --verify-diagnostics

// Rows that meet.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows of 2 programs: it combines all of them}}
  %s = tile.reduce sum %x, 0 : tensor<64x64xf32> -> tensor<64xf32>
  %e = tile.expand_dims %s, 0 : tensor<64xf32> -> tensor<1x64xf32>
  %b = tile.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
  %y = arith.mulf %x, %b : tensor<64x64xf32>
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

// What asks which of the programs it is: here a bound of a loop.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows of 2 programs: it asks which of the programs it is}}
  %y = scf.for %i = %c0 to %m step %c1 iter_args(%z = %x) -> (tensor<64x64xf32>) : i32 {
    %w = arith.addf %z, %x : tensor<64x64xf32>
    scf.yield %w : tensor<64x64xf32>
  }
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

// A row of each program.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  // expected-error @+1 {{stands against rows of 2 programs: it asks which of the programs it is}}
  %one = tile.load %a[%m, %c0] extents [0, 64] : !view, i32, i32 -> tensor<64xf32>
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %e = tile.expand_dims %one, 0 : tensor<64xf32> -> tensor<1x64xf32>
  %b = tile.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
  %y = arith.addf %x, %b : tensor<64x64xf32>
  tile.store %y, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

// Programs that leave the last rows alone: one past them would store some.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.divsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  // expected-error @+1 {{stands against rows of 2 programs: programs past the last could store here; as many as `cdiv(size, 64)` tiles of the axis end it}}
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

// Tiles that overlap.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %c32 = arith.constant 32 : i32
  %half = arith.muli %m, %c32 : i32
  // expected-error @+1 {{stands against rows of 2 programs: a tile of 64 begins at 32 times the program's number}}
  %x = tile.load %a[%half, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

// Columns that all programs have.

!view = !tile.view<?x64xf32, align 16>

// expected-error @+1 {{stands against columns of 2 programs: no tile of them begins at its extent times the number of a program}}
func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles columns of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

// What each of the programs counts once.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"}, %n: !tile.view<?xf32> {tile.dims = ["P"], tile.name = "n"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %counts = arith.cmpi sgt, %N, %c64 : i32
  scf.if %counts {
    // expected-error @+1 {{stands against rows of 2 programs: it is done once by each of the programs}}
    tile.atomic add %one, %n[%c0] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  }
  return
}

// -----

// Tiles that also move by what an argument says for each program.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"}, %gap: i32)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  // expected-error @+1 {{stands against rows of 2 programs: it asks which of the programs it is}}
  %away = arith.muli %m, %gap : i32
  %place = arith.addi %row, %away : i32
  %x = tile.load %a[%place, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  tile.store %x, %o[%row, %c0] extents [64, 64] : tensor<64x64xf32>, !view, i32, i32
  return
}

// -----

// Rows by number: those of a program past the last could be of the view.

!view = !tile.view<?x64xf32, align 16>

func.func @k(%a: !view {tile.dims = ["N", "D"], tile.name = "a"}, %o: !view {tile.dims = ["N", "D"], tile.name = "o"}, %wrap: i32)
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles rows of 2 programs"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c64 = arith.constant 64 : i32
  %N = tile.dim %a, 0 : !view
  %count = arith.ceildivsi %N, %c64 : i32
  tile.grid [%count]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xf32>
  %rows = tile.range %row : tensor<64xi32>
  %wraps = tile.splat %wrap : i32 -> tensor<64xi32>
  %places = arith.remsi %rows, %wraps : tensor<64xi32>
  // expected-error @+1 {{stands against rows of 2 programs: it writes where index tiles say, for programs past the last too}}
  tile.store %x, %o[%places, %c0] extents [-1, 64] : tensor<64x64xf32>, !view, tensor<64xi32>, i32
  return
}
