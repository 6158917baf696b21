#include "tests/ir/Layouts.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {

//===- Canonical form -------------------------------------------------------------------------===//

TEST(Layout, DropsDigitsOfSizeOne) {
  Layout layout({{1, 0, 1}, {2, 1, 1}, {1, 1, 2}}, {{1, kReplicated, 0}, {32, 0, 1}}, {});
  expectDigits(layout, Level::Register, {{2, 1, 1}});
  expectDigits(layout, Level::Lane, {{32, 0, 1}});
}

TEST(Layout, MergesDigitsThatContinueEachOther) {
  Layout layout({{2, 0, 1}, {4, 0, 2}}, {{4, 1, 8}, {8, 1, 32}}, {{2, 0, 8}, {2, 0, 32}});
  expectDigits(layout, Level::Register, {{8, 0, 1}});
  expectDigits(layout, Level::Lane, {{32, 1, 8}});
  expectDigits(layout, Level::Warp, {{2, 0, 8}, {2, 0, 32}}); // a gap between them
}

TEST(Layout, KeepsReplicasOfThreadsAlone) {
  Layout layout({{4, kReplicated, 0}, {2, 0, 1}}, {{4, kReplicated, 7}, {8, kReplicated, 0}},
                {{2, kReplicated, 0}});
  expectDigits(layout, Level::Register, {{2, 0, 1}});
  expectDigits(layout, Level::Lane, {{32, kReplicated, 0}});
  expectDigits(layout, Level::Warp, {{2, kReplicated, 0}});
}

TEST(Layout, EqualMappingsAreEqual) {
  EXPECT_EQ(Layout({{2, 0, 1}, {2, 0, 2}}, {{32, 1, 1}}, {{1, 0, 1}}),
            Layout({{4, 0, 1}}, {{4, 1, 1}, {8, 1, 4}}, {}));
  EXPECT_FALSE(Layout({{2, 0, 1}, {2, 1, 1}}, {}, {}) == Layout({{2, 1, 1}, {2, 0, 1}}, {}, {}));
}

//===- covers and extent ----------------------------------------------------------------------===//

TEST(Layout, CoversWithoutGapOrOverlap) {
  Layout layout({{2, 1, 1}, {3, 1, 8}}, {{4, 1, 2}, {8, 0, 1}}, {{2, 0, 8}});
  EXPECT_TRUE(layout.covers({16, 24}));
  EXPECT_FALSE(layout.covers({16, 48}));
  EXPECT_FALSE(layout.covers({8, 24}));
  EXPECT_FALSE(layout.covers({24, 16}));
  EXPECT_FALSE(Layout({{2, 0, 2}}, {}, {}).covers({4}));          // odd elements are missing
  EXPECT_FALSE(Layout({{2, 0, 1}}, {{4, 0, 1}}, {}).covers({5})); // 1 is held twice
  EXPECT_TRUE(Layout({}, {{32, kReplicated, 0}}, {}).covers({1, 1}));
  EXPECT_TRUE(Layout().covers({}));
}

TEST(Layout, ExtentIsOnePastTheLargestCoordinate) {
  Layout layout({{2, 1, 1}, {3, 1, 8}}, {{4, 1, 2}, {8, 0, 1}}, {{2, 0, 8}});
  EXPECT_EQ(layout.extent(0), 16);
  EXPECT_EQ(layout.extent(1), 24);
  EXPECT_EQ(layout.extent(2), 1);
}

//===- vector ---------------------------------------------------------------------------------===//

TEST(Layout, VectorCountsConsecutiveElements) {
  Layout layout({{4, 1, 1}, {2, 0, 1}}, {}, {});
  EXPECT_EQ(layout.vector(1), 4);
  EXPECT_EQ(layout.vector(0), 1);
  EXPECT_EQ(Layout({{2, 1, 2}}, {}, {}).vector(1), 1);
  EXPECT_EQ(Layout().vector(0), 1);
}

} // namespace
