//===- SlotAccesses.h - what a role may do with a slot that it holds ------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_SLOTACCESSES_H
#define TILEWRIGHT_PASSES_CHECK_SLOTACCESSES_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// True if the product is awaited before `op` (null: at all): directly, as part of a later
/// accumulator, or behind the loop that carries it.
bool awaitedBefore(cta::MmaOp mma, mlir::Operation *op);

/// Checks that a slot that was acquired is filled once, as its channel's kind requires, and that a
/// slot that was waited for is only read, or overwritten by its last user. `close` commits,
/// releases or passes on the slot. Errors are reported at the accesses.
mlir::LogicalResult checkAccesses(mlir::Value slot, mlir::Operation *close);

/// Checks that a TMA copy or store at these indices provably starts at a multiple of 16 bytes of a
/// row. (PTX demands this only of addresses and strides, but an H200 ends other kernels with an
/// error.)
mlir::LogicalResult checkBoxStart(mlir::Operation *op, tile::ViewType view,
                                  mlir::ValueRange indices);

/// Checks that an instruction exists for the number of bytes that a copy by threads moves at a
/// time, given their known alignment.
mlir::LogicalResult checkVector(cta::CopyOp copy);

/// Checks that a TMA store provably starts at no negative index. An H200 ends such a kernel with an
/// error.
mlir::LogicalResult checkStoreStart(cta::StoreOp store);

/// Checks that a TMA copy from a part of a tensor provably starts at no negative index along the
/// axis of the part.
mlir::LogicalResult checkPartStart(cta::CopyOp copy);

/// Checks that a channel without barriers between roles is used by one role only.
mlir::LogicalResult checkWithinRole(cta::ChannelOp channel);

} // namespace tilewright::passes

#endif
