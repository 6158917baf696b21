// RUN: tile-opt %s --make-channels --assign-layouts --swizzle-layout --hint-registers 2>&1 | FileCheck %s

// 128 x 128 over 128 threads; the fragments are 4 row blocks of A and 4 words of B.
// CHECK: hint-registers: values take 148 of 255 registers: acc 128, fragments 20
func.func @counts_the_tiles_of_the_loop(%x: !tile.view<?x?xf16, align 16>,
    %y: !tile.view<?x?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %a = tile.load %x[%c0, %i] extents [128, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x32xf16>
    %b = tile.load %x[%i, %c0] extents [32, 128] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x128xf16>
    %next = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32> loc("acc")
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %y[%c0, %c0] extents [128, 128] : tensor<128x128xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// As above: what is read from constant memory where it is used takes none.
// CHECK: hint-registers: values take 148 of 255 registers: acc 128, fragments 20
func.func @sizes_of_views_are_parameters(%x: !tile.view<?x?xf16, align 16>, %y: !tile.view<?x?xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = tile.dim %x, 0 : !tile.view<?x?xf16, align 16>
  %m = tile.dim %y, 0 : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %a = tile.load %x[%m, %i] extents [128, 32] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x32xf16>
    %b = tile.load %x[%i, %m] extents [32, 128] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x128xf16>
    %next = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32> loc("acc")
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %y[%m, %c0] extents [128, 128] : tensor<128x128xf32>, !tile.view<?x?xf32>, i32, i32
  return
}

// CHECK-NOT: hint-registers:
func.func @leaves_kernels_without_products_alone(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [4096] : !tile.view<?xf32>, i32 -> tensor<4096xf32>
  %e = math.exp %a : tensor<4096xf32>
  tile.store %e, %y[%c0] extents [4096] : tensor<4096xf32>, !tile.view<?xf32>, i32
  return
}
