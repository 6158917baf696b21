//===- SolveLayouts.h - a layout for every register tile --------------------------------------===//
//
// The first step of `assign-layouts`. Ops state how the layouts of their operands and results are
// related (ir/LayoutInterface.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_SOLVELAYOUTS_H
#define TILEWRIGHT_PASSES_PLAN_SOLVELAYOUTS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// A tile, computed or pending.
inline bool isTile(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType, cta::PendingType>(value.getType());
}
inline mlir::RankedTensorType tileType(mlir::Value value) { return cta::tileOf(value.getType()); }

/// Whether the value is recomputed rather than converted: constants, ranges, and integer arithmetic
/// on them.
bool isFree(mlir::Value value);

/// A layout for every tile of a kernel or role that is not free.
llvm::DenseMap<mlir::Value, Layout> solveLayouts(mlir::Operation *root, int64_t warps);

} // namespace tilewright::passes

#endif
