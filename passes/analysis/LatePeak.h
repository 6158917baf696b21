//===- LatePeak.h - carried maxima that may lag -----------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_LATEPEAK_H
#define TILEWRIGHT_PASSES_ANALYSIS_LATEPEAK_H

#include "passes/Passes.h"
#include "passes/analysis/UniformTiles.h"

namespace tilewright::passes {

/// m' = max(m, factor · max(source, 1)), per row, carried by a loop; or, of whole peaks,
/// m' = max(m, ceil(factor · max(source, 1)) - whole).
struct LatePeak {
  mlir::arith::MaximumFOp update;
  mlir::Value carried, source;
  std::optional<Uniform> factor; ///< A positive scalar or constant; none means 1.
  std::optional<double> whole;
};

/// The carried maximum that may lag, or the reason why there is none.
struct LatePeakSearch {
  std::optional<LatePeak> peak;
  std::string reason;               ///< "carries no maximum of rows"
  mlir::Operation *where = nullptr; ///< The op that the reason refers to; null for the loop.
};

/// Looks for a maximum that may lag by up to `lag` powers of two without changing the results: no
/// stored value has a weight (Weights.h), and no cast leaves the range of its type. Any maximum may
/// lag by 0. Whole peaks may not lag by more, but they seldom rise.
LatePeakSearch findLatePeak(mlir::scf::ForOp loop, double lag);

/// The largest magnitude of the exponents below a peak that may be 0 throughout: f32 has room for
/// their powers of two, and sums start from 0. Nothing for other peaks.
std::optional<double> boundOfExponents(mlir::scf::ForOp loop, const LatePeak &peak);

/// Whether a value is 2^(before - after), where `after` is the peak that follows `before`.
bool isShrink(mlir::Value value, const LatePeak &peak);

/// A product of a tile with 2^(before - after) of each row. Most rows of it stay as they are.
struct Rescaling {
  mlir::arith::MulFOp product;
  mlir::Value tile;
};

llvm::SmallVector<Rescaling> rescalingsOf(mlir::scf::ForOp loop, const LatePeak &peak);

} // namespace tilewright::passes

#endif
