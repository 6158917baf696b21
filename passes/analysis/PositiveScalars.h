//===- PositiveScalars.h - scalars that are known to be positive ------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_POSITIVESCALARS_H
#define TILEWRIGHT_PASSES_ANALYSIS_POSITIVESCALARS_H

#include "passes/analysis/UniformTiles.h"

namespace tilewright::passes {

/// Whether a scalar is positive: a constant, one that the kernel asserts to be, or its plan is only
/// for, or a product, quotient or root of such.
bool isPositive(mlir::Value scalar);
/// Of a scalar or constant that a tile repeats.
bool isPositive(const Uniform &scalar);

} // namespace tilewright::passes

#endif
