//===- HostPrelude.h - the prelude's arithmetic as host code ----------------------------------===//
//
// Software conversions and trigonometry, as they compile for a GPU that has no instruction for
// them. What is written in PTX gives no value here.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TESTS_CODEGEN_HOSTPRELUDE_H
#define TILEWRIGHT_TESTS_CODEGEN_HOSTPRELUDE_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wunused-function"
#define __CUDA_ARCH__ 750
#define __device__ static
#define __forceinline__ inline
#define asm(...) ((void)0)

namespace host {
using std::max;
using std::min;

inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return shift % 32 ? high << shift % 32 | low >> (32 - shift % 32) : high;
}
inline float divide(float x, float y) { return x / y; }
inline float __fdividef(float x, float y) { return x / y; }
inline float min_nan(float x, float y) { return x != x || y != y ? NAN : std::min(x, y); }

/// f32 to an integer type as PTX does it: toward zero, saturating.
template <typename T> T toInteger(float x, T ofNan) {
  constexpr T smallest = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
  if (x != x)
    return ofNan;
  return x >= float(largest) ? largest : x <= float(smallest) ? smallest : T(x);
}
inline int __float2int_rz(float x) { return toInteger<int>(x, 0); }
inline unsigned __float2uint_rz(float x) { return toInteger<unsigned>(x, 0); }
inline long long __float2ll_rz(float x) {
  return toInteger<long long>(x, std::numeric_limits<long long>::min());
}

/// An integer to f32, toward zero.
template <typename T> float towardZero(T x) {
  float near = float(x);
  __int128 exact = x, rounded = near;
  bool away = exact < 0 ? rounded < exact : rounded > exact;
  return away ? std::nextafterf(near, 0.0f) : near;
}
inline float __int2float_rz(int x) { return towardZero(x); }
inline float __ll2float_rz(long long x) { return towardZero(x); }

// clang-format off: types first
#include "codegen/prelude/types.cuh"
#include "codegen/prelude/convert.cuh"
#include "codegen/prelude/trig.cuh"
#include "codegen/prelude/erf.cuh"
// clang-format on
} // namespace host

#undef asm
#pragma GCC diagnostic pop

#endif
