// RUN: tile-opt %s --split-masked-loops --verify-diagnostics

func.func @drops_iterations_that_add_nothing(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %shift: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %m = tile.program_id 0
  %row = arith.muli %m, %c32 : i32
  %start = arith.addi %row, %shift : i32
  %rows = tile.range %start : tensor<32xi32>
  %rows1 = tile.expand_dims %rows, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bound = tile.broadcast %rows1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %T = tile.dim %x, 1 : !tile.view<?x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  // expected-remark@+2 {{the last ones, where the mask is false, never run}}
  // expected-remark@+1 {{split into full, partial: 1 masks and 1 bounds}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<32xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %cols1 = tile.expand_dims %cols, 0 : tensor<16xi32> -> tensor<1x16xi32>
    %place = tile.broadcast %cols1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %a = tile.load %x[%row, %col] extents [32, 16] : !tile.view<?x?xf32>, i32, i32 -> tensor<32x16xf32>
    %seen = arith.cmpi sle, %place, %bound : tensor<32x16xi32>
    %v = arith.select %seen, %a, %zeros : tensor<32x16xi1>, tensor<32x16xf32>
    %part = tile.reduce sum %v, 1 : tensor<32x16xf32> -> tensor<32xf32>
    %next = arith.addf %s, %part : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sum, %y[%row] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

// A maximum with -inf changes nothing, whatever the start.
func.func @drops_iterations_that_raise_nothing(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %shift: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %m = tile.program_id 0
  %row = arith.muli %m, %c32 : i32
  %start = arith.addi %row, %shift : i32
  %rows = tile.range %start : tensor<32xi32>
  %rows1 = tile.expand_dims %rows, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bound = tile.broadcast %rows1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %T = tile.dim %x, 1 : !tile.view<?x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  // expected-remark@+2 {{the last ones, where the mask is false, never run}}
  // expected-remark@+1 {{split into full, partial: 1 masks and 1 bounds}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<32xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %cols1 = tile.expand_dims %cols, 0 : tensor<16xi32> -> tensor<1x16xi32>
    %place = tile.broadcast %cols1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %a = tile.load %x[%row, %col] extents [32, 16] : !tile.view<?x?xf32>, i32, i32 -> tensor<32x16xf32>
    %seen = arith.cmpi sle, %place, %bound : tensor<32x16xi32>
    %low = arith.constant dense<0xFF800000> : tensor<32x16xf32>
    %v = arith.select %seen, %a, %low : tensor<32x16xi1>, tensor<32x16xf32>
    %part = tile.reduce max %v, 1 : tensor<32x16xf32> -> tensor<32xf32>
    %next = arith.maximumf %s, %part : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sum, %y[%row] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

func.func @keeps_iterations_that_count(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %shift: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %m = tile.program_id 0
  %row = arith.muli %m, %c32 : i32
  %start = arith.addi %row, %shift : i32
  %rows = tile.range %start : tensor<32xi32>
  %rows1 = tile.expand_dims %rows, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bound = tile.broadcast %rows1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %T = tile.dim %x, 1 : !tile.view<?x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  // expected-remark@+1 {{split into full, partial: 1 masks and 1 bounds}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<32xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %cols1 = tile.expand_dims %cols, 0 : tensor<16xi32> -> tensor<1x16xi32>
    %place = tile.broadcast %cols1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %a = tile.load %x[%row, %col] extents [32, 16] : !tile.view<?x?xf32>, i32, i32 -> tensor<32x16xf32>
    %seen = arith.cmpi sle, %place, %bound : tensor<32x16xi32>
    %v = arith.select %seen, %a, %zeros : tensor<32x16xi1>, tensor<32x16xf32>
    %part = tile.reduce sum %v, 1 : tensor<32x16xf32> -> tensor<32xf32>
    %one = arith.constant dense<1.0> : tensor<32xf32>
    %more = arith.addf %s, %one : tensor<32xf32>
    %next = arith.addf %more, %part : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sum, %y[%row] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}

func.func @keeps_iterations_that_store(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %shift: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %zeros = arith.constant dense<0.0> : tensor<32x16xf32>
  %m = tile.program_id 0
  %row = arith.muli %m, %c32 : i32
  %start = arith.addi %row, %shift : i32
  %rows = tile.range %start : tensor<32xi32>
  %rows1 = tile.expand_dims %rows, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %bound = tile.broadcast %rows1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %T = tile.dim %x, 1 : !tile.view<?x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  // expected-remark@+1 {{split into full, partial: 1 masks and 2 bounds}}
  %sum = scf.for %n = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<32xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %cols1 = tile.expand_dims %cols, 0 : tensor<16xi32> -> tensor<1x16xi32>
    %place = tile.broadcast %cols1 : tensor<1x16xi32> -> tensor<32x16xi32>
    %a = tile.load %x[%row, %col] extents [32, 16] : !tile.view<?x?xf32>, i32, i32 -> tensor<32x16xf32>
    %seen = arith.cmpi sle, %place, %bound : tensor<32x16xi32>
    %v = arith.select %seen, %a, %zeros : tensor<32x16xi1>, tensor<32x16xf32>
    tile.store %v, %x[%row, %col] extents [32, 16] : tensor<32x16xf32>, !tile.view<?x?xf32>, i32, i32
    %part = tile.reduce sum %v, 1 : tensor<32x16xf32> -> tensor<32xf32>
    %next = arith.addf %s, %part : tensor<32xf32>
    scf.yield %next : tensor<32xf32>
  }
  tile.store %sum, %y[%row] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
  return
}
