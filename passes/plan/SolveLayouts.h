//===- SolveLayouts.h - a layout for every register tile --------------------------------------===//
//
// The first step of `assign-layouts`. How layouts relate across an op is said by the op
// (ir/LayoutInterface.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_SOLVELAYOUTS_H
#define TILEWRIGHT_PASSES_PLAN_SOLVELAYOUTS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// A tile, there or pending.
inline bool isTile(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType, cta::PendingType>(value.getType());
}
inline mlir::RankedTensorType tileType(mlir::Value value) { return cta::tileOf(value.getType()); }

/// Recomputed rather than converted: constants, ranges, and integer arithmetic on them.
bool isFree(mlir::Value value);

/// A layout for every tile of a kernel, or of a role, that is not free.
llvm::DenseMap<mlir::Value, Layout> solveLayouts(mlir::Operation *root, int64_t warps);

} // namespace tilewright::passes

#endif
