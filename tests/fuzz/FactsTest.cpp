#include "tools/fuzz/Facts.h"

#include <gtest/gtest.h>

using namespace tilewright::fuzz;

static constexpr Facts kSmall{-4, 4, 0, 2}; // quarters

TEST(Facts, smallFractionsStayExact) {
  std::optional<Facts> facts = rounded(Dtype::F32, product(kSmall, kSmall));
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->isExact());
  EXPECT_EQ(facts->grain, 4);
  EXPECT_NEAR(facts->low, -16, 1e-4);
  EXPECT_NEAR(facts->high, 16, 1e-4);
}

TEST(Facts, sumsBeyondTheSignificandAreInexact) {
  std::optional<Facts> exact = rounded(Dtype::F32, total(kSmall, 1000));
  ASSERT_TRUE(exact);
  EXPECT_TRUE(exact->isExact());
  std::optional<Facts> inexact = rounded(Dtype::F32, total({-4, 4, 0, kAnyGrain}, 1000));
  ASSERT_TRUE(inexact);
  EXPECT_GT(inexact->error, 1000 * 0x1p-24 * 4000);
}

TEST(Facts, aValueThatOverflowsIsRefused) {
  EXPECT_FALSE(rounded(Dtype::I8, sum({0, 100, 0, 0}, {0, 100, 0, 0})));
  EXPECT_TRUE(rounded(Dtype::I16, sum({0, 100, 0, 0}, {0, 100, 0, 0})));
  EXPECT_FALSE(rounded(Dtype::F8E4M3, {0, 300, 0, 0}));
}

TEST(Facts, anErrorThatHidesMistakesIsRefused) {
  EXPECT_FALSE(rounded(Dtype::F32, {-1, 1, 0.25, kAnyGrain}));
}

TEST(Facts, errorsGrowThroughProducts) {
  Facts a{-2, 2, 0.001, kAnyGrain}, b{-3, 3, 0.002, kAnyGrain};
  Facts ideal = product(a, b);
  EXPECT_GE(ideal.error, 2 * 0.002 + 3 * 0.001);
  EXPECT_LT(ideal.error, 0.0071);
}

TEST(Facts, aNarrowResultIsRoundedOnceEverywhere) {
  // 300 is no bf16, but every executor rounds the exact sum to the same neighbour.
  std::optional<Facts> facts = rounded(Dtype::BF16, {0, 300, 0, 0});
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->isExact());
  EXPECT_GE(facts->high, 300);
}
