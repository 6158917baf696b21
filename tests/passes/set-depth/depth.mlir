// RUN: tile-opt %s --set-depth --canonicalize | FileCheck %s

// Pieces of 48 become pieces of 64: loads, products, places and the trip count.

!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: func.func @k
// CHECK-DAG: %[[K:.*]] = tile.dim %{{.*}}, 1
// CHECK-DAG: %[[COUNT:.*]] = arith.ceildivsi %[[K]], %c64_i32
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %[[COUNT]] step %c1_i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %c64_i32
// CHECK: tile.load %{{.*}}[%{{.*}}, %[[FIRST]]] extents [64, 64] {{.*}} -> tensor<64x64xbf16>
// CHECK: tile.load %{{.*}}[%{{.*}}, %[[FIRST]]] extents [32, 64] {{.*}} -> tensor<32x64xbf16>
// CHECK: tile.transpose %{{.*}} : tensor<32x64xbf16> -> tensor<64x32xbf16>
// CHECK: tile.dot %{{.*}} : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32>
// CHECK: tile.store %{{.*}} extents [64, 32]
func.func @k(%a: !view {tile.dims = ["M", "K"], tile.name = "a"}, %b: !view {tile.dims = ["N", "K"], tile.name = "b"}, %c: !view {tile.dims = ["M", "N"], tile.name = "c"})
    attributes {tile.kernel, plan.text = "plan 1 of k for sm_90\0A tiles depth of 64"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c48 = arith.constant 48 : i32
  %c64 = arith.constant 64 : i32  %c32 = arith.constant 32 : i32
  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %b, 1 : !view
  %ms = arith.ceildivsi %M, %c64 : i32
  %ns = arith.ceildivsi %N, %c32 : i32
  tile.grid [%ms, %ns]
  %m = tile.program_id 0
  %n = tile.program_id 1
  %row = arith.muli %m, %c64 : i32
  %column = arith.muli %n, %c32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %count = arith.ceildivsi %K, %c48 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
    %first = arith.muli %i, %c48 : i32
    %x = tile.load %a[%row, %first] extents [64, 48] : !view, i32, i32 -> tensor<64x48xbf16>
    %y = tile.load %b[%column, %first] extents [32, 48] : !view, i32, i32 -> tensor<32x48xbf16>
    %yt = tile.transpose %y [1, 0] : tensor<32x48xbf16> -> tensor<48x32xbf16>
    %next = tile.dot %x, %yt, %acc : tensor<64x48xbf16>, tensor<48x32xbf16>, tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  %out = tile.cast %sum : tensor<64x32xf32> -> tensor<64x32xbf16>
  tile.store %out, %c[%row, %column] extents [64, 32] : tensor<64x32xbf16>, !view, i32, i32
  return
}
