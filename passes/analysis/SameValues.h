//===- SameValues.h - do two roles compute the same value? ------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_SAMEVALUES_H
#define TILEWRIGHT_PASSES_ANALYSIS_SAMEVALUES_H

#include "mlir/IR/Value.h"

namespace tilewright::passes {

/// True if two values, of one role or of two, are computed alike, so that they are equal for the
/// same tile.
bool sameValue(mlir::Value a, mlir::Value b);

} // namespace tilewright::passes

#endif
