//===- PaddedRows.h - rows of operands that fill no swizzle -----------------------------------===//
#ifndef TILEWRIGHT_IR_PADDED_ROWS_H
#define TILEWRIGHT_IR_PADDED_ROWS_H

#include <bit>
#include <cstdint>

namespace tilewright {

/// Bytes that a row of `bytes` bytes takes in a slot which products read along its rows. Rows of 48
/// or of 80 to 112 bytes fill no swizzle, and would come in narrow boxes, several a row; a box of a
/// whole swizzle brings the columns behind them too, which nobody reads.
constexpr int64_t paddedRowBytes(int64_t bytes) {
  constexpr int64_t kNarrow = 32, kWide = 128; // swizzles
  return bytes > kNarrow && bytes < kWide ? int64_t(std::bit_ceil(uint64_t(bytes))) : bytes;
}

} // namespace tilewright

#endif
