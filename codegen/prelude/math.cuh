// Scalar mathematics. Errors are in units of the last place of f32.

//@ exp2_approx
// 2 ulp; subnormal results are 0.
__device__ __forceinline__ f32 exp2_approx(f32 x) {
  f32 result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

//@ log2_approx
// 2^-22 absolute between 0.5 and 2, 1 ulp elsewhere.
__device__ __forceinline__ f32 log2_approx(f32 x) {
  f32 result;
  asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

//@ tanh_approx
// 2^-11 of the result.
__device__ __forceinline__ f32 tanh_approx(f32 x) {
  f32 result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

//@ sqrt_approx
// 1 ulp.
__device__ __forceinline__ f32 sqrt_approx(f32 x) {
  f32 result;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

//@ rsqrt_approx
// 1 ulp.
__device__ __forceinline__ f32 rsqrt_approx(f32 x) {
  f32 result;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

//@ divide
// 2 ulp over the full range.
__device__ __forceinline__ f32 divide(f32 x, f32 y) {
  f32 result;
  asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
}

//@ max_nan
// NaN when either is NaN.
__device__ __forceinline__ f32 max_nan(f32 x, f32 y) {
#if __CUDA_ARCH__ >= 800
  f32 result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
#else
  return x != x || y != y ? kNaN : fmaxf(x, y);
#endif
}

//@ min_nan
// NaN when either is NaN.
__device__ __forceinline__ f32 min_nan(f32 x, f32 y) {
#if __CUDA_ARCH__ >= 800
  f32 result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(x), "f"(y));
  return result;
#else
  return x != x || y != y ? kNaN : fminf(x, y);
#endif
}

//@ ordered
// Neither is NaN.
__device__ __forceinline__ bool ordered(f32 x, f32 y) { return x == x && y == y; }

//@ unequal
// Ordered and not equal.
__device__ __forceinline__ bool unequal(f32 x, f32 y) { return x < y || x > y; }

//@ floor_div
template <typename T> __device__ __forceinline__ T floor_div(T x, T y) {
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

//@ ceil_div
template <typename T> __device__ __forceinline__ T ceil_div(T x, T y) {
  return x / y + (x % y != 0 && (x < 0) == (y < 0));
}

//@ ceil_div_unsigned
template <typename T> __device__ __forceinline__ T ceil_div_unsigned(T x, T y) {
  return x / y + (x % y != 0);
}

//@ reciprocal
// 2^32 / divisor, for `quotient`: at most 2 less. From an approximation below it, two units in the
// last place, and a step of Newton's; a division would take three times the instructions.
__device__ __forceinline__ i32 reciprocal(i32 divisor) {
  f32 inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(__uint2float_ru(u32(divisor))));
  const u32 low = __float2uint_rz(__uint_as_float(__float_as_uint(inverse) + (32 << 23) - 2));
  return i32(low + __umulhi(low, -u32(divisor) * low));
}

//@ quotient
// number / divisor, neither of which is negative. The high half is that or one less.
__device__ __forceinline__ i32 quotient(i32 number, i32 divisor, i32 reciprocal) {
  const i32 low = i32(__umulhi(u32(number), u32(reciprocal)));
  return number - low * divisor >= divisor ? low + 1 : low;
}

//@ shared_address
__device__ __forceinline__ i32 shared_address(const void *pointer) {
  return i32(__cvta_generic_to_shared(pointer));
}
