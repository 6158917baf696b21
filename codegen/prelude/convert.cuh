// Narrow floats to and from f32: to nearest, ties to even; 8-bit floats saturate at their largest
// finite value. Software stands in where the GPU has no instruction.

//@ f16_to_f32
__device__ __forceinline__ f32 f16_to_f32(f16 x) {
  f32 wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x));
  return wide;
}

//@ f32_to_f16
__device__ __forceinline__ f16 f32_to_f16(f32 x) {
  f16 narrow;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow) : "f"(x));
  return narrow;
}

//@ bf16_to_f32
__device__ __forceinline__ f32 bf16_to_f32(bf16 x) { return __uint_as_float(u32(x) << 16); }

//@ f32_to_bf16
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

//@ f8e4m3_to_f32
__device__ __forceinline__ f32 f8e4m3_to_f32(f8e4m3 x) {
#if __CUDA_ARCH__ >= 890
  f16x2 pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(u16(x)));
  return f16_to_f32(u16(pair));
#else
  // The exponent moves by 127 - 7; multiplying does that for subnormals too.
  const f32 magnitude = __uint_as_float((x & 0x7f) << 20) * 0x1p120f;
  const f32 wide = (x & 0x7f) == 0x7f ? kNaN : magnitude;
  return x & 0x80 ? -wide : wide;
#endif
}

//@ f8e5m2_to_f32
__device__ __forceinline__ f32 f8e5m2_to_f32(f8e5m2 x) {
#if __CUDA_ARCH__ >= 890
  f16x2 pair;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(u16(x)));
  return f16_to_f32(u16(pair));
#else
  const f32 magnitude = __uint_as_float((x & 0x7f) << 21) * 0x1p112f;
  const bool finite = (x & 0x7c) != 0x7c;
  const f32 wide = finite ? magnitude : __uint_as_float(0x7f800000 | (x & 3) << 21);
  return x & 0x80 ? -wide : wide;
#endif
}

//@ f32_to_f8
// Software for both formats: `kLargest` is the code of the largest finite value, `kBias` the
// exponent's bias, `kBits` the mantissa's width.
template <int kBits, int kBias, u32 kLargest> __device__ __forceinline__ u8 f32_to_f8(f32 x) {
  const u32 bits = __float_as_uint(x) & 0x7fffffff;
  const u32 sign = __float_as_uint(x) >> 24 & 0x80;
  if (bits > 0x7f800000)
    return 0x7f;
  const u32 smallest_normal = (127 - kBias + 1) << 23;
  u32 code;
  if (bits < smallest_normal) {
    // Adding 2^23 units of the last place leaves the rounded count of units in the low bits.
    const f32 magic = __uint_as_float((127 - kBias + 1 - kBits + 23) << 23);
    code = __float_as_uint(__uint_as_float(bits) + magic) - __float_as_uint(magic);
  } else {
    const int drop = 23 - kBits;
    const u32 rounded = bits + (1u << (drop - 1)) - 1 + (bits >> drop & 1);
    code = (rounded >> drop) - ((127 - kBias) << kBits);
  }
  return u8(sign | (code < kLargest ? code : kLargest));
}

//@ f32_to_f8e4m3
__device__ __forceinline__ f8e4m3 f32_to_f8e4m3(f32 x) {
#if __CUDA_ARCH__ >= 890
  u16 pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return u8(pair);
#else
  return f32_to_f8<3, 7, 0x7e>(x);
#endif
}

//@ f32_to_f8e5m2
__device__ __forceinline__ f8e5m2 f32_to_f8e5m2(f32 x) {
#if __CUDA_ARCH__ >= 890
  u16 pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return u8(pair);
#else
  return f32_to_f8<2, 15, 0x7b>(x);
#endif
}

//@ round_tf32
// To nearest, ties away from zero, kept in 32 bits.
__device__ __forceinline__ f32 round_tf32(f32 x) {
#if __CUDA_ARCH__ >= 800
  u32 bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
#else
  const u32 bits = __float_as_uint(x);
  const bool finite = (bits & 0x7f800000) != 0x7f800000;
  return finite ? __uint_as_float((bits + 0x1000) & 0xffffe000) : x;
#endif
}

//@ f32_to_i8
// Toward zero, saturating, NaN to 0.
__device__ __forceinline__ i8 f32_to_i8(f32 x) {
  return i8(min(max(__float2int_rz(x), -128), 127));
}

//@ f32_to_i16
// Toward zero, saturating, NaN to 0.
__device__ __forceinline__ i16 f32_to_i16(f32 x) {
  return i16(min(max(__float2int_rz(x), -32768), 32767));
}

//@ f32_to_i32
// Toward zero, saturating, NaN to 0.
__device__ __forceinline__ i32 f32_to_i32(f32 x) { return __float2int_rz(x); }

//@ f32_to_i64
// Toward zero, saturating, NaN to 0.
__device__ __forceinline__ i64 f32_to_i64(f32 x) { return x == x ? __float2ll_rz(x) : 0; }

//@ f32_to_u32
// Toward zero, saturating, NaN to 0.
__device__ __forceinline__ u32 f32_to_u32(f32 x) { return __float2uint_rz(x); }

//@ i32_to_f32_odd
// Rounds an inexact value to an odd mantissa, so that rounding the result again is exact.
__device__ __forceinline__ f32 i32_to_f32_odd(i32 x) {
  const f32 down = __int2float_rz(x);
  return __uint_as_float(__float_as_uint(down) | (i32(down) != x));
}

//@ i64_to_f32_odd
// Rounds an inexact value to an odd mantissa, so that rounding the result again is exact.
__device__ __forceinline__ f32 i64_to_f32_odd(i64 x) {
  const f32 down = __ll2float_rz(x);
  return __uint_as_float(__float_as_uint(down) | (i64(down) != x));
}
