// RUN: tile-opt %s --relax-peaks --split-input-file --verify-diagnostics

// Loops whose results would depend on how far the maximum lags, each with the line that makes them.

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// What was added up before is under another maximum.
func.func @forgets_to_rescale(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of forgets_to_rescale for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %t_now = arith.addf %t, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// A millionth weighs more the further the maximum lags.
func.func @adds_a_little(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of adds_a_little for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %little = arith.constant dense<1.0e-6> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %most_of_it = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %t_now = arith.addf %most_of_it, %little : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// Each row has a maximum of its own, and the product adds rows up.
func.func @contracts_rows(%x: !view, %o: !tile.view<?xf32>, %n: i32, %y: !tile.view<?x?xbf16>)
    attributes {tile.kernel, plan.text = "plan 1 of contracts_rows for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %zero = arith.constant dense<0.0> : !tile
  %peak, %total, %acc = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none, %a = %zero) -> (!rows, !rows, !tile) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    %weights = tile.cast %p : !tile -> tensor<64x64xbf16>
    %turned = tile.transpose %weights [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.load %y[%i, %c0] extents [64, 64] : !tile.view<?x?xbf16>, i32, i32 -> tensor<64x64xbf16>
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %a_now = tile.dot %turned, %d, %a : tensor<64x64xbf16>, tensor<64x64xbf16>, !tile
    scf.yield %now, %t_now, %a_now : !rows, !rows, !tile
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// So does a sum along them.
func.func @adds_rows(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of adds_rows for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %sum = tile.reduce sum %p, 0 : !tile -> !rows
    %t_now = arith.addf %t, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// What is selected depends on the maximum.
func.func @asks_its_state(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of asks_its_state for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_all = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %high = arith.cmpf ogt, %m, %none : !rows
    %t_now = arith.select %high, %t_all, %none : tensor<64xi1>, !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// So does which branch is taken.
func.func @asks_in_a_branch(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of asks_in_a_branch for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %half = arith.constant 0.5 : f32
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_all = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %least = tile.reduce min %now, 0 : !rows -> f32
    %high = arith.cmpf ogt, %least, %half : f32
    %t_now = scf.if %high -> !rows {
      scf.yield %t_all : !rows
    } else {
      scf.yield %t : !rows
    }
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// Where it reads follows from the maximum.
func.func @reads_where_it_says(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of reads_where_it_says for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_all = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %place = tile.cast %now : !rows -> tensor<64xi32>
    %first = tile.reduce max %place, 0 : tensor<64xi32> -> i32
    %more = tile.load %o[%first] extents [64] : !tile.view<?xf32>, i32 -> !rows
    %t_now = arith.addf %t_all, %more : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// The loop stores the maximum.
func.func @writes_its_state(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of writes_its_state for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    tile.store %now, %o[%i] extents [64] : !rows, !tile.view<?xf32>, i32
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// What follows the loop stores the maximum.
func.func @gives_its_state(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of gives_its_state for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  // expected-error @+1 {{stands against a late peak of loop `l1`: it leads to a value that depends on the maximum itself}}
  tile.store %peak, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// What follows the loop stores a sum under the maximum, without it.
func.func @gives_a_sum_as_it_is(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of gives_a_sum_as_it_is for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  // expected-error @+1 {{stands against a late peak of loop `l1`: it leads to a value that depends on the maximum itself}}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// Weights in f8e4m3 end at 448.
func.func @narrow_weights(%x: !view, %o: !tile.view<?xf32>, %n: i32, %y: !tile.view<?x?xf8E4M3FN>)
    attributes {tile.kernel, plan.text = "plan 1 of narrow_weights for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %zero = arith.constant dense<0.0> : !tile
  %peak, %total, %acc = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none, %a = %zero) -> (!rows, !rows, !tile) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it casts a value that may be 2^lag times as large to a narrow type}}
    %weights = tile.cast %p : !tile -> tensor<64x64xf8E4M3FN>
    %v = tile.load %y[%i, %c0] extents [64, 64] : !tile.view<?x?xf8E4M3FN>, i32, i32 -> tensor<64x64xf8E4M3FN>
    %factor = tile.expand_dims %shrink, 1 : !rows -> tensor<64x1xf32>
    %factors = tile.broadcast %factor : tensor<64x1xf32> -> !tile
    %kept = arith.mulf %a, %factors : !tile
    %a_now = tile.dot %weights, %v, %kept : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, !tile
    scf.yield %now, %t_now, %a_now : !rows, !rows, !tile
  } {plan.id = "l1"}
  %column = tile.expand_dims %total, 1 : !rows -> tensor<64x1xf32>
  %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
  %mean = arith.divf %acc, %all : !tile
  tile.store %mean, %x[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// Weights in f16 end at 2^16, and are at most 2^lag.
func.func @half_weights_far_behind(%x: !view, %o: !tile.view<?xf32>, %n: i32, %y: !tile.view<?x?xf16>)
    attributes {tile.kernel, plan.text = "plan 1 of half_weights_far_behind for sm_90\0A loops l1: late peak 12"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %zero = arith.constant dense<0.0> : !tile
  %peak, %total, %acc = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none, %a = %zero) -> (!rows, !rows, !tile) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it casts a value that may be 2^lag times as large to a narrow type}}
    %weights = tile.cast %p : !tile -> tensor<64x64xf16>
    %v = tile.load %y[%i, %c0] extents [64, 64] : !tile.view<?x?xf16>, i32, i32 -> tensor<64x64xf16>
    %factor = tile.expand_dims %shrink, 1 : !rows -> tensor<64x1xf32>
    %factors = tile.broadcast %factor : tensor<64x1xf32> -> !tile
    %kept = arith.mulf %a, %factors : !tile
    %a_now = tile.dot %weights, %v, %kept : tensor<64x64xf16>, tensor<64x64xf16>, !tile
    scf.yield %now, %t_now, %a_now : !rows, !rows, !tile
  } {plan.id = "l1"}
  %column = tile.expand_dims %total, 1 : !rows -> tensor<64x1xf32>
  %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
  %mean = arith.divf %acc, %all : !tile
  tile.store %mean, %x[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// A bias that is added behind the maximum, negative where it takes the maximum: the others are of any size.
func.func @half_weights_with_a_bias(%x: !view, %o: !tile.view<?xf32>, %n: i32, %y: !tile.view<?x?xf16>)
    attributes {tile.kernel, plan.text = "plan 1 of half_weights_with_a_bias for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %zero = arith.constant dense<0.0> : !tile
  %peak, %total, %acc = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none, %a = %zero) -> (!rows, !rows, !tile) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %less = arith.subf %s, %all : !tile
    %bias = tile.load %x[%i, %c0] extents [64, 64] : !view, i32, i32 -> !tile
    %power = arith.addf %less, %bias : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it casts a value that may be 2^lag times as large to a narrow type}}
    %weights = tile.cast %p : !tile -> tensor<64x64xf16>
    %v = tile.load %y[%i, %c0] extents [64, 64] : !tile.view<?x?xf16>, i32, i32 -> tensor<64x64xf16>
    %factor = tile.expand_dims %shrink, 1 : !rows -> tensor<64x1xf32>
    %factors = tile.broadcast %factor : tensor<64x1xf32> -> !tile
    %kept = arith.mulf %a, %factors : !tile
    %a_now = tile.dot %weights, %v, %kept : tensor<64x64xf16>, tensor<64x64xf16>, !tile
    scf.yield %now, %t_now, %a_now : !rows, !rows, !tile
  } {plan.id = "l1"}
  %column = tile.expand_dims %total, 1 : !rows -> tensor<64x1xf32>
  %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
  %mean = arith.divf %acc, %all : !tile
  tile.store %mean, %x[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// A loop without one.
func.func @no_maximum(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of no_maximum for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  // expected-error @+1 {{stands against a late peak of loop `l1`: it carries no maximum of rows}}
  %total = scf.for %i = %c0 to %n step %c1
      iter_args(%t = %none) -> (!rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %sum = tile.reduce sum %s, 1 : !tile -> !rows
    %t_now = arith.addf %t, %sum : !rows
    scf.yield %t_now : !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// The maximum of what follows from it.
func.func @maximum_of_itself(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of maximum_of_itself for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %old = tile.expand_dims %m, 1 : !rows -> tensor<64x1xf32>
    %olds = tile.broadcast %old : tensor<64x1xf32> -> !tile
    %moved = arith.addf %s, %olds : !tile
    %most = tile.reduce max %moved, 1 : !tile -> !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it takes the maximum of values that follow from it}}
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  tile.store %total, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// 0 - m moves the other way than m does, so that the difference is twice the maximum.
func.func @takes_it_from_nothing(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of takes_it_from_nothing for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  %minus = arith.subf %none, %peak : !rows
  %twice = arith.subf %peak, %minus : !rows
  // expected-error @+1 {{stands against a late peak of loop `l1`: it leads to a value that depends on the maximum itself}}
  tile.store %twice, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// A loop in the loop reads the maximum, and what it gives is stored.
func.func @reads_it_in_a_loop(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of reads_it_in_a_loop for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it uses the maximum in a way for which it cannot lag}}
    %most_of_all = scf.for %j = %c0 to %n step %c1 iter_args(%a = %none) -> (!rows) : i32 {
      %more = arith.maximumf %a, %now : !rows
      scf.yield %more : !rows
    }
    tile.store %most_of_all, %o[%i] extents [64] : !rows, !tile.view<?xf32>, i32
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// What the loop adds up is 2^lag times as large, and is cast before it is divided by the total.
func.func @casts_behind_the_loop(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of casts_behind_the_loop for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  // expected-error @+1 {{stands against a late peak of loop `l1`: it casts a value that may be 2^lag times as large to a narrow type}}
  %half = tile.cast %total : !rows -> tensor<64xf16>
  %again = tile.cast %half : tensor<64xf16> -> !rows
  %one = arith.divf %again, %total : !rows
  tile.store %one, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// Exponents near 0 are rounded less than those near the lag.
func.func @rounds_exponents(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of rounds_exponents for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    // expected-error @+1 {{stands against a late peak of loop `l1`: it rounds an exponent, or the maximum, to a narrow type}}
    %rounded = tile.cast %power : !tile -> tensor<64x64xbf16>
    %exponents = tile.cast %rounded : tensor<64x64xbf16> -> !tile
    %p = math.exp2 %exponents : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  %log = math.log2 %total : !rows
  %lse = arith.addf %peak, %log : !rows
  tile.store %lse, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// `cta.raise` takes factors that are positive: of a negative one, the largest value gives the least.
func.func @may_be_turned(%x: !view, %o: !tile.view<?xf32>, %n: i32, %scale: f32)
    attributes {tile.kernel, plan.text = "plan 1 of may_be_turned for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak, %total = scf.for %i = %c0 to %n step %c1
      iter_args(%m = %lowest, %t = %none) -> (!rows, !rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %largest = tile.reduce max %s, 1 : !tile -> !rows
    %scales = tile.splat %scale : f32 -> !rows
    %most = arith.mulf %largest, %scales : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it multiplies the maximum by a factor that may be negative}}
    %now = arith.maximumf %m, %most : !rows
    %column = tile.expand_dims %now, 1 : !rows -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> !tile
    %power = arith.subf %s, %all : !tile
    %p = math.exp2 %power : !tile
    %change = arith.subf %m, %now : !rows
    %shrink = math.exp2 %change : !rows
    %before = arith.mulf %t, %shrink : !rows
    %sum = tile.reduce sum %p, 1 : !tile -> !rows
    %t_now = arith.addf %before, %sum : !rows
    scf.yield %now, %t_now : !rows, !rows
  } {plan.id = "l1"}
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// A whole peak may not lag: it would no longer be whole.
func.func @whole_peaks(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of whole_peaks for sm_90\0A loops l1: late peak 8"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lowest = arith.constant dense<-1.0e30> : !rows
  %none = arith.constant dense<0.0> : !rows
  %peak = scf.for %i = %c0 to %n step %c1 iter_args(%m = %lowest) -> (!rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %top = math.ceil %most : !rows
    // expected-error @+1 {{stands against a late peak of loop `l1`: it rounds the maximum to a whole number, and so cannot lag}}
    %now = arith.maximumf %m, %top : !rows
    scf.yield %now : !rows
  } {plan.id = "l1"}
  tile.store %peak, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}

// -----

!view = !tile.view<?x?xf32>
!rows = tensor<64xf32>
!tile = tensor<64x64xf32>

// Half a peak is higher than what is rounded up to it.
func.func @half_a_peak(%x: !view, %o: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, plan.text = "plan 1 of half_a_peak for sm_90\0A loops l1: late peak 0"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %start = arith.constant dense<0.5> : !rows
  // expected-error @+1 {{stands against a late peak of loop `l1`: it carries a peak that does not start with a whole number}}
  %peak = scf.for %i = %c0 to %n step %c1 iter_args(%m = %start) -> (!rows) : i32 {
    %s = tile.load %x[%c0, %i] extents [64, 64] : !view, i32, i32 -> !tile
    %most = tile.reduce max %s, 1 : !tile -> !rows
    %top = math.ceil %most : !rows
    %now = arith.maximumf %m, %top : !rows
    scf.yield %now : !rows
  } {plan.id = "l1"}
  tile.store %peak, %o[%c0] extents [64] : !rows, !tile.view<?xf32>, i32
  return
}
