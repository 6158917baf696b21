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

// The value of lane `lanes`.
template <typename T> __device__ __forceinline__ T shuffle_idx(T value, i32 lanes) {
  return __shfl_sync(0xffffffff, value, lanes);
}

__device__ __forceinline__ void mbarrier_init(i32 barrier, i32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(count) : "memory");
}

// `bytes` of copies are to come in this phase.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(i32 barrier, i32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}

// Without the fence that a release to the cluster takes.
__device__ __forceinline__ void mbarrier_arrive_remote_relaxed(i32 barrier) {
  asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];"
               :
               : "r"(barrier)
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

// The block's index in its cluster.
__device__ __forceinline__ i32 cluster_rank() {
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return i32(rank);
}

// The same place in the shared memory of block `rank` of the cluster.
__device__ __forceinline__ i32 cluster_address(i32 address, i32 rank) {
  i32 result;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(address), "r"(rank));
  return result;
}

__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
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

// Starts the copy of a box to shared memory.
__device__ __forceinline__ void tma_load_2d_multicast(i32 to, const TensorMap &map, i32 x0, i32 x1, i32 barrier, i32 blocks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %2}], [%4], %5;"
               :
               : "r"(to), "l"(&map), "r"(x0), "r"(x1), "r"(barrier), "h"(u16(blocks))
               : "memory");
}

