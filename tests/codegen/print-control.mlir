// RUN: cuda-print %s | FileCheck %s

// CHECK-LABEL: unrolls_only_marked_loops(
// CHECK: #pragma unroll 1
// CHECK-NEXT: for (i32 n = 0; n < count; ++n) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (i32 i = 0; i < 8; i += 2) {
// CHECK-NEXT: acc[i] = acc[i] * 2.0f;
func.func @unrolls_only_marked_loops(%count: i32 {tile.name = "count"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c8 = arith.constant 8 : i32
  %two = arith.constant 2.0 : f32
  %acc = cuda.regs : !cuda.regs<8 x f32> loc("acc")
  "scf.for"(%c0, %count, %c1) ({
  ^bb0(%n: i32 loc("n")):
    scf.for %i = %c0 to %c8 step %c2 : i32 {
      %v = cuda.get %acc[%i] : !cuda.regs<8 x f32> -> f32
      %d = arith.mulf %v, %two : f32
      cuda.set %d, %acc[%i] : f32, !cuda.regs<8 x f32>
    } {cuda.unroll}
    scf.yield
  }) : (i32, i32, i32) -> ()
  return
}

// CHECK-LABEL: swaps_carried_values(
// CHECK: i32 a = 1;
// CHECK-NEXT: i32 b = 2;
// CHECK: for (i32 i = 0; i < 4; ++i) {
// CHECK-NEXT: const i32 next_b = a;
// CHECK-NEXT: a = b;
// CHECK-NEXT: b = next_b;
// CHECK-NEXT: }
// CHECK-NEXT: regs[a] = b;
func.func @swaps_carried_values() attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %r = cuda.regs : !cuda.regs<8 x i32>
  %x:2 = "scf.for"(%c0, %c4, %c1, %c1, %c2) ({
  ^bb0(%i: i32, %a: i32 loc("a"), %b: i32 loc("b")):
    scf.yield %b, %a : i32, i32
  }) : (i32, i32, i32, i32, i32) -> (i32, i32)
  cuda.set %x#1, %r[%x#0] : i32, !cuda.regs<8 x i32>
  return
}

