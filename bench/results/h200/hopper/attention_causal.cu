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

template <typename T> __device__ __forceinline__ T floor_div(T x, T y) {
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
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

// Whether the phase of that parity has completed; the hardware waits a while for it.
__device__ __forceinline__ bool mbarrier_try_wait(i32 barrier, i32 parity) {
  u32 done;
  asm volatile("{\n\t"
               ".reg .pred done;\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
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
attention_causal(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
                 const __grid_constant__ TensorMap v, const __grid_constant__ TensorMap o,
                 f32 *__restrict__ lse, i32 B, i32 S, i32 H, i32 T, i32 G, i32 lse_stride0,
                 i32 lse_stride1, f32 scale) {
  extern __shared__ __align__(1024) u8 shared[];

  // 44: func.func @attention_causal(
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 55: %m_tiles = arith.ceildivsi %S, %tile_rows : i32  %heads = arith.muli %H, %B : i32
  const i32 m_tiles = ceil_div(S, 128);

  // 59: %ahead = arith.subi %T, %S : i32
  const i32 ahead = T - S;

  // 60: %ahead_of_first = arith.addi %ahead, %c1 : i32  %ahead_of_last = arith.addi %ahead, %tile_rows : i32
  const i32 ahead_of_last = ahead + 128;

  // 64: %log2e = arith.constant 1.44269504 : f32  %exponent = arith.mulf %scale, %log2e : f32
  const f32 exponent = scale * 1.442695f;

  // 65: %qs = cta.channel tma : !q_ring  %ks = cta.channel tma : !ring  %vs = cta.channel tma : !ring
  const i32 qs_shared = shared_address(shared);
  const i32 ks_shared = shared_address(shared + 65536);
  const i32 vs_shared = shared_address(shared + 131072);

  // 66: %os = cta.channel store : !o_ring
  const i32 os_shared = shared_address(shared + 196608);

  // 44: func.func @attention_causal(
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 qs_full = shared_address(shared + 229376);
  const i32 qs_empty = shared_address(shared + 229392);
  const i32 ks_full = shared_address(shared + 229408);
  const i32 ks_empty = shared_address(shared + 229424);
  const i32 vs_full = shared_address(shared + 229440);
  const i32 vs_empty = shared_address(shared + 229456);
  if (thread == 0) {
    tma_prefetch_map(q);
    tma_prefetch_map(k);
    tma_prefetch_map(v);
    tma_prefetch_map(o);
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value = i * 8;
      mbarrier_init(qs_full + value, 1);
      mbarrier_init(qs_empty + value, 2);
    }
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value = i * 8;
      mbarrier_init(ks_full + value, 1);
      mbarrier_init(ks_empty + value, 2);
    }
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value = i * 8;
      mbarrier_init(vs_full + value, 1);
      mbarrier_init(vs_empty + value, 2);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warpgroup < 1) {
    // 67: cta.role "load q" warps 1 registers 40 {
    decrease_registers<40>();
    if (warp == 0) {
      if (elect_one()) {
        i32 qs_slot[1];
        qs_slot[0] = 0;
        i32 qs_phase[1];
        qs_phase[0] = 1;

        // 68: cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 4 folded {
        const i32 value = H * m_tiles;
        const i32 value_2 = m_tiles * 4;
        const i32 value_3 = H - ((H - 1) >> 2) * 4;
        const i32 value_4 = (H + 3) >> 2;
        const i32 band_reciprocal = reciprocal(value_2);
        const i32 height_reciprocal = reciprocal(value_3);
        const i32 plane_reciprocal = reciprocal(value);
        const i32 value_5 = value_4 * B;
        const i32 value_6 = m_tiles - 1;
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < value * B; tile += i32(gridDim.x)) {
          const i32 b = quotient(tile, value, plane_reciprocal);
          const i32 value_7 = tile - b * value;
          const i32 value_8 = quotient(value_7, value_2, band_reciprocal);
          const i32 value_9 = value_7 - value_8 * value_2;
          const i32 value_10 = value_8 * 4;
          const bool test = value_10 + 4 <= H;
          const i32 value_11 = value_9 / 4;
          const i32 value_12 = quotient(value_9, value_3, height_reciprocal);
          const i32 value_13 = test ? value_11 : value_12;
          const i32 m = ((value_5 - (b * value_4 + value_8)) & 1) == 1 ? value_6 - value_13 : value_13;

          // 70: cta.load %q[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %qs : !view, !q_ring
          const i32 slot = qs_slot[0];
          const i32 phase = qs_phase[0];
          const i32 value_14 = slot * 8;
          const i32 value_15 = qs_full + value_14;
          mbarrier_wait(qs_empty + value_14, phase);
          mbarrier_arrive_expect_tx(value_15, 32768);
          const i32 value_16 = slot + 1;
          const bool test_2 = value_16 == 2;
          qs_slot[0] = test_2 ? 0 : value_16;
          qs_phase[0] = test_2 ? phase ^ 1 : phase;

          // 68: cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 4 folded {
          const i32 h = value_10 + (test ? value_9 - value_11 * 4 : value_9 - value_12 * value_3);

          // 69: %row = arith.muli %m, %tile_rows : i32
          const i32 row = m * 128;

          // 70: cta.load %q[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %qs : !view, !q_ring
          const i32 qs_shared_2 = qs_shared + slot * 32768;
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            tma_load_4d(qs_shared_2 + i * 16384, q, b, row, h, i * 64, value_15);
          }
        }
      }
    }

    // 73: cta.role "load keys" warps 1 registers 40 {
    if (warp == 1) {
      if (elect_one()) {
        i32 ks_slot[1];
        ks_slot[0] = 0;
        i32 ks_phase[1];
        ks_phase[0] = 1;
        i32 vs_slot[1];
        vs_slot[0] = 0;
        i32 vs_phase[1];
        vs_phase[0] = 1;

        // 74: cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 4 folded {
        const i32 value = H * m_tiles;
        const i32 value_2 = m_tiles * 4;
        const i32 value_3 = H - ((H - 1) >> 2) * 4;
        const i32 value_4 = (H + 3) >> 2;

        // 61: %sharing = arith.divsi %H, %G : i32
        const i32 sharing = H / G;

        // 74: cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 4 folded {
        const i32 band_reciprocal = reciprocal(value_2);
        const i32 height_reciprocal = reciprocal(value_3);
        const i32 plane_reciprocal = reciprocal(value);
        const i32 value_5 = value_4 * B;
        const i32 value_6 = m_tiles - 1;
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < value * B; tile += i32(gridDim.x)) {
          const i32 b = quotient(tile, value, plane_reciprocal);
          const i32 value_7 = tile - b * value;
          const i32 value_8 = quotient(value_7, value_2, band_reciprocal);
          const i32 value_9 = value_7 - value_8 * value_2;
          const i32 value_10 = value_8 * 4;
          const bool test = value_10 + 4 <= H;
          const i32 value_11 = value_9 / 4;
          const i32 value_12 = quotient(value_9, value_3, height_reciprocal);
          const i32 value_13 = test ? value_11 : value_12;
          const i32 m = ((value_5 - (b * value_4 + value_8)) & 1) == 1 ? value_6 - value_13 : value_13;
          const i32 h = value_10 + (test ? value_9 - value_11 * 4 : value_9 - value_12 * value_3);

          // 79: %g = arith.divsi %h, %sharing : i32
          const i32 g = h / sharing;

          // 80: scf.for %i = %c0 to %n_tiles step %c1 : i32 {
          #pragma unroll 1
          for (i32 i = 0; i < max(ceil_div(min(m * 128 + ahead_of_last, T), 128), 1); ++i) {
            // 81: %key = arith.muli %i, %tile_keys : i32
            const i32 key = i * 128;

            // 82: cta.load %k[%b, %key, %g, %c0] extents [0, 128, 0, 128] through %ks : !view, !ring
            const i32 slot = ks_slot[0];
            const i32 phase = ks_phase[0];
            const i32 value_14 = slot * 8;
            const i32 value_15 = ks_full + value_14;
            mbarrier_wait(ks_empty + value_14, phase);
            mbarrier_arrive_expect_tx(value_15, 32768);
            const i32 value_16 = slot + 1;
            const bool test_2 = value_16 == 2;
            ks_slot[0] = test_2 ? 0 : value_16;
            ks_phase[0] = test_2 ? phase ^ 1 : phase;
            const i32 ks_shared_2 = ks_shared + slot * 32768;
            #pragma unroll
            for (i32 j = 0; j < 2; ++j) {
              tma_load_4d(ks_shared_2 + j * 16384, k, b, key, g, j * 64, value_15);
            }

            // 83: cta.load %v[%b, %key, %g, %c0] extents [0, 128, 0, 128] through %vs : !view, !ring
            const i32 slot_2 = vs_slot[0];
            const i32 phase_2 = vs_phase[0];
            const i32 value_17 = slot_2 * 8;
            const i32 value_18 = vs_full + value_17;
            mbarrier_wait(vs_empty + value_17, phase_2);
            mbarrier_arrive_expect_tx(value_18, 32768);
            const i32 value_19 = slot_2 + 1;
            const bool test_3 = value_19 == 2;
            vs_slot[0] = test_3 ? 0 : value_19;
            vs_phase[0] = test_3 ? phase_2 ^ 1 : phase_2;
            const i32 vs_shared_2 = vs_shared + slot_2 * 32768;
            #pragma unroll
            for (i32 j = 0; j < 2; ++j) {
              tma_load_4d(vs_shared_2 + j * 16384, v, b, key, g, j * 64, value_18);
            }
          }
        }
      }
    }
  } else {
    // 87: cta.role "attend" warps 8 registers 232 {
    increase_registers<232>();
    const i32 own_warp = warp - 4;

    // 44: func.func @attention_causal(
    const i32 thread_row = lane & 3;
    const i32 thread_row_2 = thread_row * 2;
    const i32 thread_row_3 = own_warp * 16;
    const i32 thread_row_4 = (lane >> 2) + thread_row_3;

    // 87: cta.role "attend" warps 8 registers 232 {
    i32 qs_slot[1];
    qs_slot[0] = 0;
    i32 qs_phase[1];
    qs_phase[0] = 0;
    i32 ks_slot[1];
    ks_slot[0] = 0;
    i32 ks_phase[1];
    ks_phase[0] = 0;
    i32 vs_slot[1];
    vs_slot[0] = 0;
    i32 vs_phase[1];
    vs_phase[0] = 0;

    // 91: cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 4 folded {
    const i32 value = H * m_tiles;
    const i32 value_2 = m_tiles * 4;
    const i32 value_3 = H - ((H - 1) >> 2) * 4;
    const i32 value_4 = (H + 3) >> 2;

    // 100: %first = cta.mma %none, %q_slot, %k_first {b_transposed, shape = #shape, warps = #warps}
    const i32 value_5 = own_warp >> 2;
    const i32 value_6 = value_5 * 8192;

    // 103: cta.release %k_first : !slot
    const bool test = group_thread < 1;

    // 142: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %os : !q_tile, !view, !o_ring
    const bool test_2 = group_thread == 0;
    const i32 value_7 = warpgroup + 1;
    const i32 value_8 = ((lane & 15) + thread_row_3) * 128;

    // 60: %ahead_of_first = arith.addi %ahead, %c1 : i32  %ahead_of_last = arith.addi %ahead, %tile_rows : i32
    const i32 ahead_of_first = ahead + 1;

    // 44: func.func @attention_causal(
    const i32 thread_col = (lane >> 4) * 8;

    // 91: cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 4 folded {
    const i32 band_reciprocal = reciprocal(value_2);
    const i32 height_reciprocal = reciprocal(value_3);
    const i32 plane_reciprocal = reciprocal(value);
    const i32 value_9 = value_4 * B;
    const i32 value_10 = m_tiles - 1;

    // 135: tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 128] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
    const bool test_3 = thread_row == 0;

    // 142: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %os : !q_tile, !view, !o_ring
    const i32 value_11 = value_5 * 64;
    const i32 value_12 = i32(u32(value_8) >> 3) & 112;

    // 91: cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 4 folded {
    #pragma unroll 1
    for (i32 tile = i32(blockIdx.x); tile < value * B; tile += i32(gridDim.x)) {
      const i32 b = quotient(tile, value, plane_reciprocal);
      const i32 value_13 = tile - b * value;
      const i32 value_14 = quotient(value_13, value_2, band_reciprocal);
      const i32 value_15 = value_13 - value_14 * value_2;
      const i32 value_16 = value_14 * 4;
      const bool test_4 = value_16 + 4 <= H;
      const i32 value_17 = value_15 / 4;
      const i32 value_18 = quotient(value_15, value_3, height_reciprocal);
      const i32 value_19 = test_4 ? value_17 : value_18;
      const i32 h = value_16 + (test_4 ? value_15 - value_17 * 4 : value_15 - value_18 * value_3);
      const i32 m = ((value_9 - (b * value_4 + value_14)) & 1) == 1 ? value_10 - value_19 : value_19;

      // 92: %row = arith.muli %m, %tile_rows : i32  %end_of_last = arith.addi %row, %ahead_of_last : i32
      const i32 row = m * 128;

      // 95: %n_tiles = arith.maxsi %count, %c1 : i32
      const i32 n_tiles = max(ceil_div(min(row + ahead_of_last, T), 128), 1);

      // 96: %end = arith.addi %row, %ahead_of_first : i32  %open = arith.floordivsi %end, %tile_keys : i32
      const i32 end = row + ahead_of_first;
      const i32 open = floor_div(end, 128);

      // 98: %q_slot = cta.wait %qs : !q_ring -> !q_slot  %k_first = cta.wait %ks : !ring -> !slot
      const i32 slot = qs_slot[0];
      const i32 phase = qs_phase[0];
      const i32 value_20 = slot * 8;
      mbarrier_wait(qs_full + value_20, phase);
      const i32 value_21 = slot + 1;
      const bool test_5 = value_21 == 2;
      qs_slot[0] = test_5 ? 0 : value_21;
      qs_phase[0] = test_5 ? phase ^ 1 : phase;
      const i32 slot_2 = ks_slot[0];
      const i32 phase_2 = ks_phase[0];
      const i32 value_22 = slot_2 * 8;
      mbarrier_wait(ks_full + value_22, phase_2);
      const i32 value_23 = slot_2 + 1;
      const bool test_6 = value_23 == 2;
      ks_slot[0] = test_6 ? 0 : value_23;
      ks_phase[0] = test_6 ? phase_2 ^ 1 : phase_2;

      // 99: %none = cta.begin : !score_sum
      f32 none[64];

      // 100: %first = cta.mma %none, %q_slot, %k_first {b_transposed, shape = #shape, warps = #warps}
      const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(qs_shared + slot * 32768 + value_6);
      wgmma_fence();
      const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(ks_shared + slot_2 * 32768);
      #pragma unroll
      for (i32 i = 0; i < 8; ++i) {
        const i32 value_24 = (i >> 2) * 16384 + ((i * 16) & 63) * 2;
        const i64 value_25 = advance_descriptor(a_descriptor, value_24);
        wgmma_m64n128k16_bf16(none, value_25, advance_descriptor(b_descriptor, value_24), i > 0);
      }
      wgmma_commit();

      // 102: %all = cta.await %first : !score_sum -> !scores
      wgmma_wait<0>(none);

      // 103: cta.release %k_first : !slot
      if (test) {
        mbarrier_arrive(ks_empty + value_22);
      }

      // 17: %scores = scf.if %all_open -> !scores {
      f32 scores[64];
      if (open >= 1) {
        // 18: scf.yield %raw : !scores
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          scores[i] = none[i];
        }
      } else {
        // 29: scf.yield %seen : !scores
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          const i32 value_24 = (i & 1) + (i >> 2) * 2;
          const i32 value_25 = end + thread_row_4 + ((i >> 1) & 1) * 8 - thread_row_2;
          scores[i] = (value_24 & 1) + (value_24 >> 1) * 8 < value_25 ? none[i] : -kInf;
        }
      }

      // 32: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
      i32 bound[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        bound[i] = 0;
      }
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        const i32 value_24 = (i >> 1) & 1;
        bound[value_24] = max(bound[value_24], __float_as_int(scores[i]));
      }
      f32 peak[2];
      f32 shrink[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak[i] = -1e+30f;
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        shrink[i] = 1.0f;
      }
      const bool test_7 = __int_as_float(bound[0]) * exponent - peak[0] > 8.0f;
      const bool test_8 = vote_any(test_7 || __int_as_float(bound[1]) * exponent - peak[1] > 8.0f);
      if (test_8) {
        f32 high[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          high[i] = -kInf;
        }
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          const i32 value_24 = i * 2;
          const i32 value_25 = i & 1;
          const f32 value_26 = max_nan(high[value_25], max_nan(scores[value_24], scores[value_24 + 1]));
          high[value_25] = value_26;
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
          const f32 value_24 = high[i] * exponent;
          const f32 value_25 = peak[i];
          const f32 value_26 = value_24 - value_25 > 8.0f ? value_24 : value_25;
          shrink[i] = exp2_approx(value_25 - value_26);
          peak[i] = value_26;
        }
      }

      // 36: %weights = math.exp2 %power : !scores
      f32 weights[64];
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        weights[i] = exp2_approx(scores[i] * exponent - peak[(i >> 1) & 1]);
      }

      // 37: %added = cta.partial_sum %weights : !scores -> !parts
      f32 added[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        added[i] = 0.0f;
      }
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        const i32 value_24 = i * 2;
        const i32 value_25 = i & 1;
        added[value_25] = added[value_25] + (weights[value_24] + weights[value_24 + 1]);
      }

      // 40: %total = math.fma %total_before, %shrink_all, %added : !parts
      f32 total[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total[i] = fmaf(0.0f, shrink[i], added[i]);
      }

      // 106: %p0 = tile.cast %weights0 : !scores -> !weights
      bf16x2 p0[32];
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        const i32 value_24 = i * 2;
        p0[i] = pack_bf16(weights[value_24], weights[value_24 + 1]);
      }

      // 96: %end = arith.addi %row, %ahead_of_first : i32  %open = arith.floordivsi %end, %tile_keys : i32
      const i32 open_2 = min(max(open, 1), n_tiles);

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      bf16x2 p_before[32];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        p_before[i] = p0[i];
      }

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 sum_before[64];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        sum_before[i] = 0.0f;
      }

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 peak_before[2];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak_before[i] = peak[i];
      }

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 total_before[2];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_before[i] = total[i];
      }
      #pragma unroll 1
      for (i32 i = 1; i < open_2; ++i) {
        // 110: %k_slot = cta.wait %ks : !ring -> !slot
        const i32 slot_3 = ks_slot[0];
        const i32 phase_3 = ks_phase[0];
        const i32 value_24 = slot_3 * 8;
        mbarrier_wait(ks_full + value_24, phase_3);
        const i32 value_25 = slot_3 + 1;
        const bool test_9 = value_25 == 2;
        ks_slot[0] = test_9 ? 0 : value_25;
        ks_phase[0] = test_9 ? phase_3 ^ 1 : phase_3;

        // 111: %empty = cta.begin : !score_sum
        f32 empty[64];

        // 112: %coming = cta.mma %empty, %q_slot, %k_slot {b_transposed, shape = #shape, warps = #warps}
        wgmma_fence();
        const i64 b_descriptor_2 = matrix_descriptor<16, 1024, 128>(ks_shared + slot_3 * 32768);
        #pragma unroll
        for (i32 j = 0; j < 8; ++j) {
          const i32 value_26 = (j >> 2) * 16384 + ((j * 16) & 63) * 2;
          const i64 value_27 = advance_descriptor(b_descriptor_2, value_26);
          wgmma_m64n128k16_bf16(empty, advance_descriptor(a_descriptor, value_26), value_27, j > 0);
        }
        wgmma_commit();

        // 114: %v_slot = cta.wait %vs : !ring -> !slot
        const i32 slot_4 = vs_slot[0];
        const i32 phase_4 = vs_phase[0];
        const i32 value_26 = slot_4 * 8;
        mbarrier_wait(vs_full + value_26, phase_4);
        const i32 value_27 = slot_4 + 1;
        const bool test_10 = value_27 == 2;
        vs_slot[0] = test_10 ? 0 : value_27;
        vs_phase[0] = test_10 ? phase_4 ^ 1 : phase_4;

        // 115: %adding = cta.mma %sum_before, %p_before, %v_slot {shape = #out_shape, warps = #warps}
        f32 adding[64];
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          adding[j] = sum_before[j];
        }
        wgmma_fence(adding, p_before);
        const i64 b_descriptor_3 = matrix_descriptor<16384, 1024, 128>(vs_shared + slot_4 * 32768);
        #pragma unroll
        for (i32 j = 0; j < 8; ++j) {
          wgmma_m64n128k16_bf16_a_regs_trans_b(adding, &p_before[j * 4], advance_descriptor(b_descriptor_3, j * 2048));
        }
        wgmma_commit();

        // 117: %scores = cta.await %coming : !score_sum -> !scores
        wgmma_wait<1>(empty);

        // 118: cta.release %k_slot : !slot
        if (test) {
          mbarrier_arrive(ks_empty + value_24);
        }

        // 32: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
        i32 bound_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          bound_2[j] = 0;
        }
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          const i32 value_28 = (j >> 1) & 1;
          bound_2[value_28] = max(bound_2[value_28], __float_as_int(empty[j]));
        }
        f32 peak_2[2];
        f32 shrink_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          peak_2[j] = peak_before[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          shrink_2[j] = 1.0f;
        }
        const bool test_11 = __int_as_float(bound_2[0]) * exponent - peak_2[0] > 8.0f;
        const bool test_12 = vote_any(test_11 || __int_as_float(bound_2[1]) * exponent - peak_2[1] > 8.0f);
        if (test_12) {
          f32 high[2];
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = -kInf;
          }
          #pragma unroll
          for (i32 j = 0; j < 32; ++j) {
            const i32 value_28 = j * 2;
            const i32 value_29 = j & 1;
            const f32 value_30 = max_nan(high[value_29], max_nan(empty[value_28], empty[value_28 + 1]));
            high[value_29] = value_30;
          }
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = max_nan(high[j], shuffle_xor(high[j], 1));
          }
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = max_nan(high[j], shuffle_xor(high[j], 2));
          }
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            const f32 value_28 = high[j] * exponent;
            const f32 value_29 = peak_2[j];
            const f32 value_30 = value_28 - value_29 > 8.0f ? value_28 : value_29;
            shrink_2[j] = exp2_approx(value_29 - value_30);
            peak_2[j] = value_30;
          }
        }

        // 36: %weights = math.exp2 %power : !scores
        f32 weights_2[64];
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          weights_2[j] = exp2_approx(empty[j] * exponent - peak_2[(j >> 1) & 1]);
        }

        // 37: %added = cta.partial_sum %weights : !scores -> !parts
        f32 added_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          added_2[j] = 0.0f;
        }
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          const i32 value_28 = j * 2;
          const i32 value_29 = j & 1;
          added_2[value_29] = added_2[value_29] + (weights_2[value_28] + weights_2[value_28 + 1]);
        }

        // 40: %total = math.fma %total_before, %shrink_all, %added : !parts
        f32 total_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          total_2[j] = fmaf(total_before[j], shrink_2[j], added_2[j]);
        }

        // 123: %grown = cta.await %adding : !sum -> !out after %total_now : !parts
        settle(total_2);
        wgmma_wait<0>(adding);

        // 124: cta.release %v_slot : !slot
        if (test) {
          mbarrier_arrive(vs_empty + value_26);
        }

        // 125: %sum_now = cta.rescale %grown, %shrink : !out, !rows
        if (vote_any(shrink_2[0] != 1.0f || shrink_2[1] != 1.0f)) {
          #pragma unroll
          for (i32 j = 0; j < 64; ++j) {
            adding[j] = adding[j] * shrink_2[(j >> 1) & 1];
          }
        }

        // 126: %p_now = tile.cast %weights : !scores -> !weights
        bf16x2 p_now[32];
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          const i32 value_28 = j * 2;
          p_now[j] = pack_bf16(weights_2[value_28], weights_2[value_28 + 1]);
        }

        // 127: scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !parts
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          p_before[j] = p_now[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          sum_before[j] = adding[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          peak_before[j] = peak_2[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          total_before[j] = total_2[j];
        }
      }

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      bf16x2 p_before_2[32];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        p_before_2[i] = p_before[i];
      }

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 sum_before_2[64];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        sum_before_2[i] = sum_before[i];
      }

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 peak_before_2[2];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak_before_2[i] = peak_before[i];
      }

      // 108: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 total_before_2[2];

      // 107: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_before_2[i] = total_before[i];
      }
      #pragma unroll 1
      for (i32 i = open_2; i < n_tiles; ++i) {
        // 110: %k_slot = cta.wait %ks : !ring -> !slot
        const i32 slot_3 = ks_slot[0];
        const i32 phase_3 = ks_phase[0];
        const i32 value_24 = slot_3 * 8;
        mbarrier_wait(ks_full + value_24, phase_3);
        const i32 value_25 = slot_3 + 1;
        const bool test_9 = value_25 == 2;
        ks_slot[0] = test_9 ? 0 : value_25;
        ks_phase[0] = test_9 ? phase_3 ^ 1 : phase_3;

        // 111: %empty = cta.begin : !score_sum
        f32 empty[64];

        // 112: %coming = cta.mma %empty, %q_slot, %k_slot {b_transposed, shape = #shape, warps = #warps}
        wgmma_fence();
        const i64 b_descriptor_2 = matrix_descriptor<16, 1024, 128>(ks_shared + slot_3 * 32768);
        #pragma unroll
        for (i32 j = 0; j < 8; ++j) {
          const i32 value_26 = (j >> 2) * 16384 + ((j * 16) & 63) * 2;
          const i64 value_27 = advance_descriptor(b_descriptor_2, value_26);
          wgmma_m64n128k16_bf16(empty, advance_descriptor(a_descriptor, value_26), value_27, j > 0);
        }
        wgmma_commit();

        // 114: %v_slot = cta.wait %vs : !ring -> !slot
        const i32 slot_4 = vs_slot[0];
        const i32 phase_4 = vs_phase[0];
        const i32 value_26 = slot_4 * 8;
        mbarrier_wait(vs_full + value_26, phase_4);
        const i32 value_27 = slot_4 + 1;
        const bool test_10 = value_27 == 2;
        vs_slot[0] = test_10 ? 0 : value_27;
        vs_phase[0] = test_10 ? phase_4 ^ 1 : phase_4;

        // 115: %adding = cta.mma %sum_before, %p_before, %v_slot {shape = #out_shape, warps = #warps}
        f32 adding[64];
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          adding[j] = sum_before_2[j];
        }
        wgmma_fence(adding, p_before_2);
        const i64 b_descriptor_3 = matrix_descriptor<16384, 1024, 128>(vs_shared + slot_4 * 32768);
        #pragma unroll
        for (i32 j = 0; j < 8; ++j) {
          wgmma_m64n128k16_bf16_a_regs_trans_b(adding, &p_before_2[j * 4], advance_descriptor(b_descriptor_3, j * 2048));
        }
        wgmma_commit();

        // 117: %scores = cta.await %coming : !score_sum -> !scores
        wgmma_wait<1>(empty);

        // 118: cta.release %k_slot : !slot
        if (test) {
          mbarrier_arrive(ks_empty + value_24);
        }

        // 28: %seen = arith.select %visible, %raw, %nothing : !mask, !scores
        f32 seen[64];
        const i32 value_28 = i * 128 + thread_row_2;
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          const i32 value_29 = (j & 1) + (j >> 2) * 2;
          const i32 value_30 = end + thread_row_4 + ((j >> 1) & 1) * 8 - value_28;
          seen[j] = (value_29 & 1) + (value_29 >> 1) * 8 < value_30 ? empty[j] : -kInf;
        }

        // 32: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
        i32 bound_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          bound_2[j] = 0;
        }
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          const i32 value_29 = (j >> 1) & 1;
          bound_2[value_29] = max(bound_2[value_29], __float_as_int(seen[j]));
        }
        f32 peak_2[2];
        f32 shrink_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          peak_2[j] = peak_before_2[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          shrink_2[j] = 1.0f;
        }
        const bool test_11 = __int_as_float(bound_2[0]) * exponent - peak_2[0] > 8.0f;
        const bool test_12 = vote_any(test_11 || __int_as_float(bound_2[1]) * exponent - peak_2[1] > 8.0f);
        if (test_12) {
          f32 high[2];
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = -kInf;
          }
          #pragma unroll
          for (i32 j = 0; j < 32; ++j) {
            const i32 value_29 = j * 2;
            const i32 value_30 = j & 1;
            high[value_30] = max_nan(high[value_30], max_nan(seen[value_29], seen[value_29 + 1]));
          }
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = max_nan(high[j], shuffle_xor(high[j], 1));
          }
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = max_nan(high[j], shuffle_xor(high[j], 2));
          }
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            const f32 value_29 = high[j] * exponent;
            const f32 value_30 = peak_2[j];
            const f32 value_31 = value_29 - value_30 > 8.0f ? value_29 : value_30;
            shrink_2[j] = exp2_approx(value_30 - value_31);
            peak_2[j] = value_31;
          }
        }

        // 36: %weights = math.exp2 %power : !scores
        f32 weights_2[64];
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          weights_2[j] = exp2_approx(seen[j] * exponent - peak_2[(j >> 1) & 1]);
        }

        // 37: %added = cta.partial_sum %weights : !scores -> !parts
        f32 added_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          added_2[j] = 0.0f;
        }
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          const i32 value_29 = j * 2;
          const i32 value_30 = j & 1;
          added_2[value_30] = added_2[value_30] + (weights_2[value_29] + weights_2[value_29 + 1]);
        }

        // 40: %total = math.fma %total_before, %shrink_all, %added : !parts
        f32 total_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          total_2[j] = fmaf(total_before_2[j], shrink_2[j], added_2[j]);
        }

        // 123: %grown = cta.await %adding : !sum -> !out after %total_now : !parts
        settle(total_2);
        wgmma_wait<0>(adding);

        // 124: cta.release %v_slot : !slot
        if (test) {
          mbarrier_arrive(vs_empty + value_26);
        }

        // 125: %sum_now = cta.rescale %grown, %shrink : !out, !rows
        if (vote_any(shrink_2[0] != 1.0f || shrink_2[1] != 1.0f)) {
          #pragma unroll
          for (i32 j = 0; j < 64; ++j) {
            adding[j] = adding[j] * shrink_2[(j >> 1) & 1];
          }
        }

        // 126: %p_now = tile.cast %weights : !scores -> !weights
        bf16x2 p_now[32];
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          const i32 value_29 = j * 2;
          p_now[j] = pack_bf16(weights_2[value_29], weights_2[value_29 + 1]);
        }

        // 127: scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !parts
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          p_before_2[j] = p_now[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          sum_before_2[j] = adding[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          peak_before_2[j] = peak_2[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          total_before_2[j] = total_2[j];
        }
      }

      // 129: cta.release %q_slot : !q_slot
      if (test) {
        mbarrier_arrive(qs_empty + value_20);
      }

      // 130: %v_last = cta.wait %vs : !ring -> !slot
      const i32 slot_3 = vs_slot[0];
      const i32 phase_3 = vs_phase[0];
      const i32 value_24 = slot_3 * 8;
      mbarrier_wait(vs_full + value_24, phase_3);
      const i32 value_25 = slot_3 + 1;
      const bool test_9 = value_25 == 2;
      vs_slot[0] = test_9 ? 0 : value_25;
      vs_phase[0] = test_9 ? phase_3 ^ 1 : phase_3;

      // 131: %ending = cta.mma %sum, %p, %v_last {shape = #out_shape, warps = #warps} : !out, !weights, !slot -> !sum
      wgmma_fence(sum_before_2, p_before_2);
      const i64 b_descriptor_2 = matrix_descriptor<16384, 1024, 128>(vs_shared + slot_3 * 32768);
      #pragma unroll
      for (i32 i = 0; i < 8; ++i) {
        wgmma_m64n128k16_bf16_a_regs_trans_b(sum_before_2, &p_before_2[i * 4], advance_descriptor(b_descriptor_2, i * 2048));
      }
      wgmma_commit();

      // 132: %total = tile.reduce sum %totals, 1 : !parts -> !rows
      f32 total_2[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = 0.0f;
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = total_2[i] + total_before_2[i];
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = total_2[i] + shuffle_xor(total_2[i], 1);
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = total_2[i] + shuffle_xor(total_2[i], 2);
      }

      // 135: tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 128] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
      const i32 value_26 = b * lse_stride0 + h * lse_stride1;
      const bool test_10 = u32(b) < u32(B) && u32(h) < u32(H) && test_3;
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        f32 regs[1];
        regs[0] = (peak_before_2[i] + log2_approx(total_2[i])) * 0.6931472f;
        const i32 value_27 = i * 8;
        const bool inside = test_10 && S - (row + thread_row_4 + value_27) > 0;
        store_global_b32(lse + (value_26 + row + value_27 + thread_row_4), regs, inside);
      }

      // 136: %some = arith.maximumf %total, %least : !rows  %inverse = arith.divf %one, %some : !rows
      f32 inverse[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        inverse[i] = divide(1.0f, max_nan(total_2[i], 1e-30f));
      }

      // 137: %whole = cta.await %ending : !sum -> !out after %inverse : !rows
      settle(inverse);
      wgmma_wait<0>(sum_before_2);

      // 138: cta.release %v_last : !slot
      if (test) {
        mbarrier_arrive(vs_empty + value_24);
      }

      // 142: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %os : !q_tile, !view, !o_ring
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        const i32 value_27 = os_shared + (i & 1) * 16384;
        if (test_2) {
          bulk_wait_read<1>();
        }
        named_barrier_sync(value_7, 128);
        const i32 value_28 = value_27 + value_8;
        const i32 value_29 = ((i * 8) & 15) * 4;
        #pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          bf16x2 regs[4];
          const i32 value_30 = ((j * 2) & 7) * 4 + value_29;
          #pragma unroll
          for (i32 l = 0; l < 4; ++l) {
            const i32 value_31 = value_30 + l * 2;
            const i32 value_32 = value_31 + 1;
            const f32 value_33 = sum_before_2[value_31] * inverse[(value_31 >> 1) & 1];
            const bf16x2 word = pack_bf16(value_33, sum_before_2[value_32] * inverse[(value_32 >> 1) & 1]);
            regs[l] = word;
          }
          stmatrix_x4(value_28 + (((thread_col + j * 16) * 2) ^ value_12), regs);
        }
        fence_async_shared();
        named_barrier_sync(value_7, 128);
        if (test_2) {
          tma_store_4d(o, b, row + value_11, h, i * 64, value_27 + value_6);
          bulk_commit();
        }
      }
    }

    // 87: cta.role "attend" warps 8 registers 232 {
    if (test_2) {
      bulk_wait_read<0>();
    }
  }
}
