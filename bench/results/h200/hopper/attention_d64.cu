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

__device__ __forceinline__ void named_barrier_arrive(i32 id, i32 threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
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

extern "C" __global__ void __launch_bounds__(512, 1)
attention_d64(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k,
              const __grid_constant__ TensorMap v, const __grid_constant__ TensorMap o,
              f32 *__restrict__ lse, i32 B, i32 S, i32 H, i32 T, i32 G, i32 lse_stride0,
              i32 lse_stride1, f32 scale) {
  extern __shared__ __align__(1024) u8 shared[];

  // 55: func.func @attention_d64(
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 66: %m_tiles = arith.ceildivsi %S, %tile_rows : i32  %heads = arith.muli %H, %B : i32
  const i32 m_tiles = ceil_div(S, 192);

  // 70: %n_tiles = arith.ceildivsi %T, %tile_keys : i32
  const i32 n_tiles = ceil_div(T, 128);

  // 71: %last = arith.subi %n_tiles, %c1 : i32  %last_key = arith.muli %last, %tile_keys : i32
  const i32 last = n_tiles - 1;

  // 75: %log2e = arith.constant 1.44269504 : f32  %exponent = arith.mulf %scale, %log2e : f32
  const f32 exponent = scale * 1.442695f;

  // 76: %qs = cta.channel tma : !q_ring  %ks = cta.channel tma : !ring  %vs = cta.channel tma : !ring
  const i32 qs_shared = shared_address(shared);
  const i32 ks_shared = shared_address(shared + 49152);
  const i32 vs_shared = shared_address(shared + 114688);

  // 77: %os = cta.channel store : !o_ring  %turns = cta.order
  const i32 os_shared = shared_address(shared + 180224);

  // 55: func.func @attention_d64(
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 qs_full = shared_address(shared + 204800);
  const i32 qs_empty = shared_address(shared + 204816);
  const i32 ks_full = shared_address(shared + 204832);
  const i32 ks_empty = shared_address(shared + 204864);
  const i32 vs_full = shared_address(shared + 204896);
  const i32 vs_empty = shared_address(shared + 204928);
  if (thread == 0) {
    tma_prefetch_map(q);
    tma_prefetch_map(k);
    tma_prefetch_map(v);
    tma_prefetch_map(o);
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      const i32 value = i * 8;
      mbarrier_init(qs_full + value, 1);
      mbarrier_init(qs_empty + value, 3);
    }
    #pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const i32 value = i * 8;
      mbarrier_init(ks_full + value, 1);
      mbarrier_init(ks_empty + value, 3);
    }
    #pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const i32 value = i * 8;
      mbarrier_init(vs_full + value, 1);
      mbarrier_init(vs_empty + value, 3);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warpgroup < 1) {
    // 78: cta.role "load" warps 1 registers 32 {
    decrease_registers<32>();
    if (warp == 0) {
      if (elect_one()) {
        i32 qs_slot[1];
        qs_slot[0] = 0;
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

        // 72: %sharing = arith.divsi %H, %G : i32
        const i32 sharing = H / G;

        // 79: cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B) {
        const i32 extent_reciprocal = reciprocal(m_tiles);
        const i32 extent_reciprocal_2 = reciprocal(H);
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < m_tiles * H * B; tile += i32(gridDim.x)) {
          const i32 value = quotient(tile, m_tiles, extent_reciprocal);
          const i32 b = quotient(value, H, extent_reciprocal_2);
          const i32 h = value - b * H;

          // 80: %row = arith.muli %m, %tile_rows : i32  %g = arith.divsi %h, %sharing : i32
          const i32 g = h / sharing;

          // 81: cta.load %q[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %qs : !view, !q_ring
          const i32 slot = qs_slot[0];
          const i32 phase = qs_phase[0];
          const i32 value_2 = slot * 8;
          const i32 value_3 = qs_full + value_2;
          mbarrier_wait(qs_empty + value_2, phase);
          mbarrier_arrive_expect_tx(value_3, 24576);
          const i32 value_4 = slot + 1;
          const bool test = value_4 == 2;
          qs_slot[0] = test ? 0 : value_4;
          qs_phase[0] = test ? phase ^ 1 : phase;
          tma_load_4d(qs_shared + slot * 24576, q, b, (tile - value * m_tiles) * 192, h, 0, value_3);

          // 82: scf.for %i = %c0 to %n_tiles step %c1 : i32 {
          #pragma unroll 1
          for (i32 i = 0; i < n_tiles; ++i) {
            // 83: %n = arith.subi %last, %i : i32  %key = arith.muli %n, %tile_keys : i32
            const i32 key = (last - i) * 128;

            // 84: cta.load %k[%b, %key, %g, %c0] extents [0, 128, 0, 64] through %ks : !view, !ring
            const i32 slot_2 = ks_slot[0];
            const i32 phase_2 = ks_phase[0];
            const i32 value_5 = slot_2 * 8;
            const i32 value_6 = ks_full + value_5;
            mbarrier_wait(ks_empty + value_5, phase_2);
            mbarrier_arrive_expect_tx(value_6, 16384);
            const i32 value_7 = slot_2 + 1;
            const bool test_2 = value_7 == 4;
            ks_slot[0] = test_2 ? 0 : value_7;
            ks_phase[0] = test_2 ? phase_2 ^ 1 : phase_2;
            tma_load_4d(ks_shared + slot_2 * 16384, k, b, key, g, 0, value_6);

            // 85: cta.load %v[%b, %key, %g, %c0] extents [0, 128, 0, 64] through %vs : !view, !ring
            const i32 slot_3 = vs_slot[0];
            const i32 phase_3 = vs_phase[0];
            const i32 value_8 = slot_3 * 8;
            const i32 value_9 = vs_full + value_8;
            mbarrier_wait(vs_empty + value_8, phase_3);
            mbarrier_arrive_expect_tx(value_9, 16384);
            const i32 value_10 = slot_3 + 1;
            const bool test_3 = value_10 == 4;
            vs_slot[0] = test_3 ? 0 : value_10;
            vs_phase[0] = test_3 ? phase_3 ^ 1 : phase_3;
            tma_load_4d(vs_shared + slot_3 * 16384, v, b, key, g, 0, value_9);
          }
        }

        // 88: cta.load %q[%c0, %c0, %c0, %c0] extents [0, 192, 0, 64] through %qs : !view, !q_ring
        const i32 slot = qs_slot[0];
        const i32 phase = qs_phase[0];
        const i32 value = slot * 8;
        const i32 value_2 = qs_full + value;
        mbarrier_wait(qs_empty + value, phase);
        mbarrier_arrive_expect_tx(value_2, 24576);
        const i32 value_3 = slot + 1;
        const bool test = value_3 == 2;
        qs_slot[0] = test ? 0 : value_3;
        qs_phase[0] = test ? phase ^ 1 : phase;
        tma_load_4d(qs_shared + slot * 24576, q, 0, 0, 0, 0, value_2);

        // 89: cta.load %k[%c0, %c0, %c0, %c0] extents [0, 128, 0, 64] through %ks : !view, !ring
        const i32 slot_2 = ks_slot[0];
        const i32 phase_2 = ks_phase[0];
        const i32 value_4 = slot_2 * 8;
        const i32 value_5 = ks_full + value_4;
        mbarrier_wait(ks_empty + value_4, phase_2);
        mbarrier_arrive_expect_tx(value_5, 16384);
        const i32 value_6 = slot_2 + 1;
        const bool test_2 = value_6 == 4;
        ks_slot[0] = test_2 ? 0 : value_6;
        ks_phase[0] = test_2 ? phase_2 ^ 1 : phase_2;
        tma_load_4d(ks_shared + slot_2 * 16384, k, 0, 0, 0, 0, value_5);
      }
    }
  } else {
    // 91: cta.role "attend" warps 12 registers 160 {
    increase_registers<160>();
    const i32 own_warp = warp - 4;

    // 55: func.func @attention_d64(
    const i32 thread_row = lane & 3;
    const i32 thread_row_2 = own_warp * 16;
    const i32 thread_row_3 = (lane >> 2) + thread_row_2;

    // 91: cta.role "attend" warps 12 registers 160 {
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
    const i32 value = own_warp >> 2;
    if (value == 2) {
      named_barrier_arrive((value + 1) % 3 + 6, 256);
    }

    // 94: %q0 = cta.wait %qs : !q_ring -> !q_slot  %k0 = cta.wait %ks : !ring -> !slot
    const i32 slot = qs_slot[0];
    const i32 phase = qs_phase[0];
    mbarrier_wait(qs_full + slot * 8, phase);
    const i32 value_2 = slot + 1;
    const bool test = value_2 == 2;
    qs_slot[0] = test ? 0 : value_2;
    qs_phase[0] = test ? phase ^ 1 : phase;
    const i32 slot_2 = ks_slot[0];
    const i32 phase_2 = ks_phase[0];
    const i32 value_3 = slot_2 * 8;
    mbarrier_wait(ks_full + value_3, phase_2);
    const i32 value_4 = slot_2 + 1;
    const bool test_2 = value_4 == 4;
    ks_slot[0] = test_2 ? 0 : value_4;
    ks_phase[0] = test_2 ? phase_2 ^ 1 : phase_2;

    // 49: %none = cta.begin : !score_sum
    f32 none[64];

    // 50: %sum = cta.mma %none, %q, %k {b_transposed, shape = #shape, warps = #warps}
    const i32 value_5 = value * 8192;
    wgmma_fence();
    const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(qs_shared + slot * 24576 + value_5);
    const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(ks_shared + slot_2 * 16384);
    #pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const i32 value_6 = i * 32;
      const i64 value_7 = advance_descriptor(a_descriptor, value_6);
      wgmma_m64n128k16_bf16(none, value_7, advance_descriptor(b_descriptor, value_6), i > 0);
    }
    wgmma_commit();

    // 96: %scores0 = cta.await %sum0 : !score_sum -> !scores
    wgmma_wait<0>(none);

    // 97: cta.release %k0 : !slot
    const bool test_3 = group_thread < 1;
    if (test_3) {
      mbarrier_arrive(ks_empty + value_3);
    }

    // 40: %seen = arith.select %visible, %scores, %nothing : !mask, !scores
    f32 seen[64];
    const i32 value_6 = T - (last * 128 + thread_row * 2);
    #pragma unroll
    for (i32 i = 0; i < 64; ++i) {
      const i32 value_7 = (i & 1) + (i >> 2) * 2;
      seen[i] = (value_7 & 1) + (value_7 >> 1) * 8 < value_6 ? none[i] : -kInf;
    }

    // 20: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
    i32 bound[2];
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      bound[i] = 0;
    }
    #pragma unroll
    for (i32 i = 0; i < 64; ++i) {
      const i32 value_7 = (i >> 1) & 1;
      bound[value_7] = max(bound[value_7], __float_as_int(seen[i]));
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
    const bool test_4 = __int_as_float(bound[0]) * exponent - peak[0] > 8.0f;
    const bool test_5 = vote_any(test_4 || __int_as_float(bound[1]) * exponent - peak[1] > 8.0f);
    if (test_5) {
      f32 high[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        high[i] = -kInf;
      }
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        const i32 value_7 = i * 2;
        const i32 value_8 = i & 1;
        high[value_8] = max_nan(high[value_8], max_nan(seen[value_7], seen[value_7 + 1]));
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
        const f32 value_7 = high[i] * exponent;
        const f32 value_8 = peak[i];
        const f32 value_9 = value_7 - value_8 > 8.0f ? value_7 : value_8;
        shrink[i] = exp2_approx(value_8 - value_9);
        peak[i] = value_9;
      }
    }

    // 24: %weights = math.exp2 %power : !scores
    f32 weights[64];
    #pragma unroll
    for (i32 i = 0; i < 64; ++i) {
      weights[i] = exp2_approx(seen[i] * exponent - peak[(i >> 1) & 1]);
    }

    // 25: %added = cta.partial_sum %weights : !scores -> !parts
    f32 added[2];
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      added[i] = 0.0f;
    }
    #pragma unroll
    for (i32 i = 0; i < 32; ++i) {
      const i32 value_7 = i * 2;
      const i32 value_8 = i & 1;
      added[value_8] = added[value_8] + (weights[value_7] + weights[value_7 + 1]);
    }

    // 28: %total = math.fma %total_before, %shrink_all, %added : !parts
    f32 total[2];
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      total[i] = fmaf(0.0f, shrink[i], added[i]);
    }

    // 100: %p0 = tile.cast %weights0 : !scores -> !weights
    bf16x2 p0[32];
    #pragma unroll
    for (i32 i = 0; i < 32; ++i) {
      const i32 value_7 = i * 2;
      p0[i] = pack_bf16(weights[value_7], weights[value_7 + 1]);
    }

    // 101: %left:4 = cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B)
    i32 q_slot_number[1];

    // 102: iter_args(%q_slot = %q0, %p_first = %p0, %peak_first = %peak0, %total_first = %total0)
    bf16x2 p_first[32];
    f32 peak_first[2];
    f32 total_first[2];

    // 101: %left:4 = cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B)
    q_slot_number[0] = slot;
    #pragma unroll
    for (i32 i = 0; i < 32; ++i) {
      p_first[i] = p0[i];
    }
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      peak_first[i] = peak[i];
    }
    #pragma unroll
    for (i32 i = 0; i < 2; ++i) {
      total_first[i] = total[i];
    }

    // 108: %turn = cta.enter %turns
    const i32 value_7 = value + 6;

    // 143: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %os : !q_tile, !view, !o_ring
    const bool test_6 = group_thread == 0;
    const i32 value_8 = warpgroup + 1;
    const i32 value_9 = ((lane & 15) + thread_row_2) * 128;

    // 55: func.func @attention_d64(
    const i32 thread_col = (lane >> 4) * 8;

    // 101: %left:4 = cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B)
    const i32 extent_reciprocal = reciprocal(m_tiles);
    const i32 extent_reciprocal_2 = reciprocal(H);

    // 113: cta.leave %turn
    const i32 value_10 = (value + 1) % 3 + 6;

    // 132: tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 192] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
    const bool test_7 = thread_row == 0;

    // 143: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %os : !q_tile, !view, !o_ring
    const i32 value_11 = value * 64;
    const i32 value_12 = i32(u32(value_9) >> 3) & 112;
    const i32 value_13 = os_shared + value_9;

    // 101: %left:4 = cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B)
    #pragma unroll 1
    for (i32 tile = i32(blockIdx.x); tile < m_tiles * H * B; tile += i32(gridDim.x)) {
      const i32 value_14 = quotient(tile, m_tiles, extent_reciprocal);
      const i32 b = quotient(value_14, H, extent_reciprocal_2);
      const i32 h = value_14 - b * H;
      const i32 value_15 = q_slot_number[0];

      // 105: iter_args(%p_before = %p_first, %sum_before = %zero, %peak_before = %peak_first, %total_before = %total_first)
      bf16x2 p_before[32];

      // 104: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        p_before[i] = p_first[i];
      }

      // 105: iter_args(%p_before = %p_first, %sum_before = %zero, %peak_before = %peak_first, %total_before = %total_first)
      f32 sum_before[32];

      // 104: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        sum_before[i] = 0.0f;
      }

      // 105: iter_args(%p_before = %p_first, %sum_before = %zero, %peak_before = %peak_first, %total_before = %total_first)
      f32 peak_before[2];

      // 104: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak_before[i] = peak_first[i];
      }

      // 105: iter_args(%p_before = %p_first, %sum_before = %zero, %peak_before = %peak_first, %total_before = %total_first)
      f32 total_before[2];

      // 104: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_before[i] = total_first[i];
      }

      // 50: %sum = cta.mma %none, %q, %k {b_transposed, shape = #shape, warps = #warps}
      const i64 a_descriptor_2 = matrix_descriptor<16, 1024, 128>(qs_shared + value_15 * 24576 + value_5);

      // 104: %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
      #pragma unroll 1
      for (i32 i = 1; i < n_tiles; ++i) {
        // 107: %k_slot = cta.wait %ks : !ring -> !slot
        const i32 slot_3 = ks_slot[0];
        const i32 phase_3 = ks_phase[0];
        const i32 value_16 = slot_3 * 8;
        mbarrier_wait(ks_full + value_16, phase_3);
        const i32 value_17 = slot_3 + 1;
        const bool test_8 = value_17 == 4;
        ks_slot[0] = test_8 ? 0 : value_17;
        ks_phase[0] = test_8 ? phase_3 ^ 1 : phase_3;

        // 108: %turn = cta.enter %turns
        named_barrier_sync(value_7, 256);

        // 49: %none = cta.begin : !score_sum
        f32 none_2[64];

        // 50: %sum = cta.mma %none, %q, %k {b_transposed, shape = #shape, warps = #warps}
        wgmma_fence();
        const i64 b_descriptor_2 = matrix_descriptor<16, 1024, 128>(ks_shared + slot_3 * 16384);
        #pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          const i32 value_18 = j * 32;
          const i64 value_19 = advance_descriptor(a_descriptor_2, value_18);
          wgmma_m64n128k16_bf16(none_2, value_19, advance_descriptor(b_descriptor_2, value_18), j > 0);
        }
        wgmma_commit();

        // 110: %v_slot = cta.wait %vs : !ring -> !slot
        const i32 slot_4 = vs_slot[0];
        const i32 phase_4 = vs_phase[0];
        const i32 value_18 = slot_4 * 8;
        mbarrier_wait(vs_full + value_18, phase_4);
        const i32 value_19 = slot_4 + 1;
        const bool test_9 = value_19 == 4;
        vs_slot[0] = test_9 ? 0 : value_19;
        vs_phase[0] = test_9 ? phase_4 ^ 1 : phase_4;

        // 111: %adding = cta.mma %sum_before, %p_before, %v_slot {shape = #out_shape, warps = #warps}
        f32 adding[32];
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          adding[j] = sum_before[j];
        }
        wgmma_fence(adding, p_before);
        const i64 b_descriptor_3 = matrix_descriptor<16384, 1024, 128>(vs_shared + slot_4 * 16384);
        #pragma unroll
        for (i32 j = 0; j < 8; ++j) {
          wgmma_m64n64k16_bf16_a_regs_trans_b(adding, &p_before[j * 4], advance_descriptor(b_descriptor_3, j * 2048));
        }
        wgmma_commit();

        // 113: cta.leave %turn
        named_barrier_arrive(value_10, 256);

        // 114: %scores = cta.await %coming : !score_sum -> !scores
        wgmma_wait<1>(none_2);

        // 115: cta.release %k_slot : !slot
        if (test_3) {
          mbarrier_arrive(ks_empty + value_16);
        }

        // 20: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
        i32 bound_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          bound_2[j] = 0;
        }
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          const i32 value_20 = (j >> 1) & 1;
          bound_2[value_20] = max(bound_2[value_20], __float_as_int(none_2[j]));
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
        const bool test_10 = __int_as_float(bound_2[0]) * exponent - peak_2[0] > 8.0f;
        const bool test_11 = vote_any(test_10 || __int_as_float(bound_2[1]) * exponent - peak_2[1] > 8.0f);
        if (test_11) {
          f32 high[2];
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            high[j] = -kInf;
          }
          #pragma unroll
          for (i32 j = 0; j < 32; ++j) {
            const i32 value_20 = j * 2;
            const i32 value_21 = j & 1;
            const f32 value_22 = max_nan(high[value_21], max_nan(none_2[value_20], none_2[value_20 + 1]));
            high[value_21] = value_22;
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
            const f32 value_20 = high[j] * exponent;
            const f32 value_21 = peak_2[j];
            const f32 value_22 = value_20 - value_21 > 8.0f ? value_20 : value_21;
            shrink_2[j] = exp2_approx(value_21 - value_22);
            peak_2[j] = value_22;
          }
        }

        // 24: %weights = math.exp2 %power : !scores
        f32 weights_2[64];
        #pragma unroll
        for (i32 j = 0; j < 64; ++j) {
          weights_2[j] = exp2_approx(none_2[j] * exponent - peak_2[(j >> 1) & 1]);
        }

        // 25: %added = cta.partial_sum %weights : !scores -> !parts
        f32 added_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          added_2[j] = 0.0f;
        }
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          const i32 value_20 = j * 2;
          const i32 value_21 = j & 1;
          added_2[value_21] = added_2[value_21] + (weights_2[value_20] + weights_2[value_20 + 1]);
        }

        // 28: %total = math.fma %total_before, %shrink_all, %added : !parts
        f32 total_2[2];
        #pragma unroll
        for (i32 j = 0; j < 2; ++j) {
          total_2[j] = fmaf(total_before[j], shrink_2[j], added_2[j]);
        }

        // 118: %grown = cta.await %adding : !sum -> !out after %total_now : !parts
        settle(total_2);
        wgmma_wait<0>(adding);

        // 119: cta.release %v_slot : !slot
        if (test_3) {
          mbarrier_arrive(vs_empty + value_18);
        }

        // 120: %sum_now = cta.rescale %grown, %shrink : !out, !rows  %p_now = tile.cast %weights : !scores -> !weights
        if (vote_any(shrink_2[0] != 1.0f || shrink_2[1] != 1.0f)) {
          #pragma unroll
          for (i32 j = 0; j < 32; ++j) {
            adding[j] = adding[j] * shrink_2[(j >> 1) & 1];
          }
        }
        bf16x2 p_now[32];
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          const i32 value_20 = j * 2;
          p_now[j] = pack_bf16(weights_2[value_20], weights_2[value_20 + 1]);
        }

        // 121: scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !parts
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
          p_before[j] = p_now[j];
        }
        #pragma unroll
        for (i32 j = 0; j < 32; ++j) {
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

      // 123: cta.release %q_slot : !q_slot
      if (test_3) {
        mbarrier_arrive(qs_empty + value_15 * 8);
      }

      // 124: %q_next = cta.wait %qs : !q_ring -> !q_slot  %k_next = cta.wait %ks : !ring -> !slot
      const i32 slot_3 = qs_slot[0];
      const i32 phase_3 = qs_phase[0];
      mbarrier_wait(qs_full + slot_3 * 8, phase_3);
      const i32 value_16 = slot_3 + 1;
      const bool test_8 = value_16 == 2;
      qs_slot[0] = test_8 ? 0 : value_16;
      qs_phase[0] = test_8 ? phase_3 ^ 1 : phase_3;
      const i32 slot_4 = ks_slot[0];
      const i32 phase_4 = ks_phase[0];
      const i32 value_17 = slot_4 * 8;
      mbarrier_wait(ks_full + value_17, phase_4);
      const i32 value_18 = slot_4 + 1;
      const bool test_9 = value_18 == 4;
      ks_slot[0] = test_9 ? 0 : value_18;
      ks_phase[0] = test_9 ? phase_4 ^ 1 : phase_4;

      // 49: %none = cta.begin : !score_sum
      f32 none_2[64];

      // 50: %sum = cta.mma %none, %q, %k {b_transposed, shape = #shape, warps = #warps}
      wgmma_fence();
      const i64 a_descriptor_3 = matrix_descriptor<16, 1024, 128>(qs_shared + slot_3 * 24576 + value_5);
      const i64 b_descriptor_2 = matrix_descriptor<16, 1024, 128>(ks_shared + slot_4 * 16384);
      #pragma unroll
      for (i32 i = 0; i < 4; ++i) {
        const i32 value_19 = i * 32;
        const i64 value_20 = advance_descriptor(a_descriptor_3, value_19);
        wgmma_m64n128k16_bf16(none_2, value_20, advance_descriptor(b_descriptor_2, value_19), i > 0);
      }
      wgmma_commit();

      // 126: %v_first = cta.wait %vs : !ring -> !slot
      const i32 slot_5 = vs_slot[0];
      const i32 phase_5 = vs_phase[0];
      const i32 value_19 = slot_5 * 8;
      mbarrier_wait(vs_full + value_19, phase_5);
      const i32 value_20 = slot_5 + 1;
      const bool test_10 = value_20 == 4;
      vs_slot[0] = test_10 ? 0 : value_20;
      vs_phase[0] = test_10 ? phase_5 ^ 1 : phase_5;

      // 127: %ending = cta.mma %sum, %p, %v_first {shape = #out_shape, warps = #warps} : !out, !weights, !slot -> !sum
      wgmma_fence(sum_before, p_before);
      const i64 b_descriptor_3 = matrix_descriptor<16384, 1024, 128>(vs_shared + slot_5 * 16384);
      #pragma unroll
      for (i32 i = 0; i < 8; ++i) {
        wgmma_m64n64k16_bf16_a_regs_trans_b(sum_before, &p_before[i * 4], advance_descriptor(b_descriptor_3, i * 2048));
      }
      wgmma_commit();

      // 128: %row = arith.muli %m, %tile_rows : i32
      const i32 row = (tile - value_14 * m_tiles) * 192;

      // 129: %total = tile.reduce sum %totals, 1 : !parts -> !rows  %inverse = arith.divf %one, %total : !rows
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
      f32 inverse[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        inverse[i] = divide(1.0f, total_2[i]);
      }

      // 132: tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 192] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
      const i32 value_21 = b * lse_stride0 + h * lse_stride1;
      const bool test_11 = u32(b) < u32(B) && u32(h) < u32(H) && test_7;
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        f32 regs[1];
        regs[0] = (peak_before[i] + log2_approx(total_2[i])) * 0.6931472f;
        const i32 value_22 = i * 8;
        const bool inside = test_11 && S - (row + thread_row_3 + value_22) > 0;
        store_global_b32(lse + (value_21 + row + value_22 + thread_row_3), regs, inside);
      }

      // 133: %scores_next = cta.await %starting : !score_sum -> !scores
      wgmma_wait<1>(none_2);

      // 134: cta.release %k_next : !slot
      if (test_3) {
        mbarrier_arrive(ks_empty + value_17);
      }

      // 40: %seen = arith.select %visible, %scores, %nothing : !mask, !scores
      f32 seen_2[64];
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        const i32 value_22 = (i & 1) + (i >> 2) * 2;
        seen_2[i] = (value_22 & 1) + (value_22 >> 1) * 8 < value_6 ? none_2[i] : -kInf;
      }

      // 20: %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
      i32 bound_2[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        bound_2[i] = 0;
      }
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        const i32 value_22 = (i >> 1) & 1;
        bound_2[value_22] = max(bound_2[value_22], __float_as_int(seen_2[i]));
      }
      f32 peak_2[2];
      f32 shrink_2[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak_2[i] = -1e+30f;
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        shrink_2[i] = 1.0f;
      }
      const bool test_12 = __int_as_float(bound_2[0]) * exponent - peak_2[0] > 8.0f;
      const bool test_13 = vote_any(test_12 || __int_as_float(bound_2[1]) * exponent - peak_2[1] > 8.0f);
      if (test_13) {
        f32 high[2];
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          high[i] = -kInf;
        }
        #pragma unroll
        for (i32 i = 0; i < 32; ++i) {
          const i32 value_22 = i * 2;
          const i32 value_23 = i & 1;
          const f32 value_24 = max_nan(high[value_23], max_nan(seen_2[value_22], seen_2[value_22 + 1]));
          high[value_23] = value_24;
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
          const f32 value_22 = high[i] * exponent;
          const f32 value_23 = peak_2[i];
          const f32 value_24 = value_22 - value_23 > 8.0f ? value_22 : value_23;
          shrink_2[i] = exp2_approx(value_23 - value_24);
          peak_2[i] = value_24;
        }
      }

      // 24: %weights = math.exp2 %power : !scores
      f32 weights_2[64];
      #pragma unroll
      for (i32 i = 0; i < 64; ++i) {
        weights_2[i] = exp2_approx(seen_2[i] * exponent - peak_2[(i >> 1) & 1]);
      }

      // 25: %added = cta.partial_sum %weights : !scores -> !parts
      f32 added_2[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        added_2[i] = 0.0f;
      }
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        const i32 value_22 = i * 2;
        const i32 value_23 = i & 1;
        added_2[value_23] = added_2[value_23] + (weights_2[value_22] + weights_2[value_22 + 1]);
      }

      // 28: %total = math.fma %total_before, %shrink_all, %added : !parts
      f32 total_3[2];
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_3[i] = fmaf(0.0f, shrink_2[i], added_2[i]);
      }

      // 137: %whole = cta.await %ending : !sum -> !out after %total_next : !parts
      settle(total_3);
      wgmma_wait<0>(sum_before);

      // 138: cta.release %v_first : !slot
      if (test_3) {
        mbarrier_arrive(vs_empty + value_19);
      }

      // 139: %p_next = tile.cast %weights_next : !scores -> !weights
      bf16x2 p_next[32];
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        const i32 value_22 = i * 2;
        p_next[i] = pack_bf16(weights_2[value_22], weights_2[value_22 + 1]);
      }

      // 143: cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %os : !q_tile, !view, !o_ring
      if (test_6) {
        bulk_wait_read<0>();
      }
      named_barrier_sync(value_8, 128);
      #pragma unroll
      for (i32 i = 0; i < 4; ++i) {
        bf16x2 regs[4];
        const i32 value_22 = ((i * 2) & 7) * 4;
        #pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          const i32 value_23 = value_22 + j * 2;
          const i32 value_24 = value_23 + 1;
          const f32 value_25 = sum_before[value_23] * inverse[(value_23 >> 1) & 1];
          const bf16x2 word = pack_bf16(value_25, sum_before[value_24] * inverse[(value_24 >> 1) & 1]);
          regs[j] = word;
        }
        stmatrix_x4(value_13 + (((thread_col + i * 16) * 2) ^ value_12), regs);
      }
      fence_async_shared();
      named_barrier_sync(value_8, 128);
      if (test_6) {
        tma_store_4d(o, b, row + value_11, h, 0, os_shared + value_5);
        bulk_commit();
      }

      // 144: cta.yield %q_next, %p_next, %peak_next, %total_next : !q_slot, !weights, !rows, !parts
      q_slot_number[0] = slot_3;
      #pragma unroll
      for (i32 i = 0; i < 32; ++i) {
        p_first[i] = p_next[i];
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        peak_first[i] = peak_2[i];
      }
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        total_first[i] = total_3[i];
      }
    }

    // 146: cta.release %left#0 : !q_slot
    const i32 value_14 = qs_empty + q_slot_number[0] * 8;
    if (test_3) {
      mbarrier_arrive(value_14);
    }

    // 91: cta.role "attend" warps 12 registers 160 {
    if (test_6) {
      bulk_wait_read<0>();
    }
    if (value == 0) {
      named_barrier_sync(value_7, 256);
    }
  }
}
