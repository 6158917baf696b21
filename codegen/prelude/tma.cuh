// Copies of boxes of tensors. The copies themselves are made for each rank that a kernel uses
// (codegen/TmaText.cpp).

//@ TensorMap
// What the host encodes for one tensor.
struct alignas(64) TensorMap {
  u64 words[16];
};

//@ tma_prefetch_map
__device__ __forceinline__ void tma_prefetch_map(const TensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
}

//@ bulk_commit
__device__ __forceinline__ void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

//@ bulk_wait
// Waits until at most `kPending` store groups of this thread are unfinished.
template <int kPending> __device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" : : "n"(kPending) : "memory");
}

//@ bulk_wait_read
// Waits until all but `kPending` store groups of this thread have read their shared memory.
template <int kPending> __device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(kPending) : "memory");
}

//@ kEvictNormal kEvictFirst kEvictLast
// How long the L2 cache keeps lines; the encodings are those that createpolicy gives.
#define kEvictNormal 0x1000000000000000ull
#define kEvictFirst 0x12f0000000000000ull
#define kEvictLast 0x14f0000000000000ull