// Starts adding a box in shared memory to a tensor.
__device__ __forceinline__ void tma_reduce_add_2d(const TensorMap &map, i32 x0, i32 x1, i32 from) {
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%2, %1}], [%3];"
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
split_k(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
        const __grid_constant__ TensorMap c, i32 M, i32 K, i32 N, i32 splits) {
  extern __shared__ __align__(1024) u8 shared[];

  // 10: def split_k(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[f32, M, N], splits: i32,
  const i32 thread = i32(threadIdx.x);
  const i32 lane = thread & 31;
  const i32 warp = shuffle_idx(thread >> 5, 0);

  // 13: m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
  const i32 value = ceil_div(M, 128);
  const i32 value_2 = ceil_div(N, 128);

  // 15: acc, steps = zeros((BM, BN), f32), cdiv(cdiv(K, BK), splits)
  const i32 steps = ceil_div(ceil_div(K, 64), splits);

  // 18: acc += dot(a[rows, depth], b[cols, depth].T)
  const i32 a_shared = shared_address(shared);
  const i32 b_shared = shared_address(shared + 65536);

  // 19: atomic_add(c[rows, cols], acc)
  const i32 c_shared = shared_address(shared + 131072);

  // 10: def split_k(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[f32, M, N], splits: i32,
  const i32 warpgroup = warp >> 2;
  const i32 group_thread = thread & 127;
  const i32 rank = cluster_rank();
  const i32 a_full = shared_address(shared + 196608);
  const i32 a_empty = shared_address(shared + 196640);
  if (thread == 0) {
    tma_prefetch_map(a);
    tma_prefetch_map(b);
    tma_prefetch_map(c);
    #pragma unroll
    for (i32 i = 0; i < 4; ++i) {
      const i32 value_3 = i * 8;
      mbarrier_init(a_full + value_3, 1);
      mbarrier_init(a_empty + value_3, 4);
    }
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (warpgroup < 1) {
    // 13: m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
    decrease_registers<40>();
    if (warp == 0) {
      if (elect_one()) {
        i32 a_slot[1];
        a_slot[0] = 0;
        i32 a_phase[1];
        a_phase[0] = 1;
        const i32 value_3 = (value + 1) >> 1;
        const i32 value_4 = value_3 * value_2;
        const i32 value_5 = value_2 * 8;
        const i32 value_6 = value_3 - ((value_3 - 1) >> 3) * 8;
        const i32 band_reciprocal = reciprocal(value_5);
        const i32 height_reciprocal = reciprocal(value_6);
        const i32 plane_reciprocal = reciprocal(value_4);

        // 18: acc += dot(a[rows, depth], b[cols, depth].T)
        const i32 value_7 = rank * 64;
        const i32 value_8 = rank * 8192;

        // 13: m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
        #pragma unroll 1
        for (i32 tile = i32(blockIdx.x) >> 1; tile < value_4 * splits; tile += i32(gridDim.x) >> 1) {
          const i32 value_9 = quotient(tile, value_4, plane_reciprocal);
          const i32 value_10 = tile - value_9 * value_4;
          const i32 value_11 = quotient(value_10, value_5, band_reciprocal);
          const i32 value_12 = value_10 - value_11 * value_5;
          const i32 value_13 = value_11 * 8;
          const bool test = value_13 + 8 <= value_3;
          const i32 value_14 = value_12 / 8;
          const i32 value_15 = quotient(value_12, value_6, height_reciprocal);
          const i32 value_16 = value_13 + (test ? value_12 - value_14 * 8 : value_12 - value_15 * value_6);

          // 14: rows, cols = block(m, BM), block(n, BN)
          const i32 rows = (value_16 * 2 + rank) * 128;

          // 17: depth = block(part * steps + i, BK)
          const i32 value_17 = value_9 * steps;

          // 18: acc += dot(a[rows, depth], b[cols, depth].T)
          const i32 value_18 = (test ? value_14 : value_15) * 128 + value_7;

          // 16: for i in range(steps):
          #pragma unroll 1
          for (i32 i = 0; i < steps; ++i) {
            // 17: depth = block(part * steps + i, BK)
            const i32 depth = (value_17 + i) * 64;

            // 18: acc += dot(a[rows, depth], b[cols, depth].T)
            const i32 slot = a_slot[0];
            const i32 phase = a_phase[0];
            const i32 value_19 = slot * 8;
            const i32 value_20 = a_full + value_19;
            mbarrier_wait(a_empty + value_19, phase);
            mbarrier_arrive_expect_tx(value_20, 32768);
            const i32 value_21 = slot + 1;
            const bool test_2 = value_21 == 4;
            a_slot[0] = test_2 ? 0 : value_21;
            a_phase[0] = test_2 ? phase ^ 1 : phase;
            const i32 a_shared_2 = slot * 16384;
            tma_load_2d(a_shared + a_shared_2, a, rows, depth, value_20);
            tma_load_2d_multicast(b_shared + a_shared_2 + value_8, b, value_18, depth, value_20, 3);
          }
        }
      }
    }
  } else {
    // 13: m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
    increase_registers<232>();
    const i32 own_warp = warp - 4;
    i32 a_slot[1];
    a_slot[0] = 0;
    i32 a_phase[1];
    a_phase[0] = 0;
    const i32 value_3 = (value + 1) >> 1;
    const i32 value_4 = value_3 * value_2;
    const i32 value_5 = value_2 * 8;
    const i32 value_6 = value_3 - ((value_3 - 1) >> 3) * 8;

    // 18: acc += dot(a[rows, depth], b[cols, depth].T)
    const i32 value_7 = own_warp >> 2;
    const i32 value_8 = value_7 * 8192;
    const bool test = group_thread < 2;

    // 19: atomic_add(c[rows, cols], acc)
    const bool test_2 = group_thread == 0;
    const i32 value_9 = warpgroup + 1;

    // 10: def split_k(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[f32, M, N], splits: i32,
    const i32 thread_col = (lane & 3) * 2;
    const i32 thread_row = (lane >> 2) + own_warp * 16;

    // 13: m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
    const i32 band_reciprocal = reciprocal(value_5);
    const i32 height_reciprocal = reciprocal(value_6);
    const i32 plane_reciprocal = reciprocal(value_4);

    // 18: acc += dot(a[rows, depth], b[cols, depth].T)
    const bool test_3 = steps > 0 && test;
    const bool test_4 = steps <= 0;

    // 19: atomic_add(c[rows, cols], acc)
    const i32 value_10 = value_7 * 64;

    // 13: m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
    #pragma unroll 1
    for (i32 tile = i32(blockIdx.x) >> 1; tile < value_4 * splits; tile += i32(gridDim.x) >> 1) {
      const i32 value_11 = tile - quotient(tile, value_4, plane_reciprocal) * value_4;
      const i32 value_12 = quotient(value_11, value_5, band_reciprocal);
      const i32 value_13 = value_11 - value_12 * value_5;
      const i32 value_14 = value_12 * 8;
      const bool test_5 = value_14 + 8 <= value_3;
      const i32 value_15 = value_13 / 8;
      const i32 value_16 = quotient(value_13, value_6, height_reciprocal);
      const i32 value_17 = value_14 + (test_5 ? value_13 - value_15 * 8 : value_13 - value_16 * value_6);

      // 18: acc += dot(a[rows, depth], b[cols, depth].T)
      f32 acc[64];

      // 16: for i in range(steps):
      i32 held_slot[1];
      held_slot[0] = 0;
      #pragma unroll 1
      for (i32 i = 0; i < steps; ++i) {
        const bool later = i > 0;

        // 18: acc += dot(a[rows, depth], b[cols, depth].T)
        const i32 slot = a_slot[0];
        const i32 phase = a_phase[0];
        mbarrier_wait(a_full + slot * 8, phase);
        const i32 value_18 = slot + 1;
        const bool test_6 = value_18 == 4;
        a_slot[0] = test_6 ? 0 : value_18;
        a_phase[0] = test_6 ? phase ^ 1 : phase;
        const i32 a_shared_2 = slot * 16384;
        wgmma_fence();

        // 16: for i in range(steps):
        const i32 value_19 = held_slot[0];

        // 18: acc += dot(a[rows, depth], b[cols, depth].T)
        const i64 a_descriptor = matrix_descriptor<16, 1024, 128>(a_shared + a_shared_2 + value_8);
        const i64 b_descriptor = matrix_descriptor<16, 1024, 128>(b_shared + a_shared_2);
        #pragma unroll
        for (i32 j = 0; j < 4; ++j) {
          const i32 value_20 = j * 32;
          const i64 value_21 = advance_descriptor(a_descriptor, value_20);
          wgmma_m64n128k16_bf16(acc, value_21, advance_descriptor(b_descriptor, value_20), later || j > 0);
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (later && test) {
          mbarrier_arrive_remote_relaxed(cluster_address(a_empty + value_19 * 8, group_thread));
        }

        // 16: for i in range(steps):
        held_slot[0] = slot;
      }

      // 18: acc += dot(a[rows, depth], b[cols, depth].T)
      wgmma_wait<0>(acc);
      const i32 value_18 = a_empty + held_slot[0] * 8;
      if (test_3) {
        mbarrier_arrive_remote_relaxed(cluster_address(value_18, group_thread));
      }
      if (test_4) {
        #pragma unroll
        for (i32 i = 0; i < 64; ++i) {
          acc[i] = 0.0f;
        }
        pin_registers(acc);
      }

      // 14: rows, cols = block(m, BM), block(n, BN)
      const i32 rows = (value_17 * 2 + rank) * 128;
      const i32 cols = (test_5 ? value_15 : value_16) * 128;

      // 19: atomic_add(c[rows, cols], acc)
      #pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        const i32 value_19 = c_shared + (i & 1) * 32768;
        if (test_2) {
          bulk_wait_read<1>();
        }
        named_barrier_sync(value_9, 128);
        const i32 value_20 = ((i * 8) & 15) * 4;
        #pragma unroll
        for (i32 j = 0; j < 16; ++j) {
          const i32 value_21 = j & 1;
          const i32 value_22 = j >> 1;
          const i32 value_23 = thread_col + value_22 * 8;
          const i32 value_24 = (thread_row + value_21 * 8) * 128;
          const i32 value_25 = ((value_23 & 31) * 4) ^ (i32(u32(value_24) >> 3) & 112);
          const i32 address = value_19 + (value_23 >> 5) * 16384 + value_24 + value_25;
          store_shared_b64(address, &acc[value_21 * 2 + (value_22 & 7) * 4 + value_20]);
        }
        fence_async_shared();
        named_barrier_sync(value_9, 128);
        if (test_2) {
          const i32 value_21 = cols + i * 64;
          const i32 value_22 = rows + value_10;
          #pragma unroll
          for (i32 j = 0; j < 2; ++j) {
            tma_reduce_add_2d(c, value_22, value_21 + j * 32, value_19 + j * 16384 + value_8);
          }
          bulk_commit();
        }
      }
    }

    // 13: m, n, part = grid(cdiv(M, BM), cdiv(N, BN), splits)
    if (test_2) {
      bulk_wait_read<0>();
    }
  }

  // 10: def split_k(a: Tensor[E, M, K], b: Tensor[E, N, K], c: Tensor[f32, M, N], splits: i32,
  cluster_arrive();
  cluster_wait();
}
