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

#define kInf __int_as_float(0x7f800000)

#define kNaN __int_as_float(0x7fc00000)

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

// 2 ulp; subnormal results are 0.
__device__ __forceinline__ f32 exp2_approx(f32 x) {
  f32 result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// 2^-22 absolute between 0.5 and 2, 1 ulp elsewhere.
__device__ __forceinline__ f32 log2_approx(f32 x) {
  f32 result;
  asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// 2 ulp over the full range.
__device__ __forceinline__ f32 divide(f32 x, f32 y) {
  f32 result;
  asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}

// NaN when either is NaN.
__device__ __forceinline__ f32 max_nan(f32 x, f32 y) {
#if __CUDA_ARCH__ >= 800
  f32 result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
#else
  return x != x || y != y ? kNaN : fmaxf(x, y);
#endif
}

template <typename T> __device__ __forceinline__ T ceil_div(T x, T y) {
  return x / y + (x % y != 0 && (x < 0) == (y < 0));
}

// Of a divisor, for `quotient`.
__device__ __forceinline__ i32 reciprocal(i32 divisor) { return i32(0xffffffffu / u32(divisor)); }

// number / divisor, neither of which is negative. The high half is that or one less.
__device__ __forceinline__ i32 quotient(i32 number, i32 divisor, i32 reciprocal) {
  const i32 low = i32(__umulhi(u32(number), u32(reciprocal)));
  return number - low * divisor >= divisor ? low + 1 : low;
}

__device__ __forceinline__ i32 shared_address(const void *pointer) {
  return i32(__cvta_generic_to_shared(pointer));
}

template <typename T>
__device__ __forceinline__ void store_global_b32(void *to, const T *from, bool inside = true) {
  u32 words[1];
  pack_words<4>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.global.b32 [%0], %1;\n\t"
               "}"
               :
               : "l"(to), "r"(words[0]), "r"(i32(inside)));
}

// f32 as it is: taken as words, sums of a warpgroup would be moved while products are under way.
__device__ __forceinline__ void store_global_b32(void *to, const f32 *from, bool inside = true) {
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside st.global.b32 [%0], %1;\n\t"
               "}"
               :
               : "l"(to), "f"(*from), "r"(i32(inside)));
}

template <typename T> __device__ __forceinline__ void stmatrix_x4(i32 to, const T *from) {
  u32 words[4];
  pack_words<16>(words, from);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]));
}

// The value of lane `lane ^ lanes`.
template <typename T> __device__ __forceinline__ T shuffle_xor(T value, i32 lanes) {
  return __shfl_xor_sync(0xffffffff, value, lanes);
}

// The value of lane `lanes`.
template <typename T> __device__ __forceinline__ T shuffle_idx(T value, i32 lanes) {
  return __shfl_sync(0xffffffff, value, lanes);
}

// Whether it is true in any lane.
__device__ __forceinline__ bool vote_any(bool predicate) {
  return __any_sync(0xffffffff, predicate);
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

template <int kCount> __device__ __forceinline__ void increase_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kCount));
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

// What `values` are computed from stays above what follows. ptxas keeps the order of a wait and an
// access to memory, so this would store their sum, were it above infinity.
template <int kSize> __device__ __forceinline__ void settle(const f32 (&values)[kSize]) {
  f32 sum = values[0];
#pragma unroll
  for (int i = 1; i < kSize; ++i)
    sum += values[i];
  asm volatile("{\n\t"
               ".reg .pred never;\n\t"
               "setp.gt.f32 never, %0, 0f7f800000;\n\t"
               "@never st.shared.f32 [%1], %0;\n\t"
               "}"
               :
               : "f"(sum), "r"(0)
               : "memory");
}

// Starts the copy of a box to shared memory.
__device__ __forceinline__ void tma_load_4d(i32 to, const TensorMap &map, i32 x0, i32 x1, i32 x2, i32 x3, i32 barrier) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1, {%5, %4, %3, %2}], [%6];"
               :
               : "r"(to), "l"(&map), "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(barrier)
               : "memory");
}

// Starts the copy of a box from shared memory.
__device__ __forceinline__ void tma_store_4d(const TensorMap &map, i32 x0, i32 x1, i32 x2, i32 x3, i32 from) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%4, %3, %2, %1}], [%5];"
               :
               : "l"(&map), "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(from)
               : "memory");
}

