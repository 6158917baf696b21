// RUN: cuda-print %s | FileCheck %s

// CHECK-LABEL: inlines_values_used_once(
// CHECK: store[0] = (n + 1) * 2;
// CHECK: store[1] = n - 1;
// CHECK: store[2] = n - (n + 3);
// CHECK: store[3] = n + n * 3 - 7;
// CHECK: store[4] = (n & 7) << 2;
// CHECK: store[5] = (n < 4 || n == 9) && !(n != 2) ? n : -5;
// CHECK: store[6] = i32(u32(n) / u32(5));
// CHECK: store[7] = max(min(n, 3), 0);
func.func @inlines_values_used_once(%n: i32 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %c9 = arith.constant 9 : i32
  %m1 = arith.constant -1 : i32
  %m5 = arith.constant -5 : i32
  %m7 = arith.constant -7 : i32
  %true = arith.constant true
  %r = cuda.regs : !cuda.regs<8 x i32> loc("store")
  %a = arith.addi %n, %c1 : i32
  %b = arith.muli %a, %c2 : i32
  cuda.set %b, %r[%c0] : i32, !cuda.regs<8 x i32>
  %d = arith.addi %n, %m1 : i32
  cuda.set %d, %r[%c1] : i32, !cuda.regs<8 x i32>
  %e = arith.addi %n, %c3 : i32
  %f = arith.subi %n, %e : i32
  cuda.set %f, %r[%c2] : i32, !cuda.regs<8 x i32>
  %g = arith.muli %n, %c3 : i32
  %h = arith.addi %n, %g : i32
  %i = arith.addi %h, %m7 : i32
  cuda.set %i, %r[%c3] : i32, !cuda.regs<8 x i32>
  %j = arith.andi %n, %c7 : i32
  %k = arith.shli %j, %c2 : i32
  cuda.set %k, %r[%c4] : i32, !cuda.regs<8 x i32>
  %l = arith.cmpi slt, %n, %c4 : i32
  %m = arith.cmpi eq, %n, %c9 : i32
  %o = arith.ori %l, %m : i1
  %p = arith.cmpi ne, %n, %c2 : i32
  %np = arith.xori %p, %true : i1
  %q = arith.andi %o, %np : i1
  %s = arith.select %q, %n, %m5 : i32
  cuda.set %s, %r[%c5] : i32, !cuda.regs<8 x i32>
  %u = arith.divui %n, %c5 : i32
  cuda.set %u, %r[%c6] : i32, !cuda.regs<8 x i32>
  %v = arith.minsi %n, %c3 : i32
  %w = arith.maxsi %v, %c0 : i32
  cuda.set %w, %r[%c7] : i32, !cuda.regs<8 x i32>
  return
}

// CHECK-LABEL: prints_literals(
// CHECK: f32 regs[8];
// CHECK-NEXT: regs[0] = 1e-05f;
// CHECK-NEXT: regs[1] = -kInf;
// CHECK-NEXT: regs[2] = kNaN;
// CHECK-NEXT: regs[3] = 16777216.0f;
// CHECK-NEXT: regs[4] = x - -0.5f;
// CHECK: bf16 [[NARROW:[a-z_0-9]+]][1];
// CHECK-NEXT: [[NARROW]][0] = bf16(0x3fc0);
// CHECK: [[WORDS:[a-z_0-9]+]][0] = 0x40003f80u;
// CHECK: [[LONG:[a-z_0-9]+]][0] = i64(1) << n;
// CHECK-NEXT: [[LONG]][0] = n * 4294967296;
func.func @prints_literals(%x: f32 {tile.name = "x"}, %n: i64 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %eps = arith.constant 1.0e-5 : f32
  %low = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %big = arith.constant 16777216.0 : f32
  %half = arith.constant -0.5 : f32
  %r = cuda.regs : !cuda.regs<8 x f32>
  cuda.set %eps, %r[%c0] : f32, !cuda.regs<8 x f32>
  cuda.set %low, %r[%c1] : f32, !cuda.regs<8 x f32>
  cuda.set %nan, %r[%c2] : f32, !cuda.regs<8 x f32>
  cuda.set %big, %r[%c3] : f32, !cuda.regs<8 x f32>
  %d = arith.subf %x, %half : f32
  cuda.set %d, %r[%c4] : f32, !cuda.regs<8 x f32>
  %b = cuda.regs : !cuda.regs<1 x bf16>
  %one = arith.constant 1.5 : bf16
  cuda.set %one, %b[%c0] : bf16, !cuda.regs<1 x bf16>
  %w = cuda.regs : !cuda.regs<1 x vector<2xbf16>>
  %pair = arith.constant dense<[1.0, 2.0]> : vector<2xbf16>
  cuda.set %pair, %w[%c0] : vector<2xbf16>, !cuda.regs<1 x vector<2xbf16>>
  %l = cuda.regs : !cuda.regs<1 x i64>
  %i1 = arith.constant 1 : i64
  %i32 = arith.constant 4294967296 : i64
  %s = arith.shli %i1, %n : i64
  cuda.set %s, %l[%c0] : i64, !cuda.regs<1 x i64>
  %t = arith.muli %n, %i32 : i64
  cuda.set %t, %l[%c0] : i64, !cuda.regs<1 x i64>
  return
}

