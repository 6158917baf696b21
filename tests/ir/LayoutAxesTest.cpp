// Layouts whose axes were dropped, collapsed, added or permuted.
#include "tests/ir/Layouts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace tilewright;
using Shape = llvm::SmallVector<int64_t, 4>;

namespace {

/// Layouts of all kinds over three dimensions (of any shape).
std::vector<std::pair<Layout, Shape>> samples() {
  return {{Layout::blocked({4, 6, 80}, 2, 4, 4), {4, 6, 80}},
          {Layout::blocked({3, 1, 5}, 0, 1, 2), {3, 1, 5}},
          {Layout::mmaAccumulator(64, 40, 2, 1, 4).insertDim(0), {1, 64, 40}},
          {Layout::mmaOperandA(64, 32, 16, 2, 2, 4).insertDim(1), {64, 1, 32}},
          {Layout::threadTile(24, 40, 1, 2, 2).insertDim(2), {24, 40, 1}},
          {Layout({{3, 1, 1}, {2, 0, 4}, {2, 1, 3}}, {{4, 0, 1}, {8, 2, 1}}, {{2, kReplicated, 0}}),
           {8, 6, 8}}};
}

/// The coordinates of `derived` for a thread are those of `layout`, mapped. Registers along dropped
/// dimensions went, so that they are compared as sets.
template <typename Map>
void expectMapped(const Layout &layout, const Layout &derived, int64_t rank, Map map) {
  ASSERT_EQ(derived.warps(), layout.warps());
  ASSERT_EQ(derived.count(Level::Lane), layout.count(Level::Lane));
  for (int64_t warp = 0; warp < layout.warps(); ++warp)
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      std::set<std::vector<int64_t>> expected, actual;
      for (int64_t reg = 0; reg < layout.registers(); ++reg) {
        Coordinates at = map(layout.coordinates(3, reg, lane, warp));
        expected.insert({at.begin(), at.end()});
      }
      for (int64_t reg = 0; reg < derived.registers(); ++reg) {
        Coordinates at = derived.coordinates(rank, reg, lane, warp);
        actual.insert({at.begin(), at.end()});
      }
      ASSERT_EQ(actual, expected);
      ASSERT_EQ(actual.size(), size_t(derived.registers()));
    }
}

TEST(Layout, SamplesHoldTheirShape) {
  for (auto &[layout, shape] : samples())
    expectHoldsOnce(layout, shape, layout.warps());
}

TEST(Layout, DropDimProjects) {
  for (auto &[layout, shape] : samples())
    for (int64_t dim = 0; dim < 3; ++dim) {
      Layout dropped = layout.dropDim(dim);
      expectMapped(layout, dropped, 2, [&, dim = dim](Coordinates at) {
        at.erase(at.begin() + dim);
        return at;
      });
      Shape kept = shape;
      kept.erase(kept.begin() + dim);
      expectHoldsOnce(dropped, kept, layout.warps());
    }
}

TEST(Layout, ThreadsAlongADimensionHoldAPartEach) {
  Layout sums = Layout::wgmmaAccumulator(128, 64, 2, 1).threadsAlong(1);
  EXPECT_EQ(sums, Layout({{2, 0, 8}}, {{4, 1, 1}, {8, 0, 1}}, {{8, 0, 16}}));
  EXPECT_TRUE(sums.covers({128, 4}));
  EXPECT_EQ(sums.dropDim(1), Layout::wgmmaAccumulator(128, 64, 2, 1).dropDim(1));
  // Two warpgroups side by side: eight threads share a row.
  EXPECT_TRUE(Layout::wgmmaAccumulator(64, 128, 1, 2).threadsAlong(1).covers({64, 8}));
}

TEST(Layout, CollapseDimProjectsToZero) {
  for (auto &[layout, shape] : samples())
    for (int64_t dim = 0; dim < 3; ++dim) {
      Layout collapsed = layout.collapseDim(dim);
      expectMapped(layout, collapsed, 3, [&, dim = dim](Coordinates at) {
        at[dim] = 0;
        return at;
      });
      Shape kept = shape;
      kept[dim] = 1;
      expectHoldsOnce(collapsed, kept, layout.warps());
    }
}

/// The registers that remain keep their order: the digits along other dimensions.
TEST(Layout, DropDimKeepsTheOrderOfRegisters) {
  for (auto &[layout, shape] : samples())
    for (int64_t dim = 0; dim < 3; ++dim) {
      std::vector<Coordinates> expected;
      for (int64_t reg = 0; reg < layout.registers(); ++reg) {
        Coordinates at = layout.coordinates(3, reg, 0, 0);
        bool isFirst = at[dim] == 0;
        at.erase(at.begin() + dim);
        if (isFirst)
          expected.push_back(at);
      }
      Layout dropped = layout.dropDim(dim);
      ASSERT_EQ(size_t(dropped.registers()), expected.size());
      for (int64_t reg = 0; reg < dropped.registers(); ++reg)
        EXPECT_EQ(dropped.coordinates(2, reg, 0, 0), expected[reg]);
    }
}

TEST(Layout, InsertDimIsUndoneByDropDim) {
  for (auto &[layout, shape] : samples())
    for (int64_t dim = 0; dim <= 3; ++dim) {
      Layout inserted = layout.insertDim(dim);
      Shape grown = shape;
      grown.insert(grown.begin() + dim, 1);
      expectHoldsOnce(inserted, grown, layout.warps());
      EXPECT_EQ(inserted.dropDim(dim), layout);
      forEachPlace(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
        Coordinates at = layout.coordinates(3, reg, lane, warp);
        at.insert(at.begin() + dim, 0);
        ASSERT_EQ(inserted.coordinates(4, reg, lane, warp), at);
      });
    }
}

TEST(Layout, PermuteMovesCoordinates) {
  Shape permutation{0, 1, 2};
  do {
    for (auto &[layout, shape] : samples()) {
      Layout permuted = layout.permute(permutation);
      Shape turned;
      for (int64_t from : permutation)
        turned.push_back(shape[from]);
      expectHoldsOnce(permuted, turned, layout.warps());
      forEachPlace(layout, [&, &layout = layout](int64_t reg, int64_t lane, int64_t warp) {
        Coordinates at = layout.coordinates(3, reg, lane, warp);
        Coordinates moved = permuted.coordinates(3, reg, lane, warp);
        for (int64_t dim = 0; dim < 3; ++dim)
          ASSERT_EQ(moved[dim], at[permutation[dim]]);
      });
    }
  } while (std::next_permutation(permutation.begin(), permutation.end()));
}

TEST(Layout, PermuteIsUndoneByItsInverse) {
  for (auto &[layout, shape] : samples())
    EXPECT_EQ(layout.permute({2, 0, 1}).permute({1, 2, 0}), layout);
}

} // namespace
