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
__device__ __forceinline__ void load_global_b32(T *to, const void *from, bool inside = true) {
  u32 words[1];
  pack_words<4>(words, to);
  asm volatile("{\n\t"
               ".reg .pred inside;\n\t"
               "setp.ne.b32 inside, %2, 0;\n\t"
               "@inside ld.global.b32 %0, [%1];\n\t"
               "}"
               : "+r"(words[0])
               : "l"(from), "r"(i32(inside)));
  unpack_words<4>(to, words);
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

// What came before, here and in front of a barrier, is seen by who takes the flag.
__device__ __forceinline__ void flag_raise(i32 *flag) {
  asm volatile("st.release.gpu.global.u32 [%0], 1;" : : "l"(flag) : "memory");
}

// Waits for a flag, and lowers it for the next launch.
__device__ __forceinline__ void flag_take(i32 *flag) {
  const Watchdog watchdog{};
  auto isRaised = [flag] {
    i32 raised;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(raised) : "l"(flag) : "memory");
    return raised != 0;
  };
  while (!isRaised())
    watchdog.check();
  asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" : : "l"(flag) : "memory");
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
__device__ __forceinline__ void wgmma_m64n256k16_bf16(f32 *d, u64 a, u64 b, bool accumulate = true) {
  asm volatile("{\n\t"
               ".reg .pred accumulate;\n\t"
               "setp.ne.b32 accumulate, %130, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
               "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
               "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
               "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "
               "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, "
               "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, "
               "%106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, "
               "%119, %120, %121, %122, %123, %124, %125, %126, %127}, "
               "%128, %129, accumulate, 1, 1, 0, 0;\n\t"
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
                 "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
                 "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
                 "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]),
                 "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]),
                 "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]),
                 "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
                 "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]),
                 "+f"(d[126]), "+f"(d[127])
               : "l"(a), "l"(b), "r"(i32(accumulate))
               : "memory");
}

extern "C" __global__ void __launch_bounds__(384, 1)
triangular(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
           const __grid_constant__ TensorMap c, i32 M, i32 K, i32 N, i32 diagonal,
           f32 *__restrict__ workspace, i32 *__restrict__ flags) {
  extern __shared__ __align__(1024) u8 shared[];

  // 11: def triangular(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[E, M, N], diagonal: i32,
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
  const i32 value = ceil_div(M, 128);
  const i32 value_2 = ceil_div(N, 256);

  // 18: acc += dot(a[rows, depth], b[cols, depth].T)
  const i32 a_shared = shared_address(shared);
  const i32 b_shared = shared_address(shared + 65536);

  // 19: c[rows, cols] = acc
  const i32 c_shared = shared_address(shared + 196608);

  // 11: def triangular(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[E, M, N], diagonal: i32,
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 a_full = shared_address(shared + 229376);
  const i32 a_empty = shared_address(shared + 229408);
  if (thread == 0) {
    tma_prefetch_map(a);
    tma_prefetch_map(b);
    tma_prefetch_map(c);
    #pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const i32 value_3 = i * 8;
      mbarrier_init(a_full + value_3, 1);
      mbarrier_init(a_empty + value_3, 2);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warpgroup < 1) {
    // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    decrease_registers<40>();
    if (warp == 0) {
      if (elect_one()) {
        i32 a_slot[1];
        a_slot[0] = 0;
        i32 a_phase[1];
        a_phase[0] = 1;
        const i32 value_3 = value * value_2;
        const i32 value_4 = value_2 * 16;
        const i32 band_reciprocal = reciprocal(value_4);
        const i32 value_5 = value - ((value - 1) >> 4) * 16;
        const i32 height_reciprocal = reciprocal(value_5);
        const i32 block = i32(blockIdx.x);
        const i32 value_6 = i32(gridDim.x);
        const i32 value_7 = value_3 / value_6;
        const i32 whole_tiles = value_7 * value_6;
        const i32 value_8 = value_3 - whole_tiles;
        i32 steps_left = 0;
        i32 longest = 0;
        #pragma unroll 4
        for (i32 other_tile = 0; other_tile < value_8; ++other_tile) {
          const i32 value_9 = whole_tiles + other_tile;
          const i32 value_10 = quotient(value_9, value_4, band_reciprocal);
          const i32 value_11 = value_9 - value_10 * value_4;
          const i32 value_12 = value_10 * 16;
          const i32 value_13 = value_11 - quotient(value_11, value_5, height_reciprocal) * value_5;
          const i32 value_14 = value_12 + (value_12 + 16 <= value ? value_11 - value_11 / 16 * 16 : value_13);

          // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
          const i32 tile_steps = max(ceil_div(min(max((value_14 + 1) * 128 + diagonal, 0), K), 64), 0);
          steps_left = steps_left + tile_steps;
          longest = max(longest, tile_steps);
        }

        // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
        const i32 value_9 = value_6 - 1;
        const i32 share = max((steps_left + value_9) / value_6, 16);
        const bool splits = longest - share >= 16;
        const i32 steps_shared = splits ? steps_left : 0;
        const i32 share_begin = min(block * share, steps_shared);
        const i32 share_end = min(share_begin + share, steps_shared);
        const i32 value_10 = block == 0 ? -1 : share_begin;
        i32 start = 0;
        i32 share_tile = 0;
        i32 tiles_begun = 0;
        i32 unmade = 0;
        #pragma unroll 4
        for (i32 other_tile = 0; other_tile < (splits ? value_8 : 0); ++other_tile) {
          const i32 value_11 = whole_tiles + other_tile;
          const i32 value_12 = quotient(value_11, value_4, band_reciprocal);
          const i32 value_13 = value_11 - value_12 * value_4;
          const i32 value_14 = value_12 * 16;
          const i32 value_15 = value_13 - quotient(value_13, value_5, height_reciprocal) * value_5;
          const i32 value_16 = value_14 + (value_14 + 16 <= value ? value_13 - value_13 / 16 * 16 : value_15);

          // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
          const i32 tile_steps = max(ceil_div(min(max((value_16 + 1) * 128 + diagonal, 0), K), 64), 0);

          // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
          const i32 value_17 = start + tile_steps;
          const bool test = start < share_end || value_17 <= share_end;
          start = value_17;
          share_tile = value_17 <= value_10 ? share_tile + 1 : share_tile;
          tiles_begun = test ? tiles_begun + 1 : tiles_begun;
          unmade = test ? value_17 : unmade;
        }
        i32 unmade_2[1];
        unmade_2[0] = unmade;
        const i32 rounds = splits ? value_7 : (value_3 - block + value_9) / value_6;
        const i32 all_rounds = rounds + tiles_begun - share_tile;
        const i32 value_11 = all_rounds - 1;
        #pragma unroll 1
        for (i32 round = 0; round < all_rounds; ++round) {
          const bool is_left = round >= rounds;
          const i32 tile = is_left ? whole_tiles + share_tile + value_11 - round : round * value_6 + block;
          const i32 value_12 = quotient(tile, value_4, band_reciprocal);
          const i32 value_13 = tile - value_12 * value_4;
          const i32 value_14 = value_12 * 16;
          const bool test = value_14 + 16 <= value;
          const i32 value_15 = value_13 / 16;
          const i32 value_16 = quotient(value_13, value_5, height_reciprocal);
          const i32 value_17 = value_14 + (test ? value_13 - value_15 * 16 : value_13 - value_16 * value_5);

          // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
          const i32 tile_steps = max(ceil_div(min(max((value_17 + 1) * 128 + diagonal, 0), K), 64), 0);

          // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
          const i32 start_left = unmade_2[0] - (is_left ? tile_steps : 0);
          unmade_2[0] = start_left;

          // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
          const i32 value_18 = is_left ? min(share_end - start_left, tile_steps) : tile_steps;

          // 14: rows, cols = block(m, BM), block(n, BN)
          const i32 rows = value_17 * 128;
          const i32 cols = (test ? value_15 : value_16) * 256;

          // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
          #pragma unroll 1
          for (i32 k = is_left ? max(share_begin - start_left, 0) : 0; k < value_18; ++k) {
            // 17: depth = block(k, BK)
            const i32 depth = k * 64;

            // 18: acc += dot(a[rows, depth], b[cols, depth].T)
            const i32 slot = a_slot[0];
            const i32 phase = a_phase[0];
            const i32 value_19 = slot * 8;
            const i32 value_20 = a_full + value_19;
            mbarrier_wait(a_empty + value_19, phase);
            mbarrier_arrive_expect_tx(value_20, 49152);
            const i32 value_21 = slot + 1;
            const bool test_2 = value_21 == 4;
            a_slot[0] = test_2 ? 0 : value_21;
            a_phase[0] = test_2 ? phase ^ 1 : phase;
            tma_load_2d(a_shared + slot * 16384, a, rows, depth, value_20);
            tma_load_2d(b_shared + slot * 32768, b, cols, depth, value_20);
          }
        }
      }
    }
  } else {
    // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    increase_registers<232>();
    const i32 own_warp = warp - 4;
    i32 a_slot[1];
    a_slot[0] = 0;
    i32 a_phase[1];
    a_phase[0] = 0;
    const i32 value_3 = value * value_2;
    const i32 value_4 = value_2 * 16;
    const i32 band_reciprocal = reciprocal(value_4);
    const i32 value_5 = value - ((value - 1) >> 4) * 16;
    const i32 height_reciprocal = reciprocal(value_5);
    const i32 block = i32(blockIdx.x);
    const i32 value_6 = i32(gridDim.x);
    const i32 value_7 = value_3 / value_6;
    const i32 whole_tiles = value_7 * value_6;
    const i32 value_8 = value_3 - whole_tiles;
    i32 steps_left = 0;
    i32 longest = 0;
    #pragma unroll 4
    for (i32 other_tile = 0; other_tile < value_8; ++other_tile) {
      const i32 value_9 = whole_tiles + other_tile;
      const i32 value_10 = quotient(value_9, value_4, band_reciprocal);
      const i32 value_11 = value_9 - value_10 * value_4;
      const i32 value_12 = value_10 * 16;
      const i32 value_13 = value_11 - quotient(value_11, value_5, height_reciprocal) * value_5;
      const i32 value_14 = value_12 + (value_12 + 16 <= value ? value_11 - value_11 / 16 * 16 : value_13);

      // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
      const i32 tile_steps = max(ceil_div(min(max((value_14 + 1) * 128 + diagonal, 0), K), 64), 0);
      steps_left = steps_left + tile_steps;
      longest = max(longest, tile_steps);
    }

    // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    const i32 value_9 = value_6 - 1;
    const i32 share = max((steps_left + value_9) / value_6, 16);
    const bool splits = longest - share >= 16;
    const i32 steps_shared = splits ? steps_left : 0;
    const i32 share_begin = min(block * share, steps_shared);
    const i32 share_end = min(share_begin + share, steps_shared);
    const i32 value_10 = block == 0 ? -1 : share_begin;
    i32 start = 0;
    i32 share_tile = 0;
    i32 tiles_begun = 0;
    i32 unmade = 0;
    #pragma unroll 4
    for (i32 other_tile = 0; other_tile < (splits ? value_8 : 0); ++other_tile) {
      const i32 value_11 = whole_tiles + other_tile;
      const i32 value_12 = quotient(value_11, value_4, band_reciprocal);
      const i32 value_13 = value_11 - value_12 * value_4;
      const i32 value_14 = value_12 * 16;
      const i32 value_15 = value_13 - quotient(value_13, value_5, height_reciprocal) * value_5;
      const i32 value_16 = value_14 + (value_14 + 16 <= value ? value_13 - value_13 / 16 * 16 : value_15);

      // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
      const i32 tile_steps = max(ceil_div(min(max((value_16 + 1) * 128 + diagonal, 0), K), 64), 0);

      // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
      const i32 value_17 = start + tile_steps;
      const bool test = start < share_end || value_17 <= share_end;
      start = value_17;
      share_tile = value_17 <= value_10 ? share_tile + 1 : share_tile;
      tiles_begun = test ? tiles_begun + 1 : tiles_begun;
      unmade = test ? value_17 : unmade;
    }
    i32 unmade_2[1];
    unmade_2[0] = unmade;
    const i32 rounds = splits ? value_7 : (value_3 - block + value_9) / value_6;
    const i32 all_rounds = rounds + tiles_begun - share_tile;

    // 18: acc += dot(a[rows, depth], b[cols, depth].T)
    const i32 value_11 = own_warp >> 2;
    const i32 value_12 = value_11 * 8192;
    const bool test = group_thread < 1;

    // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
    const i32 value_13 = own_warp * 32 + lane;
    const bool test_2 = value_13 == 0;

    // 11: def triangular(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[E, M, N], diagonal: i32,
    const i32 thread_col = (lane >> 4) * 8;
    const i32 thread_row = (lane & 15) + own_warp * 16;

    // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    const i32 value_14 = all_rounds - 1;
    #pragma unroll 1
    for (i32 round = 0; round < all_rounds; ++round) {
      const bool is_left = round >= rounds;
      const i32 tile = is_left ? whole_tiles + share_tile + value_14 - round : round * value_6 + block;
      const i32 value_15 = quotient(tile, value_4, band_reciprocal);
      const i32 value_16 = tile - value_15 * value_4;
      const i32 value_17 = value_15 * 16;
      const bool test_3 = value_17 + 16 <= value;
      const i32 value_18 = value_16 / 16;
      const i32 value_19 = quotient(value_16, value_5, height_reciprocal);
      const i32 value_20 = value_17 + (test_3 ? value_16 - value_18 * 16 : value_16 - value_19 * value_5);

      // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
      const i32 tile_steps = max(ceil_div(min(max((value_20 + 1) * 128 + diagonal, 0), K), 64), 0);

      // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
      const i32 start_left = unmade_2[0] - (is_left ? tile_steps : 0);
      unmade_2[0] = start_left;

      // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
      const i32 value_21 = is_left ? max(share_begin - start_left, 0) : 0;
      const i32 value_22 = is_left ? min(share_end - start_left, tile_steps) : tile_steps;

      // 18: acc += dot(a[rows, depth], b[cols, depth].T)
      f32 acc[128];

      // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
      i32 held_slot[1];
      held_slot[0] = 0;
      #pragma unroll 1
      for (i32 k = value_21; k < value_22; ++k) {
        const bool later = k > value_21;

        // 18: acc += dot(a[rows, depth], b[cols, depth].T)
        const i32 slot = a_slot[0];
        const i32 phase = a_phase[0];
        mbarrier_wait(a_full + slot * 8, phase);
        const i32 value_23 = slot + 1;
        const bool test_4 = value_23 == 4;
        a_slot[0] = test_4 ? 0 : value_23;
        a_phase[0] = test_4 ? phase ^ 1 : phase;
        wgmma_fence();

        // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
        const i32 value_24 = held_slot[0];

        // 18: acc += dot(a[rows, depth], b[cols, depth].T)
        const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(a_shared + slot * 16384 + value_12);
        const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(b_shared + slot * 32768);
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          const i32 value_25 = i * 32;
          const i64 value_26 = advance_descriptor(a_descriptor, value_25);
          wgmma_m64n256k16_bf16(acc, value_26, advance_descriptor(b_descriptor, value_25), later || i > 0);
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (later && test) {
          mbarrier_arrive(a_empty + value_24 * 8);
        }

        // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
        held_slot[0] = slot;
      }

      // 18: acc += dot(a[rows, depth], b[cols, depth].T)
      wgmma_wait<0>(acc);
      const i32 value_23 = a_empty + held_slot[0] * 8;
      if (value_21 < value_22 && test) {
        mbarrier_arrive(value_23);
      }
      if (value_21 >= value_22) {
        #pragma unroll
        for (i32 i = 0; i < 128; ++i) {
          acc[i] = 0.0f;
        }
        pin_registers(acc);
      }

      // 16: for k in range(cdiv(minimum(maximum((m + 1) * BM + diagonal, 0), K), BK)):
      const bool whole = value_22 == tile_steps;
      if (value_22 != tile_steps) {
        const i32 value_24 = block * 32768 + value_13;
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          const i32 value_25 = i * 64;
          #pragma unroll
          for (i32 j = 0; j < 64; ++j) {
            const i32 value_26 = value_25 + j;
            store_global_b32(workspace + (value_24 + value_26 * 256), &acc[value_26]);
          }
          __syncwarp();
        }
        named_barrier_sync(4, 256);
        if (test_2) {
          flag_raise(flags + block);
        }
      }
      #pragma unroll 1
      for (i32 other = is_left && whole ? start_left / share : block; other < block; ++other) {
        if (test_2) {
          flag_take(flags + other);
        }
        named_barrier_sync(4, 256);
        const i32 value_24 = other * 32768 + value_13;
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          const i32 value_25 = i * 64;
          #pragma unroll
          for (i32 j = 0; j < 64; ++j) {
            const i32 value_26 = value_25 + j;
            f32 part[1];
            load_global_b32(part, workspace + (value_24 + value_26 * 256));
            acc[value_26] = acc[value_26] + part[0];
          }
          __syncwarp();
        }
      }
      if (whole) {
        // 19: c[rows, cols] = acc
        const bool test_4 = group_thread == 0;
        const i32 value_24 = warpgroup + 1;
        const i32 value_25 = thread_row * 128;

        // 14: rows, cols = block(m, BM), block(n, BN)
        const i32 rows = value_20 * 128;
        const i32 cols = (test_3 ? value_18 : value_19) * 256;

        // 19: c[rows, cols] = acc
        const i32 value_26 = value_11 * 64;
        const i32 value_27 = i32(u32(value_25) >> 3) & 112;
        #pragma unroll
        for (i32 i = 0; i < 4; ++i) {
          const i32 value_28 = c_shared + (i & 1) * 16384;
          if (test_4) {
            bulk_wait_read<1>();
          }
          named_barrier_sync(value_24, 128);
          const i32 value_29 = value_28 + value_25;
          const i32 value_30 = ((i * 8) & 31) * 4;
          #pragma unroll
          for (i32 j = 0; j < 4; ++j) {
            bf16x2 regs[4];
            const i32 value_31 = ((j * 2) & 7) * 4 + value_30;
            #pragma unroll
            for (i32 k = 0; k < 4; ++k) {
              const i32 value_32 = value_31 + k * 2;
              regs[k] = pack_bf16(acc[value_32], acc[value_32 + 1]);
            }
            stmatrix_x4(value_29 + (((thread_col + j * 16) * 2) ^ value_27), regs);
          }
          fence_async_shared();
          named_barrier_sync(value_24, 128);
          if (test_4) {
            tma_store_2d(c, rows + value_26, cols + i * 64, value_28 + value_12);
            bulk_commit();
          }
        }
      }
    }

    // 13: m, n = grid(cdiv(M, BM), cdiv(N, BN))
    if (group_thread == 0) {
      bulk_wait_read<0>();
    }
  }
}
