// RUN: tile-opt %s --compute-at-launch --split-input-file | FileCheck %s

// What follows from a size alone is a parameter; the size is none any more. What follows from a number
// that is passed uses its name.
// CHECK-LABEL: @tiles
// CHECK-SAME: %[[ID:[a-z0-9]+]]: i32 {cuda.param = {argument = 1 : i64, axis = 0 : i64, kind = "scalar", source = "place"}
// CHECK-NOT: kind = "dim"
// CHECK-SAME: %[[TILES:[a-z0-9]+]]: i32 {{[^%]*}}kind = "number", source = "cdiv(N, 96)"}, tile.name = "tiles"}
// CHECK-SAME: %[[PER:[a-z0-9]+]]: i32 {{[^%]*}}source = "4294967295 // max(tiles, 1)"}, tile.name = "number"}
// CHECK-NOT: ceildivsi
// CHECK: cuda.quotient %[[BLOCK:.*]], %[[TILES]], %[[PER]]
func.func @tiles(%n: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "dim", source = "N"}},
                 %place: i32 {cuda.param = {argument = 1 : i64, axis = 0 : i64, kind = "scalar", source = "place"}},
                 %p: !cuda.ptr<i32>) attributes {cuda.kernel} {
  %c0 = arith.constant 0 : i32
  %c96 = arith.constant 96 : i32
  %x = cuda.regs : !cuda.regs<1 x i32>
  %block = cuda.block_id
  %tiles = arith.ceildivsi %n, %c96 : i32 loc("tiles")
  %per = cuda.reciprocal %tiles
  %q = cuda.quotient %block, %tiles, %per
  cuda.set %q, %x[%c0] : i32, !cuda.regs<1 x i32>
  cuda.store_global %x[%c0], %p[%place] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32
  return
}

// -----

// One or two operations are not worth it, and an inner loop would load its end in each iteration.
// CHECK-LABEL: @cheap
// CHECK-NOT: kind = "number"
// CHECK: arith.ceildivsi
// CHECK: arith.addi
func.func @cheap(%n: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "dim", source = "N"}},
                 %p: !cuda.ptr<i32>) attributes {cuda.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c96 = arith.constant 96 : i32
  %x = cuda.regs : !cuda.regs<1 x i32>
  %steps = arith.ceildivsi %n, %c96 : i32
  %more = arith.addi %n, %c1 : i32
  scf.for %i = %c0 to %steps step %c1 : i32 {
    cuda.load_global %p[%more], %x[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>
  }
  return
}

// -----

// Truncating division of what may be negative is not the host's; a divisor of 0 must do no harm there.
// Names that the launch knows are taken, and so are those of its functions; some are no names there.
// CHECK-LABEL: @divisions
// CHECK-SAME: source = "N // max(s, 1)"}, tile.name = "number_2"}
// CHECK-SAME: source = "N // 3"}, tile.name = "max_2"}
// CHECK-SAME: source = "s // 3"}, tile.name = "number_3"}
// CHECK: arith.divsi %{{.*}}, %{{.*}}
// CHECK-NOT: arith.divsi
func.func @divisions(%n: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "dim", source = "N"}},
                     %m: i32 {cuda.param = {argument = 0 : i64, axis = 1 : i64, kind = "dim", source = "s"}},
                     %p: !cuda.ptr<i32>) attributes {cuda.kernel, cuda.names = ["N", "s", "number"]} {
  %c0 = arith.constant 0 : i32
  %x = cuda.regs : !cuda.regs<1 x i32>
  %less = arith.subi %n, %m : i32
  %a = arith.divsi %less, %m : i32
  %b = arith.divsi %n, %m : i32
  %c3 = arith.constant 3 : i32
  %c = arith.divsi %n, %c3 : i32 loc("max")
  %d = arith.divsi %m, %c3 : i32 loc("a.b")
  %ab = arith.xori %a, %b : i32
  %cd = arith.xori %c, %d : i32
  %both = arith.xori %ab, %cd : i32
  cuda.load_global %p[%both], %x[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>
  return
}

// -----

// The number of programs is known to the launch; a choice is a sum of products with comparisons.
// CHECK-LABEL: @choice
// CHECK-SAME: source = "(num_programs // 2 < N) * (N * 3) + (1 - (num_programs // 2 < N)) * s"
// CHECK-NOT: arith.select
func.func @choice(%n: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "dim", source = "N"}},
                  %m: i32 {cuda.param = {argument = 0 : i64, axis = 1 : i64, kind = "dim", source = "s"}},
                  %p: !cuda.ptr<i32>) attributes {cuda.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %x = cuda.regs : !cuda.regs<1 x i32>
  %blocks = cuda.grid_size
  %half = arith.shrsi %blocks, %c1 : i32
  %few = arith.cmpi slt, %half, %n : i32
  %more = arith.muli %n, %c3 : i32
  %chosen = arith.select %few, %more, %m : i32
  cuda.load_global %p[%chosen], %x[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>
  return
}

// -----

// A loop with products has its end in a register, which ptxas does not compute again.
// CHECK-LABEL: @products
// CHECK-SAME: %[[STEPS:[a-z0-9]+]]: i32 {{[^%]*}}source = "cdiv(N, 96)"
// CHECK: %[[END:.*]] = cuda.opaque %[[STEPS]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
func.func @products(%n: i32 {cuda.param = {argument = 0 : i64, axis = 0 : i64, kind = "dim", source = "N"}})
    attributes {cuda.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = arith.constant 0 : i64
  %c96 = arith.constant 96 : i32
  %acc = cuda.regs : !cuda.regs<32 x f32>
  %steps = arith.ceildivsi %n, %c96 : i32
  scf.for %i = %c0 to %steps step %c1 : i32 {
    cuda.wgmma 64 %acc[%c0], %d, %d : !cuda.regs<32 x f32>, i64, bf16 x bf16
  }
  return
}
