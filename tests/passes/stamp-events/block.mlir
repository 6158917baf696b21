// RUN: tile-opt %s --bind-config=target=sm_75 --make-channels --assign-layouts --swizzle-layout --plan-channels --lower-channels --stamp-events | FileCheck %s

// A kernel without roles has one lane, which the first thread of the block writes. Products that are
// not asynchronous are stamped as a whole.

// CHECK-LABEL: func.func @add(
// CHECK-SAME: lanes = [{part = 0 : i64, parts = 1 : i64, role = "add"}], longest = 3 : i64, runs = [array<i64: 1, 2>]
// CHECK: cuda.clock
// CHECK-NEXT: tile.load
// CHECK-NEXT: cta.stamp 1 at 1 from
// CHECK: cuda.clock
// CHECK-NEXT: tile.store
// CHECK-NEXT: cta.stamp 2 at 2 from
// CHECK-NEXT: cta.stamp_run 1 takes 3
func.func @add(%x: !tile.view<?xf32, align 16> {tile.name = "x"},
               %y: !tile.view<?xf32, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [1024] : !tile.view<?xf32, align 16>, i32 -> tensor<1024xf32>
  %b = arith.addf %a, %a : tensor<1024xf32>
  tile.store %b, %y[%c0] extents [1024] : tensor<1024xf32>, !tile.view<?xf32, align 16>, i32
  return
}
