// RUN: not tile-opt %s --make-channels --assign-layouts --swizzle-layout --hint-registers --split-input-file 2>&1 | FileCheck %s
// RUN: tile-opt %s --make-channels --assign-layouts --swizzle-layout --hint-registers=allow-spills --split-input-file 2>/dev/null | FileCheck %s --check-prefix=ALLOWED

// CHECK: error: a thread needs at least {{[0-9]+}} registers here and has 255 ({{.*}} 256, fragments {{[0-9]+}}, addresses); use smaller tiles or more warps
// ALLOWED-LABEL: @rejects_tiles_beyond_the_registers
func.func @rejects_tiles_beyond_the_registers(%x: !tile.view<?x?xf16, align 16>,
    %y: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x256xf32>) : i32 {
    %a = tile.load %x[%c0, %i] extents [128, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x32xf16>
    %b = tile.load %x[%i, %c0] extents [32, 256] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x256xf16>
    %next = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x256xf16>, tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [128, 256] : tensor<128x256xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// -----

// CHECK: error: a thread needs at least 164 registers here and has 128
// ALLOWED-LABEL: @rejects_what_the_stated_blocks_leave
func.func @rejects_what_the_stated_blocks_leave(%x: !tile.view<?x?xf16, align 16>,
    %y: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.min_blocks = 4 : i32} {
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
