//===- PositiveScalars.h - scalars that are known to be positive ------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_POSITIVESCALARS_H
#define TILEWRIGHT_PASSES_ANALYSIS_POSITIVESCALARS_H

#include "passes/analysis/UniformTiles.h"

namespace tilewright::passes {

/// Whether a scalar is positive: a constant; a scalar that the kernel or the condition of its plan
/// asserts to be positive; a product, quotient or root of these.
bool isPositive(mlir::Value scalar);
/// The same for a scalar or constant that a tile repeats.
bool isPositive(const Uniform &scalar);

} // namespace tilewright::passes

#endif
