// RUN: tile-opt %s --hold-rows=warps=8 --split-input-file | FileCheck %s
// RUN: tile-opt %s --hold-rows="warps=8 target=sm_75" --split-input-file | FileCheck %s --check-prefix=TURING

// A row that a second phase reads again waits in shared memory until the program ends. What one phase
// reads, a weight, does not. A target without cp.async keeps the row in registers.
// TURING-LABEL: @norm
// TURING-NOT: cta.copy
// CHECK-LABEL: @norm
// CHECK: %[[RING:.*]] = cta.channel cp_async : <1 x tensor<16384xbf16>>
// CHECK: %[[SLOT:.*]] = cta.acquire %[[RING]]
// CHECK: cta.copy %arg0[%{{.*}}, %{{.*}}] extents [0, 16384], %[[SLOT]] {vector = 8 : i64}
// CHECK: cta.commit %[[SLOT]]
// CHECK: %[[FULL:.*]] = cta.wait %[[RING]]
// CHECK: %[[T:.*]] = cta.get %[[FULL]]
// CHECK: tile.cast %[[T]]
// CHECK: tile.load %arg1
// CHECK: tile.store
// CHECK: cta.release %[[FULL]]
// CHECK-NEXT: return
func.func @norm(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"}, %w: !tile.view<16384xbf16, align 16> {tile.name = "w"},
                %y: !tile.view<?x16384xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %v = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %sum = tile.reduce sum %v, 0 : tensor<16384xf32> -> f32
  %mean = tile.splat %sum : f32 -> tensor<16384xf32>
  %wt = tile.load %w[%c0] extents [16384] : !tile.view<16384xbf16, align 16>, i32 -> tensor<16384xbf16>
  %wf = tile.cast %wt : tensor<16384xbf16> -> tensor<16384xf32>
  %centred = arith.subf %v, %mean : tensor<16384xf32>
  %scaled = arith.mulf %centred, %wf : tensor<16384xf32>
  %r = tile.cast %scaled : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16384xbf16, align 16>, i32, i32
  return
}

// -----

// All copies start before the first is waited for.
// CHECK-LABEL: @two
// CHECK: cta.copy %arg0
// CHECK-NOT: cta.wait
// CHECK: cta.copy %arg1
// CHECK: %[[X:.*]] = cta.wait
// CHECK: cta.get %[[X]]
// CHECK: %[[Z:.*]] = cta.wait
// CHECK: cta.get %[[Z]]
// CHECK: tile.store
// CHECK: cta.release %[[X]]
// CHECK: cta.release %[[Z]]
func.func @two(%x: !tile.view<?x8192xbf16, align 16> {tile.name = "x"}, %z: !tile.view<?x8192xbf16, align 16> {tile.name = "z"},
               %y: !tile.view<?x8192xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x8192xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %a = tile.cast %t : tensor<8192xbf16> -> tensor<8192xf32>
  %u = tile.load %z[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %b = tile.cast %u : tensor<8192xbf16> -> tensor<8192xf32>
  %v = arith.addf %a, %b : tensor<8192xf32>
  %sum = tile.reduce sum %v, 0 : tensor<8192xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<8192xf32>
  %q = arith.mulf %v, %all : tensor<8192xf32>
  %r = tile.cast %q : tensor<8192xf32> -> tensor<8192xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 8192] : tensor<8192xbf16>, !tile.view<?x8192xbf16, align 16>, i32, i32
  return
}

// -----

// Exponentials are computed again from the row.
// CHECK-LABEL: @exponentials
// CHECK: cta.copy
// CHECK: math.exp2
// CHECK: cta.release
func.func @exponentials(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"},
                        %y: !tile.view<?x16384xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %v = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %p = math.exp2 %v : tensor<16384xf32>
  %sum = tile.reduce sum %p, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<16384xf32>
  %q = arith.mulf %p, %all : tensor<16384xf32>
  %r = tile.cast %q : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16384xbf16, align 16>, i32, i32
  return
}

// -----

