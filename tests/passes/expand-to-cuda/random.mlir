// RUN: tile-opt %s --expand-to-cuda | FileCheck %s

// A thread has 16 columns of each of two rows: one call of Philox for each, whose words are kept, and
// each byte is taken where it is used.
#sums = #cta.layout<registers [2:1:1, 2:0:8, 8:1:8], lanes [4:1:2, 8:0:1], warps []>

// CHECK-LABEL: @of_a_product
// CHECK: cuda.regs : <8 x i32>
// CHECK: scf.for %{{.*}} = %c0_i32{{.*}} to %c2_i32
// CHECK: scf.for {{.*}} to %c7_i32
// CHECK-NOT: scf.for {{.*}} to %c7_i32
// CHECK: return
func.func @of_a_product(%y: !tile.view<16x64xi32, align 16>, %seed: i64, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  tile.grid[%c64]
  %m = tile.program_id 0
  %start = arith.muli %m, %c64 : i32
  %r = tile.range %c0 : tensor<16xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>>
  %c = tile.range %start : tensor<64xi32, #cta.layout<registers [2:0:1, 8:0:8], lanes [4:0:2, 8:*], warps []>>
  %r1 = tile.expand_dims %r, 1 : tensor<16xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>> -> tensor<16x1xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>>
  %c1 = tile.expand_dims %c, 0 : tensor<64xi32, #cta.layout<registers [2:0:1, 8:0:8], lanes [4:0:2, 8:*], warps []>> -> tensor<1x64xi32, #cta.layout<registers [2:1:1, 8:1:8], lanes [4:1:2, 8:*], warps []>>
  %rows = tile.broadcast %r1 : tensor<16x1xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>> -> tensor<16x64xi32, #sums>
  %columns = tile.broadcast %c1 : tensor<1x64xi32, #cta.layout<registers [2:1:1, 8:1:8], lanes [4:1:2, 8:*], warps []>> -> tensor<16x64xi32, #sums>
  %dice = tile.random_bytes %seed, %n, %m at %rows, %columns : tensor<16x64xi32, #sums>
  tile.store %dice, %y[%c0, %c0] extents [16, 64] : tensor<16x64xi32, #sums>, !tile.view<16x64xi32, align 16>, i32, i32
  return
}

// Where bytes decide which values of 16 bits are 0, words are masked, two values at once: neighbours
// have neighbouring bytes.
// CHECK-LABEL: @dropped
// CHECK: scf.for {{.*}} to %c7_i32
// CHECK: %[[WORD:.*]] = cuda.pack
// CHECK: %[[BYTES:.*]] = cuda.get
// CHECK: cuda.keep %[[WORD]] by %[[BYTES]][%{{.*}}] least 26 : vector<2xbf16>
// CHECK: return
func.func @dropped(%x: !tile.view<16x64xf32, align 16>, %y: !tile.view<16x64xbf16, align 16>, %seed: i64, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  tile.grid[%c64]
  %m = tile.program_id 0
  %start = arith.muli %m, %c64 : i32
  %r = tile.range %c0 : tensor<16xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>>
  %c = tile.range %start : tensor<64xi32, #cta.layout<registers [2:0:1, 8:0:8], lanes [4:0:2, 8:*], warps []>>
  %r1 = tile.expand_dims %r, 1 : tensor<16xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>> -> tensor<16x1xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>>
  %c1 = tile.expand_dims %c, 0 : tensor<64xi32, #cta.layout<registers [2:0:1, 8:0:8], lanes [4:0:2, 8:*], warps []>> -> tensor<1x64xi32, #cta.layout<registers [2:1:1, 8:1:8], lanes [4:1:2, 8:*], warps []>>
  %rows = tile.broadcast %r1 : tensor<16x1xi32, #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps []>> -> tensor<16x64xi32, #sums>
  %columns = tile.broadcast %c1 : tensor<1x64xi32, #cta.layout<registers [2:1:1, 8:1:8], lanes [4:1:2, 8:*], warps []>> -> tensor<16x64xi32, #sums>
  %dice = tile.random_bytes %seed, %n, %m at %rows, %columns : tensor<16x64xi32, #sums>
  %26 = arith.constant dense<26> : tensor<16x64xi32, #sums>
  %0 = arith.constant dense<0.0> : tensor<16x64xf32, #sums>
  %p = tile.load %x[%c0, %c0] extents [16, 64] : !tile.view<16x64xf32, align 16>, i32, i32 -> tensor<16x64xf32, #sums>
  %less = arith.cmpi slt, %dice, %26 : tensor<16x64xi32, #sums>
  %left = arith.select %less, %0, %p : tensor<16x64xi1, #sums>, tensor<16x64xf32, #sums>
  %narrow = tile.cast %left : tensor<16x64xf32, #sums> -> tensor<16x64xbf16, #sums>
  tile.store %narrow, %y[%c0, %c0] extents [16, 64] : tensor<16x64xbf16, #sums>, !tile.view<16x64xbf16, align 16>, i32, i32
  tile.store %narrow, %y[%c64, %c0] extents [16, 64] : tensor<16x64xbf16, #sums>, !tile.view<16x64xbf16, align 16>, i32, i32
  return
}

// Where lanes hold the other columns of a call, two neighbours of a thread share one.
#rows = #cta.layout<registers [8:1:1, 4:0:4], lanes [8:1:8, 4:0:1], warps []>

// CHECK-LABEL: @of_neighbours
// CHECK: %[[DICE:.*]] = cuda.regs : <32 x i32>
// CHECK: scf.for %{{.*}} = %c0_i32{{.*}} to %c16_i32
// CHECK: scf.for {{.*}} to %c7_i32
// CHECK-COUNT-2: cuda.set %{{.*}}, %[[DICE]]
// CHECK-NOT: cuda.set %{{.*}}, %[[DICE]]
// CHECK: return
func.func @of_neighbours(%y: !tile.view<16x64xi32, align 16>, %seed: i64, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  tile.grid[%c64]
  %m = tile.program_id 0
  %start = arith.muli %m, %c64 : i32
  %r = tile.range %c0 : tensor<16xi32, #cta.layout<registers [4:0:4], lanes [8:*, 4:0:1], warps []>>
  %c = tile.range %start : tensor<64xi32, #cta.layout<registers [8:0:1], lanes [8:0:8, 4:*], warps []>>
  %r1 = tile.expand_dims %r, 1 : tensor<16xi32, #cta.layout<registers [4:0:4], lanes [8:*, 4:0:1], warps []>> -> tensor<16x1xi32, #cta.layout<registers [4:0:4], lanes [8:*, 4:0:1], warps []>>
  %c1 = tile.expand_dims %c, 0 : tensor<64xi32, #cta.layout<registers [8:0:1], lanes [8:0:8, 4:*], warps []>> -> tensor<1x64xi32, #cta.layout<registers [8:1:1], lanes [8:1:8, 4:*], warps []>>
  %rows = tile.broadcast %r1 : tensor<16x1xi32, #cta.layout<registers [4:0:4], lanes [8:*, 4:0:1], warps []>> -> tensor<16x64xi32, #rows>
  %columns = tile.broadcast %c1 : tensor<1x64xi32, #cta.layout<registers [8:1:1], lanes [8:1:8, 4:*], warps []>> -> tensor<16x64xi32, #rows>
  %dice = tile.random_bytes %seed, %n, %m at %rows, %columns : tensor<16x64xi32, #rows>
  tile.store %dice, %y[%c0, %c0] extents [16, 64] : tensor<16x64xi32, #rows>, !tile.view<16x64xi32, align 16>, i32, i32
  return
}
