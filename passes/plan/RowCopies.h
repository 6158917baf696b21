//===- RowCopies.h - rows that wait in shared memory ------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_ROWCOPIES_H
#define TILEWRIGHT_PASSES_PLAN_ROWCOPIES_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// The 32-bit words of a tile; 0 for other values.
int64_t wordsOf(mlir::Value value);

/// Bytes of shared memory that a slot with the tile of a load takes.
int64_t slotBytes(tile::LoadOp load);

/// Whether `cp.async` can fill a slot with what it loads, which is worth it from a word of each
/// thread on.
bool isCopy(tile::LoadOp load, int64_t threads);

/// The type of a slot that holds what a load gives.
cta::SlotType slotOf(tile::LoadOp load);

/// A channel of `depth` slots for what a load gives.
mlir::Value makeRowChannel(mlir::OpBuilder &builder, tile::LoadOp load, int64_t depth);

/// Copies what a load at `indices` of `view` would give into the next slot of a channel, if
/// `predicate` is true or null.
void copyRow(mlir::OpBuilder &builder, tile::LoadOp load, mlir::Value channel, mlir::Value view,
             mlir::ValueRange indices, mlir::Value predicate);

} // namespace tilewright::passes

#endif