// A block that has whole rows compares and selects again.
// CHECK-LABEL: @masked
// CHECK: cta.copy
// CHECK: return
func.func @masked(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"}, %m: i32,
                  %y: !tile.view<?x16384xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<16384xf32>
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %v = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %columns = tile.range %c0 : tensor<16384xi32>
  %end = tile.splat %m : i32 -> tensor<16384xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<16384xi32>
  %p = arith.select %mask, %v, %zeros : tensor<16384xi1>, tensor<16384xf32>
  %sum = tile.reduce sum %p, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<16384xf32>
  %q = arith.mulf %p, %all : tensor<16384xf32>
  %r = tile.cast %q : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16384xbf16, align 16>, i32, i32
  return
}

// -----

// In a cluster, registers keep a selection.
// CHECK-LABEL: @masked_in_a_cluster
// CHECK-NOT: cta.copy
// CHECK: return
func.func @masked_in_a_cluster(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"}, %m: i32,
                  %y: !tile.view<?x16384xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<16384xf32>
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %v = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %columns = tile.range %c0 : tensor<16384xi32>
  %end = tile.splat %m : i32 -> tensor<16384xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<16384xi32>
  %p = arith.select %mask, %v, %zeros : tensor<16384xi1>, tensor<16384xf32>
  %sum = tile.reduce sum %p, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<16384xf32>
  %q = arith.mulf %p, %all : tensor<16384xf32>
  %r = tile.cast %q : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16384xbf16, align 16>, i32, i32
  return
}

// -----

// Registers hold what takes longer to compute again, so a copy would save none.
// CHECK-LABEL: @kept
// CHECK-NOT: cta.copy
// CHECK: return
func.func @kept(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"},
                %y: !tile.view<?x16384xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %v = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %p = math.sin %v : tensor<16384xf32>
  %sum = tile.reduce sum %p, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<16384xf32>
  %q = arith.mulf %p, %all : tensor<16384xf32>
  %r = tile.cast %q : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16384xbf16, align 16>, i32, i32
  return
}

// -----

// In a cluster too, a comparison of columns that one phase needs is made there. What lies outside the
// row is copied as its fill.
// CHECK-LABEL: @label_of_a_cluster
// CHECK: cta.copy {{.*}} {fill = 0xFF80 : bf16, vector = 8 : i64}
// CHECK: return
func.func @label_of_a_cluster(%x: !tile.view<?x16000xbf16, align 16> {tile.name = "x"}, %m: i32,
                  %y: !tile.view<?x16000xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %low = arith.constant 0xFF80 : bf16
  %n = tile.dim %x, 0 : !tile.view<?x16000xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] fill %low : bf16 : !tile.view<?x16000xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %columns = tile.range %c0 : tensor<16384xi32>
  %label = tile.splat %m : i32 -> tensor<16384xi32>
  %is = arith.cmpi eq, %columns, %label : tensor<16384xi32>
  %v = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %peak = tile.reduce max %v, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %peak : f32 -> tensor<16384xf32>
  %q = arith.subf %v, %all : tensor<16384xf32>
  %s = arith.select %is, %all, %q : tensor<16384xi1>, tensor<16384xf32>
  %r = tile.cast %s : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16000xbf16, align 16>, i32, i32
  return
}

// -----

// Copies put a fill behind whole vectors only.
// CHECK-LABEL: @ends_within_a_vector
// CHECK-NOT: cta.copy
// CHECK: return
func.func @ends_within_a_vector(%x: !tile.view<?x16001xbf16, align 16> {tile.name = "x"},
                  %y: !tile.view<?x16001xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %low = arith.constant 0xFF80 : bf16
  %n = tile.dim %x, 0 : !tile.view<?x16001xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] fill %low : bf16 : !tile.view<?x16001xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %v = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %peak = tile.reduce max %v, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %peak : f32 -> tensor<16384xf32>
  %q = arith.subf %v, %all : tensor<16384xf32>
  %r = tile.cast %q : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16001xbf16, align 16>, i32, i32
  return
}

// -----

