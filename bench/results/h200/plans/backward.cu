typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;

// Narrow floats are stored, never computed with.
typedef u16 f16, bf16;
typedef u8 f8e4m3, f8e5m2;

// Several narrow values packed in 32 bits, the first in the lowest.
typedef u32 f16x2, bf16x2, i16x2, i8x4, f8e4m3x4, f8e5m2x4;

// The bits of a register, zero-extended.
__device__ __forceinline__ u64 bits_of(bool from) { return from; }
__device__ __forceinline__ u64 bits_of(i8 from) { return u8(from); }
__device__ __forceinline__ u64 bits_of(u8 from) { return from; }
__device__ __forceinline__ u64 bits_of(i16 from) { return u16(from); }
__device__ __forceinline__ u64 bits_of(u16 from) { return from; }
__device__ __forceinline__ u64 bits_of(i32 from) { return u32(from); }
__device__ __forceinline__ u64 bits_of(u32 from) { return from; }
__device__ __forceinline__ u64 bits_of(f32 from) { return __float_as_uint(from); }
__device__ __forceinline__ u64 bits_of(i64 from) { return u64(from); }

// Gathers `kBytes` bytes of registers in words.
template <int kBytes, typename T>
__device__ __forceinline__ void pack_words(u32 *words, const T *from) {
  constexpr int kSize = sizeof(T);
#pragma unroll
  for (int word = 0; word < (kBytes + 3) / 4; ++word) {
    words[word] = kSize == 8 ? u32(bits_of(from[word / 2]) >> 32 * (word % 2)) : 0;
#pragma unroll
    for (int byte = 0; byte < 4 && kSize < 8; byte += kSize)
      if (word * 4 + byte < kBytes)
        words[word] |= u32(bits_of(from[(word * 4 + byte) / kSize])) << 8 * byte;
  }
}

__device__ __forceinline__ bf16 f32_to_bf16(f32 x) {
#if __CUDA_ARCH__ >= 800
  bf16 narrow;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow) : "f"(x));
  return narrow;
#else
  const u32 bits = __float_as_uint(x);
  return x != x ? 0x7fff : u16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
#endif
}

__device__ __forceinline__ bf16x2 pack_bf16(f32 x0, f32 x1) {
#if __CUDA_ARCH__ >= 800
  bf16x2 word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(x1), "f"(x0));
  return word;
#else
  return u32(f32_to_bf16(x0)) | u32(f32_to_bf16(x1)) << 16;
#endif
}

template <typename T> __device__ __forceinline__ T ceil_div(T x, T y) {
  return x / y + (x % y != 0 && (x < 0) == (y < 0));
}

__device__ __forceinline__ i32 shared_address(const void *pointer) {
  return i32(__cvta_generic_to_shared(pointer));
}

template <typename T>
__device__ __forceinline__ void store_shared_b64(i32 to, const T *from, bool inside = true) {
  u32 words[2];
  pack_words<8>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %3, 0;\n\t"
               "@inside st.shared.v2.b32 [%0], {%1, %2};\n\t"
               "}"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(i32(inside)));
}
// f32 as it is: taken as words, sums of a warpgroup would be moved while products are under way.
__device__ __forceinline__ void store_shared_b64(i32 to, const f32 *from, bool inside = true) {
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %3, 0;\n\t"
               "@inside st.shared.v2.b32 [%0], {%1, %2};\n\t"
               "}"
               :
               : "r"(to), "f"(from[0]), "f"(from[1]),
                 "r"(i32(inside)));
}

template <typename T> __device__ __forceinline__ void stmatrix_x4(i32 to, const T *from) {
  u32 words[4];
  pack_words<16>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]));
}

// The value of lane `lanes`.
template <typename T> __device__ __forceinline__ T shuffle_idx(T value, i32 lanes) {
  return __shfl_sync(0xffffffff, value, lanes);
}

__device__ __forceinline__ void mbarrier_init(i32 barrier, i32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(count) : "memory");
}

