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

#define kNaN __int_as_float(0x7fc00000)

// Sets a register of 1 to 8 bytes from the low bits of `low` and, if it has 8 bytes, from `high`.
__device__ __forceinline__ void read_bits(bool &to, u32 low, u32 high) { to = u8(low); }
__device__ __forceinline__ void read_bits(i8 &to, u32 low, u32 high) { to = i8(low); }
__device__ __forceinline__ void read_bits(u8 &to, u32 low, u32 high) { to = u8(low); }
__device__ __forceinline__ void read_bits(i16 &to, u32 low, u32 high) { to = i16(low); }
__device__ __forceinline__ void read_bits(u16 &to, u32 low, u32 high) { to = u16(low); }
__device__ __forceinline__ void read_bits(i32 &to, u32 low, u32 high) { to = i32(low); }
__device__ __forceinline__ void read_bits(u32 &to, u32 low, u32 high) { to = low; }
__device__ __forceinline__ void read_bits(f32 &to, u32 low, u32 high) { to = __uint_as_float(low); }
__device__ __forceinline__ void read_bits(i64 &to, u32 low, u32 high) {
  to = i64(low | u64(high) << 32);
}

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

// Spreads `kBytes` bytes of words over registers.
template <int kBytes, typename T>
__device__ __forceinline__ void unpack_words(T *to, const u32 *words) {
  constexpr int kSize = sizeof(T);
#pragma unroll
  for (int i = 0; i < kBytes / kSize; ++i) {
    const int byte = i * kSize;
    read_bits(to[i], words[byte / 4] >> 8 * (byte % 4), kSize == 8 ? words[byte / 4 + 1] : 0);
  }
}

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

__device__ __forceinline__ f32 f16_to_f32(f16 x) {
  f32 wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x));
  return wide;
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

__device__ __forceinline__ f32 f8e4m3_to_f32(f8e4m3 x) {
#if __CUDA_ARCH__ >= 890
  f16x2 pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(u16(x)));
  return f16_to_f32(u16(pair));
#else
  // The exponent moves by 127 - 7; multiplying does that for subnormals too.
  const f32 magnitude = __uint_as_float((x & 0x7f) << 20) * 0x1p120f;
  const f32 wide = (x & 0x7f) == 0x7f ? kNaN : magnitude;
  return x & 0x80 ? -wide : wide;
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

__device__ __forceinline__ f32 unpack_f8e4m3(f8e4m3x4 word, i32 i) {
#if __CUDA_ARCH__ >= 890
  f16x2 pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(u16(word >> 16 * (i / 2))));
  return f16_to_f32(u16(pair >> 16 * (i % 2)));
#else
  return f8e4m3_to_f32(u8(word >> 8 * i));
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
__device__ __forceinline__ void load_shared_b32(T *to, i32 from) {
  u32 words[1];
  asm volatile("ld.shared.b32 %0, [%1];"
               : "=r"(words[0])
               : "r"(from));
  unpack_words<4>(to, words);
}

template <typename T>
__device__ __forceinline__ void load_shared_b128(T *to, i32 from) {
  u32 words[4];
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from));
  unpack_words<16>(to, words);
}

template <typename T>
__device__ __forceinline__ void store_shared_b128(i32 to, const T *from, bool inside = true) {
  u32 words[4];
  pack_words<16>(words, from);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %5, 0;\n\t"
               "@inside st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "}"
               :
               : "r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]),
                 "r"(i32(inside)));
}
// f32 as it is: taken as words, sums of a warpgroup would be moved while products are under way.
__device__ __forceinline__ void store_shared_b128(i32 to, const f32 *from, bool inside = true) {
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %5, 0;\n\t"
               "@inside st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
               "}"
               :
               : "r"(to), "f"(from[0]), "f"(from[1]), "f"(from[2]), "f"(from[3]),
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

// Starts the copy of a box to shared memory.
__device__ __forceinline__ void tma_load_2d(i32 to, const TensorMap &map, i32 x0, i32 x1, i32 barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %2}], [%4];"
               :
               : "r"(to), "l"(&map), "r"(x0), "r"(x1), "r"(barrier)
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