// A short row takes few registers. One of which fewer than five fit on an SM would stop loads too
// often.
// CHECK-LABEL: @short
// CHECK-NOT: cta.copy
// CHECK: return
func.func @short(%x: !tile.view<?x8192xbf16, align 16> {tile.name = "x"},
                 %y: !tile.view<?x8192xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x8192xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %v = tile.cast %t : tensor<8192xbf16> -> tensor<8192xf32>
  %sum = tile.reduce sum %v, 0 : tensor<8192xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<8192xf32>
  %q = arith.mulf %v, %all : tensor<8192xf32>
  %r = tile.cast %q : tensor<8192xf32> -> tensor<8192xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 8192] : tensor<8192xbf16>, !tile.view<?x8192xbf16, align 16>, i32, i32
  return
}

// -----

// CHECK-LABEL: @wide
// CHECK-NOT: cta.copy
// CHECK: return
func.func @wide(%x: !tile.view<?x32768xbf16, align 16> {tile.name = "x"},
                %y: !tile.view<?x32768xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x32768xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 32768] : !tile.view<?x32768xbf16, align 16>, i32, i32 -> tensor<32768xbf16>
  %v = tile.cast %t : tensor<32768xbf16> -> tensor<32768xf32>
  %sum = tile.reduce sum %v, 0 : tensor<32768xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<32768xf32>
  %q = arith.mulf %v, %all : tensor<32768xf32>
  %r = tile.cast %q : tensor<32768xf32> -> tensor<32768xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 32768] : tensor<32768xbf16>, !tile.view<?x32768xbf16, align 16>, i32, i32
  return
}

// -----

// Registers keep a selection of x, but not z, which no phase reads until threads have met.
// CHECK-LABEL: @late
// CHECK: tile.load %arg0
// CHECK: cta.copy %arg1
// CHECK: tile.reduce
// CHECK: cta.wait
// CHECK: return
func.func @late(%x: !tile.view<?x8192xbf16, align 16> {tile.name = "x"}, %z: !tile.view<?x8192xbf16, align 16> {tile.name = "z"}, %m: i32,
                %y: !tile.view<?x8192xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<8192xf32>
  %n = tile.dim %x, 0 : !tile.view<?x8192xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %u = tile.load %z[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %v = tile.cast %t : tensor<8192xbf16> -> tensor<8192xf32>
  %columns = tile.range %c0 : tensor<8192xi32>
  %end = tile.splat %m : i32 -> tensor<8192xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<8192xi32>
  %p = arith.select %mask, %v, %zeros : tensor<8192xi1>, tensor<8192xf32>
  %s = arith.addf %p, %p : tensor<8192xf32>
  %sum = tile.reduce sum %s, 0 : tensor<8192xf32> -> f32
  %w = tile.cast %u : tensor<8192xbf16> -> tensor<8192xf32>
  %all = tile.splat %sum : f32 -> tensor<8192xf32>
  %q = arith.mulf %p, %all : tensor<8192xf32>
  %o = arith.mulf %q, %w : tensor<8192xf32>
  %r = tile.cast %o : tensor<8192xf32> -> tensor<8192xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 8192] : tensor<8192xbf16>, !tile.view<?x8192xbf16, align 16>, i32, i32
  return
}

// -----

