//===- SolveLayouts.h - a layout for every register tile --------------------------------------===//
//
// The first step of `assign-layouts`, and the rules that relate layouts across an op.
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

/// The layout that an op wants of operand `index`, when its result has `result`; none when any will
/// do.
std::optional<Layout> operandLayout(mlir::Operation *op, unsigned index, const Layout &result);

/// The layout of a gather's index tile for axis `axis` of an accessed tile.
Layout indexLayout(const Layout &tile, int64_t rank, int64_t axis);

/// Calls `visit(index operand, tile axis)` for each gathered axis of a load, store or atomic.
template <typename Op, typename Visit> void forEachGather(Op op, Visit visit) {
  int64_t axis = 0;
  mlir::MutableOperandRange indices = op.getIndicesMutable();
  for (auto [i, extent] : llvm::enumerate(op.getExtents())) {
    if (extent == tile::kGather)
      visit(indices[i], axis);
    axis += extent != 0;
  }
}

/// The fragments of a product's result, and those of its first operand in registers.
Layout accumulatorLayout(cta::MmaOp mma, int64_t warps);
Layout operandALayout(cta::MmaOp mma, int64_t warps);

/// A layout for every tile of a kernel, or of a role, that is not free.
llvm::DenseMap<mlir::Value, Layout> solveLayouts(mlir::Operation *root, int64_t warps);

} // namespace tilewright::passes

#endif