__device__ __forceinline__ void mbarrier_arrive(i32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

// `bytes` of copies are to come in this phase.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(i32 barrier, i32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}

// Whether the phase of that parity has completed; from sm_90 on the hardware waits a while for it.
__device__ __forceinline__ bool mbarrier_try_wait(i32 barrier, i32 parity) {
  u32 done;
  asm volatile("{\n\t"
               ".reg .pred done;\n\t"
#if __CUDA_ARCH__ >= 900
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
#else
               "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
#endif
               "selp.u32 %0, 1, 0, done;\n\t"
               "}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done;
}

// Ends the kernel when a wait takes more than TILEWRIGHT_WATCHDOG milliseconds, if that is defined.
struct Watchdog {
#ifdef TILEWRIGHT_WATCHDOG
  static __device__ __forceinline__ u64 now() {
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  }
  __device__ __forceinline__ void check() const {
    if (now() - start > TILEWRIGHT_WATCHDOG * 1000000ull)
      __trap();
  }
  const u64 start = now();
#else
  __device__ __forceinline__ void check() const {}
#endif
};

__device__ __forceinline__ void mbarrier_wait(i32 barrier, i32 parity) {
  const Watchdog watchdog{};
  while (!mbarrier_try_wait(barrier, parity))
    watchdog.check();
}

__device__ __forceinline__ void named_barrier_sync(i32 id, i32 threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// Between ordinary accesses to shared memory and those of TMA and wgmma.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// After mbarrier_init, before TMA or another block of the cluster uses the barrier.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

template <int kCount> __device__ __forceinline__ void decrease_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kCount));
}

// True in one lane of the warp.
__device__ __forceinline__ bool elect_one() {
  u32 elected;
  asm volatile("{\n\t"
               ".reg .pred elected;\n\t"
               "elect.sync _|elected, 0xffffffff;\n\t"
               "selp.u32 %0, 1, 0, elected;\n\t"
               "}"
               : "=r"(elected));
  return elected;
}

// What the host encodes for one tensor.
struct alignas(64) TensorMap {
  u64 words[16];
};

__device__ __forceinline__ void tma_prefetch_map(const TensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
}

__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until all but `kPending` store groups of this thread have read their shared memory.
template <int kPending> __device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(kPending) : "memory");
}

// An operand in shared memory; offsets and swizzle in bytes.
template <u32 kLeading, u32 kStride, int kSwizzle>
__device__ __forceinline__ u64 matrix_descriptor(i32 address) {
  constexpr u32 kMode = kSwizzle == 128 ? 1 : kSwizzle == 64 ? 2 : kSwizzle == 32 ? 3 : 0;
  const u32 low = (u32(address) & 0x3ffff) >> 4 | kLeading >> 4 << 16;
  return u64(kStride >> 4 | kMode << 30) << 32 | low;
}

// The operand that starts `bytes` further on: only the lower half changes.
__device__ __forceinline__ u64 advance_descriptor(u64 descriptor, i32 bytes) {
  return descriptor & 0xffffffff00000000 | u32(descriptor) + (u32(bytes) >> 4);
}

// The value is final here, and what follows does not move above.
__device__ __forceinline__ void pin_register(f32 &x) { asm volatile("" : "+f"(x) : : "memory"); }
__device__ __forceinline__ void pin_register(i32 &x) { asm volatile("" : "+r"(x) : : "memory"); }
__device__ __forceinline__ void pin_register(u32 &x) { asm volatile("" : "+r"(x) : : "memory"); }

template <typename T, int kSize> __device__ __forceinline__ void pin_registers(T (&regs)[kSize]) {
#pragma unroll
  for (int i = 0; i < kSize; ++i)
    pin_register(regs[i]);
}

// Registers written so far may be used by products that follow.
template <typename... T> __device__ __forceinline__ void wgmma_fence(T &...regs) {
  (pin_registers(regs), ...);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `kPending` groups are unfinished; then `regs` may be read.
template <int kPending, typename... T> __device__ __forceinline__ void wgmma_wait(T &...regs) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kPending) : "memory");
  (pin_registers(regs), ...);
}

