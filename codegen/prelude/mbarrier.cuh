// Barriers in shared memory (sm_80 and later), barriers by number, and fences. Volatile and with a
// memory clobber: accesses stay on their side.

//@ mbarrier_init
__device__ __forceinline__ void mbarrier_init(i32 barrier, i32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(count) : "memory");
}

//@ mbarrier_inval
__device__ __forceinline__ void mbarrier_inval(i32 barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" : : "r"(barrier) : "memory");
}

//@ mbarrier_arrive
__device__ __forceinline__ void mbarrier_arrive(i32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

//@ mbarrier_arrive_expect_tx
// `bytes` of copies are to come in this phase.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(i32 barrier, i32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}

//@ mbarrier_arrive_remote
// `barrier` is an address from cluster_address.
__device__ __forceinline__ void mbarrier_arrive_remote(i32 barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
               :
               : "r"(barrier)
               : "memory");
}

//@ mbarrier_arrive_remote_relaxed
// Without the fence that a release to the cluster takes.
__device__ __forceinline__ void mbarrier_arrive_remote_relaxed(i32 barrier) {
  asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];"
               :
               : "r"(barrier)
               : "memory");
}

//@ mbarrier_try_wait
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

//@ mbarrier_test_wait
// The same without waiting.
__device__ __forceinline__ bool mbarrier_test_wait(i32 barrier, i32 parity) {
  u32 done;
  asm volatile("{\n\t"
               ".reg .pred done;\n\t"
               "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
               "selp.u32 %0, 1, 0, done;\n\t"
               "}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done;
}

//@ Watchdog
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

//@ mbarrier_wait
__device__ __forceinline__ void mbarrier_wait(i32 barrier, i32 parity) {
  const Watchdog watchdog{};
  while (!mbarrier_try_wait(barrier, parity))
    watchdog.check();
}

//@ mbarrier_wait_beside
// Arithmetic that follows and need not wait may run while the first answer comes: it moves up past
// a test, but not past a loop.
__device__ __forceinline__ void mbarrier_wait_beside(i32 barrier, i32 parity) {
  if (!mbarrier_try_wait(barrier, parity))
    mbarrier_wait(barrier, parity);
}

//@ named_barrier_sync
__device__ __forceinline__ void named_barrier_sync(i32 id, i32 threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

//@ named_barrier_arrive
__device__ __forceinline__ void named_barrier_arrive(i32 id, i32 threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

//@ fence_async_shared
// Between ordinary accesses to shared memory and those of TMA and wgmma.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

//@ fence_async_global
// Between ordinary accesses to global memory and those of TMA.
__device__ __forceinline__ void fence_async_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

//@ fence_mbarrier_init
// After mbarrier_init, before TMA or another block of the cluster uses the barrier.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

//@ fence_acq_rel_cluster
__device__ __forceinline__ void fence_acq_rel_cluster() {
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
}
