// RUN: tile-opt %s --make-persistent --put-tiles --split-input-file | FileCheck %s
// RUN: tile-opt %s --make-persistent --put-tiles --cut-roles --split-input-file | FileCheck %s --check-prefix=CUT

!view = !tile.view<?x?xbf16, align 16>
!tile = tensor<64x64xbf16>
!sum = tensor<64x64xf32>

// The role puts the tile and takes it: a product that wants it transposed reads the slot, one whose left
// operand it is reads registers.

// CHECK-LABEL: func.func @alone(
// CHECK: %[[C:.*]] = cta.channel put {plan.id = "t1"} : <2 x tensor<64x64xbf16>>
// CHECK: cta.role "multiply"
// CHECK: scf.for
// CHECK: %[[TILE:.*]] = arith.addf
// CHECK-NEXT: %[[FREE:.*]] = cta.acquire %[[C]]
// CHECK-NEXT: cta.put %[[TILE]], %[[FREE]]
// CHECK-NEXT: cta.commit %[[FREE]]
// CHECK-NEXT: %[[SLOT:.*]] = cta.wait %[[C]]
// CHECK-NEXT: %[[TAKEN:.*]] = cta.get %[[SLOT]]
// CHECK-NEXT: cta.release %[[SLOT]]
// CHECK-NEXT: %[[OPERAND:.*]] = tile.transpose %[[TAKEN]]
// CHECK-NEXT: tile.dot %{{.*}}, %[[OPERAND]]
// CHECK-NEXT: tile.dot %[[TILE]],
// CUT-LABEL: func.func @alone(
// CUT: cta.role "load"
// CUT-NOT: cta.put
// CUT: cta.role "multiply"
// CUT: cta.put
func.func @alone(%a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %c: !view {tile.name = "c"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of alone for sm_90\0A roles load: 1 warp, s1, s2; multiply: 4 warps\0A products p1: wgmma 64x64x16, warps 4x1; p2: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 2 slots; s2: tma, 3 slots; t1: put, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : !sum
  %K = tile.dim %a, 1 : !view
  tile.grid [%c1]
  %steps = arith.ceildivsi %K, %c64 : i32
  %p, %q = scf.for %i = %c0 to %steps step %c1 iter_args(%one = %zero, %two = %zero) -> (!sum, !sum) : i32 {
    %k = arith.muli %i, %c64 : i32
    %x = tile.load %a[%c0, %k] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> !tile
    %y = tile.load %b[%c0, %k] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> !tile
    %twice = arith.addf %y, %y : !tile
    %t = tile.transpose %twice [1, 0] : !tile -> !tile
    %next = tile.dot %x, %t, %one {plan.id = "p1", plan.right = "t1"} : !tile, !tile, !sum
    %other = tile.dot %twice, %x, %two {plan.id = "p2"} : !tile, !tile, !sum
    scf.yield %next, %other : !sum, !sum
  }
  %all = arith.addf %p, %q : !sum
  %r = tile.cast %all : !sum -> !tile
  tile.store %r, %c[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  return
}

// -----

!view = !tile.view<?x?xbf16, align 16>
!tile = tensor<64x64xbf16>
!sum = tensor<64x64xf32>

// A role of its own has what leads to the tile, and nothing else; the rest has nothing of that.

// CUT-LABEL: func.func @apart(
// CUT-DAG: %[[S1:.*]] = cta.channel tma {plan.id = "s1"}
// CUT-DAG: %[[S2:.*]] = cta.channel tma {plan.id = "s2"}
// CUT-DAG: %[[T1:.*]] = cta.channel put {plan.id = "t1"}
// CUT: cta.role "make" warps 8 registers 64 {
// CUT-NOT: %[[S1]]
// CUT: scf.for
// CUT: cta.wait %[[S2]]
// CUT-NEXT: cta.get
// CUT-NEXT: cta.release
// CUT-NEXT: arith.addf
// CUT-NEXT: cta.acquire %[[T1]]
// CUT-NEXT: cta.put
// CUT-NEXT: cta.commit
// CUT-NEXT: }
// CUT-NOT: tile.store
// CUT: cta.role "multiply"
// CUT-NOT: %[[S2]]
// CUT-NOT: arith.addf
// CUT: cta.wait %[[T1]]
// CUT: tile.dot
// CUT: cta.role "load"
func.func @apart(%a: !view {tile.name = "a"}, %b: !view {tile.name = "b"}, %c: !view {tile.name = "c"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of apart for sm_90\0A roles make: 8 warps, 64 registers, t1; multiply: 4 warps; load: 1 warp, s1, s2\0A products p1: wgmma 64x64x16, warps 4x1\0A channels s1: tma, 2 slots; s2: tma, 3 slots; t1: put, 2 slots"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : !sum
  %K = tile.dim %a, 1 : !view
  tile.grid [%c1]
  %steps = arith.ceildivsi %K, %c64 : i32
  %p = scf.for %i = %c0 to %steps step %c1 iter_args(%one = %zero) -> (!sum) : i32 {
    %k = arith.muli %i, %c64 : i32
    %x = tile.load %a[%c0, %k] extents [64, 64] {plan.id = "s1"} : !view, i32, i32 -> !tile
    %y = tile.load %b[%c0, %k] extents [64, 64] {plan.id = "s2"} : !view, i32, i32 -> !tile
    %twice = arith.addf %y, %y : !tile
    %t = tile.transpose %twice [1, 0] : !tile -> !tile
    %next = tile.dot %x, %t, %one {plan.id = "p1", plan.right = "t1"} : !tile, !tile, !sum
    scf.yield %next : !sum
  }
  %r = tile.cast %p : !sum -> !tile
  tile.store %r, %c[%c0, %c0] extents [64, 64] : !tile, !view, i32, i32
  return
}