// Starts the copy of a box to shared memory.
__device__ __forceinline__ void tma_load_2d(i32 to, const TensorMap &map, i32 x0, i32 x1, i32 barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %2}], [%4];"
               :
               : "r"(to), "l"(&map), "r"(x0), "r"(x1), "r"(barrier)
               : "memory");
}

// Starts adding a box in shared memory to a tensor.
__device__ __forceinline__ void tma_reduce_add_2d(const TensorMap &map, i32 x0, i32 x1, i32 from) {
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%2, %1}], [%3];"
               :
               : "l"(&map), "r"(x0), "r"(x1), "r"(from)
               : "memory");
}

// Starts the copy of a box from shared memory.
__device__ __forceinline__ void tma_store_2d(const TensorMap &map, i32 x0, i32 x1, i32 from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %1}], [%3];"
               :
               : "l"(&map), "r"(x0), "r"(x1), "r"(from)
               : "memory");
}

// d = a * b + (accumulate ? d : 0), asynchronously.
__device__ __forceinline__ void wgmma_m64n64k16_bf16(f32 *d, u64 a, u64 b, bool accumulate = true) {
  asm volatile("{\n\t"
               ".reg .pred accumulate;\n\t"
               "setp.ne.b32 accumulate, %34, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
               "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
               "%32, %33, accumulate, 1, 1, 0, 0;\n\t"
               "}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                 "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                 "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                 "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                 "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                 "+f"(d[30]), "+f"(d[31])
               : "l"(a), "l"(b), "r"(i32(accumulate))
               : "memory");
}

// d = a * b + (accumulate ? d : 0), asynchronously.
__device__ __forceinline__ void wgmma_m64n64k16_bf16_a_regs_trans_b(f32 *d, const u32 *a, u64 b, bool accumulate = true) {
  asm volatile("{\n\t"
               ".reg .pred accumulate;\n\t"
               "setp.ne.b32 accumulate, %37, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
               "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
               "{%32, %33, %34, %35}, %36, accumulate, 1, 1, 1;\n\t"
               "}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                 "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                 "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                 "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                 "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                 "+f"(d[30]), "+f"(d[31])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(i32(accumulate))
               : "memory");
}

// d = a * b + (accumulate ? d : 0), asynchronously.
__device__ __forceinline__ void wgmma_m64n64k16_bf16_trans_a_trans_b(f32 *d, u64 a, u64 b, bool accumulate = true) {
  asm volatile("{\n\t"
               ".reg .pred accumulate;\n\t"
               "setp.ne.b32 accumulate, %34, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
               "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
               "%32, %33, accumulate, 1, 1, 1, 1;\n\t"
               "}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                 "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                 "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                 "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                 "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                 "+f"(d[30]), "+f"(d[31])
               : "l"(a), "l"(b), "r"(i32(accumulate))
               : "memory");
}

