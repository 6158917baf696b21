//===- Facts.h - inequalities that hold at a point of a kernel --------------------------------===//
//
// They come from loop bounds, the launch grid, assertions and quotients. They prove that an
// AffineForm is never positive, for example that an index lies within its tensor.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_FACTS_H
#define TILEWRIGHT_PASSES_ANALYSIS_FACTS_H

#include "passes/analysis/AffineForm.h"

namespace tilewright::passes {

/// What is known about the symbols at one point of the program.
class Facts {
public:
  /// From the loops around `op`, the launch grid, and the kernel's assertions.
  static Facts at(mlir::Operation *op);

  /// States that the form is never positive.
  void add(AffineForm nonPositive) { known.push_back(std::move(nonPositive)); }
  void addLoop(mlir::scf::ForOp loop);

  /// Whether `form ≤ 0` follows: from ranges of the symbols, or after subtracting multiples of
  /// facts that cancel a symbol, at most `depth` times.
  bool proveNonPositive(const AffineForm &form, int depth = 4) const;

private:
  llvm::SmallVector<AffineForm> known;
};

} // namespace tilewright::passes

#endif