// A value made above a loop is not computed in it, nor what depends on registers.
// CHECK-LABEL: keeps_values_out_of_loops(
// CHECK: const i32 offset = n * 3;
// CHECK-NEXT: const i32 bound = regs[0];
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (i32 i = 0; i < bound; ++i) {
// CHECK-NEXT: regs[0] = i + offset;
func.func @keeps_values_out_of_loops(%n: i32 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r = cuda.regs : !cuda.regs<8 x i32>
  %o = arith.muli %n, %c3 : i32 loc("offset")
  %b = cuda.get %r[%c0] : !cuda.regs<8 x i32> -> i32 loc("bound")
  scf.for %i = %c0 to %b step %c1 : i32 {
    %s = arith.addi %i, %o : i32
    cuda.set %s, %r[%c0] : i32, !cuda.regs<8 x i32>
  }
  return
}

// CHECK-LABEL: branches(
// CHECK: i32 picked;
// CHECK-NEXT: if (n < 3) {
// CHECK-NEXT: picked = n + 1;
// CHECK-NEXT: } else {
// CHECK-NEXT: regs[0] = n;
// CHECK-NEXT: picked = 7;
// CHECK-NEXT: }
// CHECK-NEXT: regs[1] = picked;
func.func @branches(%n: i32 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  %r = cuda.regs : !cuda.regs<8 x i32>
  %p = arith.cmpi slt, %n, %c3 : i32
  %x = scf.if %p -> i32 {
    %y = arith.addi %n, %c1 : i32
    scf.yield %y : i32
  } else {
    cuda.set %n, %r[%c0] : i32, !cuda.regs<8 x i32>
    scf.yield %c7 : i32
  } loc("picked")
  cuda.set %x, %r[%c1] : i32, !cuda.regs<8 x i32>
  return
}

// CHECK-LABEL: loops_while_a_condition_holds(
// CHECK: i32 lo = 0;
// CHECK-NEXT: while (lo < n) {
// CHECK-NEXT: lo = lo * 2 + 1;
// CHECK-NEXT: }
// CHECK-NEXT: regs[0] = lo;
func.func @loops_while_a_condition_holds(%n: i32 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = cuda.regs : !cuda.regs<8 x i32>
  %x = "scf.while"(%c0) ({
  ^bb0(%lo: i32 loc("lo")):
    %p = arith.cmpi slt, %lo, %n : i32
    scf.condition(%p) %lo : i32
  }, {
  ^bb0(%lo: i32):
    %d = arith.muli %lo, %c2 : i32
    %e = arith.addi %d, %c1 : i32
    scf.yield %e : i32
  }) : (i32) -> i32
  cuda.set %x, %r[%c0] : i32, !cuda.regs<8 x i32>
  return
}

// CHECK-LABEL: leaves_a_loop_in_its_middle(
// CHECK: i32 lo = 0;
// CHECK-NEXT: i32 doubled;
// CHECK-NEXT: while (true) {
// CHECK-NEXT: regs[lo] = n;
// CHECK-NEXT: doubled = lo * 2;
// CHECK-NEXT: if (!(lo < n))
// CHECK-NEXT: break;
// CHECK-NEXT: lo = doubled + 1;
// CHECK-NEXT: }
// CHECK-NEXT: regs[0] = doubled;
func.func @leaves_a_loop_in_its_middle(%n: i32 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = cuda.regs : !cuda.regs<8 x i32>
  %x = "scf.while"(%c0) ({
  ^bb0(%lo: i32 loc("lo")):
    cuda.set %n, %r[%lo] : i32, !cuda.regs<8 x i32>
    %p = arith.cmpi slt, %lo, %n : i32
    %d = arith.muli %lo, %c2 : i32
    scf.condition(%p) %d : i32
  }, {
  ^bb0(%d: i32 loc("doubled")):
    %e = arith.addi %d, %c1 : i32
    scf.yield %e : i32
  }) : (i32) -> i32
  cuda.set %x, %r[%c0] : i32, !cuda.regs<8 x i32>
  return
}

// All lanes shuffle, whichever branch they take.
// CHECK-LABEL: shuffles_outside_of_branches(
// CHECK: const f32 other = shuffle_xor(x, 1);
// CHECK-NEXT: if (n < 3) {
// CHECK-NEXT: regs[0] = other;
// CHECK-NEXT: }
// CHECK-NEXT: const f32 far = shuffle_xor(x, 2);
// CHECK-NEXT: regs[1] = n < 3 ? far : x;
func.func @shuffles_outside_of_branches(%n: i32 {tile.name = "n"}, %x: f32 {tile.name = "x"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %r = cuda.regs : !cuda.regs<8 x f32>
  %s = cuda.shuffle_xor %x, %c1 : f32 loc("other")
  %p = arith.cmpi slt, %n, %c3 : i32
  scf.if %p {
    cuda.set %s, %r[%c0] : f32, !cuda.regs<8 x f32>
  }
  %q = arith.cmpi slt, %n, %c3 : i32
  %f = cuda.shuffle_xor %x, %c2 : f32 loc("far")
  %v = arith.select %q, %f, %x : f32
  cuda.set %v, %r[%c1] : f32, !cuda.regs<8 x f32>
  return
}

// CHECK-LABEL: counts_with_letters(
// CHECK: for (i32 i = 0; i < 2; ++i) {
// CHECK: for (i32 k = 0; k < 2; ++k) {
// CHECK-NEXT: regs[i * 2 + k] = j;
func.func @counts_with_letters(%n: i32 {tile.name = "j"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = cuda.regs : !cuda.regs<8 x i32>
  scf.for %a = %c0 to %c2 step %c1 : i32 {
    scf.for %b = %c0 to %c2 step %c1 : i32 {
      %d = arith.muli %a, %c2 : i32
      %e = arith.addi %d, %b : i32
      cuda.set %n, %r[%e] : i32, !cuda.regs<8 x i32>
    }
  }
  return
}