extern "C" __global__ void __launch_bounds__(256, 1)
backward(const __grid_constant__ TensorMap k, const __grid_constant__ TensorMap v,
         const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap do_2,
         const __grid_constant__ TensorMap dq, const __grid_constant__ TensorMap dk,
         const __grid_constant__ TensorMap dv, i32 M, i32 T) {
  extern __shared__ __align__(1024) u8 shared[];

  // 10: def backward(q: Tensor[bf16, M, D], do: Tensor[bf16, M, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D],
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 13: keys = block(grid(cdiv(T, BN)), BN)
  const i32 value = ceil_div(T, 64);

  // 15: for m in range(cdiv(M, BM)):
  const i32 value_2 = ceil_div(M, 64);

  // 14: K, V, dk_sum, dv_sum = k[keys, :], v[keys, :], zeros((BN, D), f32), zeros((BN, D), f32)
  const i32 k_shared = shared_address(shared);
  const i32 v_shared = shared_address(shared + 16384);

  // 17: Q, dO = q[rows, :], do[rows, :]
  const i32 q_shared = shared_address(shared + 32768);
  const i32 do_shared = shared_address(shared + 57344);

  // 19: ds = (s * dot(V, dO.T)).to(bf16)
  const i32 t1_shared = shared_address(shared + 81920);

  // 20: atomic_add(dq[rows, :], dot(ds.T, K))
  const i32 dq_shared = shared_address(shared + 90112);

  // 23: dk[keys, :] = dk_sum
  const i32 dk_shared = shared_address(shared + 106496);

  // 24: dv[keys, :] = dv_sum
  const i32 dv_shared = shared_address(shared + 122880);

  // 10: def backward(q: Tensor[bf16, M, D], do: Tensor[bf16, M, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D],
  const i32 group_thread = thread & 127;
  const i32 k_full = shared_address(shared + 139264);
  const i32 k_empty = shared_address(shared + 139280);
  const i32 q_full = shared_address(shared + 139296);
  const i32 q_empty = shared_address(shared + 139320);
  if (thread == 0) {
    tma_prefetch_map(k);
    tma_prefetch_map(v);
    tma_prefetch_map(q);
    tma_prefetch_map(do_2);
    tma_prefetch_map(dq);
    tma_prefetch_map(dk);
    tma_prefetch_map(dv);
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value_3 = i * 8;
      mbarrier_init(k_full + value_3, 1);
      mbarrier_init(k_empty + value_3, 4);
    }
    #pragma unroll
    for (i32 i = 0; i < 3; ++i) {
      const i32 value_3 = i * 8;
      mbarrier_init(q_full + value_3, 1);
      mbarrier_init(q_empty + value_3, 1);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warp >> 2 < 1) {
    // 13: keys = block(grid(cdiv(T, BN)), BN)
    decrease_registers<40>();
    if (warp == 0) {
      if (elect_one()) {
        i32 k_slot[1];
        k_slot[0] = 0;
        i32 k_phase[1];
        k_phase[0] = 1;
        i32 q_slot[1];
        q_slot[0] = 0;
        i32 q_phase[1];
        q_phase[0] = 1;
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < value; tile += i32(gridDim.x)) {
          const i32 keys = tile * 64;

          // 14: K, V, dk_sum, dv_sum = k[keys, :], v[keys, :], zeros((BN, D), f32), zeros((BN, D), f32)
          const i32 slot = k_slot[0];
          const i32 phase = k_phase[0];
          const i32 value_3 = slot * 8;
          const i32 value_4 = k_full + value_3;
          mbarrier_wait(k_empty + value_3, phase);
          mbarrier_arrive_expect_tx(value_4, 16384);
          const i32 value_5 = slot + 1;
          const bool test = value_5 == 2;
          k_slot[0] = test ? 0 : value_5;
          k_phase[0] = test ? phase ^ 1 : phase;
          const i32 k_shared_2 = slot * 8192;
          tma_load_2d(k_shared + k_shared_2, k, keys, 0, value_4);
          tma_load_2d(v_shared + k_shared_2, v, keys, 0, value_4);

          // 15: for m in range(cdiv(M, BM)):
          #pragma unroll 1
          for (i32 m = 0; m < value_2; ++m) {
            // 16: rows = block(m, BM)
            const i32 rows = m * 64;

            // 17: Q, dO = q[rows, :], do[rows, :]
            const i32 slot_2 = q_slot[0];
            const i32 phase_2 = q_phase[0];
            const i32 value_6 = slot_2 * 8;
            const i32 value_7 = q_full + value_6;
            mbarrier_wait(q_empty + value_6, phase_2);
            mbarrier_arrive_expect_tx(value_7, 16384);
            const i32 value_8 = slot_2 + 1;
            const bool test_2 = value_8 == 3;
            q_slot[0] = test_2 ? 0 : value_8;
            q_phase[0] = test_2 ? phase_2 ^ 1 : phase_2;
            const i32 q_shared_2 = slot_2 * 8192;
            tma_load_2d(q_shared + q_shared_2, q, rows, 0, value_7);
            tma_load_2d(do_shared + q_shared_2, do_2, rows, 0, value_7);
          }
        }
      }
    }
  } else {
    // 13: keys = block(grid(cdiv(T, BN)), BN)
    decrease_registers<232>();
    const i32 own_warp = warp - 4;

    // 10: def backward(q: Tensor[bf16, M, D], do: Tensor[bf16, M, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D],
    const i32 thread_col = (lane & 3) * 2;
    const i32 thread_row = own_warp * 16;
    const i32 thread_row_2 = (lane >> 2) + thread_row;

    // 13: keys = block(grid(cdiv(T, BN)), BN)
    i32 k_slot[1];
    k_slot[0] = 0;
    i32 k_phase[1];
    k_phase[0] = 0;
    i32 q_slot[1];
    q_slot[0] = 0;
    i32 q_phase[1];
    q_phase[0] = 0;

    // 21: dv_sum += dot(s.to(bf16), dO)
    const bool test = group_thread < 1;

    // 19: ds = (s * dot(V, dO.T)).to(bf16)
    const i32 ds = ((lane & 15) + thread_row) * 128;

    // 20: atomic_add(dq[rows, :], dot(ds.T, K))
    const bool test_2 = own_warp * 32 + lane == 0;

    // 22: dk_sum += dot(ds, Q)
    const bool test_3 = value_2 <= 0;

    // 10: def backward(q: Tensor[bf16, M, D], do: Tensor[bf16, M, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D],
    const i32 thread_col_2 = (lane >> 4) * 8;

    // 19: ds = (s * dot(V, dO.T)).to(bf16)
    const i32 ds_2 = i32(u32(ds) >> 3) & 112;
    const i32 ds_3 = t1_shared + ds;

    // 20: atomic_add(dq[rows, :], dot(ds.T, K))
    const i64 a_descriptor = matrix_descriptor<8192, 1024, 128>(t1_shared);

    // 21: dv_sum += dot(s.to(bf16), dO)
    const bool test_4 = value_2 > 0 && test;

    // 19: ds = (s * dot(V, dO.T)).to(bf16)
    const bool test_5 = lane < 1;

    // 13: keys = block(grid(cdiv(T, BN)), BN)
    #pragma unroll 1
    for (i32 tile = i32(blockIdx.x); tile < value; tile += i32(gridDim.x)) {
      const i32 keys = tile * 64;

      // 14: K, V, dk_sum, dv_sum = k[keys, :], v[keys, :], zeros((BN, D), f32), zeros((BN, D), f32)
      const i32 slot = k_slot[0];
      const i32 phase = k_phase[0];
      const i32 value_3 = slot * 8;
      mbarrier_wait(k_full + value_3, phase);
      const i32 value_4 = slot + 1;
      const bool test_6 = value_4 == 2;
      k_slot[0] = test_6 ? 0 : value_4;
      k_phase[0] = test_6 ? phase ^ 1 : phase;
      const i32 k_shared_2 = slot * 8192;
      const i32 k_shared_3 = k_shared + k_shared_2;

      // 21: dv_sum += dot(s.to(bf16), dO)
      f32 dv_sum[32];

      // 22: dk_sum += dot(ds, Q)
      f32 dk_sum[32];

      // 15: for m in range(cdiv(M, BM)):
      i32 held_slot[1];
      held_slot[0] = 0;

      // 18: s = dot(K, Q.T)
      const i64 a_descriptor_2 = matrix_descriptor<16, 1024, 128>(k_shared_3);

      // 19: ds = (s * dot(V, dO.T)).to(bf16)
      const i64 a_descriptor_3 = matrix_descriptor<16, 1024, 128>(v_shared + k_shared_2);

      // 20: atomic_add(dq[rows, :], dot(ds.T, K))
      const i64 b_descriptor = matrix_descriptor<8192, 1024, 128>(k_shared_3);

      // 15: for m in range(cdiv(M, BM)):
      #pragma unroll 1
      for (i32 m = 0; m < value_2; ++m) {
        const bool later = m > 0;

        // 17: Q, dO = q[rows, :], do[rows, :]
        const i32 slot_2 = q_slot[0];
        const i32 phase_2 = q_phase[0];
        mbarrier_wait(q_full + slot_2 * 8, phase_2);
        const i32 value_5 = slot_2 + 1;
        const bool test_7 = value_5 == 3;
        q_slot[0] = test_7 ? 0 : value_5;
        q_phase[0] = test_7 ? phase_2 ^ 1 : phase_2;
        const i32 q_shared_2 = slot_2 * 8192;
        const i32 q_shared_3 = q_shared + q_shared_2;
        const i32 do_shared_2 = do_shared + q_shared_2;

        // 18: s = dot(K, Q.T)
        f32 s[32];
        wgmma_fence();

        // 15: for m in range(cdiv(M, BM)):
        const i32 value_6 = held_slot[0];

        // 18: s = dot(K, Q.T)
        const i64 b_descriptor_2 = matrix_descriptor<16, 1024, 128>(q_shared_3);
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          const i32 value_7 = i * 32;
          const i64 value_8 = advance_descriptor(a_descriptor_2, value_7);
          wgmma_m64n64k16_bf16(s, value_8, advance_descriptor(b_descriptor_2, value_7), i > 0);
        }
        wgmma_commit();

        // 19: ds = (s * dot(V, dO.T)).to(bf16)
        f32 regs[32];
        wgmma_fence();
        const i64 b_descriptor_3 = matrix_descriptor<16, 1024, 128>(do_shared_2);
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          const i32 value_7 = i * 32;
          const i64 value_8 = advance_descriptor(a_descriptor_3, value_7);
          wgmma_m64n64k16_bf16(regs, value_8, advance_descriptor(b_descriptor_3, value_7), i > 0);
        }
        wgmma_commit();

        // 18: s = dot(K, Q.T)
        wgmma_wait<0>(s, regs);

        // 21: dv_sum += dot(s.to(bf16), dO)
        if (later && test) {
          mbarrier_arrive(q_empty + value_6 * 8);
        }

        // 19: ds = (s * dot(V, dO.T)).to(bf16)
        named_barrier_sync(3, 128);
        bf16x2 ds_4[16];
        #pragma unroll
        for (i32 i = 0; i < 16; ++i) {
          const i32 value_7 = i * 2;
          const i32 value_8 = value_7 + 1;
          ds_4[i] = pack_bf16(s[value_7] * regs[value_7], s[value_8] * regs[value_8]);
        }
        #pragma unroll
        for (i32 ds_5 = 0; ds_5 < 4; ++ds_5) {
          stmatrix_x4(ds_3 + (((thread_col_2 + ds_5 * 16) * 2) ^ ds_2), &ds_4[ds_5 * 4]);
        }
        fence_async_shared();
        named_barrier_sync(3, 128);

        // 20: atomic_add(dq[rows, :], dot(ds.T, K))
        wgmma_fence();
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          const i32 value_7 = i * 2048;
          const i64 value_8 = advance_descriptor(a_descriptor, value_7);
          wgmma_m64n64k16_bf16_trans_a_trans_b(regs, value_8, advance_descriptor(b_descriptor, value_7), i > 0);
        }
        wgmma_commit();
        wgmma_wait<0>(regs);

        // 21: dv_sum += dot(s.to(bf16), dO)
        bf16x2 regs_2[16];
        #pragma unroll
        for (i32 i = 0; i < 16; ++i) {
          const i32 value_7 = i * 2;
          regs_2[i] = pack_bf16(s[value_7], s[value_7 + 1]);
        }
        wgmma_fence(regs_2);
        const i64 b_descriptor_4 = matrix_descriptor<8192, 1024, 128>(do_shared_2);
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          wgmma_m64n64k16_bf16_a_regs_trans_b(dv_sum, &regs_2[i * 4], advance_descriptor(b_descriptor_4, i * 2048), later || i > 0);
        }
        wgmma_commit();

        // 22: dk_sum += dot(ds, Q)
        wgmma_fence(ds_4);
        const i64 b_descriptor_5 = matrix_descriptor<8192, 1024, 128>(q_shared_3);
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          wgmma_m64n64k16_bf16_a_regs_trans_b(dk_sum, &ds_4[i * 4], advance_descriptor(b_descriptor_5, i * 2048), later || i > 0);
        }
        wgmma_commit();

        // 20: atomic_add(dq[rows, :], dot(ds.T, K))
        if (test_2) {
          bulk_wait_read<0>();
        }
        named_barrier_sync(3, 128);
        #pragma unroll
        for (i32 i = 0; i < 16; ++i) {
          const i32 value_7 = i & 1;
          const i32 value_8 = i >> 1;
          const i32 value_9 = thread_col + value_8 * 8;
          const i32 value_10 = (thread_row_2 + value_7 * 8) * 128;
          const i32 value_11 = ((value_9 & 31) * 4) ^ (i32(u32(value_10) >> 3) & 112);
          const i32 address = dq_shared + (value_9 >> 5) * 8192 + value_10 + value_11;
          store_shared_b64(address, &regs[value_7 * 2 + (value_8 & 7) * 4]);
        }
        fence_async_shared();
        named_barrier_sync(3, 128);
        if (test_2) {
          // 16: rows = block(m, BM)
          const i32 rows = m * 64;

          // 20: atomic_add(dq[rows, :], dot(ds.T, K))
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            tma_reduce_add_2d(dq, rows, i * 32, dq_shared + i * 8192);
          }
          bulk_commit();
        }

        // 15: for m in range(cdiv(M, BM)):
        held_slot[0] = slot_2;
      }

      // 22: dk_sum += dot(ds, Q)
      wgmma_wait<0>(dk_sum, dv_sum);

      // 21: dv_sum += dot(s.to(bf16), dO)
      const i32 value_5 = q_empty + held_slot[0] * 8;
      if (test_4) {
        mbarrier_arrive(value_5);
      }

      // 22: dk_sum += dot(ds, Q)
      if (test_3) {
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          dk_sum[i] = 0.0f;
        }
        pin_registers(dk_sum);
      }

      // 21: dv_sum += dot(s.to(bf16), dO)
      if (test_3) {
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          dv_sum[i] = 0.0f;
        }
        pin_registers(dv_sum);
      }

      // 19: ds = (s * dot(V, dO.T)).to(bf16)
      __syncwarp();
      if (test_5) {
        mbarrier_arrive(k_empty + value_3);
      }

      // 23: dk[keys, :] = dk_sum
      if (test_2) {
        bulk_wait_read<0>();
      }
      named_barrier_sync(3, 128);
      #pragma unroll
      for (i32 i = 0; i < 16; ++i) {
        const i32 value_6 = i & 1;
        const i32 value_7 = i >> 1;
        const i32 value_8 = thread_col + value_7 * 8;
        const i32 value_9 = (thread_row_2 + value_6 * 8) * 128;
        const i32 value_10 = ((value_8 & 31) * 4) ^ (i32(u32(value_9) >> 3) & 112);
        const i32 address = dk_shared + (value_8 >> 5) * 8192 + value_9 + value_10;
        store_shared_b64(address, &dk_sum[value_6 * 2 + (value_7 & 7) * 4]);
      }
      fence_async_shared();
      named_barrier_sync(3, 128);
      if (test_2) {
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          tma_store_2d(dk, keys, i * 32, dk_shared + i * 8192);
        }
        bulk_commit();
      }

      // 24: dv[keys, :] = dv_sum
      if (test_2) {
        bulk_wait_read<0>();
      }
      named_barrier_sync(3, 128);
      #pragma unroll
      for (i32 i = 0; i < 16; ++i) {
        const i32 value_6 = i & 1;
        const i32 value_7 = i >> 1;
        const i32 value_8 = thread_col + value_7 * 8;
        const i32 value_9 = (thread_row_2 + value_6 * 8) * 128;
        const i32 value_10 = ((value_8 & 31) * 4) ^ (i32(u32(value_9) >> 3) & 112);
        const i32 address = dv_shared + (value_8 >> 5) * 8192 + value_9 + value_10;
        store_shared_b64(address, &dv_sum[value_6 * 2 + (value_7 & 7) * 4]);
      }
      fence_async_shared();
      named_barrier_sync(3, 128);
      if (test_2) {
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          tma_store_2d(dv, keys, i * 32, dv_shared + i * 8192);
        }
        bulk_commit();
      }
    }

    // 13: keys = block(grid(cdiv(T, BN)), BN)
    if (group_thread == 0) {
      bulk_wait_read<0>();
    }
  }
}
