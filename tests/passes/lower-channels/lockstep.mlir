// RUN: tile-opt %s --swizzle-layout --plan-channels --lower-channels --canonicalize --cse | FileCheck %s

// One role fills and reads the slots: groups of copies, and a barrier at which all have arrived.
// Waits that stand together take one barrier, and one number.

#rows = #cta.layout<registers [8:1:1, 2:0:32], lanes [4:1:8, 8:0:1], warps [4:0:8]>
#halves = #cta.layout<registers [4:1:1, 4:0:16], lanes [8:1:4, 4:0:1], warps [4:0:4]>
!ring = !cta.channel<2 x tensor<64x32xf16>>
!slot = !cta.slot<tensor<64x32xf16>>
!tile = tensor<64x32xf16, #halves>
!own_tile = tensor<64x32xf16, #rows>
!view = !tile.view<?x?xf16, align 16>

// CHECK-LABEL: func.func @together(
// CHECK: %[[A:.*]] = cta.channel cp_async
// CHECK: %[[FILLING:.*]] = cuda.regs
// CHECK: %[[READING:.*]] = cuda.regs
// CHECK: scf.for
// CHECK: cuda.get %[[FILLING]]
// CHECK: %[[SLOT:.*]] = cta.slot_at %[[A]]
// CHECK: cta.copy {{.*}}, %[[SLOT]]
// CHECK: cuda.cp_async_commit
// CHECK: cuda.cp_async_commit
// CHECK: %[[NUMBER:.*]] = cuda.get %[[READING]]
// CHECK-NEXT: %[[OTHER:.*]] = arith.xori %[[NUMBER]], %c1_i32
// CHECK-NEXT: cuda.set %[[OTHER]], %[[READING]]
// CHECK-NEXT: cta.slot_at %[[A]][%[[NUMBER]]]
// CHECK: cuda.cp_async_wait 0
// CHECK-NEXT: cta.sync
// CHECK-NEXT: cta.slot_at %{{.*}}[%[[NUMBER]]]
// CHECK-NOT: cta.sync
// CHECK: cta.get
// CHECK: cta.get
// CHECK: }
func.func @together(%x: !view, %y: !view, %n: i32) attributes {cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel cp_async : !ring
  %bs = cta.channel cp_async : !ring
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = cta.acquire %as : !ring -> !slot
    cta.copy %x[%c0, %c0] extents [64, 32], %a {vector = 8 : i64} : !view, !slot
    cta.commit %a : !slot
    %b = cta.acquire %bs : !ring -> !slot
    cta.copy %x[%c0, %c0] extents [64, 32], %b {vector = 8 : i64} : !view, !slot
    cta.commit %b : !slot
    %full_a = cta.wait %as : !ring -> !slot
    %full_b = cta.wait %bs : !ring -> !slot
    %t = cta.get %full_a : !slot -> !tile
    %u = cta.get %full_b : !slot -> !tile
    tile.store %t, %y[%c0, %c0] extents [64, 32] : !tile, !view, i32, i32
    tile.store %u, %y[%c0, %c0] extents [64, 32] : !tile, !view, i32, i32
    cta.release %full_a : !slot
    cta.release %full_b : !slot
  }
  return
}

// Where each thread reads just what it has copied, threads do not wait for each other: neither for a
// slot to be full, nor for it to be free.
// CHECK-LABEL: func.func @apart(
// CHECK: scf.for
// CHECK: cuda.cp_async_wait 0
// CHECK-NOT: cta.sync
// CHECK: cta.get
// CHECK: cta.copy
// CHECK: cuda.cp_async_commit
// CHECK-NOT: cta.sync
// CHECK: return
func.func @apart(%x: !view, %y: !view, %n: i32) attributes {cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel cp_async : !cta.channel<1 x tensor<64x32xf16>>
  %first = cta.acquire %as : !cta.channel<1 x tensor<64x32xf16>> -> !slot
  cta.copy %x[%c0, %c0] extents [64, 32], %first {vector = 8 : i64} : !view, !slot
  cta.commit %first : !slot
  scf.for %i = %c0 to %n step %c1 : i32 {
    %full = cta.wait %as : !cta.channel<1 x tensor<64x32xf16>> -> !slot
    %t = cta.get %full : !slot -> !own_tile
    cta.release %full : !slot
    %next = cta.acquire %as : !cta.channel<1 x tensor<64x32xf16>> -> !slot
    cta.copy %x[%i, %c0] extents [64, 32], %next {vector = 8 : i64} : !view, !slot
    cta.commit %next : !slot
    tile.store %t, %y[%i, %c0] extents [64, 32] : !own_tile, !view, i32, i32
  }
  return
}

// A role of several counts the slots of its own channels itself.

!own = !cta.channel<2 x tensor<64x64xf16>>
!own_slot = !cta.slot<tensor<64x64xf16>>
!square = tensor<64x64xf16, #cta.layout<registers [2:1:1, 2:0:8, 8:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>>

// CHECK-LABEL: func.func @in_a_role(
// CHECK: cta.role "use"
// CHECK: %[[FILLING:.*]] = cuda.regs
// CHECK: %[[READING:.*]] = cuda.regs
// CHECK: scf.for
// CHECK: cuda.get %[[FILLING]]
// CHECK: cta.put
// CHECK: cta.sync
// CHECK: cuda.get %[[READING]]
func.func @in_a_role(%x: !view, %y: !view, %n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %us = cta.channel put : !own
  cta.role "use" warps 4 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %t = tile.load %x[%c0, %c0] extents [64, 64] : !view, i32, i32 -> !square
      %u = cta.acquire %us : !own -> !own_slot
      cta.put %t, %u : !square, !own_slot
      cta.commit %u : !own_slot
      %v = cta.wait %us : !own -> !own_slot
      %back = cta.get %v : !own_slot -> !square
      cta.release %v : !own_slot
      tile.store %back, %y[%c0, %c0] extents [64, 64] : !square, !view, i32, i32
    }
  }
  return
}

// What a copy has loaded into registers is stored where the slot is handed over.

// CHECK-LABEL: func.func @through_registers(
// CHECK: %[[SLOT:.*]] = cta.slot_at
// CHECK: cta.copy {{.*}}, %[[SLOT]]
// CHECK: cta.put_copied %[[SLOT]]
// CHECK: cta.sync
func.func @through_registers(%x: !view, %y: !view) attributes {cta.target = "sm_75", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %as = cta.channel registers : !ring
  %a = cta.acquire %as : !ring -> !slot
  cta.copy %x[%c0, %c0] extents [64, 32], %a {vector = 8 : i64} : !view, !slot
  cta.commit %a : !slot
  %full = cta.wait %as : !ring -> !slot
  %t = cta.get %full : !slot -> !tile
  tile.store %t, %y[%c0, %c0] extents [64, 32] : !tile, !view, i32, i32
  cta.release %full : !slot
  return
}
