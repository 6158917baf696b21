//===- Divisibility.h - what is known about an integer's factors ------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_DIVISIBILITY_H
#define TILEWRIGHT_PASSES_ANALYSIS_DIVISIBILITY_H

#include "ir/tile/Tile.h"
#include "mlir/IR/Value.h"

namespace tilewright::passes {

/// A number that divides `value` (an i32 scalar), the largest that its definition shows; 0 when the
/// value is 0.
int64_t knownDivisor(mlir::Value value);

/// True when `value` (an i32 scalar) is shown to be at least 0 by its definition: program ids,
/// coordinates of tiles, sizes, counters that start there; sums, products and quotients of such.
bool knownNonNegative(mlir::Value value);

/// The same, also by what is known where `op` stands, such as how far loops around it run.
bool knownNonNegativeAt(mlir::Operation *op, mlir::Value value);

/// Elements of `view` that one access of a tile with these indices and extents may move along the
/// innermost axis: bounded by 16 bytes, the view's alignment, and the divisors of extent and start.
int64_t accessVector(tile::ViewType view, mlir::ValueRange indices,
                     llvm::ArrayRef<int64_t> extents);

} // namespace tilewright::passes

#endif
