// Fragments of products, as the PTX ISA draws them.
#include "tests/ir/Layouts.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {

/// PTX ISA, matrix C of m16n8: row = lane / 4 for c0, c1 and 8 more for c2, c3;
/// column = 2 (lane % 4) + (i & 1).
TEST(Layout, MmaAccumulatorIsTheFragmentOfThePtxIsa) {
  Layout layout = Layout::mmaAccumulator(16, 8, 1, 1, 1);
  ASSERT_EQ(layout.registers(), 4);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      Coordinates at = layout.coordinates(2, i, lane, 0);
      EXPECT_EQ(at[0], lane / 4 + (i < 2 ? 0 : 8));
      EXPECT_EQ(at[1], lane % 4 * 2 + (i & 1));
    }
}

/// PTX ISA, matrix C of m8n8k16: row = lane / 4, column = 2 (lane % 4) + i.
TEST(Layout, MmaAccumulatorOf8RowsIsTheFragmentOfThePtxIsa) {
  Layout layout = Layout::mmaAccumulator(8, 8, 1, 1, 1, 8);
  ASSERT_EQ(layout.registers(), 2);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 2; ++i)
      EXPECT_EQ(layout.coordinates(2, i, lane, 0), (Coordinates{lane / 4, lane % 4 * 2 + i}));
}

/// PTX ISA, matrix A of m16n8k16, 16-bit: row = lane / 4 for i in {0, 1, 4, 5}, else 8 more;
/// column = 2 (lane % 4) + (i & 1), and 8 more from i = 4 on.
TEST(Layout, MmaOperandAIsTheFragmentOfThePtxIsa) {
  Layout layout = Layout::mmaOperandA(16, 16, 16, 1, 1, 1);
  ASSERT_EQ(layout.registers(), 8);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 8; ++i) {
      Coordinates at = layout.coordinates(2, i, lane, 0);
      EXPECT_EQ(at[0], lane / 4 + (i < 2 || (i >= 4 && i < 6) ? 0 : 8));
      EXPECT_EQ(at[1], lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0));
    }
}

/// PTX ISA, matrix A of m16n8k8, 16-bit: row = lane / 4 for a0, a1 and 8 more for a2, a3.
TEST(Layout, MmaOperandAOfDepth8IsTheFragmentOfThePtxIsa) {
  Layout layout = Layout::mmaOperandA(16, 8, 8, 1, 1, 1);
  ASSERT_EQ(layout.registers(), 4);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      Coordinates at = layout.coordinates(2, i, lane, 0);
      EXPECT_EQ(at[0], lane / 4 + (i < 2 ? 0 : 8));
      EXPECT_EQ(at[1], lane % 4 * 2 + (i & 1));
    }
}

/// Fragments follow each other along n, then along m; warps take contiguous parts.
TEST(Layout, MmaAccumulatorRepeatsFragmentsAlongNThenM) {
  Layout layout = Layout::mmaAccumulator(64, 48, 2, 2, 4); // 2×3 fragments per warp
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t m = 0; m < 2; ++m)
      for (int64_t n = 0; n < 3; ++n)
        EXPECT_EQ(layout.coordinates(2, (m * 3 + n) * 4, 0, warp),
                  (Coordinates{warp % 2 * 32 + m * 16, warp / 2 * 24 + n * 8}));
}

TEST(Layout, MmaAccumulatorOf8RowsRepeatsFragmentsAlongNThenM) {
  Layout layout = Layout::mmaAccumulator(48, 48, 2, 2, 4, 8); // 3×3 fragments per warp
  expectHoldsOnce(layout, {48, 48}, 4);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t m = 0; m < 3; ++m)
      for (int64_t n = 0; n < 3; ++n)
        EXPECT_EQ(layout.coordinates(2, (m * 3 + n) * 2, 0, warp),
                  (Coordinates{warp % 2 * 24 + m * 8, warp / 2 * 24 + n * 8}));
}

/// What makes a product's result the next product's left operand without moving it.
TEST(Layout, AccumulatorsAreTheNextProductsOperandA) {
  for (int64_t k : {16, 32, 64, 80, 176})
    EXPECT_EQ(Layout::mmaAccumulator(128, k, 4, 1, 4), Layout::mmaOperandA(128, k, 16, 4, 1, 4));
  EXPECT_FALSE(Layout::mmaAccumulator(64, 64, 2, 2, 4) == Layout::mmaOperandA(64, 64, 16, 2, 2, 4));
}

TEST(Layout, MmaFragmentsHoldEveryElementOnce) {
  for (int64_t warps : {1, 4, 8})
    forEachSplit(warps, [&](int64_t warpsM, int64_t warpsN) {
      for (int64_t m : {16, 48, 128})
        for (int64_t n : {8, 40, 64, 176}) {
          if (m % (16 * warpsM) || n % (8 * warpsN))
            continue;
          SCOPED_TRACE(testing::Message() << m << "x" << n << ", " << warpsM << "x" << warpsN);
          Layout layout = Layout::mmaAccumulator(m, n, warpsM, warpsN, warps);
          expectHoldsOnce(layout, {m, n}, warps);
          EXPECT_EQ(replicas(layout), warps / (warpsM * warpsN));
          EXPECT_EQ(layout.vector(1), 2);
        }
    });
}

TEST(Layout, MmaOperandAIsHeldByAllWarpsAlongN) {
  for (int64_t warps : {1, 4, 8})
    forEachSplit(warps, [&](int64_t warpsM, int64_t warpsN) {
      for (int64_t k : {16, 48, 128}) {
        int64_t m = 16 * warpsM * 3;
        SCOPED_TRACE(testing::Message() << m << "x" << k << ", " << warpsM << "x" << warpsN);
        Layout layout = Layout::mmaOperandA(m, k, 16, warpsM, warpsN, warps);
        expectHoldsOnce(layout, {m, k}, warps);
        EXPECT_EQ(replicas(layout), warps / warpsM);
      }
    });
}

} // namespace
