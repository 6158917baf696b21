//===- CheapOps.h - what is computed again rather than kept -----------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_CHEAPOPS_H
#define TILEWRIGHT_PASSES_ANALYSIS_CHEAPOPS_H

#include "mlir/IR/Operation.h"

namespace tilewright::passes {

/// Ops that may compute an element again; and if rows are held in shared memory.
inline constexpr int64_t kMostCheapOps = 4, kMostOpsOfRows = 8;

/// True for an op that takes an instruction or two for each element.
bool isCheap(mlir::Operation *op);

/// True for an op that is worth computing again where that frees the registers of a row: a cheap
/// one, or an exponential.
bool isCheapForRows(mlir::Operation *op);

/// True for a comparison and for a selection.
bool isSelection(mlir::Operation *op);

/// True for an op that takes no instruction: a constant, a range, or what only changes a tile's
/// shape.
bool isShape(mlir::Operation *op);

/// Whether matrices are multiplied anywhere in `root`. Their schedule then matters more than what
/// rows cost.
bool hasProducts(mlir::Operation *root);

/// True for an op in which all threads of a block meet. It ends a phase.
bool meets(mlir::Operation *op);

} // namespace tilewright::passes

#endif
