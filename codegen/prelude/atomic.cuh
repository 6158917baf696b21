// Atomic updates of global memory; but for counters, nobody wants the old value.

//@ atomic_inc
// What the counter was; it is then one more, or 0 if it was `last`.
__device__ __forceinline__ i32 atomic_inc(i32 *counter, i32 last) {
  i32 old;
  asm volatile("atom.global.inc.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(counter), "r"(last)
               : "memory");
  return old;
}

//@ flag_raise
// What came before, here and in front of a barrier, is seen by who takes the flag.
__device__ __forceinline__ void flag_raise(i32 *flag) {
  asm volatile("st.release.gpu.global.u32 [%0], 1;" : : "l"(flag) : "memory");
}

//@ flag_take
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

//@ flag_count
// What the flag was; it is then one more, or 0 if it was `last`. What came before, here and at the
// counts of others before, is seen behind it.
__device__ __forceinline__ i32 flag_count(i32 *flag, i32 last) {
  i32 before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(flag), "r"(last)
               : "memory");
  return before;
}

//@ flag_count_release
// What the flag was; it is then one more, or 0 if it was `last`. What came before is seen by who
// awaits this count.
__device__ __forceinline__ i32 flag_count_release(i32 *flag, i32 last) {
  i32 before;
  asm volatile("atom.release.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(flag), "r"(last)
               : "memory");
  return before;
}

//@ flag_count_relaxed
// What the flag was; it is then one more, or 0 if it was `last`. Orders no accesses.
__device__ __forceinline__ i32 flag_count_relaxed(i32 *flag, i32 last) {
  i32 before;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(flag), "r"(last));
  return before;
}

//@ flag_await
// Waits until the flag has been counted to `least`.
__device__ __forceinline__ void flag_await(i32 *flag, i32 least) {
  const Watchdog watchdog{};
  auto isCounted = [flag, least] {
    i32 counted;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(counted) : "l"(flag) : "memory");
    return counted >= least;
  };
  while (!isCounted())
    watchdog.check();
}

//@ flag_settle
// Sets a flag that is 0; what it is then. Orders no accesses.
__device__ __forceinline__ i32 flag_settle(i32 *flag, i32 own) {
  i32 before;
  asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 0, %2;"
               : "=r"(before)
               : "l"(flag), "r"(own)
               : "memory");
  return before == 0 ? own : before;
}

//@ atomic_add_f32
__device__ __forceinline__ void atomic_add_f32(f32 *to, f32 value) {
  asm volatile("red.global.add.f32 [%0], %1;" : : "l"(to), "f"(value) : "memory");
}

//@ atomic_add_i32
__device__ __forceinline__ void atomic_add_i32(i32 *to, i32 value) {
  asm volatile("red.global.add.s32 [%0], %1;" : : "l"(to), "r"(value) : "memory");
}

//@ atomic_max_i32
__device__ __forceinline__ void atomic_max_i32(i32 *to, i32 value) {
  asm volatile("red.global.max.s32 [%0], %1;" : : "l"(to), "r"(value) : "memory");
}

//@ atomic_min_i32
__device__ __forceinline__ void atomic_min_i32(i32 *to, i32 value) {
  asm volatile("red.global.min.s32 [%0], %1;" : : "l"(to), "r"(value) : "memory");
}

//@ atomic_add_f16
__device__ __forceinline__ void atomic_add_f16(f16 *to, f16 value) {
  asm volatile("red.global.add.noftz.f16 [%0], %1;" : : "l"(to), "h"(value) : "memory");
}

//@ compare_and_swap
__device__ __forceinline__ u32 compare_and_swap(u32 *at, u32 expected, u32 desired) {
  u32 old;
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : "l"(at), "r"(expected), "r"(desired)
               : "memory");
  return old;
}

//@ atomic_add_bf16
__device__ __forceinline__ void atomic_add_bf16(bf16 *to, bf16 value) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.noftz.bf16 [%0], %1;" : : "l"(to), "h"(value) : "memory");
#else
  // The element is one half of an aligned word.
  u32 *word = reinterpret_cast<u32 *>(reinterpret_cast<u64>(to) & ~3ull);
  const u32 shift = reinterpret_cast<u64>(to) & 2 ? 16 : 0;
  u32 expected = *static_cast<volatile u32 *>(word);
  while (true) {
    const f32 sum = bf16_to_f32(u16(expected >> shift)) + bf16_to_f32(value);
    const u32 desired = (expected & ~(0xffffu << shift)) | u32(f32_to_bf16(sum)) << shift;
    const u32 old = compare_and_swap(word, expected, desired);
    if (old == expected)
      return;
    expected = old;
  }
#endif
}

//@ replace_nan
// Stores `value` if the element is NaN; true if it did.
__device__ __forceinline__ bool replace_nan(f32 *to, f32 value) {
  u32 expected = *reinterpret_cast<volatile u32 *>(to);
  while ((expected & 0x7fffffff) > 0x7f800000) {
    const u32 old = compare_and_swap(reinterpret_cast<u32 *>(to), expected, __float_as_uint(value));
    if (old == expected)
      return true;
    expected = old;
  }
  return false;
}

//@ atomic_max_f32
// Floats of one sign are ordered as their bits are, the negative ones in reverse.
__device__ __forceinline__ void atomic_max_f32(f32 *to, f32 value) {
  if (value != value || replace_nan(to, value))
    return;
  if (__float_as_int(value) >= 0)
    asm volatile("red.global.max.s32 [%0], %1;" : : "l"(to), "r"(__float_as_int(value)) : "memory");
  else
    asm volatile("red.global.min.u32 [%0], %1;" : : "l"(to), "r"(__float_as_int(value)) : "memory");
}

//@ atomic_min_f32
// Floats of one sign are ordered as their bits are, the negative ones in reverse.
__device__ __forceinline__ void atomic_min_f32(f32 *to, f32 value) {
  if (value != value || replace_nan(to, value))
    return;
  if (__float_as_int(value) >= 0)
    asm volatile("red.global.min.s32 [%0], %1;" : : "l"(to), "r"(__float_as_int(value)) : "memory");
  else
    asm volatile("red.global.max.u32 [%0], %1;" : : "l"(to), "r"(__float_as_int(value)) : "memory");
}
