// RUN: tile-opt %s --split-masked-loops --verify-diagnostics

// The running maximum starts at a finite number: an iteration that sees nothing multiplies by
// exp2(0) and adds 0.
func.func @drops_iterations_of_online_softmax(%x: !tile.view<64x?xf32>, %y: !tile.view<64xf32>,
    %length: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %peak = arith.constant dense<-3.0e38> : tensor<64xf32>
  %total = arith.constant dense<0.0> : tensor<64xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64x16xf32>
  %T = tile.dim %x, 1 : !tile.view<64x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  // expected-remark@+2 {{where the mask is false, never run}}
  // expected-remark@+1 {{split into full, partial}}
  %r:2 = scf.for %n = %c0 to %steps step %c1 iter_args(%p = %peak, %t = %total)
      -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %ends = tile.splat %length : i32 -> tensor<16xi32>
    %seen = arith.cmpi slt, %cols, %ends : tensor<16xi32>
    %seen1 = tile.expand_dims %seen, 0 : tensor<16xi1> -> tensor<1x16xi1>
    %mask = tile.broadcast %seen1 : tensor<1x16xi1> -> tensor<64x16xi1>
    %a = tile.load %x[%c0, %col] extents [64, 16] : !tile.view<64x?xf32>, i32, i32 -> tensor<64x16xf32>
    %s = arith.select %mask, %a, %low : tensor<64x16xi1>, tensor<64x16xf32>
    %largest = tile.reduce max %s, 1 : tensor<64x16xf32> -> tensor<64xf32>
    %best = arith.maximumf %p, %largest : tensor<64xf32>
    %best1 = tile.expand_dims %best, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %bests = tile.broadcast %best1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %d = arith.subf %s, %bests : tensor<64x16xf32>
    %e = math.exp2 %d : tensor<64x16xf32>
    %fall = arith.subf %p, %best : tensor<64xf32>
    %shrink = math.exp2 %fall : tensor<64xf32>
    %kept = arith.mulf %t, %shrink : tensor<64xf32>
    %part = tile.reduce sum %e, 1 : tensor<64x16xf32> -> tensor<64xf32>
    %next = arith.addf %kept, %part : tensor<64xf32>
    scf.yield %best, %next : tensor<64xf32>, tensor<64xf32>
  }
  tile.store %r#1, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<64xf32>, i32
  return
}

// What either of two masks sees: the loop ends where the later one does.
func.func @drops_iterations_that_neither_mask_sees(%x: !tile.view<64x?xf32>, %y: !tile.view<64xf32>,
    %length: i32, %first: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %peak = arith.constant dense<-3.0e38> : tensor<64xf32>
  %total = arith.constant dense<0.0> : tensor<64xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64x16xf32>
  %T = tile.dim %x, 1 : !tile.view<64x?xf32>
  %steps = arith.ceildivsi %T, %c16 : i32
  // expected-remark@+2 {{where the mask is false, never run}}
  // expected-remark@+1 {{split into full, partial}}
  %r:2 = scf.for %n = %c0 to %steps step %c1 iter_args(%p = %peak, %t = %total)
      -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %col = arith.muli %n, %c16 : i32
    %cols = tile.range %col : tensor<16xi32>
    %ends = tile.splat %length : i32 -> tensor<16xi32>
    %near = arith.cmpi slt, %cols, %ends : tensor<16xi32>
    %prefix = tile.splat %first : i32 -> tensor<16xi32>
    %early = arith.cmpi slt, %cols, %prefix : tensor<16xi32>
    %inside = tile.splat %T : i32 -> tensor<16xi32>
    %real = arith.cmpi slt, %cols, %inside : tensor<16xi32>
    %both = arith.andi %near, %real : tensor<16xi1>
    %seen = arith.ori %both, %early : tensor<16xi1>
    %seen1 = tile.expand_dims %seen, 0 : tensor<16xi1> -> tensor<1x16xi1>
    %mask = tile.broadcast %seen1 : tensor<1x16xi1> -> tensor<64x16xi1>
    %a = tile.load %x[%c0, %col] extents [64, 16] : !tile.view<64x?xf32>, i32, i32 -> tensor<64x16xf32>
    %s = arith.select %mask, %a, %low : tensor<64x16xi1>, tensor<64x16xf32>
    %largest = tile.reduce max %s, 1 : tensor<64x16xf32> -> tensor<64xf32>
    %best = arith.maximumf %p, %largest : tensor<64xf32>
    %best1 = tile.expand_dims %best, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %bests = tile.broadcast %best1 : tensor<64x1xf32> -> tensor<64x16xf32>
    %d = arith.subf %s, %bests : tensor<64x16xf32>
    %e = math.exp2 %d : tensor<64x16xf32>
    %fall = arith.subf %p, %best : tensor<64xf32>
    %shrink = math.exp2 %fall : tensor<64xf32>
    %kept = arith.mulf %t, %shrink : tensor<64xf32>
    %part = tile.reduce sum %e, 1 : tensor<64x16xf32> -> tensor<64xf32>
    %next = arith.addf %kept, %part : tensor<64xf32>
    scf.yield %best, %next : tensor<64xf32>, tensor<64xf32>
  }
  tile.store %r#1, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<64xf32>, i32
  return
}
