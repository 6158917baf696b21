//===- SharedLayout.h - where the elements of a tile lie in shared memory ---------------------===//
//
// Rows of `pitch` elements. The 16-byte chunks are permuted within each row: `bits` bits of the
// chunk number are xored with the bits of the byte offset that lie `shift` places higher. This is
// CUTLASS's Swizzle<bits, 4, shift>; the hardware's 128-byte swizzle is <3, 4, 3>.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_SHARED_LAYOUT_H
#define TILEWRIGHT_IR_SHARED_LAYOUT_H

#include <cstdint>

namespace tilewright {

struct SharedLayout {
  int64_t pitch = 0;           // elements from one row to the next
  int64_t bits = 0, shift = 0; // the swizzle; 0 bits mean none

  /// The byte offset of element (row, column), for elements of `elementBytes` bytes.
  int64_t byteOffset(int64_t row, int64_t column, int64_t elementBytes) const {
    int64_t offset = (row * pitch + column) * elementBytes;
    return offset ^ (((offset >> (4 + shift)) & ((int64_t(1) << bits) - 1)) << 4);
  }
  bool operator==(const SharedLayout &) const = default;
};

} // namespace tilewright

#endif
