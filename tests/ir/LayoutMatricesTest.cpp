// Which layouts stmatrix stores, and how.
#include "tests/ir/Layouts.h"

#include <gtest/gtest.h>
#include <optional>

using namespace tilewright;

namespace {

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

/// Four lanes of 8 elements hold the fragments of transposed matrices.
TEST(Layout, RowsOfFourLanesAreTransposedMatrices) {
  for (int64_t columns : {32, 64, 128})
    expectMatricesStoreTheTile(
        Layout::blocked({64, columns}, 1, 8, 4, /*lanesAlong=*/4).permute({1, 0}), 2, 1, true);
  EXPECT_FALSE(Layout::blocked({64, 64}, 1, 8, 4).permute({1, 0}).matrices(1));
}

/// Words of four bytes are pairs of pairs, so ldmatrix and stmatrix move them as they do halves.
TEST(Layout, TurnedTilesAreTransposedByPairsAndStoredInWords) {
  for (bool ordered : {false, true})
    for (int64_t rows : {32, 48, 128})
      for (int64_t columns : {64, 96, 128, 192}) {
        SCOPED_TRACE(testing::Message() << rows << "x" << columns << (ordered ? ", ordered" : ""));
        std::optional<Layout> layout = Layout::turned(rows, columns, ordered, 4);
        if (rows == 48 &&
            columns == 96) { // two warps share the columns, and two do not share 3 rows
          EXPECT_FALSE(layout);
        }
        if (!layout)
          continue;
        EXPECT_TRUE(layout->covers({rows, columns}));
        expectMatricesStoreTheTile(*layout->joinPairs(1), 2, 1, true);
        Layout stored = layout->permute({1, 0});
        if (ordered)
          stored = stored.inOrderOfSums(1);
        EXPECT_EQ(stored.vector(1), 4);
        expectMatricesStoreTheTile(*stored.joinPairs(1), 2, 1, false);
      }
}

TEST(Layout, PairsOfNeighboursAreJoinedWhereAThreadHoldsThem) {
  Layout sums = Layout::wgmmaAccumulator(64, 64, 1, 1);
  std::optional<Layout> pairs = sums.joinPairs(1);
  ASSERT_TRUE(pairs);
  forEachPlace(*pairs, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates at = pairs->coordinates(2, reg, lane, warp);
    at[1] *= 2;
    EXPECT_EQ(at, sums.coordinates(2, 2 * reg, lane, warp));
    EXPECT_EQ(at, pairs->splitPairs(1).coordinates(2, reg, lane, warp));
  });
  EXPECT_FALSE(sums.joinPairs(0));
}

/// What lies side by side in a thread's registers, in two rows, is side by side in one.
TEST(Layout, SumsInTheirOwnOrderAreFragmentsOfFourColumns) {
  Layout ordered = Layout::wgmmaAccumulator(64, 32, 1, 1).inOrderOfSums(1);
  const int64_t places[] = {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15};
  Layout plain = Layout::wgmmaAccumulator(64, 32, 1, 1);
  forEachPlace(plain, [&](int64_t reg, int64_t lane, int64_t warp) {
    int64_t column = plain.coordinates(2, reg, lane, warp)[1];
    int64_t place = ordered.coordinates(2, reg, lane, warp)[1];
    EXPECT_EQ(column, place / 16 * 16 + places[place % 16]);
    EXPECT_EQ(place % 16 / 4, lane % 4); // as the fragments of A are
  });
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

} // namespace
