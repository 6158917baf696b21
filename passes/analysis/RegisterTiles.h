//===- RegisterTiles.h - which tiles are kept in registers ------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_REGISTERTILES_H
#define TILEWRIGHT_PASSES_ANALYSIS_REGISTERTILES_H

#include "ir/cta/Cta.h"
#include "passes/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

/// On a select: it leaves most rows unchanged, and writes the others under a branch.
inline constexpr llvm::StringLiteral kByRowsAttr = "cta.by_rows"; // unit

/// The rows that a condition along rows keeps, from which `tile.expand_dims` and `tile.broadcast`
/// made a tile of two axes. Null for other conditions.
mlir::Value conditionOfRows(mlir::arith::SelectOp select);

/// True for indices as floats beside a product. They are cheap to compute, and expensive to keep
/// beside its accumulator.
bool isIndexAsFloat(mlir::Operation *op);

/// True for an op whose elements are computed where they are used: shape ops, constants, index
/// arithmetic, and elementwise ops with a single use in the same block and of the same size, if no
/// accumulator begins in between. All other results are kept in registers.
bool isEvaluatedAtUse(mlir::Operation *op);

/// True for a conversion that is only used by a store right behind it. The store reads the tile
/// from shared memory, where the conversion puts it, so no registers hold it.
bool isStoredFromShared(cta::ConvertOp op);

/// The ops whose tiles a store makes vector by vector, so that no registers hold them as a whole:
/// what is stored, and what it follows from by elementwise ops, back to long rows that wait in
/// shared memory and to a load of what the kernel only reads. Empty for other stores.
llvm::SetVector<mlir::Operation *> opsMadeAtStore(tile::StoreOp store);

/// Those of all stores in a kernel or a role.
llvm::DenseSet<mlir::Operation *> opsMadeAtStores(mlir::Operation *root);

/// True for a tile of bytes that nothing reads but products, as their left operands, also where
/// loops and branches pass it on. Its words then have four columns of a row, as wgmma reads them,
/// and not two columns of two rows, as threads hold sums.
bool isInOrderOfOperands(mlir::Value tile);

/// True if a tile is computed again each time its use runs: there is no loop between them.
bool isMadeForEachUse(mlir::Value tile, mlir::Operation *user);

} // namespace tilewright::passes

#endif
