// RUN: tile-opt %s --unfold-program --check-program --place-waits --check-deadlocks --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s
// What all roles search for a tile of a queue, the thread that hands the tiles out searches, and it
// passes over those that store nothing.

!tile = tensor<64x64xbf16>
!slot = !cta.slot<!tile>
!ring = !cta.channel<2 x !tile>
!view = !tile.view<?x?xbf16, align 16>
!ends = !tile.view<?xi32, align 16>

// Before the first tile and behind the loads of each: three words are handed out, of which a role takes
// those that it uses. Nobody else searches, or reads what the tile is stored to.
// CHECK-LABEL: @found_once
// CHECK: cuda.shared {{.*}}, 48 {holds = "numbers of the tiles that a queue hands out"}
// CHECK: %[[FIRST:.*]]:3 = scf.while
// CHECK: %[[NUMBER:.*]] = cuda.get
// CHECK: %[[FOUND:.*]]:2 = scf.while
// CHECK: cuda.load_global
// CHECK: cuda.load_global
// CHECK: %[[SIZE:.*]] = cuda.get
// CHECK: %[[IS_TILE:.*]] = arith.cmpi slt, %[[NUMBER]], %[[TILES:.*]] :
// CHECK: %[[BEYOND:.*]] = arith.cmpi sge, %{{.*}}, %[[SIZE]]
// CHECK: %[[IDLE:.*]] = arith.andi %[[IS_TILE]], %[[BEYOND]]
// CHECK: scf.condition(%[[IDLE]]) %[[NUMBER]], %[[FOUND]]#0, %[[SIZE]]
// CHECK: } do {
// CHECK: cuda.atomic_inc
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.set %[[FIRST]]#0
// CHECK: cuda.store_shared
// CHECK: cuda.set %[[FIRST]]#1
// CHECK: cuda.store_shared
// CHECK: cuda.set %[[FIRST]]#2
// CHECK: cuda.store_shared
// CHECK: cuda.mbarrier_arrive
// CHECK: cuda.load_shared
// CHECK: cuda.load_shared
// CHECK-NOT: cuda.atomic_inc
// CHECK: cuda.tma_load
// CHECK: cuda.atomic_inc
// CHECK: scf.while
// CHECK: scf.while
// CHECK: } else {
// CHECK: cuda.load_shared
// CHECK: cuda.load_shared
// CHECK-NOT: arith.select %{{.*}}, %{{.*}}, %arg
// CHECK-NOT: cuda.load_global
// CHECK: cuda.store_global
func.func @found_once(%a: !view, %b: !view, %ends: !ends, %t: i32, %x: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.divsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %s0 = cta.acquire %xs : !ring -> !slot
      cta.copy %a[%found#0, %c0] extents [64, 64], %s0 : !view, !slot
      cta.commit %s0 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) queue {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.divsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %size = tile.load %ends[%found#0] extents [0] : !ends, i32 -> i32
      %row = arith.muli %i, %c64 : i32
      %part = tile.subview %b, 0 from %c0 size %size : !view -> !view
      tile.store %w0, %part[%row, %c0] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// What stores to all of a tensor may store something.
// CHECK-LABEL: @none_is_passed_over
// CHECK: cuda.shared {{.*}}, 48 {holds = "numbers of the tiles that a queue hands out"}
// CHECK: %[[FOUND:.*]]:2 = scf.while
// CHECK: cuda.load_global
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.store_shared
// CHECK: cuda.set %[[FOUND]]#0
// CHECK: cuda.store_shared
// CHECK: cuda.tma_load
// CHECK: cuda.atomic_inc
// CHECK: scf.while
// CHECK: } else {
// CHECK-NOT: arith.select %{{.*}}, %{{.*}}, %arg
// CHECK: cuda.store_global
func.func @none_is_passed_over(%a: !view, %b: !view, %ends: !ends, %t: i32, %x: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.divsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %s0 = cta.acquire %xs : !ring -> !slot
      cta.copy %a[%found#0, %c0] extents [64, 64], %s0 : !view, !slot
      cta.commit %s0 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) queue {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.divsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %size = tile.load %ends[%found#0] extents [0] : !ends, i32 -> i32
      %row = arith.muli %i, %c64 : i32
      %part = tile.subview %b, 0 from %c0 size %size : !view -> !view
      tile.store %w0, %b[%row, %c0] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// What another role searches otherwise is not handed to it.
// CHECK-LABEL: @searched_otherwise
// CHECK: cuda.shared {{.*}}, 48 {holds = "numbers of the tiles that a queue hands out"}
// CHECK: arith.cmpi slt, %{{.*}}, %[[COMING:.*]] :
// CHECK: cuda.load_shared
// CHECK: scf.while
// CHECK: arith.cmpi sle
// CHECK: cuda.tma_load
// CHECK: cuda.atomic_inc
// CHECK: } else {
// CHECK-NOT: arith.cmpi sle
// CHECK: cuda.store_global
func.func @searched_otherwise(%a: !view, %b: !view, %ends: !ends, %t: i32, %x: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.divsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi sle, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %s0 = cta.acquire %xs : !ring -> !slot
      cta.copy %a[%found#0, %c0] extents [64, 64], %s0 : !view, !slot
      cta.commit %s0 : !slot
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) queue {
      %found:2 = scf.while (%from = %c0, %behind = %x) : (i32, i32) -> (i32, i32) {
        %left = arith.subi %behind, %from : i32
        %open = arith.cmpi sgt, %left, %c1 : i32
        scf.condition(%open) %from, %behind : i32, i32
      } do {
      ^bb0(%from: i32, %behind: i32):
        %both = arith.addi %from, %behind : i32
        %middle = arith.divsi %both, %c2 : i32
        %start = tile.load %ends[%middle] extents [0] : !ends, i32 -> i32
        %starts = arith.cmpi slt, %start, %i : i32
        %low = arith.select %starts, %middle, %from : i32
        %high = arith.select %starts, %behind, %middle : i32
        scf.yield %low, %high : i32, i32
      }
      %s0 = cta.wait %xs : !ring -> !slot
      %w0 = cta.get %s0 : !slot -> !tile
      cta.release %s0 : !slot
      %size = tile.load %ends[%found#0] extents [0] : !ends, i32 -> i32
      %row = arith.muli %i, %c64 : i32
      %part = tile.subview %b, 0 from %c0 size %size : !view -> !view
      tile.store %w0, %part[%row, %c0] extents [64, 64] : !tile, !view, i32, i32
    }
  }
  return
}

// What roles read in memory comes with a tile, too. A loop that always runs ends the loads of a tile: the next
// is taken in its last iteration, before the wait for its slot. Behind the last tile, the last one's
// number is read.
// CHECK-LABEL: @read_once
// CHECK: cuda.shared {{.*}}, 32 {holds = "numbers of the tiles that a queue hands out"}
// CHECK: %[[LAST:.*]] = arith.subi %[[TILES:.*]], %{{.*}} :
// CHECK: %[[TILE:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK: cuda.load_global %{{.*}}[%[[TILE]]]
// CHECK: scf.while
// CHECK-NOT: cuda.load_global
// CHECK: %[[END:.*]] = arith.maxsi
// CHECK: scf.for %[[N:.*]] = %[[START:.*]] to %[[END]] step
// CHECK-NOT: cuda.mbarrier_wait
// CHECK: %[[NEXT:.*]] = arith.addi %[[N]],
// CHECK: %[[IS_LAST:.*]] = arith.cmpi sge, %[[NEXT]], %[[END]]
// CHECK: scf.if %[[IS_LAST]] {
// CHECK: cuda.atomic_inc
// CHECK: cuda.load_global
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.mbarrier_arrive
// CHECK: }
// CHECK: cuda.mbarrier_wait
// CHECK: cuda.tma_load
// CHECK-NOT: cuda.atomic_inc
// CHECK: } else {
// CHECK-NOT: cuda.load_global
// CHECK: cuda.store_global
func.func @read_once(%a: !view, %b: !view, %ends: !ends, %t: i32, %x: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      %from = tile.load %ends[%i] extents [0] : !ends, i32 -> i32
      %least = arith.addi %from, %c1 : i32
      %to = arith.maxsi %x, %least : i32
      scf.for %n = %from to %to step %c1 : i32 {
        %row = arith.muli %n, %c64 : i32
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %a[%row, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) queue {
      %from = tile.load %ends[%i] extents [0] : !ends, i32 -> i32
      %least = arith.addi %from, %c1 : i32
      %to = arith.maxsi %x, %least : i32
      %row = arith.muli %i, %c64 : i32
      scf.for %n = %from to %to step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
        tile.store %w0, %b[%row, %c0] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}

// A loop that may not run takes none: the next tile comes behind it.
// CHECK-LABEL: @may_not_run
// CHECK: cuda.tma_load
// CHECK: }
// CHECK: cuda.atomic_inc
func.func @may_not_run(%a: !view, %b: !view, %ends: !ends, %t: i32, %x: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %xs = cta.channel tma : !ring loc("xs")
  cta.role "load" warps 1 {
    cta.tiles (%i) of (%t) queue {
      %from = tile.load %ends[%i] extents [0] : !ends, i32 -> i32
      scf.for %n = %from to %x step %c1 : i32 {
        %row = arith.muli %n, %c64 : i32
        %s0 = cta.acquire %xs : !ring -> !slot
        cta.copy %a[%row, %c0] extents [64, 64], %s0 : !view, !slot
        cta.commit %s0 : !slot
      }
    }
  }
  cta.role "use" warps 4 {
    cta.tiles (%i) of (%t) queue {
      %from = tile.load %ends[%i] extents [0] : !ends, i32 -> i32
      %row = arith.muli %i, %c64 : i32
      scf.for %n = %from to %x step %c1 : i32 {
        %s0 = cta.wait %xs : !ring -> !slot
        %w0 = cta.get %s0 : !slot -> !tile
        cta.release %s0 : !slot
        tile.store %w0, %b[%row, %c0] extents [64, 64] : !tile, !view, i32, i32
      }
    }
  }
  return
}
