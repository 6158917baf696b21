// The prelude's software conversions and trigonometry, against LLVM's floats and libm.
#include "llvm/ADT/APFloat.h"

#include "tests/codegen/HostPrelude.h"

#include <gtest/gtest.h>

using llvm::APFloat;

namespace {

/// Every sign, exponent and leading mantissa, with the low bits at, next to and between ties.
template <typename Check> void forEachFloat(Check check) {
  for (unsigned high = 0; high < 0x10000; ++high)
    for (unsigned low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      check(host::__uint_as_float(high << 16 | low));
      if (testing::Test::HasFailure())
        return;
    }
}

/// `x` in another format, to nearest; the largest finite value instead of what overflows.
unsigned rounded(float x, const llvm::fltSemantics &to, bool saturates) {
  APFloat value(x);
  bool losesInfo;
  value.convert(to, APFloat::rmNearestTiesToEven, &losesInfo);
  if (saturates && !std::isnan(x) && (value.isNaN() || value.isInfinity()))
    value = APFloat::getLargest(to, std::signbit(x));
  return unsigned(value.bitcastToAPInt().getZExtValue());
}

float widened(unsigned bits, const llvm::fltSemantics &from) {
  APFloat value(from, llvm::APInt(APFloat::getSizeInBits(from), bits));
  return value.convertToFloat();
}

/// One value, -0 and 0 being two and all NaNs one.
bool same(float x, float y) {
  return std::isnan(x) ? std::isnan(y) : std::bit_cast<int>(x) == std::bit_cast<int>(y);
}

/// Errors in units of the last place of the exact value.
double ulps(float value, double exact) {
  float magnitude = std::abs(float(exact));
  double unit = double(std::nextafterf(magnitude, INFINITY)) - magnitude;
  return std::abs(value - exact) / unit;
}

} // namespace

TEST(HostPrelude, rounds_to_bf16) {
  forEachFloat([](float x) {
    unsigned bits = host::f32_to_bf16(x);
    EXPECT_EQ(bits, std::isnan(x) ? 0x7fff : rounded(x, APFloat::BFloat(), false)) << x;
  });
}

TEST(HostPrelude, rounds_to_8_bit_floats) {
  forEachFloat([](float x) {
    unsigned e4m3 = host::f32_to_f8e4m3(x), e5m2 = host::f32_to_f8e5m2(x);
    EXPECT_EQ(e4m3, std::isnan(x) ? 0x7f : rounded(x, APFloat::Float8E4M3FN(), true)) << x;
    EXPECT_EQ(e5m2, std::isnan(x) ? 0x7f : rounded(x, APFloat::Float8E5M2(), true)) << x;
  });
  // Ties between neighbours of each format.
  for (unsigned code = 0; code < 0x7e; ++code) {
    float tie = (host::f8e4m3_to_f32(code) + host::f8e4m3_to_f32(code + 1)) / 2;
    EXPECT_EQ(host::f32_to_f8e4m3(tie), code % 2 ? code + 1 : code);
    EXPECT_EQ(host::f32_to_f8e4m3(std::nextafterf(tie, 0.0f)), code);
    EXPECT_EQ(host::f32_to_f8e4m3(std::nextafterf(tie, INFINITY)), code + 1);
  }
}

TEST(HostPrelude, widens_8_bit_floats) {
  for (unsigned code = 0; code < 256; ++code) {
    float e4m3 = widened(code, APFloat::Float8E4M3FN()),
          e5m2 = widened(code, APFloat::Float8E5M2());
    EXPECT_TRUE(same(host::f8e4m3_to_f32(code), e4m3)) << code;
    EXPECT_TRUE(same(host::f8e5m2_to_f32(code), e5m2)) << code;
  }
}

TEST(HostPrelude, rounds_to_tf32_away_from_zero_at_ties) {
  EXPECT_EQ(host::round_tf32(1.0f + 0x1p-11f), 1.0f + 0x1p-10f);
  EXPECT_EQ(host::round_tf32(-1.0f - 0x1p-11f), -1.0f - 0x1p-10f);
  EXPECT_EQ(host::round_tf32(1.0f + 0x1p-12f), 1.0f);
  EXPECT_EQ(host::round_tf32(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(host::round_tf32(NAN)));
}

TEST(HostPrelude, rounds_integers_once) {
  // The f32 next to 2^24 + 2^16 + 1 is a tie of bf16.
  for (int x : {0, 1, -1, 257, 16777217, 16842753, -16842753, 2147483647, -2147483647 - 1}) {
    APFloat value = APFloat(double(x));
    bool losesInfo;
    value.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &losesInfo);
    EXPECT_EQ(host::f32_to_bf16(host::i32_to_f32_odd(x)), value.bitcastToAPInt().getZExtValue())
        << x;
    EXPECT_EQ(host::f32_to_bf16(host::i64_to_f32_odd(x)), value.bitcastToAPInt().getZExtValue())
        << x;
  }
}

TEST(HostPrelude, turns_floats_into_integers) {
  EXPECT_EQ(host::f32_to_i8(-129.5f), -128);
  EXPECT_EQ(host::f32_to_i8(1e9f), 127);
  EXPECT_EQ(host::f32_to_i8(-1.9f), -1);
  EXPECT_EQ(host::f32_to_i16(40000.0f), 32767);
  EXPECT_EQ(host::f32_to_i32(NAN), 0);
  EXPECT_EQ(host::f32_to_i64(NAN), 0);
  EXPECT_EQ(host::f32_to_i64(-1e30f), std::numeric_limits<long long>::min());
}

TEST(HostPrelude, finds_sines_of_all_angles) {
  double worst = 0;
  for (unsigned bits = 0; bits < 0x7f800000; bits += 4001) {
    float x = host::__uint_as_float(bits);
    worst = std::max(worst, ulps(host::sin_f32(x), std::sin(double(x))));
    worst = std::max(worst, ulps(host::cos_f32(-x), std::cos(double(x))));
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_TRUE(std::isnan(host::sin_f32(INFINITY)));
  EXPECT_TRUE(std::isnan(host::cos_f32(NAN)));
}

TEST(HostPrelude, finds_the_error_function) {
  double worst = 0;
  for (unsigned bits = 0; bits < 0x7f800000; bits += 4001) {
    float x = host::__uint_as_float(bits);
    worst = std::max(worst, ulps(host::erf_f32(x), std::erf(double(x))));
  }
  EXPECT_LT(worst, 8.0);
  for (float x : {3.95f, 10.0f, 1e30f, INFINITY}) {
    EXPECT_EQ(host::erf_f32(x), 1.0f) << x;
    EXPECT_EQ(host::erf_f32(-x), -1.0f) << x;
  }
  EXPECT_TRUE(same(host::erf_f32(-0.0f), -0.0f));
  EXPECT_TRUE(std::isnan(host::erf_f32(NAN)));
}