extern "C" __global__ void __launch_bounds__(512, 1)
matmul_mixed(const __grid_constant__ TensorMap c, const __grid_constant__ TensorMap b,
             const __grid_constant__ TensorMap b_scales, const __grid_constant__ TensorMap a,
             i32 M, i32 K, i32 N, i32 KB) {
  extern __shared__ __align__(1024) u8 shared[];

  // 15: def matmul_mixed(a: Tensor[E, M, K], b: Tensor[Q, N, K], b_scales: Tensor[f32, KB, N], c: Tensor[E, M, N],
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 19: assert KB == cdiv(K, group), "b_scales must have a row for every `group` columns of b"
  const i32 value = ceil_div(K, 64);

  // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
  const i32 value_2 = ceil_div(M, 128);
  const i32 value_3 = ceil_div(N, 128);

  // 28: acc += dot(a[rows, depth], w.to(E).T)
  const i32 a_shared = shared_address(shared);

  // 27: w = b[cols, depth].to(f32) * scales[:, None]
  const i32 b_shared = shared_address(shared + 81920);

  // 26: scales = b_scales[k * BK // group, cols]
  const i32 b_scales_shared = shared_address(shared + 114688);

  // 28: acc += dot(a[rows, depth], w.to(E).T)
  const i32 t1_shared = shared_address(shared + 116736);

  // 29: c[rows, cols] = acc
  const i32 c_shared = shared_address(shared + 165888);

  // 15: def matmul_mixed(a: Tensor[E, M, K], b: Tensor[Q, N, K], b_scales: Tensor[f32, KB, N], c: Tensor[E, M, N],
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 a_full = shared_address(shared + 198656);
  const i32 a_empty = shared_address(shared + 198696);
  const i32 b_full = shared_address(shared + 198736);
  const i32 b_empty = shared_address(shared + 198768);
  const i32 t1_full = shared_address(shared + 198800);
  const i32 t1_empty = shared_address(shared + 198824);
  if (thread == 0) {
    tma_prefetch_map(c);
    tma_prefetch_map(b);
    tma_prefetch_map(b_scales);
    tma_prefetch_map(a);
    #pragma unroll
    for (i32 i = 0; i < 5; ++i) {
      const i32 value_4 = i * 8;
      mbarrier_init(a_full + value_4, 1);
      mbarrier_init(a_empty + value_4, 2);
    }
    #pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const i32 value_4 = i * 8;
      mbarrier_init(b_full + value_4, 1);
      mbarrier_init(b_empty + value_4, 4);
    }
    #pragma unroll
    for (i32 i = 0; i < 3; ++i) {
      const i32 value_4 = i * 8;
      mbarrier_init(t1_full + value_4, 4);
      mbarrier_init(t1_empty + value_4, 2);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warpgroup < 2) {
    // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    increase_registers<160>();
    i32 t1_slot[1];
    t1_slot[0] = 0;
    i32 t1_phase[1];
    t1_phase[0] = 0;
    i32 a_slot[1];
    a_slot[0] = 0;
    i32 a_phase[1];
    a_phase[0] = 0;
    const i32 value_4 = value_3 * 16;
    const i32 value_5 = value_2 - ((value_2 - 1) >> 4) * 16;

    // 28: acc += dot(a[rows, depth], w.to(E).T)
    const i32 value_6 = warpgroup * 8192;
    const bool test = group_thread < 1;
    const bool test_2 = value > 0 && test;

    // 29: c[rows, cols] = acc
    const bool test_3 = group_thread == 0;
    const i32 value_7 = warpgroup + 1;
    const i32 value_8 = ((lane & 15) + warp * 16) * 128;

    // 15: def matmul_mixed(a: Tensor[E, M, K], b: Tensor[Q, N, K], b_scales: Tensor[f32, KB, N], c: Tensor[E, M, N],
    const i32 thread_col = (lane >> 4) * 8;

    // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    const i32 band_reciprocal = reciprocal(value_4);
    const i32 height_reciprocal = reciprocal(value_5);

    // 28: acc += dot(a[rows, depth], w.to(E).T)
    const bool test_4 = value <= 0;

    // 29: c[rows, cols] = acc
    const i32 value_9 = warpgroup * 64;
    const i32 value_10 = i32(u32(value_8) >> 3) & 112;

    // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    #pragma unroll 1
    for (i32 tile = i32(blockIdx.x); tile < value_2 * value_3; tile += i32(gridDim.x)) {
      const i32 value_11 = quotient(tile, value_4, band_reciprocal);
      const i32 value_12 = tile - value_11 * value_4;
      const i32 value_13 = value_11 * 16;
      const bool test_5 = value_13 + 16 <= value_2;
      const i32 value_14 = value_12 / 16;
      const i32 value_15 = quotient(value_12, value_5, height_reciprocal);
      const i32 value_16 = value_13 + (test_5 ? value_12 - value_14 * 16 : value_12 - value_15 * value_5);

      // 28: acc += dot(a[rows, depth], w.to(E).T)
      f32 acc[64];

      // 24: for k in range(cdiv(K, BK)):
      i32 held_slot[1];
      i32 held_slot_2[1];
      held_slot[0] = 0;
      held_slot_2[0] = 0;
      #pragma unroll 1
      for (i32 k = 0; k < value; ++k) {
        const bool later = k > 0;

        // 28: acc += dot(a[rows, depth], w.to(E).T)
        const i32 slot = t1_slot[0];
        const i32 phase = t1_phase[0];
        mbarrier_wait(t1_full + slot * 8, phase);
        const i32 value_17 = slot + 1;
        const bool test_6 = value_17 == 3;
        t1_slot[0] = test_6 ? 0 : value_17;
        t1_phase[0] = test_6 ? phase ^ 1 : phase;
        const i32 slot_2 = a_slot[0];
        const i32 phase_2 = a_phase[0];
        mbarrier_wait(a_full + slot_2 * 8, phase_2);
        const i32 value_18 = slot_2 + 1;
        const bool test_7 = value_18 == 5;
        a_slot[0] = test_7 ? 0 : value_18;
        a_phase[0] = test_7 ? phase_2 ^ 1 : phase_2;
        wgmma_fence();

        // 24: for k in range(cdiv(K, BK)):
        const i32 value_19 = held_slot[0];
        const i32 value_20 = held_slot_2[0];

        // 28: acc += dot(a[rows, depth], w.to(E).T)
        const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(a_shared + slot_2 * 16384 + value_6);
        const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(t1_shared + slot * 16384);
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          const i32 value_21 = i * 32;
          const i64 value_22 = advance_descriptor(a_descriptor, value_21);
          wgmma_m64n128k16_bf16(acc, value_22, advance_descriptor(b_descriptor, value_21), later || i > 0);
        }
        wgmma_commit();
        wgmma_wait<1>();
        const bool test_8 = later && test;
        if (test_8) {
          mbarrier_arrive(a_empty + value_19 * 8);
        }
        if (test_8) {
          mbarrier_arrive(t1_empty + value_20 * 8);
        }

        // 24: for k in range(cdiv(K, BK)):
        held_slot[0] = slot_2;
        held_slot_2[0] = slot;
      }

      // 28: acc += dot(a[rows, depth], w.to(E).T)
      wgmma_wait<0>(acc);

      // 24: for k in range(cdiv(K, BK)):
      const i32 value_17 = held_slot_2[0];

      // 28: acc += dot(a[rows, depth], w.to(E).T)
      const i32 value_18 = a_empty + held_slot[0] * 8;
      if (test_2) {
        mbarrier_arrive(value_18);
      }
      if (test_2) {
        mbarrier_arrive(t1_empty + value_17 * 8);
      }
      if (test_4) {
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          acc[i] = 0.0f;
        }
        pin_registers(acc);
      }

      // 22: rows, cols = block(m, BM), block(n, BN)
      const i32 rows = value_16 * 128;
      const i32 cols = (test_5 ? value_14 : value_15) * 128;

      // 29: c[rows, cols] = acc
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        const i32 value_19 = c_shared + (i & 1) * 16384;
        if (test_3) {
          bulk_wait_read<1>();
        }
        named_barrier_sync(value_7, 128);
        const i32 value_20 = value_19 + value_8;
        const i32 value_21 = ((i * 8) & 15) * 4;
        #pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          bf16x2 regs[4];
          const i32 value_22 = ((j * 2) & 7) * 4 + value_21;
          #pragma unroll
          for (i32 k = 0; k < 4; ++k) {
            const i32 value_23 = value_22 + k * 2;
            regs[k] = pack_bf16(acc[value_23], acc[value_23 + 1]);
          }
          stmatrix_x4(value_20 + (((thread_col + j * 16) * 2) ^ value_10), regs);
        }
        fence_async_shared();
        named_barrier_sync(value_7, 128);
        if (test_3) {
          tma_store_2d(c, rows + value_9, cols + i * 64, value_19 + value_6);
          bulk_commit();
        }
      }
    }

    // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    if (test_3) {
      bulk_wait_read<0>();
    }
  } else {
    // 15: def matmul_mixed(a: Tensor[E, M, K], b: Tensor[Q, N, K], b_scales: Tensor[f32, KB, N], c: Tensor[E, M, N],
    if (warpgroup < 3) {
      // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
      decrease_registers<120>();

      // 15: def matmul_mixed(a: Tensor[E, M, K], b: Tensor[Q, N, K], b_scales: Tensor[f32, KB, N], c: Tensor[E, M, N],
      const i32 thread_row = (lane >> 2) + (warp - 8) * 8;
      const i32 thread_col = (lane & 3) * 16;

      // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
      i32 b_slot[1];
      b_slot[0] = 0;
      i32 b_phase[1];
      b_phase[0] = 0;
      i32 t1_slot[1];
      t1_slot[0] = 0;
      i32 t1_phase[1];
      t1_phase[0] = 1;

      // 27: w = b[cols, depth].to(f32) * scales[:, None]
      const bool test = lane < 1;

      // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
      #pragma unroll 1
      for (i32 tile = i32(blockIdx.x); tile < value_2 * value_3; tile += i32(gridDim.x)) {
        // 24: for k in range(cdiv(K, BK)):
        #pragma unroll 1
        for (i32 k = 0; k < value; ++k) {
          // 27: w = b[cols, depth].to(f32) * scales[:, None]
          const i32 slot = b_slot[0];
          const i32 phase = b_phase[0];
          const i32 value_4 = slot * 8;
          mbarrier_wait(b_full + value_4, phase);
          const i32 value_5 = slot + 1;
          const bool test_2 = value_5 == 4;
          b_slot[0] = test_2 ? 0 : value_5;
          b_phase[0] = test_2 ? phase ^ 1 : phase;
          f8e4m3x4 regs[16];
          const i32 b_shared_2 = b_shared + slot * 8192;
          #pragma unroll
          for (i32 i = 0; i < 4; ++i) {
            const i32 value_6 = (thread_row + i * 32) * 64;
            const i32 address = b_shared_2 + value_6 + (thread_col ^ (i32(u32(value_6) >> 3) & 48));
            load_shared_b128(&regs[i * 4], address);
          }

          // 26: scales = b_scales[k * BK // group, cols]
          f32 scales[4];
          const i32 b_scales_shared_2 = b_scales_shared + slot * 512;
          #pragma unroll
          for (i32 i = 0; i < 4; ++i) {
            load_shared_b32(&scales[i], b_scales_shared_2 + (thread_row + i * 32) * 4);
          }

          // 27: w = b[cols, depth].to(f32) * scales[:, None]
          __syncwarp();
          if (test) {
            mbarrier_arrive(b_empty + value_4);
          }

          // 28: acc += dot(a[rows, depth], w.to(E).T)
          bf16x2 regs_2[32];
          #pragma unroll
          for (i32 i = 0; i < 32; ++i) {
            const i32 value_6 = i * 2;
            const i32 value_7 = value_6 + 1;
            const f32 value_8 = unpack_f8e4m3(regs[value_7 >> 2], value_7 & 3) * scales[value_7 >> 4];
            const bf16x2 word = pack_bf16(unpack_f8e4m3(regs[i >> 1], value_6 & 3) * scales[i >> 3], value_8);
            regs_2[i] = word;
          }
          const i32 slot_2 = t1_slot[0];
          const i32 phase_2 = t1_phase[0];
          const i32 value_6 = slot_2 * 8;
          mbarrier_wait(t1_empty + value_6, phase_2);
          const i32 value_7 = slot_2 + 1;
          const bool test_3 = value_7 == 3;
          t1_slot[0] = test_3 ? 0 : value_7;
          t1_phase[0] = test_3 ? phase_2 ^ 1 : phase_2;
          const i32 t1_shared_2 = t1_shared + slot_2 * 16384;
          #pragma unroll
          for (i32 i = 0; i < 8; ++i) {
            const i32 value_8 = (thread_row + (i >> 1) * 32) * 128;
            const i32 value_9 = ((thread_col + ((i * 8) & 15)) * 2) ^ (i32(u32(value_8) >> 3) & 112);
            store_shared_b128(t1_shared_2 + value_8 + value_9, &regs_2[i * 4]);
          }
          fence_async_shared();
          __syncwarp();
          if (test) {
            mbarrier_arrive(t1_full + value_6);
          }
        }
      }
    } else {
      // 21: m, n = grid(cdiv(M, BM), cdiv(N, BN))
      decrease_registers<40>();
      if (warp == 12) {
        if (elect_one()) {
          i32 b_slot[1];
          b_slot[0] = 0;
          i32 b_phase[1];
          b_phase[0] = 1;
          i32 a_slot[1];
          a_slot[0] = 0;
          i32 a_phase[1];
          a_phase[0] = 1;
          const i32 value_4 = value_3 * 16;
          const i32 value_5 = value_2 - ((value_2 - 1) >> 4) * 16;
          const i32 band_reciprocal = reciprocal(value_4);
          const i32 height_reciprocal = reciprocal(value_5);
          #pragma unroll 1
          for (i32 tile = i32(blockIdx.x); tile < value_2 * value_3; tile += i32(gridDim.x)) {
            const i32 value_6 = quotient(tile, value_4, band_reciprocal);
            const i32 value_7 = tile - value_6 * value_4;
            const i32 value_8 = value_6 * 16;
            const bool test = value_8 + 16 <= value_2;
            const i32 value_9 = value_7 / 16;
            const i32 value_10 = quotient(value_7, value_5, height_reciprocal);
            const i32 value_11 = value_8 + (test ? value_7 - value_9 * 16 : value_7 - value_10 * value_5);

            // 22: rows, cols = block(m, BM), block(n, BN)
            const i32 cols = (test ? value_9 : value_10) * 128;
            const i32 rows = value_11 * 128;

            // 24: for k in range(cdiv(K, BK)):
            #pragma unroll 1
            for (i32 k = 0; k < value; ++k) {
              // 25: depth = block(k, BK)
              const i32 depth = k * 64;

              // 27: w = b[cols, depth].to(f32) * scales[:, None]
              const i32 slot = b_slot[0];
              const i32 phase = b_phase[0];
              const i32 value_12 = slot * 8;
              const i32 value_13 = b_full + value_12;
              mbarrier_wait(b_empty + value_12, phase);
              mbarrier_arrive_expect_tx(value_13, 8704);
              const i32 value_14 = slot + 1;
              const bool test_2 = value_14 == 4;
              b_slot[0] = test_2 ? 0 : value_14;
              b_phase[0] = test_2 ? phase ^ 1 : phase;
              tma_load_2d(b_shared + slot * 8192, b, cols, depth, value_13);

              // 26: scales = b_scales[k * BK // group, cols]
              tma_load_2d(b_scales_shared + slot * 512, b_scales, depth / 64, cols, value_13);

              // 28: acc += dot(a[rows, depth], w.to(E).T)
              const i32 slot_2 = a_slot[0];
              const i32 phase_2 = a_phase[0];
              const i32 value_15 = slot_2 * 8;
              const i32 value_16 = a_full + value_15;
              mbarrier_wait(a_empty + value_15, phase_2);
              mbarrier_arrive_expect_tx(value_16, 16384);
              const i32 value_17 = slot_2 + 1;
              const bool test_3 = value_17 == 5;
              a_slot[0] = test_3 ? 0 : value_17;
              a_phase[0] = test_3 ? phase_2 ^ 1 : phase_2;
              tma_load_2d(a_shared + slot_2 * 16384, a, rows, depth, value_16);
            }
          }
        }
      }
    }
  }
}
