//===- TensorParts.h - how TMA stays within parts of tensors ----------------------------------===//
//
// Part of a tensor's axis, of `size` elements before `end`: its element i is named by three
// coordinates of a tensor map, and lies at their sum, so far apart as the axis's elements are:
//
//   end                    where the part ends
//   kPlacesOfPart - size + i   the map has as many places, and so ends where the part does
//   kPlacesOfPart          as many back: an axis whose stride is 2^34 bytes less than nothing, and
//                          2^30 times 2^34 is a turn through all 64 bits of an address
//
// So the map starts at the tensor. One that started before it would need no axis to lead back, but
// an H200 faulted with such maps where a tensor lay at a multiple of 2^32. Triton's ragged tensors
// take the same turn.
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