// Two sums that do not need each other may be joined, so z is waited for in front of both; but not
// in front of a sum that the other needs.
// CHECK-LABEL: @late_of_two_sums
// CHECK: tile.reduce max
// CHECK: cta.wait
// CHECK: tile.reduce sum
// CHECK: tile.reduce sum
func.func @late_of_two_sums(%x: !tile.view<?x8192xbf16, align 16> {tile.name = "x"}, %z: !tile.view<?x8192xbf16, align 16> {tile.name = "z"}, %m: i32,
                %y: !tile.view<?x8192xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<8192xf32>
  %n = tile.dim %x, 0 : !tile.view<?x8192xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %u = tile.load %z[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %v = tile.cast %t : tensor<8192xbf16> -> tensor<8192xf32>
  %columns = tile.range %c0 : tensor<8192xi32>
  %end = tile.splat %m : i32 -> tensor<8192xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<8192xi32>
  %p = arith.select %mask, %v, %zeros : tensor<8192xi1>, tensor<8192xf32>
  %peak = tile.reduce max %p, 0 : tensor<8192xf32> -> f32
  %high = tile.splat %peak : f32 -> tensor<8192xf32>
  %d = arith.subf %p, %high : tensor<8192xf32>
  %sum = tile.reduce sum %d, 0 : tensor<8192xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<8192xf32>
  %w = tile.cast %u : tensor<8192xbf16> -> tensor<8192xf32>
  %f = arith.mulf %d, %w : tensor<8192xf32>
  %dot = tile.reduce sum %f, 0 : tensor<8192xf32> -> f32
  %mean = tile.splat %dot : f32 -> tensor<8192xf32>
  %q = arith.subf %w, %mean : tensor<8192xf32>
  %o = arith.mulf %q, %all : tensor<8192xf32>
  %e = arith.mulf %o, %p : tensor<8192xf32>
  %r = tile.cast %e : tensor<8192xf32> -> tensor<8192xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 8192] : tensor<8192xbf16>, !tile.view<?x8192xbf16, align 16>, i32, i32
  return
}

// -----

// CHECK-LABEL: @late_of_the_second_sum
// CHECK: tile.reduce max
// CHECK-NOT: cta.wait
// CHECK: tile.reduce sum
// CHECK: cta.wait
// CHECK: tile.reduce sum
func.func @late_of_the_second_sum(%x: !tile.view<?x8192xbf16, align 16> {tile.name = "x"}, %z: !tile.view<?x8192xbf16, align 16> {tile.name = "z"}, %m: i32,
                %y: !tile.view<?x8192xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<8192xf32>
  %n = tile.dim %x, 0 : !tile.view<?x8192xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %u = tile.load %z[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %v = tile.cast %t : tensor<8192xbf16> -> tensor<8192xf32>
  %columns = tile.range %c0 : tensor<8192xi32>
  %end = tile.splat %m : i32 -> tensor<8192xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<8192xi32>
  %p = arith.select %mask, %v, %zeros : tensor<8192xi1>, tensor<8192xf32>
  %peak = tile.reduce max %p, 0 : tensor<8192xf32> -> f32
  %high = tile.splat %peak : f32 -> tensor<8192xf32>
  %d = arith.subf %p, %high : tensor<8192xf32>
  %sum = tile.reduce sum %d, 0 : tensor<8192xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<8192xf32>
  %w = tile.cast %u : tensor<8192xbf16> -> tensor<8192xf32>
  %f = arith.mulf %all, %w : tensor<8192xf32>
  %dot = tile.reduce sum %f, 0 : tensor<8192xf32> -> f32
  %mean = tile.splat %dot : f32 -> tensor<8192xf32>
  %q = arith.subf %w, %mean : tensor<8192xf32>
  %o = arith.mulf %q, %all : tensor<8192xf32>
  %e = arith.mulf %o, %p : tensor<8192xf32>
  %r = tile.cast %e : tensor<8192xf32> -> tensor<8192xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 8192] : tensor<8192xbf16>, !tile.view<?x8192xbf16, align 16>, i32, i32
  return
}

// -----

