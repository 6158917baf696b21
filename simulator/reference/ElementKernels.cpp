#include "simulator/NarrowFloat.h"
#include "simulator/reference/Kernels.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace tilewright::simulator::TILEWRIGHT_VARIANT {

/// NaN propagates, and +0 is larger than -0: of equal numbers only zeros differ in a bit.
TILEWRIGHT_INLINE static float maximum(float a, float b) {
  uint32_t both = std::bit_cast<uint32_t>(a) & std::bit_cast<uint32_t>(b);
  return a > b ? a : (a == b ? std::bit_cast<float>(both) : (a != a ? a : b));
}
TILEWRIGHT_INLINE static float minimum(float a, float b) {
  uint32_t either = std::bit_cast<uint32_t>(a) | std::bit_cast<uint32_t>(b);
  return a < b ? a : (a == b ? std::bit_cast<float>(either) : (a != a ? a : b));
}

TILEWRIGHT_INLINE static double maximum(double a, double b) {
  return a > b ? a : (a == b ? (std::signbit(a) ? b : a) : (a != a ? a : b));
}
TILEWRIGHT_INLINE static double minimum(double a, double b) {
  return a < b ? a : (a == b ? (std::signbit(a) ? a : b) : (a != a ? a : b));
}

/// a / b toward zero; the one quotient that overflows wraps.
template <typename T> TILEWRIGHT_INLINE static T divide(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return b == -1 ? T(U(0) - U(a)) : T(a / b);
}

TILEWRIGHT_INLINE static int32_t clampTo(int32_t a, int64_t width) {
  int32_t largest = int32_t((int64_t(1) << (width - 1)) - 1);
  return a > largest ? largest : (a < -largest - 1 ? -largest - 1 : a);
}

/// Toward zero, saturating, NaN to 0.
template <typename T> TILEWRIGHT_INLINE static T toSigned(float a) {
  constexpr float kLimit = -float(std::numeric_limits<T>::min());
  bool inside = a < kLimit && a >= -kLimit;
  T value = T(inside ? a : 0.0f);
  value = a >= kLimit ? std::numeric_limits<T>::max() : value;
  return a < -kLimit ? std::numeric_limits<T>::min() : value;
}
TILEWRIGHT_INLINE static int64_t toUnsigned(float a, int64_t width) {
  if (!(a > 0))
    return 0;
  uint64_t largest = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  return int64_t(a >= std::ldexp(1.0f, int(width)) ? largest : uint64_t(a));
}

/// An integer rounded to 24 bits toward the odd neighbour, which a later rounding to fewer bits
/// takes as it would take the integer itself.
TILEWRIGHT_INLINE static float toOdd(bool negative, uint64_t magnitude) {
  int excess = 64 - 24 - std::countl_zero(magnitude | 1);
  if (excess > 0) {
    uint64_t dropped = magnitude & ((uint64_t(1) << excess) - 1);
    magnitude = ((magnitude >> excess) | (dropped != 0)) << excess;
  }
  return negative ? -float(magnitude) : float(magnitude);
}

#define LOOP _Pragma("GCC ivdep") for (int64_t i = 0; i < count; ++i)
#define ARGUMENTS                                                                                  \
  [[maybe_unused]] void *result, [[maybe_unused]] const void *pa, [[maybe_unused]] const void *pb, \
      [[maybe_unused]] const void *pc, [[maybe_unused]] int64_t count,                             \
      [[maybe_unused]] int64_t parameter

#define FLOAT_1(name, op, expression)                                                              \
  template <typename F> static void run##name(ARGUMENTS) {                                         \
    LOOP {                                                                                         \
      F a = static_cast<const F *>(pa)[i];                                                         \
      static_cast<F *>(result)[i] = expression;                                                    \
    }                                                                                              \
  }
#define FLOAT_2(name, op, expression)                                                              \
  template <typename F> static void run##name(ARGUMENTS) {                                         \
    LOOP {                                                                                         \
      F a = static_cast<const F *>(pa)[i], b = static_cast<const F *>(pb)[i];                      \
      static_cast<F *>(result)[i] = expression;                                                    \
    }                                                                                              \
  }