// d = a * b + (accumulate ? d : 0), asynchronously.
__device__ __forceinline__ void wgmma_m64n128k16_bf16(f32 *d, u64 a, u64 b, bool accumulate = true) {
  asm volatile("{\n\t"
               ".reg .pred accumulate;\n\t"
               "setp.ne.b32 accumulate, %66, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
               "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
               "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
               "%62, %63}, "
               "%64, %65, accumulate, 1, 1, 0, 0;\n\t"
               "}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                 "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                 "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                 "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                 "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                 "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                 "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
                 "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                 "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
                 "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                 "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
               : "l"(a), "l"(b), "r"(i32(accumulate))
               : "memory");
}

// d = a * b + (accumulate ? d : 0), asynchronously.
__device__ __forceinline__ void wgmma_m64n128k16_bf16_a_regs_trans_b(f32 *d, const u32 *a, u64 b, bool accumulate = true) {
  asm volatile("{\n\t"
               ".reg .pred accumulate;\n\t"
               "setp.ne.b32 accumulate, %69, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
               "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
               "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
               "%62, %63}, "
               "{%64, %65, %66, %67}, %68, accumulate, 1, 1, 1;\n\t"
               "}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                 "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                 "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                 "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                 "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                 "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                 "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
                 "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                 "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
                 "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                 "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(i32(accumulate))
               : "memory");
}