// The names avoid keywords, the prelude and each other.
// CHECK-LABEL: names_values(
// CHECK-SAME: i32 for_2, i32 divide_2)
// CHECK-DAG: const i32 a_b = for_2 * divide_2;
// CHECK-DAG: const i32 a_b_2 = a_b * a_b;
// CHECK: regs[a_b_2] = a_b_2;
func.func @names_values(%n: i32 {tile.name = "for"}, %m: i32 {tile.name = "divide"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %r = cuda.regs : !cuda.regs<8 x i32>
  %a = arith.muli %n, %m : i32 loc("a.b"("k.py":1:1))
  %b = arith.muli %a, %a : i32 loc("a b"("k.py":2:1))
  cuda.set %b, %r[%b] : i32, !cuda.regs<8 x i32>
  return
}

// The operands of a long expression get names.
// CHECK-LABEL: cuts_long_expressions(
// CHECK: const i32 value = ((first * second / first % second + first) * second + first) * second;
// CHECK-NEXT: store_global_b32(o + (value + first), regs);
func.func @cuts_long_expressions(%o: !cuda.ptr<i32> {tile.name = "o"}, %first: i32 {tile.name = "first"},
                                 %second: i32 {tile.name = "second"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %r = cuda.regs : !cuda.regs<1 x i32>
  %a = arith.muli %first, %second : i32
  %b = arith.divsi %a, %first : i32
  %c = arith.remsi %b, %second : i32
  %d = arith.addi %c, %first : i32
  %e = arith.muli %d, %second : i32
  %f = arith.addi %e, %first : i32
  %g = arith.muli %f, %second : i32
  %h = arith.addi %g, %first : i32
  cuda.store_global %r[%c0], %o[%h] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32
  return
}

// CHECK-LABEL: reads_registers_before_they_change(
// CHECK: const f32 value = r[0];
// CHECK-NEXT: r[0] = x;
// CHECK-NEXT: r[1] = value + 1.0f;
// CHECK-NEXT: r[2] = r[2] * x;
// CHECK-NEXT: const f32 value_2 = r[3] * x;
// CHECK-NEXT: load_shared_b128(r, 0);
// CHECK-NEXT: r[3] = value_2;
func.func @reads_registers_before_they_change(%x: f32 {tile.name = "x"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %one = arith.constant 1.0 : f32
  %r = cuda.regs : !cuda.regs<4 x f32> loc("r")
  %a = cuda.get %r[%c0] : !cuda.regs<4 x f32> -> f32
  cuda.set %x, %r[%c0] : f32, !cuda.regs<4 x f32>
  %b = arith.addf %a, %one : f32
  cuda.set %b, %r[%c1] : f32, !cuda.regs<4 x f32>
  %c = cuda.get %r[%c2] : !cuda.regs<4 x f32> -> f32
  %d = arith.mulf %c, %x : f32
  cuda.set %d, %r[%c2] : f32, !cuda.regs<4 x f32>
  %e = cuda.get %r[%c3] : !cuda.regs<4 x f32> -> f32
  %f = arith.mulf %e, %x : f32
  cuda.load_shared %c0, %r[%c0] {count = 4} : !cuda.regs<4 x f32>
  cuda.set %f, %r[%c3] : f32, !cuda.regs<4 x f32>
  return
}

// CHECK-LABEL: cuts_nested_calls(
// CHECK: const f32 value = max_nan({{.*}});
// CHECK: regs[0] = max_nan({{.*}});
func.func @cuts_nested_calls(%x: f32 {tile.name = "x"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %r = cuda.regs : !cuda.regs<8 x f32>
  %a = arith.maximumf %x, %one : f32
  %b = arith.maximumf %a, %one : f32
  %c = arith.maximumf %b, %one : f32
  %d = arith.maximumf %c, %one : f32
  %e = arith.maximumf %d, %one : f32
  %f = arith.maximumf %e, %one : f32
  cuda.set %f, %r[%c0] : f32, !cuda.regs<8 x f32>
  return
}

// The lowest number is an i32 everywhere: as an unsigned literal it would turn the choice, and what is
// done with it, unsigned.
// CHECK-LABEL: the_lowest_number_is_signed(
// CHECK: store[0] = max(n, n < 4 ? n : i32(0x80000000));
func.func @the_lowest_number_is_signed(%n: i32 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %lowest = arith.constant -2147483648 : i32
  %r = cuda.regs : !cuda.regs<1 x i32> loc("store")
  %p = arith.cmpi slt, %n, %c4 : i32
  %s = arith.select %p, %n, %lowest : i32
  %m = arith.maxsi %n, %s : i32
  cuda.set %m, %r[%c0] : i32, !cuda.regs<1 x i32>
  return
}

// CHECK-LABEL: divides_by_a_reciprocal(
// CHECK: const i32 value = n + 1;
// CHECK: store[0] = quotient(n, value, reciprocal(value));
func.func @divides_by_a_reciprocal(%n: i32 {tile.name = "n"})
    attributes {cuda.kernel, cuda.threads = 64 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = cuda.regs : !cuda.regs<1 x i32> loc("store")
  %divisor = arith.addi %n, %c1 : i32
  %reciprocal = cuda.reciprocal %divisor
  %quotient = cuda.quotient %n, %divisor, %reciprocal
  cuda.set %quotient, %r[%c0] : i32, !cuda.regs<1 x i32>
  return
}
