// RUN: tile-opt %s --sum-programs="warps=8 min-blocks=2" --load-first --load-ahead=warps=8 --split-input-file | FileCheck %s
// RUN: tile-opt %s --sum-programs="warps=8 min-blocks=2" --load-first --load-ahead="warps=8 target=sm_75" --split-input-file | FileCheck %s --check-prefix=TURING
// RUN: tile-opt %s --sum-programs="warps=8 min-blocks=2" --load-first --load-ahead="warps=8 stages=2" --split-input-file | FileCheck %s --check-prefix=STAGES

// The first program's tile is loaded in front of the loop, the next one's at the start of each
// iteration, if there is one.
// CHECK-LABEL: @column_sums
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[B:.*]], %[[N:.*]] : i32
// CHECK: %[[FIRST:.*]] = scf.if %[[EXISTS]] -> (tensor<4x32xbf16>) {
// CHECK: tile.load %arg0
// CHECK: } else {
// CHECK: scf.for %[[I:.*]] = %[[B]] to %[[N]] step %[[S:.*]] iter_args(%{{.*}} = %{{.*}}, %[[T:.*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[S]]
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK: %[[LOADED:.*]] = scf.if %[[MORE]] -> (tensor<4x32xbf16>) {
// CHECK: tile.load %arg0
// CHECK: tile.cast %[[T]]
// CHECK-NOT: tile.load
// CHECK: scf.yield %{{.*}}, %[[LOADED]]
func.func @column_sums(%x: !tile.view<?x32xbf16> {tile.name = "x"}, %y: !tile.view<?x32xf32> {tile.name = "y"},
                       %s: !tile.view<32xf32> {tile.name = "s"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %m = tile.dim %x, 0 : !tile.view<?x32xbf16>
  %n = arith.ceildivsi %m, %c4 : i32
  tile.grid[%n]
  %i = tile.program_id 0
  %row = arith.muli %i, %c4 : i32
  %t = tile.load %x[%row, %c0] extents [4, 32] : !tile.view<?x32xbf16>, i32, i32 -> tensor<4x32xbf16>
  %v = tile.cast %t : tensor<4x32xbf16> -> tensor<4x32xf32>
  tile.store %v, %y[%row, %c0] extents [4, 32] : tensor<4x32xf32>, !tile.view<?x32xf32>, i32, i32
  %sum = tile.reduce sum %v, 0 : tensor<4x32xf32> -> tensor<32xf32>
  tile.atomic add %sum, %s[%c0] extents [32] : tensor<32xf32>, !tile.view<32xf32>, i32
  return
}

// -----

// A row that registers do not hold beside its sums is copied to shared memory; here to one slot, since
// two blocks share an SM.
// A target without cp.async loads it when it is needed.
// TURING-LABEL: @wide
// TURING-NOT: cta.copy
// TURING: scf.for
// TURING: tile.load %arg0
// CHECK-LABEL: @wide
// CHECK: %[[RING:.*]] = cta.channel cp_async : <1 x tensor<16384xf32>>
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[B:.*]], %[[N:.*]] : i32
// CHECK: %[[FIRST:.*]] = cta.acquire %[[RING]]
// CHECK: cta.copy %arg0[%[[B]], %{{.*}}] extents [0, 16384], %[[FIRST]] if %[[EXISTS]] {vector = 4 : i64}
// CHECK: scf.for
// CHECK: %[[FULL:.*]] = cta.wait %[[RING]]
// CHECK: %[[T:.*]] = cta.get %[[FULL]]
// CHECK: cta.release %[[FULL]]
// CHECK: %[[MORE:.*]] = arith.cmpi slt
// CHECK: %[[NEXT:.*]] = cta.acquire %[[RING]]
// CHECK: cta.copy %arg0[%{{.*}}] extents [0, 16384], %[[NEXT]] if %[[MORE]]
// CHECK: arith.addf %{{.*}}, %[[T]]
func.func @wide(%x: !tile.view<?x16384xf32, align 16> {tile.name = "x"}, %s: !tile.view<16384xf32> {tile.name = "s"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x16384xf32, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xf32, align 16>, i32, i32 -> tensor<16384xf32>
  tile.atomic add %t, %s[%c0] extents [16384] : tensor<16384xf32>, !tile.view<16384xf32>, i32
  return
}

// -----

// With room for two slots, a row stays in its slot until the end of its iteration. Tiles of a few
// elements are carried.
// CHECK-LABEL: @held
// CHECK: cta.channel cp_async : <2 x tensor<16384xbf16>>
// CHECK: scf.for {{.*}} -> (tensor<16384xf32>, tensor<16384xf32>, tensor<1xf32>)
// CHECK: %[[FULL:.*]] = cta.wait
// CHECK: cta.acquire
// CHECK: tile.store
// CHECK: cta.release %[[FULL]]
// CHECK-NEXT: scf.yield
func.func @held(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"}, %f: !tile.view<?xf32> {tile.name = "f"},
                %y: !tile.view<?x16384xf32> {tile.name = "y"}, %s: !tile.view<16384xf32> {tile.name = "s"},
                %r: !tile.view<16384xf32> {tile.name = "r"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %narrow = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %one = tile.load %f[%i] extents [1] : !tile.view<?xf32>, i32 -> tensor<1xf32>
  %t = tile.cast %narrow : tensor<16384xbf16> -> tensor<16384xf32>
  %all = tile.broadcast %one : tensor<1xf32> -> tensor<16384xf32>
  %u = arith.mulf %t, %all : tensor<16384xf32>
  tile.store %u, %y[%i, %c0] extents [0, 16384] : tensor<16384xf32>, !tile.view<?x16384xf32>, i32, i32
  tile.atomic add %t, %s[%c0] extents [16384] : tensor<16384xf32>, !tile.view<16384xf32>, i32
  tile.atomic add %u, %r[%c0] extents [16384] : tensor<16384xf32>, !tile.view<16384xf32>, i32
  return
}

// -----

// Of two tiles, the registers of two blocks of 8 warps hold the first one's next.
// CHECK-LABEL: @two
// CHECK: scf.if %{{.*}} -> (tensor<1x8192xbf16>) {
// CHECK: scf.for {{.*}} -> (tensor<8192xf32>, tensor<1x8192xbf16>)
// CHECK: tile.load %arg1
// CHECK: scf.yield
func.func @two(%x: !tile.view<?x8192xbf16> {tile.name = "x"}, %y: !tile.view<?x8192xf32> {tile.name = "y"},
               %s: !tile.view<8192xf32> {tile.name = "s"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x8192xbf16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 8192] : !tile.view<?x8192xbf16>, i32, i32 -> tensor<1x8192xbf16>
  %u = tile.load %y[%i, %c0] extents [1, 8192] : !tile.view<?x8192xf32>, i32, i32 -> tensor<1x8192xf32>
  %v = tile.cast %t : tensor<1x8192xbf16> -> tensor<1x8192xf32>
  %w = arith.mulf %u, %v : tensor<1x8192xf32>
  %sum = tile.reduce sum %w, 0 : tensor<1x8192xf32> -> tensor<8192xf32>
  tile.atomic add %sum, %s[%c0] extents [8192] : tensor<8192xf32>, !tile.view<8192xf32>, i32
  return
}

// -----

// Registers hold the next row; with two stages it is copied nevertheless, which leaves them free.
// CHECK-LABEL: @asked
// CHECK-NOT: cta.channel
// STAGES-LABEL: @asked
// STAGES: cta.channel cp_async : <2 x tensor<1x4096xbf16>>
// STAGES: cta.copy %arg0
// STAGES: scf.for {{.*}} -> (tensor<1x4096xf32>) : i32 {
// STAGES: cta.copy %arg0
func.func @asked(%x: !tile.view<?x4096xbf16, align 16> {tile.name = "x"}, %s: !tile.view<4096xf32> {tile.name = "s"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x4096xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 4096] : !tile.view<?x4096xbf16, align 16>, i32, i32 -> tensor<1x4096xbf16>
  %v = tile.cast %t : tensor<1x4096xbf16> -> tensor<1x4096xf32>
  %sum = tile.reduce sum %v, 0 : tensor<1x4096xf32> -> tensor<4096xf32>
  tile.atomic add %sum, %s[%c0] extents [4096] : tensor<4096xf32>, !tile.view<4096xf32>, i32
  return
}
