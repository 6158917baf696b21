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

// d = a * b + (accumulate ? d : 0), asynchronously.
__device__ __forceinline__ void wgmma_m64n176k16_bf16(f32 *d, u64 a, u64 b, bool accumulate = true) {
  asm volatile("{\n\t"
               ".reg .pred accumulate;\n\t"
               "setp.ne.b32 accumulate, %90, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n176k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
               "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
               "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
               "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "
               "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87}, "
               "%88, %89, accumulate, 1, 1, 0, 0;\n\t"
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
                 "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]),
                 "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
                 "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),
                 "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
                 "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87])
               : "l"(a), "l"(b), "r"(i32(accumulate))
               : "memory");
}

extern "C" __global__ void __launch_bounds__(384, 1)
attention_wide(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
               const __grid_constant__ TensorMap v, const __grid_constant__ TensorMap o,
               f32 *__restrict__ lse, i32 B, i32 S, i32 H, i32 T, i32 G, i32 lse_stride0,
               i32 lse_stride1, f32 scale) {
  extern __shared__ __align__(1024) u8 shared[];

  // 27: func.func @attention_wide(
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 38: %m_tiles = arith.ceildivsi %S, %tile_rows : i32  %heads = arith.muli %H, %B : i32
  const i32 m_tiles = ceil_div(S, 128);

  // 42: %n_tiles = arith.ceildivsi %T, %tile_keys : i32
  const i32 n_tiles = ceil_div(T, 176);

  // 43: %last = arith.subi %n_tiles, %c1 : i32
  const i32 last = n_tiles - 1;

  // 47: %log2e = arith.constant 1.44269504 : f32  %exponent = arith.mulf %scale, %log2e : f32
  const f32 exponent = scale * 1.442695f;

  // 48: %qs = cta.channel tma : !q_ring  %ks = cta.channel tma : !ring  %vs = cta.channel tma : !ring
  const i32 qs_shared = shared_address(shared);
  const i32 ks_shared = shared_address(shared + 32768);
  const i32 vs_shared = shared_address(shared + 122880);

  // 49: %os = cta.channel store : !o_ring
  const i32 os_shared = shared_address(shared + 212992);

  // 27: func.func @attention_wide(
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 qs_full = shared_address(shared + 229376);
  const i32 qs_empty = shared_address(shared + 229384);
  const i32 ks_full = shared_address(shared + 229392);
  const i32 ks_empty = shared_address(shared + 229408);
  const i32 vs_full = shared_address(shared + 229424);
  const i32 vs_empty = shared_address(shared + 229440);
  if (thread == 0) {
    tma_prefetch_map(q);
    tma_prefetch_map(k);
    tma_prefetch_map(v);
    tma_prefetch_map(o);
    mbarrier_init(qs_full, 1);
    mbarrier_init(qs_empty, 2);
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
    // 50: cta.role "load" warps 1 registers 24 {
    decrease_registers<24>();
    if (warp == 0) {
      if (elect_one()) {
        i32 qs_phase[1];
        qs_phase[0] = 1;
        i32 ks_slot[1];
        ks_slot[0] = 0;
        i32 ks_phase[1];
        ks_phase[0] = 1;
        i32 vs_slot[1];
        vs_slot[0] = 0;
        i32 vs_phase[1];
        vs_phase[0] = 1;

        // 44: %sharing = arith.divsi %H, %G : i32
        const i32 sharing = H / G;

        // 51: cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B) {
        const i32 extent_reciprocal = reciprocal(m_tiles);
        const i32 extent_reciprocal_2 = reciprocal(H);
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < m_tiles * H * B; tile += i32(gridDim.x)) {
          const i32 value = quotient(tile, m_tiles, extent_reciprocal);
          const i32 b = quotient(value, H, extent_reciprocal_2);
          const i32 h = value - b * H;

          // 53: %g = arith.divsi %h, %sharing : i32
          const i32 g = h / sharing;

          // 54: cta.load %q[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %qs : !view, !q_ring
          const i32 phase = qs_phase[0];
          mbarrier_wait(qs_empty, phase);
          mbarrier_arrive_expect_tx(qs_full, 32768);
          qs_phase[0] = phase ^ 1;

          // 52: %row = arith.muli %m, %tile_rows : i32
          const i32 row = (tile - value * m_tiles) * 128;

          // 54: cta.load %q[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %qs : !view, !q_ring
          #pragma unroll
          for (i32 i = 0; i < 2; ++i) {
            tma_load_4d(qs_shared + i * 16384, q, b, row, h, i * 64, qs_full);
          }

          // 55: scf.for %i = %c0 to %n_tiles step %c1 : i32 {
          #pragma unroll 1
          for (i32 i = 0; i < n_tiles; ++i) {
            // 56: %n = arith.subi %last, %i : i32  %key = arith.muli %n, %tile_keys : i32
            const i32 key = (last - i) * 176;

            // 57: cta.load %k[%b, %key, %g, %c0] extents [0, 176, 0, 128] through %ks : !view, !ring
            const i32 slot = ks_slot[0];
            const i32 phase_2 = ks_phase[0];
            const i32 value_2 = slot * 8;
            const i32 value_3 = ks_full + value_2;
            mbarrier_wait(ks_empty + value_2, phase_2);
            mbarrier_arrive_expect_tx(value_3, 45056);
            const i32 value_4 = slot + 1;
            const bool test = value_4 == 2;
            ks_slot[0] = test ? 0 : value_4;
            ks_phase[0] = test ? phase_2 ^ 1 : phase_2;
            const i32 ks_shared_2 = ks_shared + slot * 45056;
            #pragma unroll
            for (i32 j = 0; j < 2; ++j) {
              tma_load_4d(ks_shared_2 + j * 22528, k, b, key, g, j * 64, value_3);
            }

            // 58: cta.load %v[%b, %key, %g, %c0] extents [0, 176, 0, 128] through %vs : !view, !ring
            const i32 slot_2 = vs_slot[0];
            const i32 phase_3 = vs_phase[0];
            const i32 value_5 = slot_2 * 8;
            const i32 value_6 = vs_full + value_5;
            mbarrier_wait(vs_empty + value_5, phase_3);
            mbarrier_arrive_expect_tx(value_6, 45056);
            const i32 value_7 = slot_2 + 1;
            const bool test_2 = value_7 == 2;
            vs_slot[0] = test_2 ? 0 : value_7;
            vs_phase[0] = test_2 ? phase_3 ^ 1 : phase_3;
            const i32 vs_shared_2 = vs_shared + slot_2 * 45056;
            #pragma unroll
            for (i32 j = 0; j < 2; ++j) {
              tma_load_4d(vs_shared_2 + j * 22528, v, b, key, g, j * 64, value_6);
            }
          }
        }
      }
    }
  } else {
    // 62: cta.role "attend" warps 8 registers 240 {
    increase_registers<240>();
    const i32 own_warp = warp - 4;

    // 27: func.func @attention_wide(
    const i32 thread_row = lane & 3;
    const i32 thread_row_2 = own_warp * 16;
    const i32 thread_row_3 = (lane >> 2) + thread_row_2;

    // 62: cta.role "attend" warps 8 registers 240 {
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

    // 69: %first = cta.mma %none, %q_slot, %k_last {b_transposed, shape = #shape, warps = #warps}
    const i32 value = own_warp >> 2;
    const i32 value_2 = value * 8192;
    const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(qs_shared + value_2);

    // 72: cta.release %k_last : !slot
    const bool test = group_thread < 1;

    // 119: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %os : !q_tile, !view, !o_ring
    const bool test_2 = group_thread == 0;
    const i32 value_3 = warpgroup + 1;
    const i32 value_4 = ((lane & 15) + thread_row_2) * 128;

    // 27: func.func @attention_wide(
    const i32 thread_col = (lane >> 4) * 8;

    // 66: cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B) {
    const i32 extent_reciprocal = reciprocal(m_tiles);
    const i32 extent_reciprocal_2 = reciprocal(H);

    // 79: %seen = arith.select %visible, %all, %nothing : !mask, !scores
    const i32 value_5 = T - (last * 176 + thread_row * 2);

    // 111: tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 128] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
    const bool test_3 = thread_row == 0;

    // 119: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %os : !q_tile, !view, !o_ring
    const i32 value_6 = value * 64;
    const i32 value_7 = i32(u32(value_4) >> 3) & 112;
    const i32 value_8 = os_shared + value_4;

    // 66: cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B) {
    #pragma unroll 1
    for (i32 tile = i32(blockIdx.x); tile < m_tiles * H * B; tile += i32(gridDim.x)) {
      const i32 value_9 = quotient(tile, m_tiles, extent_reciprocal);
      const i32 b = quotient(value_9, H, extent_reciprocal_2);
      const i32 h = value_9 - b * H;

      // 67: %q_slot = cta.wait %qs : !q_ring -> !q_slot  %k_last = cta.wait %ks : !ring -> !slot
      const i32 phase = qs_phase[0];
      mbarrier_wait(qs_full, phase);
      qs_phase[0] = phase ^ 1;
      const i32 slot = ks_slot[0];
      const i32 phase_2 = ks_phase[0];
      const i32 value_10 = slot * 8;
      mbarrier_wait(ks_full + value_10, phase_2);
      const i32 value_11 = slot + 1;
      const bool test_4 = value_11 == 2;
      ks_slot[0] = test_4 ? 0 : value_11;
      ks_phase[0] = test_4 ? phase_2 ^ 1 : phase_2;

      // 68: %none = cta.begin : !score_sum
      f32 none[88];

      // 69: %first = cta.mma %none, %q_slot, %k_last {b_transposed, shape = #shape, warps = #warps}
      wgmma_fence();
      const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(ks_shared + slot * 45056);
      #pragma unroll
      for (i32 i = 0; i < 8; ++i) {
        const i32 value_12 = ((i * 16) & 63) * 2;
        const i32 value_13 = i >> 2;
        const i64 value_14 = advance_descriptor(a_descriptor, value_13 * 16384 + value_12);
        wgmma_m64n176k16_bf16(none, value_14, advance_descriptor(b_descriptor, value_13 * 22528 + value_12), i > 0);
      }
      wgmma_commit();

      // 71: %all = cta.await %first : !score_sum -> !scores
      wgmma_wait<0>(none);

      // 72: cta.release %k_last : !slot
      if (test) {
        mbarrier_arrive(ks_empty + value_10);
      }

      // 79: %seen = arith.select %visible, %all, %nothing : !mask, !scores
      f32 seen[88];
      #pragma unroll
      for (i32 i = 0; i < 88; ++i) {
        const i32 value_12 = (i & 1) + (i >> 2) * 2;
        seen[i] = (value_12 & 1) + (value_12 >> 1) * 8 < value_5 ? none[i] : -kInf;
      }

      // 15: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
      i32 bound[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        bound[i] = 0;
      }
      #pragma unroll
      for (i32 i = 0; i < 88; ++i) {
        const i32 value_12 = (i >> 1) & 1;
        bound[value_12] = max(bound[value_12], __float_as_int(seen[i]));
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
      const bool test_5 = __int_as_float(bound[0]) * exponent - peak[0] > 8.0f;
      const bool test_6 = vote_any(test_5 || __int_as_float(bound[1]) * exponent - peak[1] > 8.0f);
      if (test_6) {
        f32 high[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          high[i] = -kInf;
        }
        #pragma unroll
        for (i32 i = 0; i < 44; ++i) {
          const i32 value_12 = i * 2;
          const i32 value_13 = i & 1;
          high[value_13] = max_nan(high[value_13], max_nan(seen[value_12], seen[value_12 + 1]));
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
          const f32 value_12 = high[i] * exponent;
          const f32 value_13 = peak[i];
          const f32 value_14 = value_12 - value_13 > 8.0f ? value_12 : value_13;
          shrink[i] = exp2_approx(value_13 - value_14);
          peak[i] = value_14;
        }
      }

      // 19: %weights = math.exp2 %power : !scores
      f32 weights[88];
      #pragma unroll
      for (i32 i = 0; i < 88; ++i) {
        weights[i] = exp2_approx(seen[i] * exponent - peak[(i >> 1) & 1]);
      }

      // 20: %added = cta.partial_sum %weights : !scores -> !parts
      f32 added[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        added[i] = 0.0f;
      }
      #pragma unroll
      for (i32 i = 0; i < 44; ++i) {
        const i32 value_12 = i * 2;
        const i32 value_13 = i & 1;
        added[value_13] = added[value_13] + (weights[value_12] + weights[value_12 + 1]);
      }

      // 23: %total = math.fma %total_before, %shrink_all, %added : !parts
      f32 total[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total[i] = fmaf(0.0f, shrink[i], added[i]);
      }

      // 82: %p0 = tile.cast %weights0 : !scores -> !weights
      bf16x2 p0[44];
      #pragma unroll
      for (i32 i = 0; i < 44; ++i) {
        const i32 value_12 = i * 2;
        p0[i] = pack_bf16(weights[value_12], weights[value_12 + 1]);
      }

      // 84: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      bf16x2 p_before[44];

      // 83: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 44; ++i) {
        p_before[i] = p0[i];
      }

      // 84: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 sum_before[64];

      // 83: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        sum_before[i] = 0.0f;
      }

      // 84: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 peak_before[2];

      // 83: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak_before[i] = peak[i];
      }

      // 84: iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
      f32 total_before[2];

      // 83: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_before[i] = total[i];
      }
      #pragma unroll 1
      for (i32 i = 1; i < n_tiles; ++i) {
        // 86: %k_slot = cta.wait %ks : !ring -> !slot
        const i32 slot_2 = ks_slot[0];
        const i32 phase_3 = ks_phase[0];
        const i32 value_12 = slot_2 * 8;
        mbarrier_wait(ks_full + value_12, phase_3);
        const i32 value_13 = slot_2 + 1;
        const bool test_7 = value_13 == 2;
        ks_slot[0] = test_7 ? 0 : value_13;
        ks_phase[0] = test_7 ? phase_3 ^ 1 : phase_3;

        // 87: %empty = cta.begin : !score_sum
        f32 empty[88];

        // 88: %coming = cta.mma %empty, %q_slot, %k_slot {b_transposed, shape = #shape, warps = #warps}
        wgmma_fence();
        const i64 b_descriptor_2 = matrix_descriptor<16, 1024, 128>(ks_shared + slot_2 * 45056);
        #pragma unroll
        for (i32 j = 0; j < 8; ++j) {
          const i32 value_14 = ((j * 16) & 63) * 2;
          const i32 value_15 = j >> 2;
          const i64 value_16 = advance_descriptor(b_descriptor_2, value_15 * 22528 + value_14);
          wgmma_m64n176k16_bf16(empty, advance_descriptor(a_descriptor, value_15 * 16384 + value_14), value_16, j > 0);
        }
        wgmma_commit();

        // 90: %v_slot = cta.wait %vs : !ring -> !slot
        const i32 slot_3 = vs_slot[0];
        const i32 phase_4 = vs_phase[0];
        const i32 value_14 = slot_3 * 8;
        mbarrier_wait(vs_full + value_14, phase_4);
        const i32 value_15 = slot_3 + 1;
        const bool test_8 = value_15 == 2;
        vs_slot[0] = test_8 ? 0 : value_15;
        vs_phase[0] = test_8 ? phase_4 ^ 1 : phase_4;

        // 91: %adding = cta.mma %sum_before, %p_before, %v_slot {shape = #out_shape, warps = #warps}
        f32 adding[64];
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          adding[j] = sum_before[j];
        }
        wgmma_fence(adding, p_before);
        const i64 b_descriptor_3 = matrix_descriptor<22528, 1024, 128>(vs_shared + slot_3 * 45056);
        #pragma unroll
        for (i32 j = 0; j < 11; ++j) {
          wgmma_m64n128k16_bf16_a_regs_trans_b(adding, &p_before[j * 4], advance_descriptor(b_descriptor_3, j * 2048));
        }
        wgmma_commit();

        // 93: %scores = cta.await %coming : !score_sum -> !scores
        wgmma_wait<1>(empty);

        // 94: cta.release %k_slot : !slot
        if (test) {
          mbarrier_arrive(ks_empty + value_12);
        }

        // 15: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
        i32 bound_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          bound_2[j] = 0;
        }
        #pragma unroll
        for (i32 j = 0; j < 88; ++j) {
          const i32 value_16 = (j >> 1) & 1;
          bound_2[value_16] = max(bound_2[value_16], __float_as_int(empty[j]));
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
        const bool test_9 = __int_as_float(bound_2[0]) * exponent - peak_2[0] > 8.0f;
        const bool test_10 = vote_any(test_9 || __int_as_float(bound_2[1]) * exponent - peak_2[1] > 8.0f);
        if (test_10) {
          f32 high[2];
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = -kInf;
          }
          #pragma unroll
          for (i32 j = 0; j < 44; ++j) {
            const i32 value_16 = j * 2;
            const i32 value_17 = j & 1;
            const f32 value_18 = max_nan(high[value_17], max_nan(empty[value_16], empty[value_16 + 1]));
            high[value_17] = value_18;
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
            const f32 value_16 = high[j] * exponent;
            const f32 value_17 = peak_2[j];
            const f32 value_18 = value_16 - value_17 > 8.0f ? value_16 : value_17;
            shrink_2[j] = exp2_approx(value_17 - value_18);
            peak_2[j] = value_18;
          }
        }

        // 19: %weights = math.exp2 %power : !scores
        f32 weights_2[88];
        #pragma unroll
        for (i32 j = 0; j < 88; ++j) {
          weights_2[j] = exp2_approx(empty[j] * exponent - peak_2[(j >> 1) & 1]);
        }

        // 20: %added = cta.partial_sum %weights : !scores -> !parts
        f32 added_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          added_2[j] = 0.0f;
        }
        #pragma unroll
        for (i32 j = 0; j < 44; ++j) {
          const i32 value_16 = j * 2;
          const i32 value_17 = j & 1;
          added_2[value_17] = added_2[value_17] + (weights_2[value_16] + weights_2[value_16 + 1]);
        }

        // 23: %total = math.fma %total_before, %shrink_all, %added : !parts
        f32 total_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          total_2[j] = fmaf(total_before[j], shrink_2[j], added_2[j]);
        }

        // 97: %grown = cta.await %adding : !sum -> !out after %total_now : !parts
        settle(total_2);
        wgmma_wait<0>(adding);

        // 98: cta.release %v_slot : !slot
        if (test) {
          mbarrier_arrive(vs_empty + value_14);
        }

        // 99: %sum_now = cta.rescale %grown, %shrink : !out, !rows
        if (vote_any(shrink_2[0] != 1.0f || shrink_2[1] != 1.0f)) {
          #pragma unroll
          for (i32 j = 0; j < 64; ++j) {
            adding[j] = adding[j] * shrink_2[(j >> 1) & 1];
          }
        }

        // 100: %p_now = tile.cast %weights : !scores -> !weights
        bf16x2 p_now[44];
        #pragma unroll
        for (i32 j = 0; j < 44; ++j) {
          const i32 value_16 = j * 2;
          p_now[j] = pack_bf16(weights_2[value_16], weights_2[value_16 + 1]);
        }

        // 101: scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !parts
        #pragma unroll
        for (i32 j = 0; j < 44; ++j) {
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

      // 103: cta.release %q_slot : !q_slot
      if (test) {
        mbarrier_arrive(qs_empty);
      }

      // 104: %v_first = cta.wait %vs : !ring -> !slot
      const i32 slot_2 = vs_slot[0];
      const i32 phase_3 = vs_phase[0];
      const i32 value_12 = slot_2 * 8;
      mbarrier_wait(vs_full + value_12, phase_3);
      const i32 value_13 = slot_2 + 1;
      const bool test_7 = value_13 == 2;
      vs_slot[0] = test_7 ? 0 : value_13;
      vs_phase[0] = test_7 ? phase_3 ^ 1 : phase_3;

      // 105: %ending = cta.mma %sum, %p, %v_first {shape = #out_shape, warps = #warps} : !out, !weights, !slot -> !sum
      wgmma_fence(sum_before, p_before);
      const i64 b_descriptor_2 = matrix_descriptor<22528, 1024, 128>(vs_shared + slot_2 * 45056);
      #pragma unroll
      for (i32 i = 0; i < 11; ++i) {
        wgmma_m64n128k16_bf16_a_regs_trans_b(sum_before, &p_before[i * 4], advance_descriptor(b_descriptor_2, i * 2048));
      }
      wgmma_commit();

      // 106: %row = arith.muli %m, %tile_rows : i32
      const i32 row = (tile - value_9 * m_tiles) * 128;

      // 107: %total = tile.reduce sum %totals, 1 : !parts -> !rows
      f32 total_2[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = 0.0f;
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = total_2[i] + total_before[i];
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = total_2[i] + shuffle_xor(total_2[i], 1);
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_2[i] = total_2[i] + shuffle_xor(total_2[i], 2);
      }

      // 111: tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 128] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
      const i32 value_14 = b * lse_stride0 + h * lse_stride1;
      const bool test_8 = u32(b) < u32(B) && u32(h) < u32(H) && test_3;
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        f32 regs[1];
        regs[0] = (peak_before[i] + log2_approx(total_2[i])) * 0.6931472f;
        const i32 value_15 = i * 8;
        const bool inside = test_8 && S - (row + thread_row_3 + value_15) > 0;
        store_global_b32(lse + (value_14 + row + value_15 + thread_row_3), regs, inside);
      }

      // 112: %inverse = arith.divf %one, %total : !rows
      f32 inverse[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        inverse[i] = divide(1.0f, total_2[i]);
      }

      // 113: %whole = cta.await %ending : !sum -> !out after %inverse : !rows
      settle(inverse);
      wgmma_wait<0>(sum_before);

      // 114: cta.release %v_first : !slot
      if (test) {
        mbarrier_arrive(vs_empty + value_12);
      }

      // 119: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %os : !q_tile, !view, !o_ring
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        if (test_2) {
          bulk_wait_read<0>();
        }
        named_barrier_sync(value_3, 128);
        const i32 value_15 = ((i * 8) & 15) * 4;
        #pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          bf16x2 regs[4];
          const i32 value_16 = ((j * 2) & 7) * 4 + value_15;
          #pragma unroll
          for (i32 l = 0; l < 4; ++l) {
            const i32 value_17 = value_16 + l * 2;
            const i32 value_18 = value_17 + 1;
            const f32 value_19 = sum_before[value_17] * inverse[(value_17 >> 1) & 1];
            const bf16x2 word = pack_bf16(value_19, sum_before[value_18] * inverse[(value_18 >> 1) & 1]);
            regs[l] = word;
          }
          stmatrix_x4(value_8 + (((thread_col + j * 16) * 2) ^ value_7), regs);
        }
        fence_async_shared();
        named_barrier_sync(value_3, 128);
        if (test_2) {
          tma_store_4d(o, b, row + value_6, h, i * 64, os_shared + value_2);
          bulk_commit();
        }
      }
    }

    // 62: cta.role "attend" warps 8 registers 240 {
    if (test_2) {
      bulk_wait_read<0>();
    }
  }
}