#define FLOAT_3(name, op, expression)                                                              \
  template <typename F> static void run##name(ARGUMENTS) {                                         \
    LOOP {                                                                                         \
      F a = static_cast<const F *>(pa)[i], b = static_cast<const F *>(pb)[i];                      \
      F c = static_cast<const F *>(pc)[i];                                                         \
      static_cast<F *>(result)[i] = expression;                                                    \
    }                                                                                              \
  }
#define INTEGER_1(name, op, expression)                                                            \
  template <typename T> static void run##name(ARGUMENTS) {                                         \
    using U = std::make_unsigned_t<T>;                                                             \
    int width = int(parameter);                                                                    \
    U mask = ~U(0) >> (8 * sizeof(T) - width);                                                     \
    LOOP {                                                                                         \
      T a = static_cast<const T *>(pa)[i];                                                         \
      [[maybe_unused]] U ua = U(a) & mask;                                                         \
      static_cast<T *>(result)[i] = expression;                                                    \
    }                                                                                              \
  }
#define INTEGER_2(name, op, expression)                                                            \
  template <typename T> static void run##name(ARGUMENTS) {                                         \
    using U = std::make_unsigned_t<T>;                                                             \
    [[maybe_unused]] int width = int(parameter);                                                   \
    U mask = ~U(0) >> (8 * sizeof(T) - width);                                                     \
    LOOP {                                                                                         \
      T a = static_cast<const T *>(pa)[i], b = static_cast<const T *>(pb)[i];                      \
      [[maybe_unused]] U ua = U(a) & mask, ub = U(b) & mask;                                       \
      static_cast<T *>(result)[i] = expression;                                                    \
    }                                                                                              \
  }
#define COMPARE_FLOAT(name, expression)                                                            \
  template <typename F> static void run##name(ARGUMENTS) {                                         \
    LOOP {                                                                                         \
      [[maybe_unused]] F a = static_cast<const F *>(pa)[i];                                        \
      [[maybe_unused]] F b = static_cast<const F *>(pb)[i];                                        \
      static_cast<int32_t *>(result)[i] = (expression) ? -1 : 0;                                   \
    }                                                                                              \
  }
#define COMPARE_INTEGER(name, expression)                                                          \
  template <typename T> static void run##name(ARGUMENTS) {                                         \
    using U [[maybe_unused]] = std::make_unsigned_t<T>;                                            \
    LOOP {                                                                                         \
      T a = static_cast<const T *>(pa)[i], b = static_cast<const T *>(pb)[i];                      \
      static_cast<int32_t *>(result)[i] = (expression) ? -1 : 0;                                   \
    }                                                                                              \
  }
#define CONVERT(name, From, To, expression)                                                        \
  static void run##name(ARGUMENTS) {                                                               \
    LOOP {                                                                                         \
      From a = static_cast<const From *>(pa)[i];                                                   \
      static_cast<To *>(result)[i] = expression;                                                   \
    }                                                                                              \
  }
#include "simulator/reference/ElementOps.def"

template <typename Format> static void runRoundTo(ARGUMENTS) {
  LOOP static_cast<float *>(result)[i] = roundTo<Format>(static_cast<const float *>(pa)[i]);
}

/// A number that is as good as random, from a value, its place and a seed.
TILEWRIGHT_INLINE static uint32_t scramble(float value, int64_t place, int64_t seed) {
  uint32_t mixed = std::bit_cast<uint32_t>(value) * 0x85ebca6bu + uint32_t(place) * 0xc2b2ae35u;
  mixed = (mixed ^ mixed >> 16 ^ uint32_t(seed) * 0x9e3779b9u) * 0x7feb352du;
  mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
  return mixed ^ mixed >> 16;
}

/// A float that is up to `most` units of its last place (a power of two) larger or smaller: 16, as
/// a sum in another order or an approximate function would give it.
TILEWRIGHT_INLINE static float shifted(float x, uint32_t random, uint32_t most = 16) {
  uint32_t pattern = std::bit_cast<uint32_t>(x), exponent = pattern & 0x7f800000u;
  uint32_t moved = pattern + (random & (2 * most - 1)) - most;
  bool stays = exponent < 0x01000000u || exponent > 0x7e800000u; // zeros, infinities, NaNs
  return std::bit_cast<float>(stays ? pattern : moved);
}

