// Asynchronous copies from global to shared memory (sm_80 and later). Volatile and with a memory
// clobber: a wait must stay where it is.

//@ cp_async_b32
// Copies the first `valid` of 4 bytes and fills the rest with zeros.
__device__ __forceinline__ void cp_async_b32(i32 to, const void *from, i32 valid = 4) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
               :
               : "r"(to), "l"(from), "r"(valid)
               : "memory");
}

//@ cp_async_b64
// Copies the first `valid` of 8 bytes and fills the rest with zeros.
__device__ __forceinline__ void cp_async_b64(i32 to, const void *from, i32 valid = 8) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
               :
               : "r"(to), "l"(from), "r"(valid)
               : "memory");
}

//@ cp_async_b128
// Copies the first `valid` of 16 bytes and fills the rest with zeros.
__device__ __forceinline__ void cp_async_b128(i32 to, const void *from, i32 valid = 16) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(to), "l"(from), "r"(valid)
               : "memory");
}

//@ cp_async_arrive
// Arrives on an mbarrier, which counts on it, when the thread's copies so far are there.
__device__ __forceinline__ void cp_async_arrive(i32 barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" : : "r"(barrier) : "memory");
}

//@ cp_async_commit
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

//@ cp_async_wait
// Waits until at most `kPending` groups of this thread are unfinished.
template <int kPending> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" : : "n"(kPending) : "memory");
}
