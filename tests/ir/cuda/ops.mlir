// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @types
// CHECK-SAME: !cuda.ptr<bf16>
// CHECK-SAME: !cuda.regs<32 x vector<2xbf16>>
// CHECK-SAME: !cuda.regs<1 x i1>
// CHECK-SAME: !cuda.regs<8 x vector<4xf8E4M3FN>>
func.func @types(%a: !cuda.ptr<bf16>, %b: !cuda.regs<32 x vector<2xbf16>>, %c: !cuda.regs<1 x i1>,
                 %d: !cuda.regs<8 x vector<4xf8E4M3FN>>) {
  return
}

// CHECK-LABEL: @registers
// CHECK: cuda.thread_id
// CHECK: cuda.block_id
// CHECK: cuda.grid_size
// CHECK: cuda.opaque %{{.*}} : i32
// CHECK: cuda.reciprocal %{{.*}}
// CHECK: cuda.quotient %{{.*}}, %{{.*}}, %{{.*}}
// CHECK: cuda.regs : <4 x vector<2xbf16>>
// CHECK: cuda.get %{{.*}}[%{{.*}}] : <4 x vector<2xbf16>> -> vector<2xbf16>
// CHECK: cuda.unpack %{{.*}}[%{{.*}}] : vector<2xbf16> -> f32
// CHECK: cuda.extract %{{.*}}[%{{.*}}] : vector<2xbf16> -> bf16
// CHECK: cuda.round_tf32 %{{.*}}
// CHECK: cuda.pack %{{.*}}, %{{.*}} : f32, f32 -> vector<2xbf16>
// CHECK: cuda.keep %{{.*}} by %{{.*}}[%{{.*}}] least 26 : vector<2xbf16>
// CHECK: cuda.set %{{.*}}, %{{.*}}[%{{.*}}] : vector<2xbf16>, <4 x vector<2xbf16>>
// CHECK: cuda.reinterpret %{{.*}} : vector<2xbf16> -> vector<4xi8>
// CHECK: cuda.permute_bytes %{{.*}}, %{{.*}} by 25632 : vector<4xi8>
// CHECK: cuda.convert %{{.*}} : f32 -> bf16
func.func @registers() {
  %thread = cuda.thread_id
  %block = cuda.block_id
  %blocks = cuda.grid_size
  %index = cuda.opaque %thread : i32
  %per_block = cuda.reciprocal %blocks
  %quotient = cuda.quotient %thread, %blocks, %per_block
  %regs = cuda.regs : !cuda.regs<4 x vector<2xbf16>>
  %word = cuda.get %regs[%index] : !cuda.regs<4 x vector<2xbf16>> -> vector<2xbf16>
  %value = cuda.unpack %word[%index] : vector<2xbf16> -> f32
  %same = cuda.extract %word[%index] : vector<2xbf16> -> bf16
  %rounded = cuda.round_tf32 %value
  %packed = cuda.pack %value, %rounded : f32, f32 -> vector<2xbf16>
  %kept = cuda.keep %packed by %index[%index] least 26 : vector<2xbf16>
  cuda.set %kept, %regs[%index] : vector<2xbf16>, !cuda.regs<4 x vector<2xbf16>>
  %bytes = cuda.reinterpret %packed : vector<2xbf16> -> vector<4xi8>
  %even = cuda.permute_bytes %bytes, %bytes by 0x6420 : vector<4xi8>
  %narrow = cuda.convert %value : f32 -> bf16
  return
}

