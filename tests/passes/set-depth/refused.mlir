// RUN: tile-opt %s --set-depth --split-input-file --verify-diagnostics

// Only the first sum may be cut: this one has gaps.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  // expected-error @+1 {{stands against a depth of 64: it does not count from 0 in steps of 1}}
  %sum = scf.for %i = %c0 to %count step %c2 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// The last columns do not count.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %whole = arith.divsi %K, %c48 : i32
  // expected-error @+1 {{stands against a depth of 64: it may end before the depth does; as many as `cdiv(depth, 48)` pieces are all of it}}
  %sum = scf.for %i = %c0 to %whole step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// A number of the iteration.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
  // expected-error @+1 {{stands against a depth of 64: it asks which of the pieces it is}}
    %even = arith.remsi %i, %c2 : i32
    %other = tile.load %b[%even, %c0] extents [0, 64] : !view, i32, i32 -> tensor<64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// Pieces that overlap.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c2 : i32
  // expected-error @+1 {{stands against a depth of 64: piece i does not begin at 48 * i}}
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// Behind the last column are ones.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %one = arith.constant 1.0 : bf16
  // expected-error @+1 {{stands against a depth of 64: it fills the last piece with a number of its own}}
    %x = tile.load %a[%row, %first] extents [64, 48] fill %one : bf16 : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// Exponentials of zeros are ones.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
  // expected-error @+1 {{stands against a depth of 64: what it does to elements of a piece need not keep zeros}}
    %e = math.exp %x : tensor<64x48xbf16>
    %next = tile.dot %e, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// Another store for each piece.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
  // expected-error @+1 {{stands against a depth of 64: it is done once for each piece}}
    tile.store %x, %c[%row, %c0] extents [64, 48] : tensor<64x48xbf16>, !view, i32, i32
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// A sum that decays from piece to piece.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  // expected-error @+1 {{stands against a depth of 64: it carries more than sums of products}}
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
    %half = arith.addf %acc, %acc : tensor<64x64xf32>
    %next = tile.dot %x, %y, %half : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// A piece that the whole kernel shares.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  // expected-error @+1 {{stands against a depth of 64: it makes a piece outside of such a loop}}
  %x = tile.load %a[%row, %c0] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// No sum at all.

!view = !tile.view<?x?xbf16, align 16>

// expected-error @+1 {{stands against a depth of 64: it adds up no products in a loop}}
func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %x = tile.load %a[%row, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  tile.store %x, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// Two depths that need not agree.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %d: !view {tile.dims = ["K2", "N"], tile.name = "d"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
  // expected-error @+1 {{stands against a depth of 64: its depth is not that of the loop's other loads}}
    %y = tile.load %d[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
    %next = tile.dot %x, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// A piece of ones.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%first, %c0] extents [48, 64] : !view, i32, i32 -> tensor<48x64xbf16>
  // expected-error @+1 {{stands against a depth of 64: what it does to elements of a piece need not keep zeros}}
    %e = arith.constant dense<1.0> : tensor<64x48xbf16>
    %next = tile.dot %e, %y, %acc : tensor<64x48xbf16>, tensor<48x64xbf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
  tile.store %out, %c[%row, %c0] extents [64, 64] : tensor<64x64xbf16>, !view, i32, i32
  return
}

// -----

// A product of a piece by itself: what is its depth is also its rows.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["K", "N"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c2 = arith.constant 2 : i32
  %c48 = arith.constant 48 : i32  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %K = tile.dim %a, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  tile.grid [%ms]
  %m = tile.program_id 0
  %row = arith.muli %m, %c64 : i32
  %zero = arith.constant dense<0.0> : tensor<48x48xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<48x48xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%first, %first] extents [48, 48] : !view, i32, i32 -> tensor<48x48xbf16>
  // expected-error @+1 {{stands against a depth of 64: its rows or columns are as long as its depth}}
    %next = tile.dot %x, %x, %acc : tensor<48x48xbf16>, tensor<48x48xbf16>, tensor<48x48xf32>
    scf.yield %next : tensor<48x48xf32>
  }
  %out = tile.cast %sum : tensor<48x48xf32> -> tensor<48x48xbf16>
  tile.store %out, %c[%row, %c0] extents [48, 48] : tensor<48x48xbf16>, !view, i32, i32
  return
}
