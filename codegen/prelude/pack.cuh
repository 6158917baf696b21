// Packed words: value 0 is in the lowest bits.

//@ pack_f16
__device__ __forceinline__ f16x2 pack_f16(f32 x0, f32 x1) {
#if __CUDA_ARCH__ >= 800
  f16x2 word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(x1), "f"(x0));
  return word;
#else
  return u32(f32_to_f16(x0)) | u32(f32_to_f16(x1)) << 16;
#endif
}

//@ pack_bf16
__device__ __forceinline__ bf16x2 pack_bf16(f32 x0, f32 x1) {
#if __CUDA_ARCH__ >= 800
  bf16x2 word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(x1), "f"(x0));
  return word;
#else
  return u32(f32_to_bf16(x0)) | u32(f32_to_bf16(x1)) << 16;
#endif
}

//@ pack_f8e4m3
__device__ __forceinline__ f8e4m3x4 pack_f8e4m3(f32 x0, f32 x1, f32 x2, f32 x3) {
#if __CUDA_ARCH__ >= 890
  u16 low, high;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x1), "f"(x0));
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x3), "f"(x2));
  return u32(low) | u32(high) << 16;
#else
  return u32(f32_to_f8e4m3(x0)) | u32(f32_to_f8e4m3(x1)) << 8 | u32(f32_to_f8e4m3(x2)) << 16 |
         u32(f32_to_f8e4m3(x3)) << 24;
#endif
}

//@ pack_f8e5m2
__device__ __forceinline__ f8e5m2x4 pack_f8e5m2(f32 x0, f32 x1, f32 x2, f32 x3) {
#if __CUDA_ARCH__ >= 890
  u16 low, high;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x1), "f"(x0));
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x3), "f"(x2));
  return u32(low) | u32(high) << 16;
#else
  return u32(f32_to_f8e5m2(x0)) | u32(f32_to_f8e5m2(x1)) << 8 | u32(f32_to_f8e5m2(x2)) << 16 |
         u32(f32_to_f8e5m2(x3)) << 24;
#endif
}

//@ pack_i16
// No __byte_perm, through which the compiler does not see that it unpacks what was packed.
__device__ __forceinline__ i16x2 pack_i16(i32 x0, i32 x1) { return u16(x0) | u32(x1) << 16; }

//@ pack_i8
__device__ __forceinline__ i8x4 pack_i8(i32 x0, i32 x1, i32 x2, i32 x3) {
  return __byte_perm(__byte_perm(x0, x1, 0x0040), __byte_perm(x2, x3, 0x0040), 0x5410);
}

//@ keep
// Bytes, widened to 16 bits, are tiny f16 numbers, of which one instruction compares two and gives
// the masks of both.
template <int kLeast> __device__ __forceinline__ u32 keep(u32 word, i32 bytes, i32 pair) {
  const u32 two = __byte_perm(u32(bytes), 0, pair ? 0x4342 : 0x4140);
  u32 mask;
  asm("set.ge.u32.f16x2 %0, %1, %2;" : "=r"(mask) : "r"(two), "r"(kLeast * 0x10001));
  return word & mask;
}

//@ unpack_f16
__device__ __forceinline__ f32 unpack_f16(f16x2 word, i32 i) {
  return f16_to_f32(u16(word >> 16 * i));
}

//@ unpack_bf16
__device__ __forceinline__ f32 unpack_bf16(bf16x2 word, i32 i) {
  return __uint_as_float(i == 0 ? word << 16 : word & 0xffff0000);
}

//@ unpack_f8e4m3
__device__ __forceinline__ f32 unpack_f8e4m3(f8e4m3x4 word, i32 i) {
#if __CUDA_ARCH__ >= 890
  f16x2 pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(u16(word >> 16 * (i / 2))));
  return f16_to_f32(u16(pair >> 16 * (i % 2)));
#else
  return f8e4m3_to_f32(u8(word >> 8 * i));
#endif
}

//@ unpack_f8e5m2
__device__ __forceinline__ f32 unpack_f8e5m2(f8e5m2x4 word, i32 i) {
#if __CUDA_ARCH__ >= 890
  f16x2 pair;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(u16(word >> 16 * (i / 2))));
  return f16_to_f32(u16(pair >> 16 * (i % 2)));
#else
  return f8e5m2_to_f32(u8(word >> 8 * i));
#endif
}

//@ unpack_i16
__device__ __forceinline__ i32 unpack_i16(i16x2 word, i32 i) { return i16(word >> 16 * i); }

//@ unpack_i8
__device__ __forceinline__ i32 unpack_i8(i8x4 word, i32 i) { return i8(word >> 8 * i); }

//@ extract_b16
__device__ __forceinline__ u16 extract_b16(u32 word, i32 i) { return u16(word >> 16 * i); }

//@ extract_b8
__device__ __forceinline__ u8 extract_b8(u32 word, i32 i) { return u8(word >> 8 * i); }
