//===- LatePeak.h - maxima that a loop carries and may let lag --------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_LATEPEAK_H
#define TILEWRIGHT_PASSES_ANALYSIS_LATEPEAK_H

#include "passes/Passes.h"
#include "passes/analysis/UniformTiles.h"

namespace tilewright::passes {

/// m' = max(m, factor · max(source, 1)), of rows, carried by a loop.
struct LatePeak {
  mlir::arith::MaximumFOp update;
  mlir::Value carried, source;
  std::optional<Uniform> factor; ///< A positive scalar or constant; none: 1.
};

/// The maximum of a loop that may lag, or what stands against it.
struct LatePeakSearch {
  std::optional<LatePeak> peak;
  std::string reason;               ///< "carries no maximum of rows"
  mlir::Operation *where = nullptr; ///< What the reason is about; null: the loop.
};

/// Looks for a maximum such that any peaks between it and `lag` powers of two below give the same
/// results: no stored value has a weight (Weights.h), and none that is cast leaves its type's
/// range.
LatePeakSearch findLatePeak(mlir::scf::ForOp loop, double lag);

} // namespace tilewright::passes

#endif
