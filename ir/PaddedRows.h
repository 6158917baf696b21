//===- PaddedRows.h - rows of operands that do not fill a swizzle -----------------------------===//
#ifndef TILEWRIGHT_IR_PADDED_ROWS_H
#define TILEWRIGHT_IR_PADDED_ROWS_H

#include <bit>
#include <cstdint>

namespace tilewright {

/// The bytes that a row of `bytes` bytes takes in a slot which products read along rows. Rows of 48
/// or of 80 to 112 bytes do not fill a swizzle, and would need several narrow boxes per row. A box
/// of a whole swizzle also copies the columns behind the row, which nothing reads.
constexpr int64_t paddedRowBytes(int64_t bytes) {
  constexpr int64_t kNarrow = 32, kWide = 128; // swizzles
  return bytes > kNarrow && bytes < kWide ? int64_t(std::bit_ceil(uint64_t(bytes))) : bytes;
}

} // namespace tilewright

#endif