// CHECK-LABEL: @global_memory
// CHECK: cuda.load_global %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] {count = 8 : i64} : <bf16>, i32, <4 x vector<2xbf16>>
// CHECK: cuda.load_global %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} {count = 2 : i64} : <bf16>, i64, <4 x vector<2xbf16>>
// CHECK: cuda.store_global %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] {count = 4 : i64} : <4 x vector<2xbf16>>, <bf16>, i32
// CHECK: cuda.store_global %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} {count = 8 : i64} : <4 x vector<2xbf16>>, <bf16>, i64
// CHECK: cuda.atomic "add" %{{.*}}, %{{.*}}[%{{.*}}] : f32, <f32>, i32
// CHECK: cuda.atomic "max" %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : f32, <f32>, i32
// CHECK: cuda.atomic_inc %{{.*}}, %{{.*}} : <i32>
// CHECK: cuda.flag_raise %{{.*}}[%{{.*}}] : <i32>
// CHECK: cuda.flag_take %{{.*}}[%{{.*}}] : <i32>
// CHECK: cuda.flag_count %{{.*}}[%{{.*}}], %{{.*}} : <i32>
// CHECK: cuda.flag_count %{{.*}}[%{{.*}}], %{{.*}} order release : <i32>
// CHECK: cuda.flag_await %{{.*}}[%{{.*}}], %{{.*}} : <i32>
// CHECK: cuda.flag_settle %{{.*}}[%{{.*}}], %{{.*}} : <i32>
// CHECK: cuda.cp_async %{{.*}}, %{{.*}}[%{{.*}}] {bytes = 16 : i64} : <bf16>, i32
// CHECK: cuda.cp_async %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} {bytes = 4 : i64} : <bf16>, i64
// CHECK: cuda.cp_async_commit
// CHECK: cuda.cp_async_wait 3
// CHECK: cuda.cp_async_arrive %
func.func @global_memory(%p: !cuda.ptr<bf16>, %f: !cuda.ptr<f32>, %n: !cuda.ptr<i32>, %regs: !cuda.regs<4 x vector<2xbf16>>,
                         %i: i32, %wide: i64, %some: i1, %v: f32) {
  cuda.load_global %p[%i], %regs[%i] {count = 8} : !cuda.ptr<bf16>, i32, !cuda.regs<4 x vector<2xbf16>>
  cuda.load_global %p[%wide], %regs[%i], %some {count = 2} : !cuda.ptr<bf16>, i64, !cuda.regs<4 x vector<2xbf16>>
  cuda.store_global %regs[%i], %p[%i] {count = 4} : !cuda.regs<4 x vector<2xbf16>>, !cuda.ptr<bf16>, i32
  cuda.store_global %regs[%i], %p[%wide], %some {count = 8} : !cuda.regs<4 x vector<2xbf16>>, !cuda.ptr<bf16>, i64
  cuda.atomic "add" %v, %f[%i] : f32, !cuda.ptr<f32>, i32
  cuda.atomic "max" %v, %f[%i], %some : f32, !cuda.ptr<f32>, i32
  %old = cuda.atomic_inc %n, %i : !cuda.ptr<i32>
  cuda.flag_raise %n[%i] : !cuda.ptr<i32>
  cuda.flag_take %n[%i] : !cuda.ptr<i32>
  %before = cuda.flag_count %n[%i], %i : !cuda.ptr<i32>
  %told = cuda.flag_count %n[%i], %i order release : !cuda.ptr<i32>
  cuda.flag_await %n[%i], %i : !cuda.ptr<i32>
  %way = cuda.flag_settle %n[%i], %i : !cuda.ptr<i32>
  cuda.cp_async %i, %p[%i] {bytes = 16} : !cuda.ptr<bf16>, i32
  cuda.cp_async %i, %p[%wide], %i {bytes = 4} : !cuda.ptr<bf16>, i64
  cuda.cp_async_commit
  cuda.cp_async_wait 3
  cuda.cp_async_arrive %i
  return
}

// CHECK-LABEL: @shared_memory
// CHECK: cuda.shared 1024, 4096
// CHECK: cuda.load_shared %{{.*}}, %{{.*}}[%{{.*}}] {count = 8 : i64} : <4 x vector<2xbf16>>
// CHECK: cuda.store_shared %{{.*}}[%{{.*}}], %{{.*}} {count = 8 : i64} : <4 x vector<2xbf16>>
// CHECK: cuda.store_shared %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} {count = 2 : i64} : <4 x vector<2xbf16>>
// CHECK: cuda.barrier
func.func @shared_memory(%regs: !cuda.regs<4 x vector<2xbf16>>, %i: i32, %some: i1) {
  %address = cuda.shared 1024, 4096
  cuda.load_shared %address, %regs[%i] {count = 8} : !cuda.regs<4 x vector<2xbf16>>
  cuda.store_shared %regs[%i], %address {count = 8} : !cuda.regs<4 x vector<2xbf16>>
  cuda.store_shared %regs[%i], %address, %some {count = 2} : !cuda.regs<4 x vector<2xbf16>>
  cuda.barrier
  return
}

