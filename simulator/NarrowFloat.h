//===- NarrowFloat.h - bit-exact narrow floats ------------------------------------------------===//
//
// bf16, f16, the two 8-bit floats and tf32, as the GPU converts them. The interpreter keeps every
// narrow value as the f32 it equals, computes in f32 and rounds once per operation; `roundTo` is
// that rounding, `encode` and `decode` are the way to and from memory. All of it is branch-free, so
// that a loop over it becomes vector code.
//
// The functions are always inlined because the kernels that use them are compiled once per
// instruction set: an out-of-line copy with AVX2 in it must not be what a plain x86-64 caller gets.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_NARROWFLOAT_H
#define TILEWRIGHT_SIMULATOR_NARROWFLOAT_H

#include <bit>
#include <cstdint>

#define TILEWRIGHT_INLINE [[gnu::always_inline]] inline

namespace tilewright::simulator {

/// The result for a value that is too large for the format.
enum class Overflow { Infinity, Saturate };

/// A float of 1 sign bit, `E` exponent bits and `M` mantissa bits. With `hasInfinity` the largest
/// exponent holds infinities and NaNs; without, only its last pattern is a NaN.
template <int E, int M, Overflow O, bool hasInfinity> struct NarrowFormat {
  static constexpr int kMantissa = M;
  static constexpr int kShift = 23 - M;
  static constexpr int kBias = (1 << (E - 1)) - 1;
  static constexpr bool kHasInfinity = hasInfinity;
  static constexpr bool kSaturates = O == Overflow::Saturate;
  /// 2^n as f32 bits.
  static constexpr uint32_t power(int n) { return uint32_t(127 + n) << 23; }
  /// The first magnitude that is not a finite number: infinity, or the NaN of a format without it.
  static constexpr uint32_t kFirstSpecial =
      hasInfinity ? ((1u << E) - 1) << M : (1u << (E + M)) - 1;
  /// The largest finite value, as f32 bits.
  static constexpr uint32_t kLargest =
      ((kFirstSpecial - 1) << kShift) + (uint32_t(127 - kBias) << 23);
};

using BFloat16 = NarrowFormat<8, 7, Overflow::Infinity, true>;
using Float16 = NarrowFormat<5, 10, Overflow::Infinity, true>;
using Float8E5M2 = NarrowFormat<5, 2, Overflow::Saturate, true>;
using Float8E4M3FN = NarrowFormat<4, 3, Overflow::Saturate, false>;

/// The value of format `F` nearest to `x` (ties to even), as an f32. NaN stays NaN; the 8-bit
/// floats saturate, infinities included.
template <typename F> TILEWRIGHT_INLINE float roundTo(float x) {
  constexpr uint32_t kDropped = (1u << F::kShift) - 1;
  uint32_t bits = std::bit_cast<uint32_t>(x);
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude + (kDropped >> 1) + ((magnitude >> F::kShift) & 1)) & ~kDropped;
  // Below the smallest normal the spacing is constant; adding a number whose last place has that
  // spacing makes the adder round there.
  constexpr uint32_t kMagic = F::power(1 - F::kBias - F::kMantissa + 23);
  float magic = std::bit_cast<float>(kMagic);
  uint32_t tiny = std::bit_cast<uint32_t>((std::bit_cast<float>(magnitude) + magic) - magic);
  uint32_t result = magnitude < F::power(1 - F::kBias) ? tiny : normal;
  result = result > F::kLargest ? (F::kSaturates ? F::kLargest : 0x7f800000u) : result;
  result = magnitude > 0x7f800000u ? ((magnitude | 0x400000u) & ~kDropped) : result;
  return std::bit_cast<float>(result | (bits & 0x80000000u));
}

/// The bits of format `F` for `x`, rounded as by `roundTo`.
template <typename F> TILEWRIGHT_INLINE uint32_t encode(float x) {
  constexpr uint32_t kMantissaMask = (1u << F::kMantissa) - 1;
  uint32_t bits = std::bit_cast<uint32_t>(roundTo<F>(x));
  uint32_t magnitude = bits & 0x7fffffffu;
  // Moves the exponent to the format's bias, gradual underflow included: exact after the rounding.
  float scaled = std::bit_cast<float>(magnitude) * std::bit_cast<float>(F::power(F::kBias - 127));
  uint32_t result = std::bit_cast<uint32_t>(scaled) >> F::kShift;
  uint32_t nan = F::kHasInfinity ? F::kFirstSpecial | ((magnitude >> F::kShift) & kMantissaMask)
                                 : F::kFirstSpecial;
  result = magnitude >= 0x7f800000u ? nan : result;
  constexpr int kSignShift = F::kHasInfinity && F::kMantissa > 3 ? 16 : 24;
  return result | ((bits & 0x80000000u) >> kSignShift);
}

/// The f32 that the bits of format `F` stand for.
template <typename F> TILEWRIGHT_INLINE float decode(uint32_t pattern) {
  constexpr int kSignShift = F::kHasInfinity && F::kMantissa > 3 ? 16 : 24;
  uint32_t magnitude = pattern & ((0x80000000u >> kSignShift) - 1);
  uint32_t sign = (pattern << kSignShift) & 0x80000000u;
  float scaled =
      std::bit_cast<float>(magnitude << F::kShift) * std::bit_cast<float>(F::power(127 - F::kBias));
  uint32_t special = F::kHasInfinity ? 0x7f800000u | (magnitude << F::kShift) : 0x7fc00000u;
  uint32_t result = magnitude >= F::kFirstSpecial ? special : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(result | sign);
}

/// `x` with 10 bits of mantissa, to nearest, ties away from zero (`cvt.rna.tf32.f32`).
TILEWRIGHT_INLINE float roundToTf32(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  uint32_t rounded = (bits + 0x1000u) & ~0x1fffu;
  uint32_t special = (bits & 0x7fffffu) ? (bits | 0x400000u) & ~0x1fffu : bits;
  return std::bit_cast<float>((bits & 0x7f800000u) == 0x7f800000u ? special : rounded);
}

} // namespace tilewright::simulator

#endif
