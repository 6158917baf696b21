// Layouts that spread a tile over threads, whatever its extents.
#include "tests/ir/Layouts.h"

#include <gtest/gtest.h>

using namespace tilewright;
using Shape = llvm::SmallVector<int64_t, 4>;

namespace {

/// From every multiple of vector(d) on, that many registers lie side by side along d.
void expectVectorHolds(const Layout &layout, int64_t rank, int64_t dim) {
  int64_t vector = layout.vector(dim);
  forEachPlace(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates first = layout.coordinates(rank, reg / vector * vector, lane, warp);
    first[dim] += reg % vector;
    ASSERT_EQ(layout.coordinates(rank, reg, lane, warp), first);
  });
}

const int64_t kSizes[] = {1, 2, 3, 5, 7, 8, 12, 16, 24, 40, 48, 80, 97, 112, 128, 176, 256, 1000};

TEST(Layout, BlockedHoldsEveryVectorOnce) {
  for (int64_t size : kSizes)
    for (int64_t vector : {1, 2, 4, 8, 16})
      for (int64_t warps : {1, 2, 3, 4, 5, 6, 8, 12}) {
        SCOPED_TRACE(testing::Message() << size << " in " << vector << "s, " << warps << " warps");
        Layout layout = Layout::blocked({size}, 0, vector, warps);
        expectHoldsOnce(layout, {size}, warps);
        expectVectorHolds(layout, 1, 0);
      }
}

TEST(Layout, BlockedHoldsEveryMatrixOnce) {
  for (int64_t rows : {1, 3, 8, 16, 48, 80})
    for (int64_t columns : {1, 2, 5, 16, 24, 64, 112})
      for (int64_t contiguous : {0, 1})
        for (int64_t warps : {1, 4, 6, 12}) {
          SCOPED_TRACE(testing::Message() << rows << "x" << columns << ", " << warps << " warps");
          Layout layout = Layout::blocked({rows, columns}, contiguous, 4, warps);
          expectHoldsOnce(layout, {rows, columns}, warps);
          expectVectorHolds(layout, 2, contiguous);
        }
}

TEST(Layout, BlockedHoldsAnyRankOnce) {
  for (Shape shape : {Shape{}, Shape{2, 3, 4}, Shape{16, 1, 48}, Shape{5, 8, 2, 6}})
    for (int64_t warps : {1, 2, 3, 8, 12}) {
      SCOPED_TRACE(testing::Message() << "rank " << shape.size() << ", " << warps << " warps");
      expectHoldsOnce(Layout::blocked(shape, int64_t(shape.size()) - 1, 4, warps), shape, warps);
    }
}

TEST(Layout, TurnedHoldsEveryMatrixOnce) {
  for (int64_t rows : {1, 3, 8, 32, 48})
    for (int64_t columns : {1, 5, 16, 96, 128, 208})
      for (int64_t warps : {1, 4, 6, 12}) {
        SCOPED_TRACE(testing::Message() << rows << "x" << columns << ", " << warps << " warps");
        Layout layout = Layout::turned({rows, columns}, 4, warps);
        expectHoldsOnce(layout, {rows, columns}, warps);
        expectVectorHolds(layout, 2, 0);
      }
}

TEST(Layout, TurnedGivesColumnsToLanesAndVectorsOfRowsToWarps) {
  EXPECT_EQ(Layout::turned({32, 128}, 4, 4),
            Layout({{4, 0, 1}, {4, 1, 32}, {2, 0, 16}}, {{32, 1, 1}}, {{4, 0, 4}}));
}

TEST(Layout, BlockedGivesVectorsToLanesAndRowsToWarps) {
  EXPECT_EQ(Layout::blocked({64, 64}, 1, 8, 4),
            Layout({{8, 1, 1}, {4, 0, 16}}, {{8, 1, 8}, {4, 0, 1}}, {{4, 0, 4}}));
}

TEST(Layout, BlockedGivesFewLanesToARowIfAsked) {
  EXPECT_EQ(Layout::blocked({64, 64}, 1, 8, 4, /*lanesAlong=*/4),
            Layout({{8, 1, 1}, {2, 1, 32}, {2, 0, 32}}, {{4, 1, 8}, {8, 0, 1}}, {{4, 0, 8}}));
  // A single row has them all.
  expectDigits(Layout::blocked({1, 1024}, 1, 8, 4, 4), Level::Lane, {{32, 1, 8}});
  for (int64_t rows : {1, 8, 40, 64})
    for (int64_t columns : {8, 32, 48, 64, 128})
      expectHoldsOnce(Layout::blocked({rows, columns}, 1, 8, 4, 4), {rows, columns}, 4);
}

TEST(Layout, BlockedLeavesReplicasWhereATileIsSmall) {
  Layout layout = Layout::blocked({4}, 0, 1, 2);
  expectDigits(layout, Level::Lane, {{4, 0, 1}, {8, kReplicated, 0}});
  expectDigits(layout, Level::Warp, {{2, kReplicated, 0}});
  EXPECT_EQ(layout.registers(), 1);
}

TEST(Layout, ThreadTilesHoldEveryElementOnce) {
  for (int64_t warps : {1, 4, 8})
    forEachSplit(warps, [&](int64_t warpsM, int64_t warpsN) {
      for (int64_t m : {1, 3, 8, 24, 64, 80})
        for (int64_t n : {1, 5, 8, 40, 64, 176}) {
          if (m % warpsM || n % warpsN)
            continue;
          SCOPED_TRACE(testing::Message() << m << "x" << n << ", " << warpsM << "x" << warpsN);
          expectHoldsOnce(Layout::threadTile(m, n, warpsM, warpsN, warps), {m, n}, warps);
        }
    });
}

} // namespace

TEST(Layout, BlockedSharesOutWarpsOfAnyNumber) {
  EXPECT_EQ(Layout::blocked({96, 32}, 1, 1, 3), Layout({{32, 0, 3}}, {{32, 1, 1}}, {{3, 0, 1}}));
  expectDigits(Layout::blocked({64, 32}, 1, 1, 6), Level::Warp, {{2, 0, 1}, {3, kReplicated, 0}});
}
