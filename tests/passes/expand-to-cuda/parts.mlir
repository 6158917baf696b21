// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

!rows = tensor<128xf32>
!tile = tensor<64x64xf32>
!view = !tile.view<?x?xf32>

// The steps of the tiles behind the last round are shared out, 8 or more to a block, or none where that
// would save fewer. A block makes its parts in the last rounds, the later tile's first.
// CHECK-LABEL: @blocks_have_shares
// CHECK-SAME: %[[TILES:[a-z0-9]+]]: i32 {{[^%]*}}source = "t"
// CHECK-SAME: %[[STEPS:[a-z0-9]+]]: i32 {{[^%]*}}source = "n"
// CHECK: %[[BLOCK:.*]] = cuda.block_id
// CHECK: %[[BLOCKS:.*]] = cuda.grid_size
// CHECK: %[[ALL:.*]] = cuda.quotient %[[TILES]], %[[BLOCKS]],
// CHECK: %[[WHOLE:.*]] = arith.muli %[[ALL]], %[[BLOCKS]]
// CHECK: %[[REST:.*]] = arith.subi %[[TILES]], %[[WHOLE]]
// CHECK: %[[LEFT:.*]] = arith.muli %[[REST]], %[[STEPS]]
// CHECK: %[[EVEN:.*]] = cuda.quotient %{{.*}}, %[[BLOCKS]],
// CHECK: %[[SHARE:.*]] = arith.maxsi %[[EVEN]], %c8_i32
// CHECK: %[[SAVED:.*]] = arith.subi %[[STEPS]], %[[SHARE]]
// CHECK: %[[PAYS:.*]] = arith.cmpi sge, %[[SAVED]], %c8_i32
// CHECK: %[[SHARED:.*]] = arith.select %[[PAYS]], %[[LEFT]], %c0_i32
// CHECK: %[[FROM:.*]] = arith.muli %[[BLOCK]], %[[SHARE]]
// CHECK: %[[BEGIN:.*]] = arith.minsi %[[FROM]], %[[SHARED]]
// CHECK: %[[TO:.*]] = arith.addi %[[BEGIN]], %[[SHARE]]
// CHECK: %[[END:.*]] = arith.minsi %[[TO]], %[[SHARED]]
// CHECK: %[[DIVISOR:.*]] = arith.maxsi %[[STEPS]], %c1_i32
// CHECK: %[[FIRST:.*]] = cuda.quotient %[[BEGIN]], %[[DIVISOR]],
// CHECK: %[[PARTS:.*]] = arith.subi %{{.*}}, %[[FIRST]]
// CHECK: %[[OWN:.*]] = cuda.quotient %{{.*}}, %[[BLOCKS]],
// CHECK: %[[ROUNDS:.*]] = arith.select %[[PAYS]], %[[ALL]], %[[OWN]]
// CHECK: %[[BEHIND:.*]] = arith.addi %[[ROUNDS]], %[[PARTS]]
// CHECK: scf.for %[[ROUND:.*]] = %c0_i32 to %[[BEHIND]] step %c1_i32
// CHECK: %[[IS_LEFT:.*]] = arith.cmpi sge, %[[ROUND]], %[[ROUNDS]]
// CHECK: %[[LAST:.*]] = arith.subi %[[BEHIND]], %c1_i32
// CHECK: %[[BEFORE:.*]] = arith.subi %[[LAST]], %[[ROUND]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[FIRST]], %[[BEFORE]]
// CHECK: %[[START:.*]] = arith.muli %[[NUMBER]], %[[STEPS]]
// CHECK: %[[PART:.*]] = arith.addi %[[WHOLE]], %[[NUMBER]]
// CHECK: arith.select %[[IS_LEFT]], %[[PART]]
// CHECK: %[[BEGINS:.*]] = arith.subi %[[BEGIN]], %[[START]]
// CHECK: %[[LOW:.*]] = arith.maxsi %[[BEGINS]], %c0_i32
// CHECK: %[[ENDS:.*]] = arith.subi %[[END]], %[[START]]
// CHECK: %[[HIGH:.*]] = arith.minsi %[[ENDS]], %[[STEPS]]
// CHECK: %[[FIRST_STEP:.*]] = arith.select %[[IS_LEFT]], %[[LOW]], %c0_i32
// CHECK: %[[LAST_STEP:.*]] = arith.select %[[IS_LEFT]], %[[HIGH]], %[[STEPS]]
// CHECK: scf.for %{{.*}} = %[[FIRST_STEP]] to %[[LAST_STEP]]
func.func @blocks_have_shares(%x: !view, %y: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 8 {
      %zero = arith.constant dense<0.0> : !tile
      %part = scf.for %k = %first to %end step %c1 iter_args(%before = %zero) -> (!tile) : i32 {
        %read = tile.load %x[%i, %k] extents [64, 64] : !view, i32, i32 -> !tile
        %more = arith.addf %before, %read : !tile
        scf.yield %more : !tile
      }
      %sum, %whole = cta.combine %part : !tile
      scf.if %whole {
        tile.store %sum, %y[%i, %c0] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}

// A block that does not end a tile leaves its part, 32 registers of 128 threads, in front of the flag. Who ends
// a tile that is shared takes the flags of all blocks from the one that has its first step up to itself, adds
// to its own part what lies behind each, and stores.
// CHECK-LABEL: @parts_are_left_and_added
// CHECK-SAME: %[[STEPS:[a-z0-9]+]]: i32 {{[^%]*}}source = "n"
// CHECK-SAME: %[[WORKSPACE:[a-z0-9]+]]: !cuda.ptr<f32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, bytes = 16384 : i64, kind = "workspace"}, tile.name = "workspace"}
// CHECK-SAME: %[[FLAGS:[a-z0-9]+]]: !cuda.ptr<i32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "flags", source = ""}, tile.name = "flags"}
// CHECK: %[[BLOCK:.*]] = cuda.block_id
// CHECK: %[[SHARE:.*]] = arith.maxsi %{{.*}}, %c8_i32
// CHECK: scf.for
// CHECK: %[[IS_LEFT:.*]] = arith.cmpi sge
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %[[STEPS]]
// CHECK: %[[SUM:.*]] = cuda.regs : <32 x f32>
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[END:.*]], %[[STEPS]] :
// CHECK: %[[UNFINISHED:.*]] = arith.cmpi ne, %[[END]], %[[STEPS]] :
// CHECK: scf.if %[[UNFINISHED]] {
// CHECK: arith.muli %[[BLOCK]], %c4096_i32
// CHECK: cuda.store_global %[[SUM]][%{{.*}}], %[[WORKSPACE]][%{{.*}}]
// CHECK: cuda.named_barrier_sync %{{.*}}, 128
// CHECK: scf.if
// CHECK-NEXT: cuda.flag_raise %[[FLAGS]][%[[BLOCK]]]
// CHECK: %[[BLOCK_OF_START:.*]] = cuda.quotient %[[START]], %[[SHARE]],
// CHECK: %[[FINISHES:.*]] = arith.andi %[[IS_LEFT]], %[[WHOLE]]
// CHECK: %[[FROM:.*]] = arith.select %[[FINISHES]], %[[BLOCK_OF_START]], %[[BLOCK]]
// Flags are taken by a thread each, before any part is read.
// CHECK: %[[NUMBER:.*]] = arith.addi %[[FROM]], %{{.*}}
// CHECK: scf.if
// CHECK: scf.for %[[TAKEN:.*]] = %{{.*}} to %[[BLOCK]] step %c128_i32
// CHECK-NEXT: cuda.flag_take %[[FLAGS]][%[[TAKEN]]]
// CHECK: cuda.named_barrier_sync %{{.*}}, 128
// CHECK: scf.for %[[OTHER:.*]] = %[[FROM]] to %[[BLOCK]] step %c1_i32
// CHECK: arith.muli %[[OTHER]], %c4096_i32
// CHECK: cuda.load_global %[[WORKSPACE]][%{{.*}}], %[[PART:.*]][%c0_i32]
// CHECK-DAG: cuda.get %[[PART]]
// CHECK-DAG: cuda.get %[[SUM]]
// CHECK: %[[TOTAL:.*]] = arith.addf
// CHECK: cuda.set %[[TOTAL]], %[[SUM]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK: cuda.store_global %[[SUM]]
func.func @parts_are_left_and_added(%y: !view, %t: i32 {tile.name = "t"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 8 {
      %part = arith.constant dense<0.0> : !tile
      %sum, %whole = cta.combine %part : !tile
      scf.if %whole {
        tile.store %sum, %y[%i, %c0] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}

// Of two tiles, the second lies behind the first; one flag is for both. A part that is used besides is added to
// in a copy.
// CHECK-LABEL: @several_are_left_at_once
// CHECK-SAME: bytes = 1024 : i64, kind = "workspace"
// CHECK: %[[FIRST:.*]] = cuda.regs : <1 x f32>
// CHECK: %[[SECOND:.*]] = cuda.regs : <1 x f32>
// CHECK: %[[COPY:.*]] = cuda.regs : <1 x f32>
// CHECK: %[[BASE:.*]] = arith.muli %{{.*}}, %c256_i32
// CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[THREAD:.*]] :
// CHECK: cuda.store_global %[[FIRST]][%c0_i32], %{{.*}}[%[[AT]]] {count = 1 : i64}
// CHECK: %[[BEHIND:.*]] = arith.addi %[[BASE]], %c128_i32
// CHECK: %[[AT:.*]] = arith.addi %[[BEHIND]], %[[THREAD]] :
// CHECK: cuda.store_global %[[COPY]][%c0_i32], %{{.*}}[%[[AT]]] {count = 1 : i64}
// CHECK: cuda.flag_raise
// CHECK-NOT: cuda.flag_raise
// CHECK: cuda.flag_take
// CHECK-NOT: cuda.flag_take
// CHECK: cuda.store_global %[[SECOND]]
// CHECK: cuda.store_global %[[COPY]]
func.func @several_are_left_at_once(%x: !tile.view<?xf32>, %t: i32, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 8 {
      %one = tile.load %x[%first] extents [128] : !tile.view<?xf32>, i32 -> !rows
      %two = tile.load %x[%end] extents [128] : !tile.view<?xf32>, i32 -> !rows
      %sums:2, %whole = cta.combine %one, %two : !rows, !rows
      scf.if %whole {
        tile.store %two, %x[%i] extents [128] : !rows, !tile.view<?xf32>, i32
        tile.store %sums#1, %x[%first] extents [128] : !rows, !tile.view<?xf32>, i32
      }
    }
  }
  return
}

// The blocks of a cluster have the share of one, by its number of all clusters. What a block leaves and takes
// is numbered by blocks: those of its rank.
// CHECK-LABEL: @clusters_have_shares
// CHECK: %[[RANK:.*]] = cuda.cluster_rank
// CHECK: %[[BLOCK:.*]] = cuda.block_id
// CHECK: %[[PLACE:.*]] = arith.shrsi %[[BLOCK]], %c1_i32
// CHECK: %[[BLOCKS:.*]] = cuda.grid_size
// CHECK: %[[CLUSTERS:.*]] = arith.shrsi %[[BLOCKS]], %c1_i32
// CHECK: %[[SHARE:.*]] = arith.maxsi %{{.*}}, %c8_i32
// CHECK: arith.muli %[[PLACE]], %[[SHARE]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[PLACE]], %c2_i32
// CHECK: %[[OWN:.*]] = arith.addi %[[FIRST]], %[[RANK]]
// CHECK: arith.muli %[[OWN]], %c4096_i32
// CHECK: cuda.flag_raise %{{.*}}[%[[OWN]]]
// CHECK: %[[PLACE_OF_START:.*]] = cuda.quotient %{{.*}}, %[[SHARE]],
// CHECK: %[[FROM:.*]] = arith.select %{{.*}}, %[[PLACE_OF_START]], %[[PLACE]]
// CHECK: scf.for %[[BEFORE:.*]] = %{{.*}} to %[[PLACE]] step %c128_i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[BEFORE]], %c2_i32
// CHECK: %[[OTHER:.*]] = arith.addi %[[FIRST]], %[[RANK]]
// CHECK: cuda.flag_take %{{.*}}[%[[OTHER]]]
// CHECK: scf.for %[[BEFORE:.*]] = %[[FROM]] to %[[PLACE]] step %c1_i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[BEFORE]], %c2_i32
// CHECK: %[[OTHER:.*]] = arith.addi %[[FIRST]], %[[RANK]]
// CHECK: arith.muli %[[OTHER]], %c4096_i32
func.func @clusters_have_shares(%y: !view, %t: i32, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  cta.role "add" warps 4 {
    cta.tiles (%i) of (%t) split (%first to %end) of %n least 8 {
      %part = arith.constant dense<0.0> : !tile
      %sum, %whole = cta.combine %part : !tile
      scf.if %whole {
        tile.store %sum, %y[%i, %c0] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}