template <typename Format> static void runRoundPerturbed(ARGUMENTS) {
  LOOP {
    float a = static_cast<const float *>(pa)[i];
    float other = shifted(a, scramble(a, i, parameter));
    static_cast<float *>(result)[i] = roundTo<Format>(other);
  }
}

/// Rounds to one of the two numbers around a value that is not exact, the nearer one more likely.
template <typename Format> static void runRoundEither(ARGUMENTS) {
  constexpr uint32_t kHalfUnit = 1u << (22 - Format::kMantissa);
  LOOP {
    float a = static_cast<const float *>(pa)[i], rounded = roundTo<Format>(a);
    float other = roundTo<Format>(shifted(a, scramble(a, i, parameter), kHalfUnit));
    static_cast<float *>(result)[i] = rounded == a ? a : other;
  }
}

/// A number whose last bits are 0 is likely to be exact.
static void runPerturb(ARGUMENTS) {
  LOOP {
    float a = static_cast<const float *>(pa)[i];
    bool exact = (std::bit_cast<uint32_t>(a) & 0xff) == 0;
    float other = shifted(a, scramble(a, i, parameter));
    static_cast<float *>(result)[i] = exact ? a : other;
  }
}

template <typename Mask, typename T> static void runSelect(ARGUMENTS) {
  LOOP {
    T b = static_cast<const T *>(pb)[i], c = static_cast<const T *>(pc)[i];
    static_cast<T *>(result)[i] = static_cast<const Mask *>(pa)[i] ? b : c;
  }
}

void addElementKernels(Kernels &table) {
  constexpr int kFloat = int(Storage::Float), kDouble = int(Storage::Double);
  constexpr int kInt32 = int(Storage::Int32), kInt64 = int(Storage::Int64);
#define FLOAT_1(name, op, expression) COMPARE_FLOAT(name, expression)
#define FLOAT_2 FLOAT_1
#define FLOAT_3 FLOAT_1
#define INTEGER_1(name, op, expression) COMPARE_INTEGER(name, expression)
#define INTEGER_2(name, op, expression) COMPARE_INTEGER(name, expression)
#define COMPARE_FLOAT(name, expression)                                                            \
  table.element[int(ElementOp::name)][kFloat] = run##name<float>;                                  \
  table.element[int(ElementOp::name)][kDouble] = run##name<double>;
#define COMPARE_INTEGER(name, expression)                                                          \
  table.element[int(ElementOp::name)][kInt32] = run##name<int32_t>;                                \
  table.element[int(ElementOp::name)][kInt64] = run##name<int64_t>;
#define CONVERT(name, From, To, expression) table.element[int(ElementOp::name)][0] = run##name;
#include "simulator/reference/ElementOps.def"
  table.round[int(ElementKind::BF16)] = runRoundTo<BFloat16>;
  table.round[int(ElementKind::F16)] = runRoundTo<Float16>;
  table.round[int(ElementKind::F8E5M2)] = runRoundTo<Float8E5M2>;
  table.round[int(ElementKind::F8E4M3FN)] = runRoundTo<Float8E4M3FN>;
  table.roundPerturbed[int(ElementKind::BF16)] = runRoundPerturbed<BFloat16>;
  table.roundPerturbed[int(ElementKind::F16)] = runRoundPerturbed<Float16>;
  table.roundPerturbed[int(ElementKind::F8E5M2)] = runRoundPerturbed<Float8E5M2>;
  table.roundPerturbed[int(ElementKind::F8E4M3FN)] = runRoundPerturbed<Float8E4M3FN>;
  table.roundPerturbed[int(ElementKind::F32)] = runPerturb;
  table.roundEither[int(ElementKind::BF16)] = runRoundEither<BFloat16>;
  table.roundEither[int(ElementKind::F16)] = runRoundEither<Float16>;
  table.roundEither[int(ElementKind::F8E5M2)] = runRoundEither<Float8E5M2>;
  table.roundEither[int(ElementKind::F8E4M3FN)] = runRoundEither<Float8E4M3FN>;
  table.select4 = runSelect<int32_t, uint32_t>;
  table.select8 = runSelect<int32_t, uint64_t>;
}

} // namespace tilewright::simulator::TILEWRIGHT_VARIANT
