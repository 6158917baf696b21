#include "ir/SharedLayout.h"

#include <gtest/gtest.h>
#include <set>

using tilewright::SharedLayout;

namespace {

/// The bytes at which the elements of rows × columns lie, all different.
std::set<int64_t> bytesOf(const SharedLayout &layout, int64_t rows, int64_t columns,
                          int64_t element) {
  std::set<int64_t> bytes;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      bytes.insert(layout.byteOffset(row, column, element));
  return bytes;
}

TEST(SharedLayout, PlainRowsFollowEachOther) {
  SharedLayout layout{40, 0, 0};
  EXPECT_EQ(layout.byteOffset(0, 0, 2), 0);
  EXPECT_EQ(layout.byteOffset(0, 7, 2), 14);
  EXPECT_EQ(layout.byteOffset(3, 7, 2), 3 * 80 + 14);
}

TEST(SharedLayout, PaddingLeavesTheColumnsInPlace) {
  SharedLayout layout{88, 0, 0};
  EXPECT_EQ(layout.byteOffset(5, 79, 2), 5 * 176 + 158);
  EXPECT_EQ(bytesOf(layout, 16, 80, 2).size(), 16u * 80);
  EXPECT_EQ(*bytesOf(layout, 16, 80, 2).rbegin(), (15 * 88 + 79) * 2);
}

/// The 128-byte swizzle of the hardware: 16-byte chunk c of row r lies at chunk c ^ (r % 8).
TEST(SharedLayout, Swizzle343IsThatOfTheHardware) {
  SharedLayout layout{64, 3, 3};
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t chunk = 0; chunk < 8; ++chunk)
      for (int64_t element = 0; element < 8; ++element)
        EXPECT_EQ(layout.byteOffset(row, chunk * 8 + element, 2),
                  row * 128 + (chunk ^ (row % 8)) * 16 + element * 2);
}

/// Every candidate of swizzle-layout permutes the slot's bytes.
TEST(SharedLayout, SwizzlesAreBijectionsWithinTheSlot) {
  for (int64_t logRow = 5; logRow <= 10; ++logRow)
    for (int64_t element : {1, 2, 4})
      for (int64_t bits = 1; bits <= 3 && (16 << bits) <= (1 << logRow); ++bits)
        for (int64_t rows : {1, 8, 16, 24, 48}) {
          int64_t columns = (1 << logRow) / element;
          SharedLayout layout{columns, bits, std::max<int64_t>(3, logRow - 4)};
          std::set<int64_t> bytes = bytesOf(layout, rows, columns, element);
          ASSERT_EQ(bytes.size(), size_t(rows * columns)) << logRow << " " << bits << " " << rows;
          EXPECT_EQ(*bytes.begin(), 0);
          EXPECT_EQ(*bytes.rbegin(), (rows * columns - 1) * element);
        }
}

/// Each row keeps its own bytes and each 16-byte chunk stays whole, as vector accesses need.
TEST(SharedLayout, SwizzlesMoveWholeChunksWithinTheirRow) {
  for (int64_t bits : {1, 2, 3}) {
    SharedLayout layout{64, bits, 3};
    for (int64_t row = 0; row < 64; ++row)
      for (int64_t column = 0; column < 64; ++column) {
        int64_t byte = layout.byteOffset(row, column, 2);
        EXPECT_EQ(byte / 128, row);
        EXPECT_EQ(byte % 16, column % 8 * 2);
      }
  }
}

} // namespace
