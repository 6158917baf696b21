//===- SharedMemory.h - the shared memory of a block ------------------------------------------===//
//
// The only place that counts its bytes. Channels come first, in the order of the kernel, then the
// barriers of rings and the slots of the tile queue, then scratch memory.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_SHAREDMEMORY_H
#define TILEWRIGHT_PASSES_ANALYSIS_SHAREDMEMORY_H

#include "ir/SharedLayout.h"
#include "ir/cta/Cta.h"

namespace tilewright::passes {

inline constexpr int64_t kBarrierBytes = 8;
/// Alignment of a ring of channels, and of a tile that is converted from layout to layout.
inline constexpr int64_t kSlotAlignment = 1024, kScratchAlignment = 16;
/// Slots through which tile numbers are handed out, and the bytes of a number.
inline constexpr int64_t kQueueSlots = 4, kQueueWordBytes = 4;

/// Shared memory that passes reserve for scratch memory until layouts tell how much is needed.
inline constexpr int64_t kReservedSharedBytes = 1024;

//===- Channels -------------------------------------------------------------------------------===//

/// How the slots of a channel of matrices lie in memory. TMA tiles that products read may have
/// padded rows (ir/PaddedRows.h).
PanelLayout panelsOf(cta::ChannelOp channel);
/// Bytes from one slot to the next if `layout` places the rows.
int64_t slotBytes(mlir::RankedTensorType tile, const SharedLayout &layout);
/// The same for this channel. If its rows have not been placed yet, it includes the padding that
/// they may get.
int64_t slotBytes(cta::ChannelOp channel);
/// Bytes of a channel with `depth` slots.
int64_t channelBytes(cta::ChannelOp channel, int64_t depth);
int64_t channelBytes(cta::ChannelOp channel);
/// Bytes of all channels of a kernel.
int64_t channelBytes(mlir::func::FuncOp kernel);

//===- Scratch memory -------------------------------------------------------------------------===//

/// Bytes from row to row of a tile that is converted from one layout to another.
int64_t crossingPitch(cta::ConvertOp convert);
/// Scratch bytes that an op needs; 0 for most ops. Layouts must be assigned.
int64_t scratchBytes(mlir::Operation *op);
/// Whether all threads of a block, or of a role, wait for each other in an op of the `cta` level.
/// Layouts must be assigned.
bool isMeeting(mlir::Operation *op);
/// How often the scratch memory of a reduction in a loop is there if no other op uses it; 0 if
/// others do. What is used in turns needs no barrier in front: a thread that writes there has met
/// all threads since they last read it. Outside of loops a barrier takes no time, and keeps ptxas
/// from computing early what is behind it, which takes registers.
int64_t scratchTurns(mlir::Operation *op);

//===- Exchanges of a cluster -----------------------------------------------------------------===//

/// The shared memory of a `cta.cluster_reduce`, which no other op uses: barriers, then a place for
/// the values of each block. In a loop all of it is there twice, and used in turns.
struct Exchange {
  int64_t turns, elements, blocks;

  static Exchange of(cta::ClusterReduceOp op);
  /// Bytes that arrive at a barrier.
  int64_t arriving() const { return blocks * elements * kWordBytes; }
  /// Where the values of the first block lie, behind the barriers.
  int64_t start() const { return turns * kBarrierBytes; }
  int64_t bytes() const { return start() + turns * arriving(); }

  static constexpr int64_t kWordBytes = 4;
};

} // namespace tilewright::passes

#endif
