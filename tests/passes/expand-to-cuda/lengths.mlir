// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

!tile = tensor<64x64xf32>
!view = !tile.view<?x?xf32>

// The steps of the tiles behind the last round are added up, fewer than 0 as 0, and the longest is found. Where
// a share of 8 steps or more saves 8 of these, a block goes through the tiles once more: those that end where its
// share begins, or before, are others', as are those that begin behind it; block 0 has what is at the very front.
// It makes its parts in the last rounds, the later tile's first, and goes back from the end of that.
// CHECK-LABEL: @tiles_differ
// CHECK-SAME: %[[TILES:[a-z0-9]+]]: i32 {{[^%]*}}source = "t"
// CHECK-SAME: %[[FEWER:[a-z0-9]+]]: i32 {{[^%]*}}source = "n"
// CHECK: %[[BLOCK:.*]] = cuda.block_id
// CHECK: %[[BLOCKS:.*]] = cuda.grid_size
// CHECK: %[[ALL:.*]] = cuda.quotient %[[TILES]], %[[BLOCKS]],
// CHECK: %[[WHOLE:.*]] = arith.muli %[[ALL]], %[[BLOCKS]]
// CHECK: %[[REST:.*]] = arith.subi %[[TILES]], %[[WHOLE]]
// CHECK: %[[SUMS:.*]]:2 = scf.for %[[I:.*]] = %c0_i32 to %[[REST]] step %c1_i32 iter_args(%[[SUM:.*]] = %c0_i32, %[[MOST:.*]] = %c0_i32)
// CHECK-NEXT: %[[NUMBER:.*]] = arith.addi %[[WHOLE]], %[[I]]
// CHECK-NEXT: %[[ANY:.*]] = arith.subi %[[NUMBER]], %[[FEWER]]
// CHECK-NEXT: %[[STEPS:.*]] = arith.maxsi %[[ANY]], %c0_i32
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[SUM]], %[[STEPS]]
// CHECK-NEXT: %[[LONGER:.*]] = arith.maxsi %[[MOST]], %[[STEPS]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[LONGER]]
// CHECK: %[[EVEN:.*]] = cuda.quotient %{{.*}}, %[[BLOCKS]],
// CHECK: %[[SHARE:.*]] = arith.maxsi %[[EVEN]], %c8_i32
// CHECK: %[[SAVED:.*]] = arith.subi %[[SUMS]]#1, %[[SHARE]]
// CHECK: %[[PAYS:.*]] = arith.cmpi sge, %[[SAVED]], %c8_i32
// CHECK: %[[SHARED:.*]] = arith.select %[[PAYS]], %[[SUMS]]#0, %c0_i32
// CHECK: %[[FROM:.*]] = arith.muli %[[BLOCK]], %[[SHARE]]
// CHECK: %[[BEGIN:.*]] = arith.minsi %[[FROM]], %[[SHARED]]
// CHECK: %[[TO:.*]] = arith.addi %[[BEGIN]], %[[SHARE]]
// CHECK: %[[END:.*]] = arith.minsi %[[TO]], %[[SHARED]]
// CHECK: %[[SPLIT:.*]] = arith.select %[[PAYS]], %[[REST]], %c0_i32
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[BLOCK]], %c0_i32
// CHECK: %[[BEFORE:.*]] = arith.select %[[IS_FIRST]], %c-1_i32, %[[BEGIN]]
// CHECK: %[[FOUND:.*]]:4 = scf.for %[[I:.*]] = %c0_i32 to %[[SPLIT]] step %c1_i32 iter_args(%[[AT:.*]] = %c0_i32, %[[PASSED:.*]] = %c0_i32, %[[BEGUN:.*]] = %c0_i32, %[[LAST:.*]] = %c0_i32)
// CHECK: %[[STEPS:.*]] = arith.maxsi %{{.*}}, %c0_i32
// CHECK: %[[BEHIND:.*]] = arith.addi %[[AT]], %[[STEPS]]
// CHECK-DAG: %[[IS_BEFORE:.*]] = arith.cmpi sle, %[[BEHIND]], %[[BEFORE]]
// CHECK-DAG: %[[ENDS:.*]] = arith.cmpi sle, %[[BEHIND]], %[[END]]
// CHECK-DAG: %[[BEGINS:.*]] = arith.cmpi slt, %[[AT]], %[[END]]
// CHECK: %[[IS_BEGUN:.*]] = arith.ori %[[BEGINS]], %[[ENDS]]
// CHECK: %[[MORE_PASSED:.*]] = arith.select %[[IS_BEFORE]], %{{.*}}, %[[PASSED]]
// CHECK: %[[MORE_BEGUN:.*]] = arith.select %[[IS_BEGUN]], %{{.*}}, %[[BEGUN]]
// CHECK: %[[LATER:.*]] = arith.select %[[IS_BEGUN]], %[[BEHIND]], %[[LAST]]
// CHECK: scf.yield %[[BEHIND]], %[[MORE_PASSED]], %[[MORE_BEGUN]], %[[LATER]]
// CHECK: %[[PARTS:.*]] = arith.subi %[[FOUND]]#2, %[[FOUND]]#1
// CHECK: %[[UNMADE:.*]] = cuda.regs : <1 x i32>
// CHECK: cuda.set %[[FOUND]]#3, %[[UNMADE]][%c0_i32]
// CHECK: %[[ROUNDS:.*]] = arith.select %[[PAYS]], %[[ALL]], %{{.*}}
// CHECK: %[[ALL_ROUNDS:.*]] = arith.addi %[[ROUNDS]], %[[PARTS]]
// CHECK: scf.for %[[ROUND:.*]] = %c0_i32 to %[[ALL_ROUNDS]] step %c1_i32
// CHECK: %[[IS_LEFT:.*]] = arith.cmpi sge, %[[ROUND]], %[[ROUNDS]]
// CHECK: %[[STEPS:.*]] = arith.maxsi %{{.*}}, %c0_i32
// CHECK: %[[STOP:.*]] = cuda.get %[[UNMADE]][%c0_i32]
// CHECK: %[[MADE:.*]] = arith.select %[[IS_LEFT]], %[[STEPS]], %c0_i32
// CHECK: %[[START:.*]] = arith.subi %[[STOP]], %[[MADE]]
// CHECK: cuda.set %[[START]], %[[UNMADE]][%c0_i32]
// CHECK: %[[BEGINS:.*]] = arith.subi %[[BEGIN]], %[[START]]
// CHECK: %[[LOW:.*]] = arith.maxsi %[[BEGINS]], %c0_i32
// CHECK: %[[ENDS:.*]] = arith.subi %[[END]], %[[START]]
// CHECK: %[[HIGH:.*]] = arith.minsi %[[ENDS]], %[[STEPS]]
// CHECK: arith.select %[[IS_LEFT]], %[[LOW]], %c0_i32
// CHECK: %[[LAST_STEP:.*]] = arith.select %[[IS_LEFT]], %[[HIGH]], %[[STEPS]]
// CHECK: %[[IS_WHOLE:.*]] = arith.cmpi eq, %[[LAST_STEP]], %[[STEPS]]
// CHECK: %[[FIRST_BLOCK:.*]] = cuda.quotient %[[START]], %[[SHARE]],
// CHECK: %[[FINISHES:.*]] = arith.andi %[[IS_LEFT]], %[[IS_WHOLE]]
// CHECK: %[[OTHERS:.*]] = arith.select %[[FINISHES]], %[[FIRST_BLOCK]], %[[BLOCK]]
// CHECK: scf.for %{{.*}} = %[[OTHERS]] to %[[BLOCK]] step %c1_i32
func.func @tiles_differ(%y: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of (%i) {
      %steps = arith.subi %i, %n : i32
      cta.yield %steps : i32
    } least 8 {
      %part = arith.constant dense<0.0> : !tile
      %column = arith.addi %first, %end : i32
      %sum, %whole = cta.combine %part : !tile
      scf.if %whole {
        tile.store %sum, %y[%i, %column] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}
