#include "ir/Layout.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

using namespace tilewright;
using Shape = llvm::SmallVector<int64_t, 4>;

namespace {

void expectDigits(const Layout &layout, Level level, const Digits &expected) {
  EXPECT_TRUE(layout.digits(level) == expected);
}

/// Calls `visit(register, lane, warp)` for every place of a layout.
template <typename Visit> void forEachPlace(const Layout &layout, Visit visit) {
  for (int64_t warp = 0; warp < layout.warps(); ++warp)
    for (int64_t lane = 0; lane < layout.count(Level::Lane); ++lane)
      for (int64_t reg = 0; reg < layout.registers(); ++reg)
        visit(reg, lane, warp);
}

int64_t product(llvm::ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
}

/// How many threads hold each element: the product of the replica digits.
int64_t replicas(const Layout &layout) {
  int64_t count = 1;
  for (Level level : {Level::Lane, Level::Warp})
    for (const Digit &digit : layout.digits(level))
      if (digit.dim == kReplicated)
        count *= digit.size;
  return count;
}

/// A layout of `warps` warps that holds every element of `shape` once, apart from its replicas.
void expectHoldsOnce(const Layout &layout, llvm::ArrayRef<int64_t> shape, int64_t warps) {
  EXPECT_EQ(layout.count(Level::Lane), kLanes);
  EXPECT_EQ(layout.warps(), warps);
  EXPECT_TRUE(layout.covers(shape));
  std::map<std::vector<int64_t>, int64_t> held;
  forEachPlace(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates at = layout.coordinates(shape.size(), reg, lane, warp);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      ASSERT_TRUE(at[dim] >= 0 && at[dim] < shape[dim]);
    ++held[{at.begin(), at.end()}];
  });
  EXPECT_EQ(held.size(), size_t(product(shape)));
  for (auto &[at, count] : held)
    ASSERT_EQ(count, replicas(layout));
  for (size_t dim = 0; dim < shape.size(); ++dim)
    EXPECT_EQ(layout.extent(dim), shape[dim]);
}

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

//===- Coordinates ----------------------------------------------------------------------------===//

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

/// From every multiple of vector(d) on, that many registers lie side by side along d.
void expectVectorHolds(const Layout &layout, int64_t rank, int64_t dim) {
  int64_t vector = layout.vector(dim);
  forEachPlace(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates first = layout.coordinates(rank, reg / vector * vector, lane, warp);
    first[dim] += reg % vector;
    ASSERT_EQ(layout.coordinates(rank, reg, lane, warp), first);
  });
}

//===- Constructors ---------------------------------------------------------------------------===//

const int64_t kSizes[] = {1, 2, 3, 5, 7, 8, 12, 16, 24, 40, 48, 80, 97, 112, 128, 176, 256, 1000};