// CHECK-LABEL: @warps
// CHECK: cuda.ldmatrix %{{.*}}, %{{.*}}[%{{.*}}] {count = 4 : i64} : <4 x vector<2xbf16>>
// CHECK: cuda.ldmatrix %{{.*}}, %{{.*}}[%{{.*}}] trans {count = 2 : i64} : <4 x vector<2xbf16>>
// CHECK: cuda.stmatrix %{{.*}}[%{{.*}}], %{{.*}} {count = 1 : i64} : <4 x vector<2xbf16>>
// CHECK: cuda.stmatrix %{{.*}}[%{{.*}}], %{{.*}} trans {count = 4 : i64} : <4 x vector<2xbf16>>
// CHECK: cuda.shuffle_xor %{{.*}}, %{{.*}} : f32
// CHECK: cuda.shuffle_up %{{.*}}, %{{.*}} : i32
// CHECK: cuda.shuffle_idx %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK: cuda.vote_any %{{.*}}
// CHECK: cuda.warp_sync
func.func @warps(%address: i32, %regs: !cuda.regs<4 x vector<2xbf16>>, %v: f32, %i: i32, %word: vector<2xbf16>) {
  cuda.ldmatrix %address, %regs[%i] {count = 4} : !cuda.regs<4 x vector<2xbf16>>
  cuda.ldmatrix %address, %regs[%i] trans {count = 2} : !cuda.regs<4 x vector<2xbf16>>
  cuda.stmatrix %regs[%i], %address {count = 1} : !cuda.regs<4 x vector<2xbf16>>
  cuda.stmatrix %regs[%i], %address trans {count = 4} : !cuda.regs<4 x vector<2xbf16>>
  %x = cuda.shuffle_xor %v, %i : f32
  %u = cuda.shuffle_up %i, %i : i32
  %s = cuda.shuffle_idx %word, %i : vector<2xbf16>
  %negative = arith.cmpi slt, %i, %u : i32
  %some = cuda.vote_any %negative
  cuda.warp_sync
  return
}

// CHECK-LABEL: @every_form_of_mma
// CHECK: cuda.mma 16 x 8 x 8 %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}] : <4 x f32>, <4 x vector<2xf16>>, <2 x vector<2xf16>>
// CHECK: cuda.mma 16 x 8 x 16 {{.*}} : <4 x f32>, <4 x vector<2xf16>>
// CHECK: cuda.mma 16 x 8 x 16 {{.*}} : <4 x f32>, <4 x vector<2xbf16>>
// CHECK: cuda.mma 16 x 8 x 8 {{.*}} : <4 x f32>, <4 x f32>
// CHECK: cuda.mma 16 x 8 x 32 {{.*}} : <4 x i32>, <4 x vector<4xi8>>
// CHECK: cuda.mma 8 x 8 x 16 {{.*}} : <4 x i32>, <4 x vector<4xi8>>
// CHECK: cuda.mma 16 x 8 x 32 {{.*}} : <4 x f32>, <4 x vector<4xf8E4M3FN>>
// CHECK: cuda.mma 16 x 8 x 32 {{.*}} : <4 x f32>, <4 x vector<4xf8E5M2>>
func.func @every_form_of_mma(%i: i32, %d: !cuda.regs<4 x f32>, %s: !cuda.regs<4 x i32>,
    %ha: !cuda.regs<4 x vector<2xf16>>, %hb: !cuda.regs<2 x vector<2xf16>>,
    %ba: !cuda.regs<4 x vector<2xbf16>>, %bb: !cuda.regs<2 x vector<2xbf16>>,
    %fa: !cuda.regs<4 x f32>, %fb: !cuda.regs<2 x f32>,
    %ia: !cuda.regs<4 x vector<4xi8>>, %ib: !cuda.regs<2 x vector<4xi8>>,
    %ea: !cuda.regs<4 x vector<4xf8E4M3FN>>, %eb: !cuda.regs<2 x vector<4xf8E4M3FN>>,
    %ga: !cuda.regs<4 x vector<4xf8E5M2>>, %gb: !cuda.regs<2 x vector<4xf8E5M2>>) {
  cuda.mma 16 x 8 x 8 %d[%i], %ha[%i], %hb[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<2xf16>>, !cuda.regs<2 x vector<2xf16>>
  cuda.mma 16 x 8 x 16 %d[%i], %ha[%i], %hb[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<2xf16>>, !cuda.regs<2 x vector<2xf16>>
  cuda.mma 16 x 8 x 16 %d[%i], %ba[%i], %bb[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<2xbf16>>, !cuda.regs<2 x vector<2xbf16>>
  cuda.mma 16 x 8 x 8 %d[%i], %fa[%i], %fb[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x f32>, !cuda.regs<2 x f32>
  cuda.mma 16 x 8 x 32 %s[%i], %ia[%i], %ib[%i] : !cuda.regs<4 x i32>, !cuda.regs<4 x vector<4xi8>>, !cuda.regs<2 x vector<4xi8>>
  cuda.mma 8 x 8 x 16 %s[%i], %ia[%i], %ib[%i] : !cuda.regs<4 x i32>, !cuda.regs<4 x vector<4xi8>>, !cuda.regs<2 x vector<4xi8>>
  cuda.mma 16 x 8 x 32 %d[%i], %ea[%i], %eb[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<4xf8E4M3FN>>, !cuda.regs<2 x vector<4xf8E4M3FN>>
  cuda.mma 16 x 8 x 32 %d[%i], %ga[%i], %gb[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<4xf8E5M2>>, !cuda.regs<2 x vector<4xf8E5M2>>
  return
}
