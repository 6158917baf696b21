//===- SlotAccesses.h - what a role may do with a slot that it has --------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_SLOTACCESSES_H
#define TILEWRIGHT_PASSES_CHECK_SLOTACCESSES_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// True when the product is awaited before `op` (null: at all): where it stands, as part of a later
/// sum there, or behind the loop that carries it.
bool awaitedBefore(cta::MmaOp mma, mlir::Operation *op);

/// Checks that a slot that was acquired is filled once, as its channel's kind asks; that one that
/// was waited for is read, and written over only by the last to use it. `close` commits, releases
/// or hands on the slot. Errors are at the accesses.
mlir::LogicalResult checkAccesses(mlir::Value slot, mlir::Operation *close);

/// Checks that a copy or store by TMA at these indices is known to start at a multiple of 16 bytes
/// of a row. (PTX says so of addresses and strides only; an H200 ends others with an error.)
mlir::LogicalResult checkBoxStart(mlir::Operation *op, tile::ViewType view,
                                  mlir::ValueRange indices);

/// Checks that a copy by threads moves as many bytes at a time as there is an instruction for, from
/// where these are known to be aligned.
mlir::LogicalResult checkVector(cta::CopyOp copy);

/// Checks that a store by TMA is known to start at no negative index, where an H200 ends it with an
/// error.
mlir::LogicalResult checkStoreStart(cta::StoreOp store);

/// Checks that a copy by TMA from a part of a tensor is known to start at no negative index along
/// it.
mlir::LogicalResult checkPartStart(cta::CopyOp copy);

/// Checks that a channel whose slots have no barriers between roles stays within one.
mlir::LogicalResult checkWithinRole(cta::ChannelOp channel);

} // namespace tilewright::passes

#endif
