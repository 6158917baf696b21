// RUN: cuda-print %s | FileCheck %s

// CHECK: extern "C" __global__ void __launch_bounds__(128, 2)
// CHECK-NEXT: moves_memory(const bf16 *__restrict__ q, bf16 *__restrict__ o, i32 n, f32 scale) {
// CHECK-NEXT: extern __shared__ __align__(1024) u8 shared[];
// CHECK-NEXT: const i32 tile = shared_address(shared + 1024);
// CHECK-NEXT: bf16x2 words[8];
// CHECK-NEXT: const bool inside = n < 3;
// CHECK-NEXT: load_global_nc_b128(words, q + n, inside);
// CHECK-NEXT: load_global_b32(&words[4], o);
// CHECK-NEXT: store_shared_b64(tile + n * 8, &words[2], inside);
// CHECK-NEXT: cp_async_b128(tile, q + i64(n) * 4096, n);
// CHECK-NEXT: cp_async_b32(tile, q);
// CHECK-NEXT: cp_async_commit();
// CHECK-NEXT: cp_async_wait<1>();
// CHECK-NEXT: cp_async_arrive(tile);
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: load_shared_b128(words, tile + 16);
// CHECK-NEXT: store_global_b128(o + n, words, inside);
// CHECK-NEXT: if (inside)
// CHECK-NEXT: atomic_add_bf16(o + n, bf16(0x3f80));
func.func @moves_memory(%q: !cuda.ptr<bf16> {tile.name = "q", cuda.read_only},
                        %o: !cuda.ptr<bf16> {tile.name = "o"}, %n: i32 {tile.name = "n"},
                        %scale: f32 {tile.name = "scale"})
    attributes {cuda.kernel, cuda.threads = 128 : i32, cuda.min_blocks = 2 : i32,
                cuda.shared_bytes = 4096 : i32, cuda.target = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c4096 = arith.constant 4096 : i64
  %one = arith.constant 1.0 : bf16
  %s = cuda.shared 1024, 4096 loc("tile")
  %w = cuda.regs : !cuda.regs<8 x vector<2xbf16>> loc("words")
  %p = arith.cmpi slt, %n, %c3 : i32
  cuda.load_global %q[%n], %w[%c0], %p {count = 8} : !cuda.ptr<bf16>, i32, !cuda.regs<8 x vector<2xbf16>>
  cuda.load_global %o[%c0], %w[%c4] {count = 2} : !cuda.ptr<bf16>, i32, !cuda.regs<8 x vector<2xbf16>>
  %n8 = arith.muli %n, %c8 : i32
  %a = arith.addi %s, %n8 : i32
  cuda.store_shared %w[%c2], %a, %p {count = 4} : !cuda.regs<8 x vector<2xbf16>>
  %l = arith.extsi %n : i32 to i64
  %m = arith.muli %l, %c4096 : i64
  cuda.cp_async %s, %q[%m], %n {bytes = 16} : !cuda.ptr<bf16>, i64
  cuda.cp_async %s, %q[%c0] {bytes = 4} : !cuda.ptr<bf16>, i32
  cuda.cp_async_commit
  cuda.cp_async_wait 1
  cuda.cp_async_arrive %s
  cuda.barrier
  %b = arith.addi %s, %c16 : i32
  cuda.load_shared %b, %w[%c0] {count = 8} : !cuda.regs<8 x vector<2xbf16>>
  cuda.store_global %w[%c0], %o[%n], %p {count = 8} : !cuda.regs<8 x vector<2xbf16>>, !cuda.ptr<bf16>, i32
  cuda.atomic "add" %one, %o[%n], %p : bf16, !cuda.ptr<bf16>, i32
  return
}

