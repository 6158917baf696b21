//===- SharedMemory.h - what a kernel takes of a block's shared memory ------------------------===//
//
// The only place that counts its bytes. Channels come first, as they stand in the kernel, then the
// barriers of rings and the slots of the queue, then scratch memory.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_SHAREDMEMORY_H
#define TILEWRIGHT_PASSES_ANALYSIS_SHAREDMEMORY_H

#include "ir/SharedLayout.h"
#include "ir/cta/Cta.h"

namespace tilewright::passes {

inline constexpr int64_t kBarrierBytes = 8;
/// What a ring of channels, or a tile that crosses from layout to layout, starts at a multiple of.
inline constexpr int64_t kSlotAlignment = 1024, kScratchAlignment = 16;
/// Slots through which numbers of tiles are handed out, and the bytes of a number.
inline constexpr int64_t kQueueSlots = 4, kQueueWordBytes = 4;

/// Shared memory that passes leave to scratch memory, as long as layouts do not tell how much that
/// is.
inline constexpr int64_t kReservedSharedBytes = 1024;

//===- Channels -------------------------------------------------------------------------------===//

/// How the slots of a channel of matrices lie: what TMA brings for products to read along its rows
/// in padded rows (ir/PaddedRows.h).
PanelLayout panelsOf(cta::ChannelOp channel);
/// Bytes from one slot to the next where rows lie as `layout` says.
int64_t slotBytes(mlir::RankedTensorType tile, const SharedLayout &layout);
/// ... of this channel; where its rows have yet to be placed, with the padding that they may get.
int64_t slotBytes(cta::ChannelOp channel);
/// Bytes of a channel with that many slots.
int64_t channelBytes(cta::ChannelOp channel, int64_t depth);
int64_t channelBytes(cta::ChannelOp channel);
/// Bytes of all channels of a kernel.
int64_t channelBytes(mlir::func::FuncOp kernel);

//===- Scratch memory -------------------------------------------------------------------------===//

/// Bytes from row to row of a tile that crosses from one layout to another.
int64_t crossingPitch(cta::ConvertOp convert);
/// Bytes that an op needs while it lasts; 0 for most. Layouts must have been assigned.
int64_t scratchBytes(mlir::Operation *op);

} // namespace tilewright::passes

#endif
