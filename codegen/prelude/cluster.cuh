// Blocks of a cluster, kernels that overlap, and the registers of a warpgroup (sm_90 and later).

//@ cluster_rank
// The block's index in its cluster.
__device__ __forceinline__ i32 cluster_rank() {
  u32 rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return i32(rank);
}

//@ cluster_address
// The same place in the shared memory of block `rank` of the cluster.
__device__ __forceinline__ i32 cluster_address(i32 address, i32 rank) {
  i32 result;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(address), "r"(rank));
  return result;
}

//@ store_async_b32
// `to` and `barrier` are addresses of cluster_address, in one block. The barrier counts the bytes.
template <typename T>
__device__ __forceinline__ void store_async_b32(i32 to, const T *from, i32 barrier) {
  u32 words[1];
  pack_words<4>(words, from);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
               :
               : "r"(to), "r"(words[0]), "r"(barrier)
               : "memory");
}

//@ cluster_arrive
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

//@ cluster_arrive_relaxed
// Orders no accesses; a release is a fence of all memory.
__device__ __forceinline__ void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

//@ cluster_wait
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

//@ grid_wait
// Waits for the kernels before this one.
__device__ __forceinline__ void grid_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

//@ grid_launch_dependents
// Lets the next kernel start.
__device__ __forceinline__ void grid_launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

//@ increase_registers
template <int kCount> __device__ __forceinline__ void increase_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kCount));
}

//@ decrease_registers
template <int kCount> __device__ __forceinline__ void decrease_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kCount));
}

//@ elect_one
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