// CHECK-LABEL: multiplies_matrices(
// CHECK: ldmatrix_x4(a, tile);
// CHECK-NEXT: ldmatrix_x2_trans(&b[2], tile);
// CHECK-NEXT: mma_m16n8k16_bf16(acc, a, &b[2]);
// CHECK-NEXT: mma_m16n8k8_tf32(acc, &acc[4], &acc[8]);
// CHECK-NEXT: a[0] = pack_bf16(unpack_bf16(a[1], 0), round_tf32(acc[0]));
// CHECK-NEXT: stmatrix_x4(tile, a);
// CHECK: half[0] = extract_b16(a[2], 0);
func.func @multiplies_matrices() attributes {cuda.kernel, cuda.threads = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %s = cuda.shared 0, 4096 loc("tile")
  %a = cuda.regs : !cuda.regs<4 x vector<2xbf16>> loc("a")
  %b = cuda.regs : !cuda.regs<4 x vector<2xbf16>> loc("b")
  %d = cuda.regs : !cuda.regs<16 x f32> loc("acc")
  cuda.ldmatrix %s, %a[%c0] {count = 4} : !cuda.regs<4 x vector<2xbf16>>
  cuda.ldmatrix %s, %b[%c2] trans {count = 2} : !cuda.regs<4 x vector<2xbf16>>
  cuda.mma 16 x 8 x 16 %d[%c0], %a[%c0], %b[%c2] : !cuda.regs<16 x f32>, !cuda.regs<4 x vector<2xbf16>>, !cuda.regs<4 x vector<2xbf16>>
  cuda.mma 16 x 8 x 8 %d[%c0], %d[%c4], %d[%c8] : !cuda.regs<16 x f32>, !cuda.regs<16 x f32>, !cuda.regs<16 x f32>
  %w = cuda.get %a[%c1] : !cuda.regs<4 x vector<2xbf16>> -> vector<2xbf16>
  %x = cuda.unpack %w[%c0] : vector<2xbf16> -> f32
  %v = cuda.get %d[%c0] : !cuda.regs<16 x f32> -> f32
  %y = cuda.round_tf32 %v
  %z = cuda.pack %x, %y : f32, f32 -> vector<2xbf16>
  cuda.set %z, %a[%c0] : vector<2xbf16>, !cuda.regs<4 x vector<2xbf16>>
  cuda.stmatrix %a[%c0], %s {count = 4} : !cuda.regs<4 x vector<2xbf16>>
  %half = cuda.regs : !cuda.regs<1 x bf16> loc("half")
  %u = cuda.get %a[%c2] : !cuda.regs<4 x vector<2xbf16>> -> vector<2xbf16>
  %same = cuda.extract %u[%c0] : vector<2xbf16> -> bf16
  cuda.set %same, %half[%c0] : bf16, !cuda.regs<1 x bf16>
  return
}

// A part of a sum, kept in registers of its own, for another block; that of the block before.
// CHECK-LABEL: hands_on_to_other_blocks(
// CHECK: pin_registers(sum);
// CHECK-NEXT: store_global_b128(parts + n, sum);
// CHECK-NEXT: flag_raise(flags + n);
// CHECK-NEXT: flag_take(flags + before);
// CHECK-NEXT: load_global_b128(sum, parts + before);
func.func @hands_on_to_other_blocks(%parts: !cuda.ptr<f32> {tile.name = "parts"},
                                    %flags: !cuda.ptr<i32> {tile.name = "flags"},
                                    %n: i32 {tile.name = "n"}, %before: i32 {tile.name = "before"})
    attributes {cuda.kernel, cuda.threads = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %sum = cuda.regs : !cuda.regs<4 x f32> loc("sum")
  cuda.pin_registers %sum : !cuda.regs<4 x f32>
  cuda.store_global %sum[%c0], %parts[%n] {count = 4} : !cuda.regs<4 x f32>, !cuda.ptr<f32>, i32
  cuda.flag_raise %flags[%n] : !cuda.ptr<i32>
  cuda.flag_take %flags[%before] : !cuda.ptr<i32>
  cuda.load_global %parts[%before], %sum[%c0] {count = 4} : !cuda.ptr<f32>, i32, !cuda.regs<4 x f32>
  return
}
