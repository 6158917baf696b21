// Products of a warpgroup (sm_90a). The products themselves are made for each shape that a kernel
// uses (codegen/WgmmaText.cpp).

//@ matrix_descriptor
// An operand in shared memory; offsets and swizzle in bytes. The address has 18 bits: none of a
// cluster's rank. The compiler does not see what the lower half is made of: it would make it anew
// for each product.
template <u32 kLeading, u32 kStride, int kSwizzle>
__device__ __forceinline__ u64 matrix_descriptor(i32 address) {
  constexpr u32 kMode = kSwizzle == 128 ? 1 : kSwizzle == 64 ? 2 : kSwizzle == 32 ? 3 : 0;
  u32 low = (u32(address) >> 4) + (kLeading >> 4 << 16);
  asm("" : "+r"(low));
  return u64(kStride >> 4 | kMode << 30) << 32 | low;
}

//@ advance_descriptor
// The operand that starts `bytes` further on. Only the lower half changes, but all 64 bits are one
// addition of uniform registers; two halves would be an addition and a move.
__device__ __forceinline__ u64 advance_descriptor(u64 descriptor, i32 bytes) {
  return descriptor + (u32(bytes) >> 4);
}

//@ pin_register
// The value is final here, and what follows does not move above.
__device__ __forceinline__ void pin_register(f32 &x) { asm volatile("" : "+f"(x) : : "memory"); }
__device__ __forceinline__ void pin_register(i32 &x) { asm volatile("" : "+r"(x) : : "memory"); }
__device__ __forceinline__ void pin_register(u32 &x) { asm volatile("" : "+r"(x) : : "memory"); }

//@ pin_registers
template <typename T, int kSize> __device__ __forceinline__ void pin_registers(T (&regs)[kSize]) {
#pragma unroll
  for (int i = 0; i < kSize; ++i)
    pin_register(regs[i]);
}

//@ wgmma_fence
// Registers written so far may be used by products that follow.
template <typename... T> __device__ __forceinline__ void wgmma_fence(T &...regs) {
  (pin_registers(regs), ...);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

//@ wgmma_commit
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

//@ wgmma_wait
// Waits until at most `kPending` groups are unfinished; then `regs` may be read.
template <int kPending, typename... T> __device__ __forceinline__ void wgmma_wait(T &...regs) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kPending) : "memory");
  (pin_registers(regs), ...);
}

//@ settle
// What `values` are computed from stays above what follows. ptxas keeps the order of a wait and an
// access to memory, so this would store the xor of the others' bits, at an address of the same
// bits, were the first above infinity. (Not their sum: many f32 operations beside wgmma slow it
// down.)
template <int kSize> __device__ __forceinline__ void settle(const f32 (&values)[kSize]) {
  u32 others = __float_as_uint(values[kSize - 1]);
#pragma unroll
  for (int i = 1; i < kSize - 1; ++i)
    others ^= __float_as_uint(values[i]);
  asm volatile("{\n\t"
               ".reg .pred never;\n\t"
               "setp.gt.f32 never, %0, 0f7f800000;\n\t"
               "@never st.shared.b32 [%1], %1;\n\t"
               "}"
               :
               : "f"(values[0]), "r"(others)
               : "memory");
}