extern "C" __global__ void __launch_bounds__(384, 1)
attention(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
          const __grid_constant__ TensorMap v, const __grid_constant__ TensorMap o,
          f32 *__restrict__ lse, i32 B, i32 S, i32 H, i32 T, i32 G, i32 lse_stride0,
          i32 lse_stride1, f32 scale) {
  extern __shared__ __align__(1024) u8 shared[];

  // 19: def attention(q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, D],
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 25: m, h, b = grid(cdiv(S, BM), H, B)
  const i32 value = ceil_div(S, 128);

  // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
  const i32 value_2 = H / G;

  // 37: s = where(visible, s * (scale * LOG2E), -inf)
  const f32 value_3 = scale * 1.442695f;

  // 29: for n in range(cdiv(T, BN)):
  const i32 value_4 = max(ceil_div(T, 128), 1);
  const i32 value_5 = value_4 - 1;

  // 27: Q = q[b, rows, h, :]
  const i32 q_shared = shared_address(shared);

  // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
  const i32 k_shared = shared_address(shared + 65536);

  // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
  const i32 v_shared = shared_address(shared + 131072);

  // 44: o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None], 0)
  const i32 o_shared = shared_address(shared + 196608);

  // 19: def attention(q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, D],
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 q_full = shared_address(shared + 229376);
  const i32 q_empty = shared_address(shared + 229392);
  const i32 k_full = shared_address(shared + 229408);
  const i32 k_empty = shared_address(shared + 229424);
  const i32 v_full = shared_address(shared + 229440);
  const i32 v_empty = shared_address(shared + 229456);
  if (thread == 0) {
    tma_prefetch_map(q);
    tma_prefetch_map(k);
    tma_prefetch_map(v);
    tma_prefetch_map(o);
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value_6 = i * 8;
      mbarrier_init(q_full + value_6, 1);
      mbarrier_init(q_empty + value_6, 2);
    }
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value_6 = i * 8;
      mbarrier_init(k_full + value_6, 1);
      mbarrier_init(k_empty + value_6, 2);
    }
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value_6 = i * 8;
      mbarrier_init(v_full + value_6, 1);
      mbarrier_init(v_empty + value_6, 2);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warpgroup < 1) {
    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    decrease_registers<24>();
    if (warp == 0) {
      if (elect_one()) {
        i32 q_slot[1];
        q_slot[0] = 0;
        i32 q_phase[1];
        q_phase[0] = 1;
        const i32 value_6 = value * H;
        const i32 value_7 = H * 16;
        const i32 value_8 = value - ((value - 1) >> 4) * 16;
        const i32 band_reciprocal = reciprocal(value_7);
        const i32 height_reciprocal = reciprocal(value_8);
        const i32 plane_reciprocal = reciprocal(value_6);
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < value_6 * B; tile += i32(gridDim.x)) {
          const i32 value_9 = quotient(tile, value_6, plane_reciprocal);
          const i32 value_10 = tile - value_9 * value_6;
          const i32 value_11 = quotient(value_10, value_7, band_reciprocal);
          const i32 value_12 = value_10 - value_11 * value_7;
          const i32 value_13 = value_11 * 16;
          const bool test = value_13 + 16 <= value;
          const i32 value_14 = value_12 / 16;
          const i32 value_15 = quotient(value_12, value_8, height_reciprocal);
          const i32 value_16 = value_13 + (test ? value_12 - value_14 * 16 : value_12 - value_15 * value_8);

          // 27: Q = q[b, rows, h, :]
          const i32 slot = q_slot[0];
          const i32 phase = q_phase[0];
          const i32 value_17 = slot * 8;
          const i32 value_18 = q_full + value_17;
          mbarrier_wait(q_empty + value_17, phase);
          mbarrier_arrive_expect_tx(value_18, 32768);
          const i32 value_19 = slot + 1;
          const bool test_2 = value_19 == 2;
          q_slot[0] = test_2 ? 0 : value_19;
          q_phase[0] = test_2 ? phase ^ 1 : phase;

          // 25: m, h, b = grid(cdiv(S, BM), H, B)
          const i32 value_20 = test ? value_14 : value_15;

          // 26: rows = block(m, BM)
          const i32 rows = value_16 * 128;

          // 27: Q = q[b, rows, h, :]
          const i32 q_shared_2 = q_shared + slot * 32768;
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            tma_load_4d(q_shared_2 + i * 16384, q, value_9, rows, value_20, i * 64, value_18);
          }
        }
        const i32 slot = q_slot[0];
        const i32 phase = q_phase[0];
        const i32 value_9 = slot * 8;
        const i32 value_10 = q_full + value_9;
        mbarrier_wait(q_empty + value_9, phase);
        mbarrier_arrive_expect_tx(value_10, 32768);
        const i32 value_11 = slot + 1;
        const bool test = value_11 == 2;
        q_slot[0] = test ? 0 : value_11;
        q_phase[0] = test ? phase ^ 1 : phase;
        const i32 q_shared_2 = q_shared + slot * 32768;
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          tma_load_4d(q_shared_2 + i * 16384, q, 0, 0, 0, i * 64, value_10);
        }
      }
    }

    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    if (warp == 1) {
      if (elect_one()) {
        i32 k_slot[1];
        k_slot[0] = 0;
        i32 k_phase[1];
        k_phase[0] = 1;
        const i32 value_6 = value * H;
        const i32 value_7 = H * 16;
        const i32 value_8 = value - ((value - 1) >> 4) * 16;
        const i32 band_reciprocal = reciprocal(value_7);
        const i32 height_reciprocal = reciprocal(value_8);
        const i32 plane_reciprocal = reciprocal(value_6);
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < value_6 * B; tile += i32(gridDim.x)) {
          const i32 value_9 = quotient(tile, value_6, plane_reciprocal);
          const i32 value_10 = tile - value_9 * value_6;
          const i32 value_11 = quotient(value_10, value_7, band_reciprocal);
          const i32 value_12 = value_10 - value_11 * value_7;
          const i32 value_13 = quotient(value_12, value_8, height_reciprocal);

          // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
          const i32 value_14 = (value_11 * 16 + 16 <= value ? value_12 / 16 : value_13) / value_2;

          // 29: for n in range(cdiv(T, BN)):
          #pragma unroll 1
          for (i32 n = 0; n < value_4; ++n) {
            // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
            const i32 slot = k_slot[0];
            const i32 phase = k_phase[0];
            const i32 value_15 = slot * 8;
            const i32 value_16 = k_full + value_15;
            mbarrier_wait(k_empty + value_15, phase);
            mbarrier_arrive_expect_tx(value_16, 32768);
            const i32 value_17 = slot + 1;
            const bool test = value_17 == 2;
            k_slot[0] = test ? 0 : value_17;
            k_phase[0] = test ? phase ^ 1 : phase;

            // 30: cols = block(n, BN)
            const i32 cols = (value_5 - n) * 128;

            // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
            const i32 k_shared_2 = k_shared + slot * 32768;
            #pragma unroll
            for (i32 i = 0; i < 2; ++i) {
              tma_load_4d(k_shared_2 + i * 16384, k, value_9, cols, value_14, i * 64, value_16);
            }
          }
        }
        const i32 slot = k_slot[0];
        const i32 phase = k_phase[0];
        const i32 value_9 = slot * 8;
        const i32 value_10 = k_full + value_9;
        mbarrier_wait(k_empty + value_9, phase);
        mbarrier_arrive_expect_tx(value_10, 32768);
        const i32 value_11 = slot + 1;
        const bool test = value_11 == 2;
        k_slot[0] = test ? 0 : value_11;
        k_phase[0] = test ? phase ^ 1 : phase;
        const i32 k_shared_2 = k_shared + slot * 32768;
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          tma_load_4d(k_shared_2 + i * 16384, k, 0, 0, 0, i * 64, value_10);
        }
      }
    }

    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    if (warp == 2) {
      if (elect_one()) {
        i32 v_slot[1];
        v_slot[0] = 0;
        i32 v_phase[1];
        v_phase[0] = 1;
        const i32 value_6 = value * H;
        const i32 value_7 = H * 16;
        const i32 value_8 = value - ((value - 1) >> 4) * 16;
        const i32 band_reciprocal = reciprocal(value_7);
        const i32 height_reciprocal = reciprocal(value_8);
        const i32 plane_reciprocal = reciprocal(value_6);
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < value_6 * B; tile += i32(gridDim.x)) {
          const i32 value_9 = quotient(tile, value_6, plane_reciprocal);
          const i32 value_10 = tile - value_9 * value_6;
          const i32 value_11 = quotient(value_10, value_7, band_reciprocal);
          const i32 value_12 = value_10 - value_11 * value_7;
          const i32 value_13 = quotient(value_12, value_8, height_reciprocal);

          // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
          const i32 value_14 = (value_11 * 16 + 16 <= value ? value_12 / 16 : value_13) / value_2;

          // 29: for n in range(cdiv(T, BN)):
          #pragma unroll 1
          for (i32 n = 0; n < value_4; ++n) {
            // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
            const i32 slot = v_slot[0];
            const i32 phase = v_phase[0];
            const i32 value_15 = slot * 8;
            const i32 value_16 = v_full + value_15;
            mbarrier_wait(v_empty + value_15, phase);
            mbarrier_arrive_expect_tx(value_16, 32768);
            const i32 value_17 = slot + 1;
            const bool test = value_17 == 2;
            v_slot[0] = test ? 0 : value_17;
            v_phase[0] = test ? phase ^ 1 : phase;

            // 30: cols = block(n, BN)
            const i32 cols = (value_5 - n) * 128;

            // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
            const i32 v_shared_2 = v_shared + slot * 32768;
            #pragma unroll
            for (i32 i = 0; i < 2; ++i) {
              tma_load_4d(v_shared_2 + i * 16384, v, value_9, cols, value_14, i * 64, value_16);
            }
          }
        }
      }
    }
  } else {
    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    increase_registers<240>();
    const i32 own_warp = warp - 4;

    // 19: def attention(q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, D],
    const i32 thread_row = lane & 3;
    const i32 thread_row_2 = own_warp * 16;
    const i32 thread_row_3 = (lane >> 2) + thread_row_2;

    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    i32 q_slot[1];
    q_slot[0] = 0;
    i32 q_phase[1];
    q_phase[0] = 0;
    i32 k_slot[1];
    k_slot[0] = 0;
    i32 k_phase[1];
    k_phase[0] = 0;
    i32 v_slot[1];
    v_slot[0] = 0;
    i32 v_phase[1];
    v_phase[0] = 0;

    // 27: Q = q[b, rows, h, :]
    const i32 slot = q_slot[0];
    const i32 phase = q_phase[0];
    mbarrier_wait(q_full + slot * 8, phase);
    const i32 value_6 = slot + 1;
    const bool test = value_6 == 2;
    q_slot[0] = test ? 0 : value_6;
    q_phase[0] = test ? phase ^ 1 : phase;

    // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
    const i32 slot_2 = k_slot[0];
    const i32 phase_2 = k_phase[0];
    const i32 value_7 = slot_2 * 8;
    mbarrier_wait(k_full + value_7, phase_2);
    const i32 value_8 = slot_2 + 1;
    const bool test_2 = value_8 == 2;
    k_slot[0] = test_2 ? 0 : value_8;
    k_phase[0] = test_2 ? phase_2 ^ 1 : phase_2;
    f32 s[64];
    const i32 value_9 = own_warp >> 2;
    const i32 value_10 = value_9 * 8192;
    wgmma_fence();
    const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(q_shared + slot * 32768 + value_10);
    const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(k_shared + slot_2 * 32768);
    #pragma unroll
    for (i32 i = 0; i < 8; ++i) {
      const i32 value_11 = (i >> 2) * 16384 + ((i * 16) & 63) * 2;
      const i64 value_12 = advance_descriptor(a_descriptor, value_11);
      wgmma_m64n128k16_bf16(s, value_12, advance_descriptor(b_descriptor, value_11), i > 0);
    }
    wgmma_commit();
    wgmma_wait<0>(s);
    const bool test_3 = group_thread < 1;
    if (test_3) {
      mbarrier_arrive(k_empty + value_7);
    }

    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    i32 Q_number[1];
    Q_number[0] = slot;
    const i32 value_11 = value * H;
    const i32 value_12 = H * 16;
    const i32 value_13 = value - ((value - 1) >> 4) * 16;

    // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
    f32 s_2[64];

    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    #pragma unroll
    for (i32 i = 0; i < 64; ++i) {
      s_2[i] = s[i];
    }

    // 44: o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None], 0)
    const bool test_4 = group_thread == 0;
    const i32 value_14 = warpgroup + 1;
    const i32 value_15 = ((lane & 15) + thread_row_2) * 128;

    // 19: def attention(q: Tensor[E, B, S, H, D], k: Tensor[E, B, T, G, D], v: Tensor[E, B, T, G, D],
    const i32 thread_col = (lane >> 4) * 8;

    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    const i32 band_reciprocal = reciprocal(value_12);
    const i32 height_reciprocal = reciprocal(value_13);
    const i32 plane_reciprocal = reciprocal(value_11);

    // 37: s = where(visible, s * (scale * LOG2E), -inf)
    const i32 value_16 = T - (value_5 * 128 + thread_row * 2);

    // 45: lse[b, h, rows] = (peak + log2(total)) / LOG2E
    const bool test_5 = thread_row == 0;

    // 44: o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None], 0)
    const i32 value_17 = value_9 * 64;
    const i32 value_18 = i32(u32(value_15) >> 3) & 112;

    // 25: m, h, b = grid(cdiv(S, BM), H, B)
    #pragma unroll 1
    for (i32 tile = i32(blockIdx.x); tile < value_11 * B; tile += i32(gridDim.x)) {
      const i32 value_19 = quotient(tile, value_11, plane_reciprocal);
      const i32 value_20 = tile - value_19 * value_11;
      const i32 value_21 = quotient(value_20, value_12, band_reciprocal);
      const i32 value_22 = value_20 - value_21 * value_12;
      const i32 value_23 = value_21 * 16;
      const bool test_6 = value_23 + 16 <= value;
      const i32 value_24 = value_22 / 16;
      const i32 value_25 = quotient(value_22, value_13, height_reciprocal);
      const i32 value_26 = test_6 ? value_24 : value_25;
      const i32 value_27 = Q_number[0];

      // 37: s = where(visible, s * (scale * LOG2E), -inf)
      f32 s_3[64];
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        const i32 value_28 = (i & 1) + (i >> 2) * 2;
        s_3[i] = (value_28 & 1) + (value_28 >> 1) * 8 < value_16 ? s_2[i] : -kInf;
      }

      // 38: best = maximum(peak, max(s, axis=1))  # finite from the first: no inf - inf
      i32 bound[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        bound[i] = 0;
      }
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        const i32 value_28 = (i >> 1) & 1;
        bound[value_28] = max(bound[value_28], __float_as_int(s_3[i]));
      }
      f32 peak[2];
      f32 shrink[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak[i] = -3.4028235e+38f;
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        shrink[i] = 1.0f;
      }
      const bool test_7 = __int_as_float(bound[0]) * value_3 - peak[0] > 8.0f;
      const bool test_8 = vote_any(test_7 || __int_as_float(bound[1]) * value_3 - peak[1] > 8.0f);
      if (test_8) {
        f32 high[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          high[i] = -kInf;
        }
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          const i32 value_28 = i * 2;
          const i32 value_29 = i & 1;
          high[value_29] = max_nan(high[value_29], max_nan(s_3[value_28], s_3[value_28 + 1]));
        }
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          high[i] = max_nan(high[i], shuffle_xor(high[i], 1));
        }
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          high[i] = max_nan(high[i], shuffle_xor(high[i], 2));
        }
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          const f32 value_28 = high[i] * value_3;
          const f32 value_29 = peak[i];
          const f32 value_30 = value_28 - value_29 > 8.0f ? value_28 : value_29;
          shrink[i] = exp2_approx(value_29 - value_30);
          peak[i] = value_30;
        }
      }

      // 39: p = exp2(s - best[:, None])
      f32 regs[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        regs[i] = -peak[i];
      }
      f32 p[64];
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        p[i] = exp2_approx(fmaf(s_3[i], value_3, regs[(i >> 1) & 1]));
      }

      // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
      bf16x2 regs_2[32];
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        const i32 value_28 = i * 2;
        regs_2[i] = pack_bf16(p[value_28], p[value_28 + 1]);
      }

      // 41: total = total * shrink + sum(p, axis=1)
      f32 total[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total[i] = 0.0f;
      }
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        const i32 value_28 = i * 2;
        const i32 value_29 = i & 1;
        total[value_29] = total[value_29] + (p[value_28] + p[value_28 + 1]);
      }
      f32 total_2[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = fmaf(0.0f, shrink[i], total[i]);
      }
      f32 regs_3[64];

      // 29: for n in range(cdiv(T, BN)):
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        regs_3[i] = 0.0f;
      }

      // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
      bf16x2 regs_4[32];

      // 29: for n in range(cdiv(T, BN)):
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        regs_4[i] = regs_2[i];
      }

      // 41: total = total * shrink + sum(p, axis=1)
      f32 total_3[2];

      // 29: for n in range(cdiv(T, BN)):
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_3[i] = total_2[i];
      }

      // 38: best = maximum(peak, max(s, axis=1))  # finite from the first: no inf - inf
      f32 best[2];

      // 29: for n in range(cdiv(T, BN)):
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        best[i] = peak[i];
      }

      // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
      const i64 a_descriptor_2 = matrix_descriptor<16, 1024, 128>(q_shared + value_27 * 32768 + value_10);

      // 29: for n in range(cdiv(T, BN)):
      #pragma unroll 1
      for (i32 n = 1; n < value_4; ++n) {
        // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
        const i32 slot_3 = k_slot[0];
        const i32 phase_3 = k_phase[0];
        const i32 value_28 = slot_3 * 8;
        mbarrier_wait(k_full + value_28, phase_3);
        const i32 value_29 = slot_3 + 1;
        const bool test_9 = value_29 == 2;
        k_slot[0] = test_9 ? 0 : value_29;
        k_phase[0] = test_9 ? phase_3 ^ 1 : phase_3;
        f32 s_4[64];
        wgmma_fence();
        const i64 b_descriptor_2 = matrix_descriptor<16, 1024, 128>(k_shared + slot_3 * 32768);
        #pragma unroll
        for (i32 i = 0; i < 8; ++i) {
          const i32 value_30 = (i >> 2) * 16384 + ((i * 16) & 63) * 2;
          const i64 value_31 = advance_descriptor(a_descriptor_2, value_30);
          wgmma_m64n128k16_bf16(s_4, value_31, advance_descriptor(b_descriptor_2, value_30), i > 0);
        }
        wgmma_commit();

        // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
        const i32 slot_4 = v_slot[0];
        const i32 phase_4 = v_phase[0];
        const i32 value_30 = slot_4 * 8;
        mbarrier_wait(v_full + value_30, phase_4);
        const i32 value_31 = slot_4 + 1;
        const bool test_10 = value_31 == 2;
        v_slot[0] = test_10 ? 0 : value_31;
        v_phase[0] = test_10 ? phase_4 ^ 1 : phase_4;
        f32 acc[64];
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          acc[i] = regs_3[i];
        }
        wgmma_fence(acc, regs_4);
        const i64 b_descriptor_3 = matrix_descriptor<16384, 1024, 128>(v_shared + slot_4 * 32768);
        #pragma unroll
        for (i32 i = 0; i < 8; ++i) {
          wgmma_m64n128k16_bf16_a_regs_trans_b(acc, &regs_4[i * 4], advance_descriptor(b_descriptor_3, i * 2048));
        }
        wgmma_commit();

        // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
        wgmma_wait<1>(s_4);
        if (test_3) {
          mbarrier_arrive(k_empty + value_28);
        }

        // 38: best = maximum(peak, max(s, axis=1))  # finite from the first: no inf - inf
        i32 bound_2[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          bound_2[i] = 0;
        }
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          const i32 value_32 = (i >> 1) & 1;
          bound_2[value_32] = max(bound_2[value_32], __float_as_int(s_4[i]));
        }
        f32 peak_2[2];
        f32 shrink_2[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          peak_2[i] = best[i];
        }
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          shrink_2[i] = 1.0f;
        }
        const bool test_11 = __int_as_float(bound_2[0]) * value_3 - peak_2[0] > 8.0f;
        const bool test_12 = vote_any(test_11 || __int_as_float(bound_2[1]) * value_3 - peak_2[1] > 8.0f);
        if (test_12) {
          f32 high[2];
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            high[i] = -kInf;
          }
          #pragma unroll
          for (i32 i = 0; i < 32; ++i) {
            const i32 value_32 = i * 2;
            const i32 value_33 = i & 1;
            high[value_33] = max_nan(high[value_33], max_nan(s_4[value_32], s_4[value_32 + 1]));
          }
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            high[i] = max_nan(high[i], shuffle_xor(high[i], 1));
          }
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            high[i] = max_nan(high[i], shuffle_xor(high[i], 2));
          }
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            const f32 value_32 = high[i] * value_3;
            const f32 value_33 = peak_2[i];
            const f32 value_34 = value_32 - value_33 > 8.0f ? value_32 : value_33;
            shrink_2[i] = exp2_approx(value_33 - value_34);
            peak_2[i] = value_34;
          }
        }

        // 39: p = exp2(s - best[:, None])
        f32 regs_5[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          regs_5[i] = -peak_2[i];
        }
        f32 p_2[64];
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          p_2[i] = exp2_approx(fmaf(s_4[i], value_3, regs_5[(i >> 1) & 1]));
        }

        // 41: total = total * shrink + sum(p, axis=1)
        f32 total_4[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          total_4[i] = 0.0f;
        }
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          const i32 value_32 = i * 2;
          const i32 value_33 = i & 1;
          total_4[value_33] = total_4[value_33] + (p_2[value_32] + p_2[value_32 + 1]);
        }
        f32 total_5[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          total_5[i] = fmaf(total_3[i], shrink_2[i], total_4[i]);
        }

        // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
        settle(total_5);
        wgmma_wait<0>(acc);
        if (test_3) {
          mbarrier_arrive(v_empty + value_30);
        }
        if (vote_any(shrink_2[0] != 1.0f || shrink_2[1] != 1.0f)) {
          #pragma unroll
          for (i32 i = 0; i < 64; ++i) {
            acc[i] = acc[i] * shrink_2[(i >> 1) & 1];
          }
        }
        bf16x2 regs_6[32];
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          const i32 value_32 = i * 2;
          regs_6[i] = pack_bf16(p_2[value_32], p_2[value_32 + 1]);
        }

        // 29: for n in range(cdiv(T, BN)):
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          regs_3[i] = acc[i];
        }
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          regs_4[i] = regs_6[i];
        }
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          total_3[i] = total_5[i];
        }
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          best[i] = peak_2[i];
        }
      }

      // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
      if (test_3) {
        mbarrier_arrive(q_empty + value_27 * 8);
      }

      // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
      const i32 slot_3 = v_slot[0];
      const i32 phase_3 = v_phase[0];
      const i32 value_28 = slot_3 * 8;
      mbarrier_wait(v_full + value_28, phase_3);
      const i32 value_29 = slot_3 + 1;
      const bool test_9 = value_29 == 2;
      v_slot[0] = test_9 ? 0 : value_29;
      v_phase[0] = test_9 ? phase_3 ^ 1 : phase_3;
      wgmma_fence(regs_3, regs_4);
      const i64 b_descriptor_2 = matrix_descriptor<16384, 1024, 128>(v_shared + slot_3 * 32768);
      #pragma unroll
      for (i32 i = 0; i < 8; ++i) {
        wgmma_m64n128k16_bf16_a_regs_trans_b(regs_3, &regs_4[i * 4], advance_descriptor(b_descriptor_2, i * 2048));
      }
      wgmma_commit();

      // 27: Q = q[b, rows, h, :]
      const i32 slot_4 = q_slot[0];
      const i32 phase_4 = q_phase[0];
      mbarrier_wait(q_full + slot_4 * 8, phase_4);
      const i32 value_30 = slot_4 + 1;
      const bool test_10 = value_30 == 2;
      q_slot[0] = test_10 ? 0 : value_30;
      q_phase[0] = test_10 ? phase_4 ^ 1 : phase_4;

      // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
      const i32 slot_5 = k_slot[0];
      const i32 phase_5 = k_phase[0];
      const i32 value_31 = slot_5 * 8;
      mbarrier_wait(k_full + value_31, phase_5);
      const i32 value_32 = slot_5 + 1;
      const bool test_11 = value_32 == 2;
      k_slot[0] = test_11 ? 0 : value_32;
      k_phase[0] = test_11 ? phase_5 ^ 1 : phase_5;
      f32 s_4[64];
      wgmma_fence();
      const i64 a_descriptor_3 = matrix_descriptor<16, 1024, 128>(q_shared + slot_4 * 32768 + value_10);
      const i64 b_descriptor_3 = matrix_descriptor<16, 1024, 128>(k_shared + slot_5 * 32768);
      #pragma unroll
      for (i32 i = 0; i < 8; ++i) {
        const i32 value_33 = (i >> 2) * 16384 + ((i * 16) & 63) * 2;
        const i64 value_34 = advance_descriptor(a_descriptor_3, value_33);
        wgmma_m64n128k16_bf16(s_4, value_34, advance_descriptor(b_descriptor_3, value_33), i > 0);
      }
      wgmma_commit();

      // 41: total = total * shrink + sum(p, axis=1)
      f32 total_4[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_4[i] = 0.0f;
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_4[i] = total_4[i] + total_3[i];
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_4[i] = total_4[i] + shuffle_xor(total_4[i], 1);
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_4[i] = total_4[i] + shuffle_xor(total_4[i], 2);
      }

      // 44: o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None], 0)
      bool regs_5[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        regs_5[i] = total_4[i] > 0.0f;
      }
      f32 regs_6[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        regs_6[i] = divide(1.0f, total_4[i]);
      }

      // 25: m, h, b = grid(cdiv(S, BM), H, B)
      const i32 value_33 = value_23 + (test_6 ? value_22 - value_24 * 16 : value_22 - value_25 * value_13);

      // 26: rows = block(m, BM)
      const i32 rows = value_33 * 128;

      // 45: lse[b, h, rows] = (peak + log2(total)) / LOG2E
      const i32 value_34 = value_19 * lse_stride0 + value_26 * lse_stride1;
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        f32 regs_7[1];
        regs_7[0] = (best[i] + log2_approx(total_4[i])) * 0.6931472f;
        const i32 value_35 = i * 8;
        const bool inside = test_5 && S - (rows + thread_row_3 + value_35) > 0;
        store_global_b32(lse + (value_34 + rows + value_35 + thread_row_3), regs_7, inside);
      }

      // 42: acc = acc * shrink[:, None] + dot(p.to(E), v[b, cols, h // (H // G), :])
      settle(regs_6);
      wgmma_wait<1>(regs_3);
      if (test_3) {
        mbarrier_arrive(v_empty + value_28);
      }

      // 44: o[b, rows, h, :] = where(total[:, None] > 0, acc / total[:, None], 0)
      f32 regs_7[64];
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        regs_7[i] = regs_3[i] * regs_6[(i >> 1) & 1];
      }
      if (vote_any(!regs_5[0] || !regs_5[1])) {
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          regs_7[i] = regs_5[(i >> 1) & 1] ? regs_7[i] : 0.0f;
        }
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        const i32 value_35 = o_shared + (i & 1) * 16384;
        if (test_4) {
          bulk_wait_read<1>();
        }
        named_barrier_sync(value_14, 128);
        const i32 value_36 = value_35 + value_15;
        const i32 value_37 = ((i * 8) & 15) * 4;
        #pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          bf16x2 regs_8[4];
          const i32 value_38 = ((j * 2) & 7) * 4 + value_37;
          #pragma unroll
          for (i32 l = 0; l < 4; ++l) {
            const i32 value_39 = value_38 + l * 2;
            regs_8[l] = pack_bf16(regs_7[value_39], regs_7[value_39 + 1]);
          }
          stmatrix_x4(value_36 + (((thread_col + j * 16) * 2) ^ value_18), regs_8);
        }
        fence_async_shared();
        named_barrier_sync(value_14, 128);
        if (test_4) {
          tma_store_4d(o, value_19, rows + value_17, value_26, i * 64, value_35 + value_10);
          bulk_commit();
        }
      }

      // 31: s = dot(Q, k[b, cols, h // (H // G), :].T)
      wgmma_wait<0>(s_4);
      if (test_3) {
        mbarrier_arrive(k_empty + value_31);
      }

      // 25: m, h, b = grid(cdiv(S, BM), H, B)
      Q_number[0] = slot_4;
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        s_2[i] = s_4[i];
      }
    }
    const i32 value_19 = q_empty + Q_number[0] * 8;
    if (test_3) {
      mbarrier_arrive(value_19);
    }
    if (test_4) {
      bulk_wait_read<0>();
    }
  }
}
