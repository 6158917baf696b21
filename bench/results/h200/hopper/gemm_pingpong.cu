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

extern "C" __global__ void __launch_bounds__(384, 1)
gemm_pingpong(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
              const __grid_constant__ TensorMap c, i32 M, i32 K, i32 N) {
  extern __shared__ __align__(1024) u8 shared[];

  // 12: func.func @gemm_pingpong(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 26: %m_tiles = arith.ceildivsi %M, %c128 : i32
  const i32 m_tiles = ceil_div(M, 128);

  // 27: %n_tiles = arith.ceildivsi %N, %c128 : i32
  const i32 n_tiles = ceil_div(N, 128);

  // 28: %steps = arith.ceildivsi %K, %c64 : i32
  const i32 steps = ceil_div(K, 64);

  // 34: %as_0 = cta.channel tma : !ring
  const i32 as_0_shared = shared_address(shared);

  // 35: %bs_0 = cta.channel tma : !ring
  const i32 bs_0_shared = shared_address(shared + 49152);

  // 36: %rows_0 = cta.channel store : !staging
  const i32 rows_0_shared = shared_address(shared + 98304);

  // 37: %as_1 = cta.channel tma : !ring
  const i32 as_1_shared = shared_address(shared + 114688);

  // 38: %bs_1 = cta.channel tma : !ring
  const i32 bs_1_shared = shared_address(shared + 163840);

  // 39: %rows_1 = cta.channel store : !staging
  const i32 rows_1_shared = shared_address(shared + 212992);

  // 12: func.func @gemm_pingpong(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 as_0_full = shared_address(shared + 229376);
  const i32 as_0_empty = shared_address(shared + 229400);
  const i32 as_1_full = shared_address(shared + 229424);
  const i32 as_1_empty = shared_address(shared + 229448);
  if (thread == 0) {
    tma_prefetch_map(a);
    tma_prefetch_map(b);
    tma_prefetch_map(c);
    #pragma unroll
    for (i32 i = 0; i < 3; ++i) {
      const i32 value = i * 8;
      mbarrier_init(as_0_full + value, 1);
      mbarrier_init(as_0_empty + value, 1);
    }
    #pragma unroll
    for (i32 i = 0; i < 3; ++i) {
      const i32 value = i * 8;
      mbarrier_init(as_1_full + value, 1);
      mbarrier_init(as_1_empty + value, 1);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warpgroup < 1) {
    // 41: cta.role "load 0" warps 1 registers 40 {
    decrease_registers<40>();
    if (warp == 0) {
      if (elect_one()) {
        i32 as_0_slot[1];
        as_0_slot[0] = 0;
        i32 as_0_phase[1];
        as_0_phase[0] = 1;

        // 42: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 0 of 2 {
        const i32 value = n_tiles * 16;
        const i32 value_2 = m_tiles - ((m_tiles - 1) >> 4) * 16;
        const i32 band_reciprocal = reciprocal(value);
        const i32 height_reciprocal = reciprocal(value_2);
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x); tile < m_tiles * n_tiles; tile += i32(gridDim.x) * 2) {
          const i32 value_3 = quotient(tile, value, band_reciprocal);
          const i32 value_4 = tile - value_3 * value;
          const i32 value_5 = value_3 * 16;
          const bool test = value_5 + 16 <= m_tiles;
          const i32 value_6 = value_4 / 16;
          const i32 value_7 = quotient(value_4, value_2, height_reciprocal);
          const i32 m = value_5 + (test ? value_4 - value_6 * 16 : value_4 - value_7 * value_2);

          // 43: %row = arith.muli %m, %c128 : i32
          const i32 row = m * 128;

          // 44: %column = arith.muli %n, %c128 : i32
          const i32 column = (test ? value_6 : value_7) * 128;

          // 45: scf.for %i = %c0 to %steps step %c1 : i32 {
          #pragma unroll 1
          for (i32 i = 0; i < steps; ++i) {
            // 46: %k = arith.muli %i, %c64 : i32
            const i32 k = i * 64;

            // 47: %a_slot = cta.acquire %as_0 : !ring -> !slot
            const i32 slot = as_0_slot[0];
            const i32 phase = as_0_phase[0];
            const i32 value_8 = slot * 8;
            const i32 value_9 = as_0_full + value_8;
            mbarrier_wait(as_0_empty + value_8, phase);
            mbarrier_arrive_expect_tx(value_9, 32768);
            const i32 value_10 = slot + 1;
            const bool test_2 = value_10 == 3;
            as_0_slot[0] = test_2 ? 0 : value_10;
            as_0_phase[0] = test_2 ? phase ^ 1 : phase;
            const i32 as_0_shared_2 = slot * 16384;

            // 49: cta.copy %a[%row, %k] extents [128, 64], %a_slot : !view, !slot
            tma_load_2d(as_0_shared + as_0_shared_2, a, row, k, value_9);

            // 50: cta.copy %b[%column, %k] extents [128, 64], %b_slot : !view, !slot
            tma_load_2d(bs_0_shared + as_0_shared_2, b, column, k, value_9);
          }
        }
      }
    }

    // 57: cta.role "load 1" warps 1 registers 40 {
    if (warp == 1) {
      if (elect_one()) {
        i32 as_1_slot[1];
        as_1_slot[0] = 0;
        i32 as_1_phase[1];
        as_1_phase[0] = 1;

        // 58: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 1 of 2 {
        const i32 value = n_tiles * 16;
        const i32 value_2 = m_tiles - ((m_tiles - 1) >> 4) * 16;
        const i32 value_3 = i32(gridDim.x);
        const i32 band_reciprocal = reciprocal(value);
        const i32 height_reciprocal = reciprocal(value_2);
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x) + value_3; tile < m_tiles * n_tiles; tile += value_3 * 2) {
          const i32 value_4 = quotient(tile, value, band_reciprocal);
          const i32 value_5 = tile - value_4 * value;
          const i32 value_6 = value_4 * 16;
          const bool test = value_6 + 16 <= m_tiles;
          const i32 value_7 = value_5 / 16;
          const i32 value_8 = quotient(value_5, value_2, height_reciprocal);
          const i32 m = value_6 + (test ? value_5 - value_7 * 16 : value_5 - value_8 * value_2);

          // 59: %row = arith.muli %m, %c128 : i32
          const i32 row = m * 128;

          // 60: %column = arith.muli %n, %c128 : i32
          const i32 column = (test ? value_7 : value_8) * 128;

          // 61: scf.for %i = %c0 to %steps step %c1 : i32 {
          #pragma unroll 1
          for (i32 i = 0; i < steps; ++i) {
            // 62: %k = arith.muli %i, %c64 : i32
            const i32 k = i * 64;

            // 63: %a_slot = cta.acquire %as_1 : !ring -> !slot
            const i32 slot = as_1_slot[0];
            const i32 phase = as_1_phase[0];
            const i32 value_9 = slot * 8;
            const i32 value_10 = as_1_full + value_9;
            mbarrier_wait(as_1_empty + value_9, phase);
            mbarrier_arrive_expect_tx(value_10, 32768);
            const i32 value_11 = slot + 1;
            const bool test_2 = value_11 == 3;
            as_1_slot[0] = test_2 ? 0 : value_11;
            as_1_phase[0] = test_2 ? phase ^ 1 : phase;
            const i32 as_1_shared_2 = slot * 16384;

            // 65: cta.copy %a[%row, %k] extents [128, 64], %a_slot : !view, !slot
            tma_load_2d(as_1_shared + as_1_shared_2, a, row, k, value_10);

            // 66: cta.copy %b[%column, %k] extents [128, 64], %b_slot : !view, !slot
            tma_load_2d(bs_1_shared + as_1_shared_2, b, column, k, value_10);
          }
        }
      }
    }
  } else {
    // 12: func.func @gemm_pingpong(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
    if (warpgroup < 2) {
      // 73: cta.role "multiply 0" warps 4 registers 232 {
      increase_registers<232>();
      const i32 own_warp = warp - 4;
      i32 as_0_slot[1];
      as_0_slot[0] = 0;
      i32 as_0_phase[1];
      as_0_phase[0] = 0;

      // 74: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 0 of 2 {
      const i32 value = n_tiles * 16;
      const i32 value_2 = m_tiles - ((m_tiles - 1) >> 4) * 16;

      // 79: %next = cta.mma %before, %a_slot, %b_slot
      const bool test = group_thread < 1;

      // 89: cta.store %rounded, %c[%row, %column] extents [128, 128] through %rows_0
      const bool test_2 = own_warp * 32 + lane == 0;

      // 12: func.func @gemm_pingpong(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
      const i32 thread_col = (lane >> 4) * 8;
      const i32 thread_row = (lane & 15) + own_warp * 16;

      // 74: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 0 of 2 {
      const i32 band_reciprocal = reciprocal(value);
      const i32 height_reciprocal = reciprocal(value_2);

      // 85: %total = cta.await %sum : !sum -> tensor<128x128xf32>
      const bool test_3 = steps > 0 && test;
      const bool test_4 = steps <= 0;

      // 74: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 0 of 2 {
      #pragma unroll 1
      for (i32 tile = i32(blockIdx.x); tile < m_tiles * n_tiles; tile += i32(gridDim.x) * 2) {
        const i32 value_3 = quotient(tile, value, band_reciprocal);
        const i32 value_4 = tile - value_3 * value;
        const i32 value_5 = value_3 * 16;
        const bool test_5 = value_5 + 16 <= m_tiles;
        const i32 value_6 = value_4 / 16;
        const i32 value_7 = quotient(value_4, value_2, height_reciprocal);

        // 75: %acc = cta.begin : !sum
        f32 acc[128];

        // 76: %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        i32 held_slot[1];
        held_slot[0] = 0;
        #pragma unroll 1
        for (i32 i = 0; i < steps; ++i) {
          const bool later = i > 0;

          // 77: %a_slot = cta.wait %as_0 : !ring -> !slot
          const i32 slot = as_0_slot[0];
          const i32 phase = as_0_phase[0];
          mbarrier_wait(as_0_full + slot * 8, phase);
          const i32 value_8 = slot + 1;
          const bool test_6 = value_8 == 3;
          as_0_slot[0] = test_6 ? 0 : value_8;
          as_0_phase[0] = test_6 ? phase ^ 1 : phase;
          const i32 as_0_shared_2 = slot * 16384;

          // 79: %next = cta.mma %before, %a_slot, %b_slot
          wgmma_fence();

          // 76: %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
          const i32 value_9 = held_slot[0];

          // 79: %next = cta.mma %before, %a_slot, %b_slot
          const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(as_0_shared + as_0_shared_2);
          const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(bs_0_shared + as_0_shared_2);
          #pragma unroll
          for (i32 j = 0; j < 4; ++j) {
            const i32 value_10 = j * 32;
            const bool test_7 = later || j > 0;
            const i64 value_11 = advance_descriptor(b_descriptor, value_10);
            #pragma unroll
            for (i32 k = 0; k < 2; ++k) {
              wgmma_m64n128k16_bf16(&acc[k * 64], advance_descriptor(a_descriptor, k * 8192 + value_10), value_11, test_7);
            }
          }
          wgmma_commit();
          wgmma_wait<1>();
          if (later && test) {
            mbarrier_arrive(as_0_empty + value_9 * 8);
          }

          // 83: scf.yield %next : !sum
          held_slot[0] = slot;
        }

        // 85: %total = cta.await %sum : !sum -> tensor<128x128xf32>
        wgmma_wait<0>(acc);
        const i32 value_8 = as_0_empty + held_slot[0] * 8;
        if (test_3) {
          mbarrier_arrive(value_8);
        }
        if (test_4) {
          #pragma unroll
          for (i32 i = 0; i < 128; ++i) {
            acc[i] = 0.0f;
          }
          pin_registers(acc);
        }

        // 74: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 0 of 2 {
        const i32 m = value_5 + (test_5 ? value_4 - value_6 * 16 : value_4 - value_7 * value_2);

        // 87: %row = arith.muli %m, %c128 : i32
        const i32 row = m * 128;

        // 88: %column = arith.muli %n, %c128 : i32
        const i32 column = (test_5 ? value_6 : value_7) * 128;

        // 89: cta.store %rounded, %c[%row, %column] extents [128, 128] through %rows_0
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          if (test_2) {
            bulk_wait_read<0>();
          }
          named_barrier_sync(4, 128);
          const i32 value_9 = ((i * 8) & 15) * 4;
          #pragma unroll
          for (i32 j = 0; j < 8; ++j) {
            const i32 value_10 = j >> 2;
            const i32 value_11 = (thread_row + value_10 * 64) * 128;
            const i32 value_12 = ((thread_col + (j & 3) * 16) * 2) ^ (i32(u32(value_11) >> 3) & 112);
            bf16x2 regs[4];
            const i32 value_13 = ((j * 2) & 7) * 4 + value_9 + (value_10 & 1) * 64;
            #pragma unroll
            for (i32 k = 0; k < 4; ++k) {
              const i32 value_14 = value_13 + k * 2;
              regs[k] = pack_bf16(acc[value_14], acc[value_14 + 1]);
            }
            stmatrix_x4(rows_0_shared + value_11 + value_12, regs);
          }
          fence_async_shared();
          named_barrier_sync(4, 128);
          if (test_2) {
            tma_store_2d(c, row, column + i * 64, rows_0_shared);
            bulk_commit();
          }
        }
      }

      // 73: cta.role "multiply 0" warps 4 registers 232 {
      if (group_thread == 0) {
        bulk_wait_read<0>();
      }
    } else {
      // 94: cta.role "multiply 1" warps 4 registers 232 {
      increase_registers<232>();
      const i32 own_warp = warp - 8;
      i32 as_1_slot[1];
      as_1_slot[0] = 0;
      i32 as_1_phase[1];
      as_1_phase[0] = 0;

      // 95: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 1 of 2 {
      const i32 value = n_tiles * 16;
      const i32 value_2 = m_tiles - ((m_tiles - 1) >> 4) * 16;
      const i32 value_3 = i32(gridDim.x);

      // 100: %next = cta.mma %before, %a_slot, %b_slot
      const bool test = group_thread < 1;

      // 110: cta.store %rounded, %c[%row, %column] extents [128, 128] through %rows_1
      const bool test_2 = own_warp * 32 + lane == 0;

      // 12: func.func @gemm_pingpong(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
      const i32 thread_col = (lane >> 4) * 8;
      const i32 thread_row = (lane & 15) + own_warp * 16;

      // 95: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 1 of 2 {
      const i32 band_reciprocal = reciprocal(value);
      const i32 height_reciprocal = reciprocal(value_2);

      // 106: %total = cta.await %sum : !sum -> tensor<128x128xf32>
      const bool test_3 = steps > 0 && test;
      const bool test_4 = steps <= 0;

      // 95: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 1 of 2 {
      #pragma unroll 1
      for (i32 tile = i32(blockIdx.x) + value_3; tile < m_tiles * n_tiles; tile += value_3 * 2) {
        const i32 value_4 = quotient(tile, value, band_reciprocal);
        const i32 value_5 = tile - value_4 * value;
        const i32 value_6 = value_4 * 16;
        const bool test_5 = value_6 + 16 <= m_tiles;
        const i32 value_7 = value_5 / 16;
        const i32 value_8 = quotient(value_5, value_2, height_reciprocal);

        // 96: %acc = cta.begin : !sum
        f32 acc[128];

        // 97: %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        i32 held_slot[1];
        held_slot[0] = 0;
        #pragma unroll 1
        for (i32 i = 0; i < steps; ++i) {
          const bool later = i > 0;

          // 98: %a_slot = cta.wait %as_1 : !ring -> !slot
          const i32 slot = as_1_slot[0];
          const i32 phase = as_1_phase[0];
          mbarrier_wait(as_1_full + slot * 8, phase);
          const i32 value_9 = slot + 1;
          const bool test_6 = value_9 == 3;
          as_1_slot[0] = test_6 ? 0 : value_9;
          as_1_phase[0] = test_6 ? phase ^ 1 : phase;
          const i32 as_1_shared_2 = slot * 16384;

          // 100: %next = cta.mma %before, %a_slot, %b_slot
          wgmma_fence();

          // 97: %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
          const i32 value_10 = held_slot[0];

          // 100: %next = cta.mma %before, %a_slot, %b_slot
          const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(as_1_shared + as_1_shared_2);
          const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(bs_1_shared + as_1_shared_2);
          #pragma unroll
          for (i32 j = 0; j < 4; ++j) {
            const i32 value_11 = j * 32;
            const bool test_7 = later || j > 0;
            const i64 value_12 = advance_descriptor(b_descriptor, value_11);
            #pragma unroll
            for (i32 k = 0; k < 2; ++k) {
              wgmma_m64n128k16_bf16(&acc[k * 64], advance_descriptor(a_descriptor, k * 8192 + value_11), value_12, test_7);
            }
          }
          wgmma_commit();
          wgmma_wait<1>();
          if (later && test) {
            mbarrier_arrive(as_1_empty + value_10 * 8);
          }

          // 104: scf.yield %next : !sum
          held_slot[0] = slot;
        }

        // 106: %total = cta.await %sum : !sum -> tensor<128x128xf32>
        wgmma_wait<0>(acc);
        const i32 value_9 = as_1_empty + held_slot[0] * 8;
        if (test_3) {
          mbarrier_arrive(value_9);
        }
        if (test_4) {
          #pragma unroll
          for (i32 i = 0; i < 128; ++i) {
            acc[i] = 0.0f;
          }
          pin_registers(acc);
        }

        // 95: cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 1 of 2 {
        const i32 m = value_6 + (test_5 ? value_5 - value_7 * 16 : value_5 - value_8 * value_2);

        // 108: %row = arith.muli %m, %c128 : i32
        const i32 row = m * 128;

        // 109: %column = arith.muli %n, %c128 : i32
        const i32 column = (test_5 ? value_7 : value_8) * 128;

        // 110: cta.store %rounded, %c[%row, %column] extents [128, 128] through %rows_1
        #pragma unroll
        for (i32 i = 0; i < 2; ++i) {
          if (test_2) {
            bulk_wait_read<0>();
          }
          named_barrier_sync(5, 128);
          const i32 value_10 = ((i * 8) & 15) * 4;
          #pragma unroll
          for (i32 j = 0; j < 8; ++j) {
            const i32 value_11 = j >> 2;
            const i32 value_12 = (thread_row + value_11 * 64) * 128;
            const i32 value_13 = ((thread_col + (j & 3) * 16) * 2) ^ (i32(u32(value_12) >> 3) & 112);
            bf16x2 regs[4];
            const i32 value_14 = ((j * 2) & 7) * 4 + value_10 + (value_11 & 1) * 64;
            #pragma unroll
            for (i32 k = 0; k < 4; ++k) {
              const i32 value_15 = value_14 + k * 2;
              regs[k] = pack_bf16(acc[value_15], acc[value_15 + 1]);
            }
            stmatrix_x4(rows_1_shared + value_12 + value_13, regs);
          }
          fence_async_shared();
          named_barrier_sync(5, 128);
          if (test_2) {
            tma_store_2d(c, row, column + i * 64, rows_1_shared);
            bulk_commit();
          }
        }
      }

      // 94: cta.role "multiply 1" warps 4 registers 232 {
      if (group_thread == 0) {
        bulk_wait_read<0>();
      }
    }
  }
}
