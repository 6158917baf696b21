#include "ir/PanelLayout.h"

#include "ir/PaddedRows.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilewright;

namespace {

TEST(MatrixDescriptor, HasItsFieldsWhereTheHardwareReadsThem) {
  MatrixDescriptor descriptor{4096, 1024, 128};
  // Address 0x2400 >> 4; leading 4096 >> 4 from bit 16; stride 1024 >> 4 from bit 32; mode 1.
  EXPECT_EQ(descriptor.bits(0x2400), 0x4000'0040'0100'0240u);
  EXPECT_EQ((MatrixDescriptor{16, 512, 64}.bits(0)), 0x8000'0020'0001'0000u);
  EXPECT_EQ((MatrixDescriptor{16, 256, 32}.bits(0)), 0xc000'0010'0001'0000u);
  EXPECT_EQ((MatrixDescriptor{128, 2048, 0}.bits(16)), 0x0000'0080'0008'0001u);
}

TEST(MatrixDescriptor, IsReadBackFromItsBits) {
  for (int64_t swizzle : {0, 32, 64, 128}) {
    MatrixDescriptor descriptor{32768, 8192, swizzle};
    uint64_t bits = descriptor.bits(0x1f400);
    EXPECT_EQ(MatrixDescriptor::of(bits), descriptor);
    EXPECT_EQ(MatrixDescriptor::address(bits), 0x1f400u);
  }
}

TEST(PanelLayout, GivesTheOffsetsOfEachMajorness) {
  // K-major: groups of 8 rows follow one another; k stays within a row.
  PanelLayout rows{256, 64, 2, 128};
  EXPECT_EQ(rows.descriptor(Major::K).stride, 1024);
  // MN-major: groups of 8 k follow one another, panels of 64 columns lie 64 rows apart.
  PanelLayout columns{64, 256, 2, 128};
  EXPECT_EQ(columns.descriptor(Major::MN), (MatrixDescriptor{64 * 128, 1024, 128}));
  PanelLayout narrow{64, 96, 2, 64};
  EXPECT_EQ(narrow.descriptor(Major::MN), (MatrixDescriptor{64 * 64, 512, 64}));
  EXPECT_EQ(narrow.descriptor(Major::K).stride, 512);
}

TEST(PanelLayout, WithoutSwizzleHasCoreMatricesOf128Bytes) {
  PanelLayout plain{64, 32, 2, 0};
  EXPECT_EQ(plain.panelColumns(), 8);
  EXPECT_EQ(plain.panels(), 4);
  EXPECT_EQ(plain.byteOffset(3, 0), 48);
  EXPECT_EQ(plain.byteOffset(0, 8), 64 * 16);
  // 64 rows of 16 bytes to the next 8 k; 128 bytes to the next 8 rows. MN-major exchanges them.
  EXPECT_EQ(plain.descriptor(Major::K), (MatrixDescriptor{1024, 128, 0}));
  EXPECT_EQ(plain.descriptor(Major::MN), (MatrixDescriptor{128, 1024, 0}));
}

TEST(PanelLayout, CutsATileIntoBoxes) {
  PanelLayout tile{128, 256, 2, 128};
  EXPECT_EQ(tile.box(), (std::array<int64_t, 2>{128, 64}));
  EXPECT_EQ(tile.panels(), 4);
  EXPECT_EQ(tile.panelBytes(), 128 * 128);
  EXPECT_EQ(tile.bytes(), 128 * 256 * 2);
  EXPECT_EQ(tile.alignment(), 1024);
}

TEST(PanelLayout, PermutesTheChunksOfEachRow) {
  PanelLayout wide{64, 128, 2, 128}, half{64, 32, 2, 64}, quarter{64, 16, 2, 32};
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t chunk = 0; chunk < 8; ++chunk) {
      EXPECT_EQ(wide.byteOffset(row, 64 + chunk * 8),
                64 * 128 + row * 128 + (chunk ^ (row & 7)) * 16);
      if (chunk < 4) {
        EXPECT_EQ(half.byteOffset(row, chunk * 8), row * 64 + (chunk ^ (row >> 1 & 3)) * 16);
      }
      if (chunk < 2) {
        EXPECT_EQ(quarter.byteOffset(row, chunk * 8), row * 32 + (chunk ^ (row >> 2 & 1)) * 16);
      }
    }
}

TEST(PanelLayout, GivesEveryElementItsOwnBytes) {
  for (int64_t swizzle : {0, 32, 64, 128})
    for (int64_t element : {1, 2, 4}) {
      PanelLayout tile{24, 256 / element, element, swizzle};
      std::set<int64_t> bytes;
      for (int64_t row = 0; row < tile.rows; ++row)
        for (int64_t column = 0; column < tile.columns; ++column)
          bytes.insert(tile.byteOffset(row, column));
      EXPECT_EQ(int64_t(bytes.size()), tile.rows * tile.columns);
      EXPECT_EQ(*bytes.rbegin(), tile.bytes() - element);
    }
}

/// Operands start where element (row, column) would lie without the swizzle.
TEST(PanelLayout, OffsetsOfOperandsLeaveOutTheSwizzle) {
  PanelLayout tile{64, 128, 2, 128};
  EXPECT_EQ(tile.operandOffset(0, 16), 32);
  EXPECT_EQ(tile.operandOffset(16, 0), 2048);
  EXPECT_EQ(tile.operandOffset(8, 64 + 48), 64 * 128 + 1024 + 96);
}

/// The descriptor of an operand inside a tile leads to the places where the tile's elements lie.
TEST(PanelLayout, DescriptorsFindTheElements) {
  constexpr uint32_t kBase = 0x4000;
  for (int64_t swizzle : {0, 32, 64, 128})
    for (int64_t element : {1, 2, 4})
      for (Major major : {Major::K, Major::MN}) {
        PanelLayout tile{128, 256 / element, element, swizzle};
        bool byK = major == Major::K;
        int64_t depth = 32 / element, row = byK ? 64 : 2 * depth;
        int64_t column = byK ? 3 * depth : tile.panelColumns();
        MatrixDescriptor descriptor = tile.descriptor(major);
        uint32_t start = kBase + uint32_t(tile.operandOffset(row, column));
        for (int64_t mn = 0; mn < 32; ++mn)
          for (int64_t k = 0; k < depth; ++k) {
            int64_t r = row + (byK ? mn : k), c = column + (byK ? k : mn);
            if (c < tile.columns) {
              ASSERT_EQ(descriptor.elementAddress(start, major, mn, k, element),
                        kBase + tile.byteOffset(r, c))
                  << swizzle << " " << element << " " << byK << " " << mn << " " << k;
            }
          }
      }
}

/// A third more, or 128 bytes, is the most that a row takes for wide panels.
TEST(PaddedRows, TakeWidePanelsUnlessTheyGrowALot) {
  for (int64_t exact : {128, 256, 384})
    EXPECT_EQ(swizzleOfRows(exact), 128);
  for (int64_t exact : {64, 192, 320, 448})
    EXPECT_EQ(swizzleOfRows(exact), 64);
  EXPECT_EQ(swizzleOfRows(16), 0);
  EXPECT_EQ(swizzleOfRows(32), 32);
  EXPECT_EQ(swizzleOfRows(48), 64);
  EXPECT_EQ(paddedRowBytes(80), 128);
  for (auto [bytes, swizzle] : {std::pair(144, 64), {160, 64}, {208, 128}, {224, 128}, {352, 128}})
    EXPECT_EQ(swizzleOfRows(bytes), swizzle) << bytes;
  EXPECT_EQ(paddedRowBytes(144), 192);
  EXPECT_EQ(paddedRowBytes(352), 384);
  EXPECT_EQ(paddedRowBytes(192), 192);
}

TEST(PanelLayout, TakesTheWidestSwizzleThatTheColumnsFill) {
  EXPECT_EQ(PanelLayout::widest(64, 128, 2).swizzle, 128);
  EXPECT_EQ(PanelLayout::widest(64, 96, 2).swizzle, 64);
  EXPECT_EQ(PanelLayout::widest(64, 80, 2).swizzle, 32);
  EXPECT_EQ(PanelLayout::widest(64, 72, 2).swizzle, 0);
}

TEST(PanelLayout, KeepsATileOfOneRowTogether) {
  PanelLayout row = PanelLayout::widest(1, 128, 4);
  EXPECT_EQ(row.swizzle, 0);
  EXPECT_EQ(row.panels(), 1);
  EXPECT_EQ(row.bytes(), 512);
  EXPECT_EQ(row.byteOffset(0, 100), 400);
}

} // namespace
