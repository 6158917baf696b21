//===- RegisterTiles.h - which tiles registers keep -------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_REGISTERTILES_H
#define TILEWRIGHT_PASSES_ANALYSIS_REGISTERTILES_H

#include "ir/cta/Cta.h"
#include "passes/Passes.h"

namespace tilewright::passes {

/// On a select: it leaves most rows as they are, and the others are written under a branch.
inline constexpr llvm::StringLiteral kByRowsAttr = "cta.by_rows"; // unit

/// The rows that a condition along them keeps: what `tile.expand_dims` and `tile.broadcast` made a
/// tile of two axes. Null for other conditions.
mlir::Value conditionOfRows(mlir::arith::SelectOp select);

/// True for indices as floats beside a product: cheap to compute, and dear to keep with its sums.
bool isIndexAsFloat(mlir::Operation *op);

/// True for an op whose elements are computed where they are used: shape ops, constants, index
/// arithmetic, and elementwise ops with one use, at the same number of elements, in the same block,
/// with no sum that begins in between. The results of all others are kept in registers.
bool isEvaluatedAtUse(mlir::Operation *op);

/// True for a conversion whose only use is a store right behind it: the store reads shared memory
/// where the tile crosses it, and no registers hold the tile.
bool isStoredFromShared(cta::ConvertOp op);

/// True when a tile is made anew for every time that its use runs: no loop stands between them.
bool isMadeForEachUse(mlir::Value tile, mlir::Operation *user);

} // namespace tilewright::passes

#endif
