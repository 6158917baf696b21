//===- PanelLayout.h - the shared-memory layout of TMA and wgmma ------------------------------===//
//
// A tile of `rows` rows, contiguous along its columns, is cut into panels. A panel has as many
// columns as fill the swizzle's width w (128, 64 or 32 bytes; 16 without a swizzle). Its rows lie
// one after the other, w bytes each, and panels follow one another; the last may have columns
// behind the tile's. Within groups of 8 rows, an atom of 8w bytes, the 16-byte chunks of a row are
// permuted. A tile starts at a multiple of 8w bytes. A tile of one row is one panel without a
// swizzle, however long.
//
// This description gives the place of each element, the boxes that TMA copies (one per panel), and
// the descriptor by which wgmma reads an operand. An operand is K-major if the product's k runs
// along the columns (rows are its m or n), MN-major if it runs along the rows. PTX ISA explains the
// descriptor's offsets in "Asynchronous warpgroup level matrix shared memory layout".
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_PANEL_LAYOUT_H
#define TILEWRIGHT_IR_PANEL_LAYOUT_H

#include "ir/SharedLayout.h"

#include <array>
#include <cstdint>

namespace tilewright {

/// Whether the hardware has a swizzle for rows of `bytes` bytes (0: no swizzle).
constexpr bool isSwizzle(int64_t bytes) {
  return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128;
}

/// The axis of an operand that is contiguous in shared memory: k, or the rows of a (columns of b).
enum class Major { K, MN };

/// The fields of the 64-bit descriptor of an operand of wgmma.
struct MatrixDescriptor {
  int64_t leading = 0, stride = 0; // bytes
  int64_t swizzle = 0;             // bytes

  /// The descriptor of the operand that starts at shared address `address`; base offset 0.
  uint64_t bits(uint32_t address) const;
  /// The fields in `bits`.
  static MatrixDescriptor of(uint64_t bits);
  /// The start address in `bits`.
  static uint32_t address(uint64_t bits) { return uint32_t(bits & 0x3fff) << 4; }
  /// The address at which the hardware reads element (mn, k) of the operand that starts at `start`.
  uint32_t elementAddress(uint32_t start, Major major, int64_t mn, int64_t k,
                          int64_t elementBytes) const;
  bool operator==(const MatrixDescriptor &) const = default;
};

struct PanelLayout {
  int64_t rows = 0, columns = 0;
  int64_t elementBytes = 2;
  int64_t swizzle = 128; // bytes, or 0

  /// The widest swizzle whose panels divide `columns` columns.
  static PanelLayout widest(int64_t rows, int64_t columns, int64_t elementBytes);

  int64_t rowBytes() const { // of a panel
    return rows == 1 ? columns * elementBytes : swizzle ? swizzle : 16;
  }
  int64_t panelColumns() const { return rowBytes() / elementBytes; }
  int64_t panelBytes() const { return rows * rowBytes(); }
  int64_t panels() const { return (columns + panelColumns() - 1) / panelColumns(); }
  int64_t bytes() const { return panels() * panelBytes(); }
  /// The alignment of the tile's address.
  int64_t alignment() const { return swizzle ? 8 * swizzle : 128; }

  /// The layout of one panel.
  SharedLayout panel() const;
  /// The byte offset of element (row, column).
  int64_t byteOffset(int64_t row, int64_t column) const;
  /// Rows and columns of the tensor map's box, which fills one panel.
  std::array<int64_t, 2> box() const { return {rows, panelColumns()}; }

  /// The descriptor by which wgmma reads an operand from this tile.
  MatrixDescriptor descriptor(Major major) const;
  /// The offset from the tile's address to an operand that starts at this element: `row` is a
  /// multiple of 8, `column` of 32 bytes (K-major) or of a panel (MN-major). The swizzle is not
  /// included; the hardware applies it to the sum.
  int64_t operandOffset(int64_t row, int64_t column) const;
};

} // namespace tilewright

#endif
