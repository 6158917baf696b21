//===- Divisibility.h - what is known about an integer's factors and size ---------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_DIVISIBILITY_H
#define TILEWRIGHT_PASSES_ANALYSIS_DIVISIBILITY_H

#include "ir/tile/Tile.h"
#include "mlir/IR/Value.h"

namespace tilewright::passes {

/// The largest divisor of `value` (an i32 scalar) that its definition shows; 0 if the value is 0.
int64_t knownDivisor(mlir::Value value);

/// Whether the definition of `value` (an i32 scalar) shows that it is at least 0: program ids,
/// coordinates of tiles, sizes, loop counters from 0; sums, products and quotients of these.
bool knownNonNegative(mlir::Value value);

/// The same, also using what is known at `op`, such as the bounds of loops around it.
bool knownNonNegativeAt(mlir::Operation *op, mlir::Value value);

/// The largest number that `value` (an i32 scalar) may be, if its definition shows one: constants,
/// program ids along axes of constant size; sums and products of these.
std::optional<int64_t> knownMost(mlir::Value value);

/// The number of elements of `view` that a vector access with these indices and extents may move
/// along the innermost axis. The limits are 16 bytes, the view's alignment, and the divisors of
/// extent and start.
int64_t accessVector(tile::ViewType view, mlir::ValueRange indices,
                     llvm::ArrayRef<int64_t> extents);

} // namespace tilewright::passes

#endif
