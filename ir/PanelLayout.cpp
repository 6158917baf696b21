#include "ir/PanelLayout.h"

#include <bit>
#include <utility>

using namespace tilewright;

/// Bits 62 and 63 of a descriptor, by log2 of the swizzle's width in 16-byte chunks.
static constexpr uint64_t kSwizzleModes[] = {0, 3, 2, 1};

static int64_t logChunks(int64_t swizzle) {
  return swizzle ? std::countr_zero(uint64_t(swizzle / 16)) : 0;
}

uint64_t MatrixDescriptor::bits(uint32_t address) const {
  return (address & 0x3ffff) >> 4 | uint64_t(leading >> 4 & 0x3fff) << 16 |
         uint64_t(stride >> 4 & 0x3fff) << 32 | kSwizzleModes[logChunks(swizzle)] << 62;
}

MatrixDescriptor MatrixDescriptor::of(uint64_t bits) {
  MatrixDescriptor descriptor;
  descriptor.leading = int64_t(bits >> 16 & 0x3fff) << 4;
  descriptor.stride = int64_t(bits >> 32 & 0x3fff) << 4;
  for (int64_t swizzle : {0, 32, 64, 128})
    if (kSwizzleModes[logChunks(swizzle)] == bits >> 62)
      descriptor.swizzle = swizzle;
  return descriptor;
}

uint32_t MatrixDescriptor::elementAddress(uint32_t start, Major major, int64_t mn, int64_t k,
                                          int64_t elementBytes) const {
  // Rows of 8 to an atom; `inner` runs along them, `width` bytes at a time.
  int64_t outer = major == Major::K ? mn : k, inner = (major == Major::K ? k : mn) * elementBytes;
  int64_t width = swizzle ? swizzle : 16;
  int64_t nextAtom = stride, nextPanel = leading;
  if (!swizzle && major == Major::MN)
    std::swap(nextAtom, nextPanel);
  int64_t address = start + outer / 8 * nextAtom + outer % 8 * width;
  if (swizzle && major == Major::K)
    address += inner; // k stays within the row, wherever the operand starts in it
  else
    address += inner / width * nextPanel + inner % width;
  int64_t permutes = (int64_t(1) << logChunks(swizzle)) - 1;
  return uint32_t(address ^ (address >> 7 & permutes) << 4);
}

PanelLayout PanelLayout::widest(int64_t rows, int64_t columns, int64_t elementBytes) {
  for (int64_t swizzle : {128, 64, 32})
    if (rows > 1 && columns * elementBytes % swizzle == 0)
      return {rows, columns, elementBytes, swizzle};
  return {rows, columns, elementBytes, 0};
}

SharedLayout PanelLayout::panel() const { return {panelColumns(), logChunks(swizzle), 3}; }

int64_t PanelLayout::byteOffset(int64_t row, int64_t column) const {
  return column / panelColumns() * panelBytes() +
         panel().byteOffset(row, column % panelColumns(), elementBytes);
}

int64_t PanelLayout::operandOffset(int64_t row, int64_t column) const {
  return column / panelColumns() * panelBytes() + row * rowBytes() +
         column % panelColumns() * elementBytes;
}

MatrixDescriptor PanelLayout::descriptor(Major major) const {
  int64_t atom = 8 * rowBytes();
  if (swizzle && major == Major::K) // `leading` is not used: k stays within a row
    return {16, atom, swizzle};
  if (swizzle || major == Major::K)
    return {panelBytes(), atom, swizzle};
  return {atom, panelBytes(), 0}; // without a swizzle, MN-major exchanges the two
}
