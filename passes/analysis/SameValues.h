//===- SameValues.h - do two roles compute the same? ------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_SAMEVALUES_H
#define TILEWRIGHT_PASSES_ANALYSIS_SAMEVALUES_H

#include "mlir/IR/Value.h"

namespace tilewright::passes {

/// True when two values of two roles, or of one, are computed alike: for the same tile they are the
/// same.
bool sameValue(mlir::Value a, mlir::Value b);

} // namespace tilewright::passes

#endif
