//===- JoinBounds.h - masks with fewer comparisons --------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_JOINBOUNDS_H
#define TILEWRIGHT_PASSES_ANALYSIS_JOINBOUNDS_H

#include "mlir/IR/PatternMatch.h"

namespace tilewright::passes {

/// (x <= a) & (x <= b) becomes x <= min(a, b), and likewise for lower bounds and strict ones.
void addJoinBounds(mlir::RewritePatternSet &patterns);

} // namespace tilewright::passes

#endif
