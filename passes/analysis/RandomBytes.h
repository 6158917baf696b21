//===- RandomBytes.h - which elements share a call of Philox ----------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_RANDOMBYTES_H
#define TILEWRIGHT_PASSES_ANALYSIS_RANDOMBYTES_H

#include "ir/tile/Tile.h"

namespace tilewright::passes {

/// The axis of a tile of random bytes along which 16 elements share a call: columns run along it
/// from a multiple of 64 on, and rows are equal. Nothing if this is not known.
std::optional<int64_t> axisOfCalls(tile::RandomBytesOp op);

} // namespace tilewright::passes

#endif
