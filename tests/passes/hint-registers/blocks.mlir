// RUN: tile-opt %s --make-channels --assign-layouts --swizzle-layout --hint-registers 2>/dev/null | FileCheck %s

// P = 44; 12 kB of channels and 2048 threads leave room for 16 blocks, and 66 registers are enough.
// CHECK-LABEL: @asks_for_blocks_that_surely_fit
// CHECK-SAME: cta.min_blocks = 7 : i32
func.func @asks_for_blocks_that_surely_fit(%x: !tile.view<?x?xf16, align 16>,
    %y: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%c0, %i] extents [64, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x32xf16>
    %b = tile.load %x[%i, %c0] extents [32, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x64xf16>
    %next = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// Two blocks leave a thread 255 registers, as one does; three would leave 168.
// CHECK-LABEL: @says_nothing_where_it_changes_nothing
// CHECK-NOT: cta.min_blocks
func.func @says_nothing_where_it_changes_nothing(%x: !tile.view<?x?xf16, align 16>,
    %y: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %a = tile.load %x[%c0, %i] extents [128, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x32xf16>
    %b = tile.load %x[%i, %c0] extents [32, 128] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x128xf16>
    %next = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [128, 128] : tensor<128x128xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-LABEL: @keeps_what_is_stated
// CHECK-SAME: cta.min_blocks = 2 : i32
func.func @keeps_what_is_stated(%x: !tile.view<?x?xf16, align 16>,
    %y: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.min_blocks = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%c0, %i] extents [64, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x32xf16>
    %b = tile.load %x[%i, %c0] extents [32, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x64xf16>
    %next = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x?xf32>, i32, i32
  return
}