// The first phase reads z too.
// CHECK-LABEL: @not_late
// CHECK-NOT: cta.copy
// CHECK: return
func.func @not_late(%x: !tile.view<?x8192xbf16, align 16> {tile.name = "x"}, %z: !tile.view<?x8192xbf16, align 16> {tile.name = "z"}, %m: i32,
                %y: !tile.view<?x8192xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<8192xf32>
  %n = tile.dim %x, 0 : !tile.view<?x8192xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %u = tile.load %z[%i, %c0] extents [0, 8192] : !tile.view<?x8192xbf16, align 16>, i32, i32 -> tensor<8192xbf16>
  %v = tile.cast %t : tensor<8192xbf16> -> tensor<8192xf32>
  %w = tile.cast %u : tensor<8192xbf16> -> tensor<8192xf32>
  %columns = tile.range %c0 : tensor<8192xi32>
  %end = tile.splat %m : i32 -> tensor<8192xi32>
  %mask = arith.cmpi slt, %columns, %end : tensor<8192xi32>
  %p = arith.select %mask, %v, %zeros : tensor<8192xi1>, tensor<8192xf32>
  %s = arith.addf %p, %w : tensor<8192xf32>
  %sum = tile.reduce sum %s, 0 : tensor<8192xf32> -> f32
  %w2 = tile.cast %u : tensor<8192xbf16> -> tensor<8192xf32>
  %all = tile.splat %sum : f32 -> tensor<8192xf32>
  %q = arith.mulf %p, %all : tensor<8192xf32>
  %o = arith.mulf %q, %w2 : tensor<8192xf32>
  %r = tile.cast %o : tensor<8192xf32> -> tensor<8192xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 8192] : tensor<8192xbf16>, !tile.view<?x8192xbf16, align 16>, i32, i32
  return
}

// -----

// There is room for one row, and a cluster of 8 cannot have more blocks. The row that is needed last
// waits.
// CHECK-LABEL: @largest_cluster
// CHECK: tile.load %arg0
// CHECK: cta.copy %arg1
// CHECK: return
func.func @largest_cluster(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"}, %z: !tile.view<?x16384xbf16, align 16> {tile.name = "z"},
               %y: !tile.view<?x16384xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 8>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %u = tile.load %z[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %a = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %b = tile.cast %u : tensor<16384xbf16> -> tensor<16384xf32>
  %sum = tile.reduce sum %a, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<16384xf32>
  %v = arith.mulf %a, %all : tensor<16384xf32>
  %q = arith.mulf %v, %b : tensor<16384xf32>
  %more = tile.reduce sum %q, 0 : tensor<16384xf32> -> f32
  %every = tile.splat %more : f32 -> tensor<16384xf32>
  %o = arith.subf %b, %every : tensor<16384xf32>
  %p = arith.mulf %v, %o : tensor<16384xf32>
  %r = tile.cast %p : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16384xbf16, align 16>, i32, i32
  return
}

// -----

// With more blocks both rows can wait.
// CHECK-LABEL: @smaller_cluster
// CHECK-NOT: cta.copy
// CHECK: return
func.func @smaller_cluster(%x: !tile.view<?x16384xbf16, align 16> {tile.name = "x"}, %z: !tile.view<?x16384xbf16, align 16> {tile.name = "z"},
               %y: !tile.view<?x16384xbf16, align 16> {tile.name = "y"}) attributes {tile.kernel, cta.cluster = array<i64: 4>} {
  %c0 = arith.constant 0 : i32
  %n = tile.dim %x, 0 : !tile.view<?x16384xbf16, align 16>
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %u = tile.load %z[%i, %c0] extents [0, 16384] : !tile.view<?x16384xbf16, align 16>, i32, i32 -> tensor<16384xbf16>
  %a = tile.cast %t : tensor<16384xbf16> -> tensor<16384xf32>
  %b = tile.cast %u : tensor<16384xbf16> -> tensor<16384xf32>
  %sum = tile.reduce sum %a, 0 : tensor<16384xf32> -> f32
  %all = tile.splat %sum : f32 -> tensor<16384xf32>
  %v = arith.mulf %a, %all : tensor<16384xf32>
  %q = arith.mulf %v, %b : tensor<16384xf32>
  %more = tile.reduce sum %q, 0 : tensor<16384xf32> -> f32
  %every = tile.splat %more : f32 -> tensor<16384xf32>
  %o = arith.subf %b, %every : tensor<16384xf32>
  %p = arith.mulf %v, %o : tensor<16384xf32>
  %r = tile.cast %p : tensor<16384xf32> -> tensor<16384xbf16>
  tile.store %r, %y[%i, %c0] extents [0, 16384] : tensor<16384xbf16>, !tile.view<?x16384xbf16, align 16>, i32, i32
  return
}
