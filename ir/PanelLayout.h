//===- PanelLayout.h - the shared-memory layout of TMA and wgmma ------------------------------===//
//
// A tile of `rows` rows, contiguous along its columns, is cut into panels of so many columns as
// fill the swizzle's width w (128, 64 or 32 bytes; 16 without a swizzle). A panel lies row by row,
// w bytes each; panels follow one another. Within groups of 8 rows, an atom of 8w bytes, the
// 16-byte chunks of a row are permuted. A tile starts at a multiple of 8w bytes. A tile of one row
// is one panel without a swizzle, however long.
//
// From this one description follow where an element lies, the boxes that TMA copies (one per
// panel), and the descriptor by which wgmma reads an operand. An operand is K-major if the
// product's k runs along the columns (rows are its m or n), MN-major if it runs along the rows. The
// meanings of the descriptor's offsets are PTX ISA's "Asynchronous warpgroup level matrix shared
// memory layout".
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_PANEL_LAYOUT_H
#define TILEWRIGHT_IR_PANEL_LAYOUT_H

#include "ir/SharedLayout.h"

#include <array>
#include <cstdint>

namespace tilewright {

/// Whether the hardware permutes rows of `bytes` bytes (0: it does not permute).
constexpr bool isSwizzle(int64_t bytes) {
  return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128;
}

/// Which axis of an operand is contiguous in shared memory: k, or the rows of a (columns of b).
enum class Major { K, MN };

/// The fields of the 64-bit descriptor of an operand of wgmma.
struct MatrixDescriptor {
  int64_t leading = 0, stride = 0; // bytes
  int64_t swizzle = 0;             // bytes

  /// The descriptor of the operand that starts at shared address `address`; base offset 0.
  uint64_t bits(uint32_t address) const;
  /// The fields that `bits` holds.
  static MatrixDescriptor of(uint64_t bits);
  /// The start address that `bits` holds.
  static uint32_t address(uint64_t bits) { return uint32_t(bits & 0x3fff) << 4; }
  /// Where the hardware finds element (mn, k) of the operand that starts at `start`.
  uint32_t elementAddress(uint32_t start, Major major, int64_t mn, int64_t k,
                          int64_t elementBytes) const;
  bool operator==(const MatrixDescriptor &) const = default;
};

struct PanelLayout {
  int64_t rows = 0, columns = 0;
  int64_t elementBytes = 2;
  int64_t swizzle = 128; // bytes, or 0

  /// The widest swizzle whose panels `columns` columns fill without rest.
  static PanelLayout widest(int64_t rows, int64_t columns, int64_t elementBytes);

  int64_t rowBytes() const { // of a panel
    return rows == 1 ? columns * elementBytes : swizzle ? swizzle : 16;
  }
  int64_t panelColumns() const { return rowBytes() / elementBytes; }
  int64_t panelBytes() const { return rows * rowBytes(); }
  int64_t panels() const { return (columns + panelColumns() - 1) / panelColumns(); }
  int64_t bytes() const { return panels() * panelBytes(); }
  /// What the tile's address must be a multiple of.
  int64_t alignment() const { return swizzle ? 8 * swizzle : 128; }

  /// How the elements of one panel lie.
  SharedLayout panel() const;
  /// The byte at which element (row, column) lies.
  int64_t byteOffset(int64_t row, int64_t column) const;
  /// Rows and columns of the box of a tensor map that fills one panel.
  std::array<int64_t, 2> box() const { return {rows, panelColumns()}; }

  /// How wgmma reads an operand from this tile.
  MatrixDescriptor descriptor(Major major) const;
  /// What to add to the tile's address for an operand that starts at this element: `row` a multiple
  /// of 8, `column` of 32 bytes (K-major) or of a panel (MN-major). The swizzle is not in it; the
  /// hardware applies it to the sum.
  int64_t operandOffset(int64_t row, int64_t column) const;
};

} // namespace tilewright

#endif
