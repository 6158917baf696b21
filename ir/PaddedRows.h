//===- PaddedRows.h - rows of operands that do not fill a swizzle -----------------------------===//
#ifndef TILEWRIGHT_IR_PADDED_ROWS_H
#define TILEWRIGHT_IR_PADDED_ROWS_H

#include <bit>
#include <cstdint>

namespace tilewright {

/// The swizzle of rows of `bytes` bytes in a slot that TMA fills and products read; 0 for none. A
/// box is as wide as the swizzle, and TMA takes about as long for a narrow box as for a wide one.
/// So if rows do not fill a swizzle of 64 or 128 bytes, the last box also copies columns behind
/// them, which nothing reads: as long as a row takes at most a third more, or no more than 128
/// bytes.
constexpr int64_t swizzleOfRows(int64_t bytes) {
  constexpr int64_t kNarrow = 32, kMiddle = 64, kWide = 128;
  auto padded = [&](int64_t swizzle) { return (bytes + swizzle - 1) / swizzle * swizzle; };
  for (int64_t swizzle : {kWide, kMiddle})
    if (bytes % swizzle == 0)
      return swizzle;
  if (bytes > kNarrow && bytes < kWide)
    return int64_t(std::bit_ceil(uint64_t(bytes)));
  for (int64_t swizzle : {kWide, kMiddle})
    if (3 * padded(swizzle) <= 4 * bytes)
      return swizzle;
  return bytes % kNarrow == 0 ? kNarrow : 0;
}

/// The bytes that such a row takes.
constexpr int64_t paddedRowBytes(int64_t bytes) {
  int64_t swizzle = swizzleOfRows(bytes);
  return swizzle ? (bytes + swizzle - 1) / swizzle * swizzle : bytes;
}

} // namespace tilewright

#endif
