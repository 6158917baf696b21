// Every pattern of each format, and many floats, against LLVM's own arithmetic.
#include "simulator/NarrowFloat.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tilewright::simulator {

template <typename Format> struct Semantics;
template <> struct Semantics<BFloat16> {
  static const llvm::fltSemantics &get() { return llvm::APFloat::BFloat(); }
  static constexpr int kBits = 16;
};
template <> struct Semantics<Float16> {
  static const llvm::fltSemantics &get() { return llvm::APFloat::IEEEhalf(); }
  static constexpr int kBits = 16;
};
template <> struct Semantics<Float8E5M2> {
  static const llvm::fltSemantics &get() { return llvm::APFloat::Float8E5M2(); }
  static constexpr int kBits = 8;
};
template <> struct Semantics<Float8E4M3FN> {
  static const llvm::fltSemantics &get() { return llvm::APFloat::Float8E4M3FN(); }
  static constexpr int kBits = 8;
};

/// What `x` should become, by APFloat and saturation on top of it.
template <typename Format> static float expectedRounding(float x) {
  if (std::isnan(x))
    return x;
  llvm::APFloat value(x);
  bool lost;
  value.convert(Semantics<Format>::get(), llvm::APFloat::rmNearestTiesToEven, &lost);
  if (Format::kSaturates && !value.isFinite())
    return std::copysign(std::bit_cast<float>(Format::kLargest), x);
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToFloat();
}

/// Floats of all exponents, plus those next to and halfway between the values of the format.
template <typename Format> static std::vector<float> samples() {
  std::vector<float> result = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 448, 464, 465, 480, 61440};
  std::mt19937 random(1);
  for (int i = 0; i < 300000; ++i)
    result.push_back(std::bit_cast<float>(uint32_t(random())));
  for (uint32_t pattern = 0; pattern < (1u << Semantics<Format>::kBits); ++pattern) {
    uint32_t bits = std::bit_cast<uint32_t>(decode<Format>(pattern));
    uint32_t half = 1u << (Format::kShift - 1);
    for (uint32_t near : {bits, bits - 1, bits + 1, bits + half, bits + half - 1, bits + half + 1})
      result.push_back(std::bit_cast<float>(near));
  }
  for (uint32_t i = 0; i < 40000; ++i) { // the smallest steps, ties included
    float step = std::ldexp(1.0f, 1 - Format::kBias - Format::kMantissa - 3);
    result.push_back(float(i) * step);
    result.push_back(-float(i) * step);
  }
  return result;
}

template <typename Format> class NarrowFloatTest : public testing::Test {};
using Formats = testing::Types<BFloat16, Float16, Float8E5M2, Float8E4M3FN>;
TYPED_TEST_SUITE(NarrowFloatTest, Formats);

TYPED_TEST(NarrowFloatTest, decodesEveryPattern) {
  constexpr int kBits = Semantics<TypeParam>::kBits;
  for (uint32_t pattern = 0; pattern < (1u << kBits); ++pattern) {
    llvm::APFloat expected(Semantics<TypeParam>::get(), llvm::APInt(kBits, pattern));
    float actual = decode<TypeParam>(pattern);
    if (expected.isNaN()) {
      EXPECT_TRUE(std::isnan(actual)) << pattern;
      continue;
    }
    bool lost;
    expected.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
    ASSERT_EQ(std::bit_cast<uint32_t>(expected.convertToFloat()), std::bit_cast<uint32_t>(actual))
        << pattern;
  }
}

TYPED_TEST(NarrowFloatTest, encodesWhatItDecoded) {
  for (uint32_t pattern = 0; pattern < (1u << Semantics<TypeParam>::kBits); ++pattern) {
    float value = decode<TypeParam>(pattern);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(decode<TypeParam>(encode<TypeParam>(value))));
    else if (TypeParam::kSaturates && std::isinf(value))
      EXPECT_EQ(std::fabs(decode<TypeParam>(encode<TypeParam>(value))),
                std::bit_cast<float>(TypeParam::kLargest));
    else
      ASSERT_EQ(encode<TypeParam>(value), pattern);
  }
}

TYPED_TEST(NarrowFloatTest, roundsToNearestEven) {
  for (float x : samples<TypeParam>()) {
    float expected = expectedRounding<TypeParam>(x), actual = roundTo<TypeParam>(x);
    if (std::isnan(x)) {
      ASSERT_TRUE(std::isnan(actual));
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(expected), std::bit_cast<uint32_t>(actual)) << x;
    ASSERT_EQ(std::bit_cast<uint32_t>(decode<TypeParam>(encode<TypeParam>(x))),
              std::bit_cast<uint32_t>(expected))
        << x;
  }
}

TEST(NarrowFloat, saturatesTheByteFloats) {
  EXPECT_EQ(roundTo<Float8E4M3FN>(1000), 448);
  EXPECT_EQ(roundTo<Float8E4M3FN>(-INFINITY), -448);
  EXPECT_EQ(roundTo<Float8E5M2>(INFINITY), 57344);
  EXPECT_EQ(roundTo<Float16>(65519), 65504);
  EXPECT_TRUE(std::isinf(roundTo<Float16>(65520)));
}

TEST(NarrowFloat, roundsTf32TiesAway) {
  EXPECT_EQ(roundToTf32(1.0f + 0x1p-11f), 1.0f + 0x1p-10f); // a tie
  EXPECT_EQ(roundToTf32(-1.0f - 0x1p-11f), -1.0f - 0x1p-10f);
  EXPECT_EQ(roundToTf32(1.0f + 0x1.8p-12f), 1.0f);
  EXPECT_EQ(roundToTf32(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(roundToTf32(NAN)));
  EXPECT_TRUE(std::isnan(roundToTf32(std::bit_cast<float>(0x7f800001u))));
  EXPECT_EQ(roundToTf32(std::bit_cast<float>(0x7f7fffffu)), INFINITY);
}

} // namespace tilewright::simulator
