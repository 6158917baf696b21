//===- TensorParts.h - how TMA stays within parts of tensors ----------------------------------===//
//
// A part of a tensor's axis has `size` elements before `end`. Three coordinates of a tensor map
// name its element i, and their sum is its place, in units of the axis's stride:
//
//   end                        where the part ends
//   kPlacesOfPart - size + i   the map has so many places, so it ends where the part does
//   kPlacesOfPart              goes back by as many: the stride of this axis is 2^34 bytes minus
//                              the part's, and 2^30 times 2^34 is one turn through all 64 bits
//
// So the map starts at the tensor. A map that starts before the tensor would not need the axis that
// leads back, but an H200 faulted with such maps if a tensor was at a multiple of 2^32. Triton's
// ragged tensors use the same trick.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SUPPORT_TENSORPARTS_H
#define TILEWRIGHT_SUPPORT_TENSORPARTS_H

#include <cstdint>

namespace tilewright {

inline constexpr int64_t kPlacesOfPart = int64_t(1) << 30;
inline constexpr uint64_t kTurnBytes = uint64_t(1) << 34; ///< Times the places: 2^64.

} // namespace tilewright

#endif