TEST(Layout, BlockedHoldsEveryVectorOnce) {
  for (int64_t size : kSizes)
    for (int64_t vector : {1, 2, 4, 8, 16})
      for (int64_t warps : {1, 2, 4, 8}) {
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
        for (int64_t warps : {1, 4}) {
          SCOPED_TRACE(testing::Message() << rows << "x" << columns << ", " << warps << " warps");
          Layout layout = Layout::blocked({rows, columns}, contiguous, 4, warps);
          expectHoldsOnce(layout, {rows, columns}, warps);
          expectVectorHolds(layout, 2, contiguous);
        }
}

TEST(Layout, BlockedHoldsAnyRankOnce) {
  for (Shape shape : {Shape{}, Shape{2, 3, 4}, Shape{16, 1, 48}, Shape{5, 8, 2, 6}})
    for (int64_t warps : {1, 2, 8}) {
      SCOPED_TRACE(testing::Message() << "rank " << shape.size() << ", " << warps << " warps");
      expectHoldsOnce(Layout::blocked(shape, int64_t(shape.size()) - 1, 4, warps), shape, warps);
    }
}

TEST(Layout, BlockedGivesVectorsToLanesAndRowsToWarps) {
  EXPECT_EQ(Layout::blocked({64, 64}, 1, 8, 4),
            Layout({{8, 1, 1}, {4, 0, 16}}, {{8, 1, 8}, {4, 0, 1}}, {{4, 0, 4}}));
}

TEST(Layout, BlockedLeavesReplicasWhereATileIsSmall) {
  Layout layout = Layout::blocked({4}, 0, 1, 2);
  expectDigits(layout, Level::Lane, {{4, 0, 1}, {8, kReplicated, 0}});
  expectDigits(layout, Level::Warp, {{2, kReplicated, 0}});
  EXPECT_EQ(layout.registers(), 1);
}

/// Splits of `warps` warps along m and n, all of them or with some left over.
template <typename Visit> void forEachSplit(int64_t warps, Visit visit) {
  for (int64_t m = 1; m <= warps; m *= 2)
    for (int64_t n = 1; m * n <= warps; n *= 2)
      visit(m, n);
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

//===- Matrices -------------------------------------------------------------------------------===//

/// Carries out stmatrix as the PTX ISA says: lane 8m + r addresses row r of matrix m; of its word m
/// lane l gives the halves to elements 2(l%4) and 2(l%4)+1 of row l/4, or with .trans to element
/// l/4 of rows 2(l%4) and 2(l%4)+1. Each half must land where the layout has it, and all must be
/// stored.
void expectMatricesStoreTheTile(const Layout &layout, int64_t rank, int64_t dim, bool transposed) {
  std::optional<Matrices> matrices = layout.matrices(dim);
  ASSERT_TRUE(matrices);
  EXPECT_EQ(matrices->transposed, transposed);
  int64_t count = matrices->count, instructions = matrices->rows.registers();
  ASSERT_EQ(instructions * count * 2, layout.registers());
  ASSERT_EQ(matrices->rows.count(Level::Lane), kLanes);
  forEachPlace(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    int64_t half = reg % 2, matrix = reg / 2 % count, instruction = reg / 2 / count;
    int64_t row = transposed ? lane % 4 * 2 + half : lane / 4;
    int64_t column = transposed ? lane / 4 : lane % 4 * 2 + half;
    Coordinates at = matrices->rows.coordinates(rank, instruction, 8 * matrix + row, warp);
    ASSERT_EQ(at[dim] % 8, 0); // 16 bytes
    at[dim] += column;
    ASSERT_EQ(at, layout.coordinates(rank, reg, lane, warp));
  });
}

TEST(Layout, AccumulatorsAreMatricesByRowsAndTransposedByColumns) {
  for (int64_t rows : {8, 16})
    forEachSplit(4, [&](int64_t warpsM, int64_t warpsN) {
      for (int64_t m : {16, 48, 64, 128})
        for (int64_t n : {8, 24, 40, 64, 176}) {
          if (m % (rows * warpsM) || n % (8 * warpsN))
            continue;
          SCOPED_TRACE(testing::Message() << m << "x" << n << ", " << warpsM << "x" << warpsN);
          Layout layout = Layout::mmaAccumulator(m, n, warpsM, warpsN, warpsM * warpsN, rows);
          expectMatricesStoreTheTile(layout, 2, 1, false);
          expectMatricesStoreTheTile(layout, 2, 0, true);
          expectMatricesStoreTheTile(layout.permute({1, 0}), 2, 1, true);
          expectMatricesStoreTheTile(layout.insertDim(0), 3, 2, false);
        }
    });
}

TEST(Layout, OperandsAreMatrices) {
  for (int64_t k : {16, 48, 128})
    expectMatricesStoreTheTile(Layout::mmaOperandA(64, k, 16, 4, 1, 4), 2, 1, false);
}

/// A matrix's rows may lie anywhere: here they are eight parts of one row.
TEST(Layout, RowsInWordsAreMatrices) {
  expectMatricesStoreTheTile(Layout::blocked({64, 64}, 1, 2, 4), 2, 1, false);
}

TEST(Layout, MatricesComeByFoursWhereTheyDivide) {
  EXPECT_EQ(Layout::mmaAccumulator(64, 64, 4, 1, 4).matrices(1)->count, 4);
  EXPECT_EQ(Layout::mmaAccumulator(16, 8, 1, 1, 1).matrices(1)->count, 2);
  EXPECT_EQ(Layout::mmaAccumulator(16, 24, 1, 1, 1).matrices(1)->count, 2); // 3 pairs
  EXPECT_EQ(Layout::mmaAccumulator(8, 8, 1, 1, 1, 8).matrices(1)->count, 1);
}

TEST(Layout, OtherLayoutsAreNoMatrices) {
  EXPECT_FALSE(Layout::blocked({64, 64}, 1, 8, 4).matrices(1));
  EXPECT_FALSE(Layout::threadTile(64, 64, 2, 2, 4).matrices(1));
  EXPECT_FALSE(Layout::mmaAccumulator(64, 64, 2, 1, 4).matrices(1)); // two warps have the same
  EXPECT_FALSE(Layout::mmaAccumulator(64, 64, 4, 1, 4).dropDim(0).matrices(0));
  // Columns 4 apart: rows of 16 bytes would overlap.
  EXPECT_FALSE(Layout({{2, 1, 1}, {2, 1, 4}}, {{4, 1, 2}, {8, 0, 1}}, {}).matrices(1));
  EXPECT_FALSE(Layout().matrices(0));
}

//===- Derived layouts ------------------------------------------------------------------------===//

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
