//===- Weights.h - how values change when a peak lags -----------------------------------------===//
//
// An online softmax subtracts a peak from its exponents only to keep them in range. Say that a loop
// uses m + d for its peak m, with any d per row. Then values of two kinds change, each by a pair of
// weights (b, n), where d is b' before an iteration's update of the peak and n' behind it:
//
//   shifted   x + b · d_before + n · d_now           m, x - m, log of a sum
//   scaled    x · 2^(b · d_before + n · d_now)       exp2 (x - m), sums and products of these
//
// exp2 and log2 turn one into the other; a sum needs equal pairs, a product adds them. What has no
// weight is the same for every d, so peaks that lag give the same result (but for rounding).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_WEIGHTS_H
#define TILEWRIGHT_PASSES_ANALYSIS_WEIGHTS_H

#include "passes/Passes.h"

namespace tilewright::passes {

struct Weight {
  enum Kind {
    Unknown,  ///< Not found yet: agrees with anything.
    Zero,     ///< 0, which any factor leaves as it is.
    Infinite, ///< Infinity, which any summand leaves as it is.
    Plain,    ///< The same for every d.
    Shifted,
    Scaled,
  };
  Kind kind = Plain;
  double before = 0, now = 0;
  int64_t axis = 0; ///< Of the tile, along which d varies; for shifted and scaled tiles.

  bool operator==(const Weight &) const = default;
  bool moves() const { return kind == Shifted || kind == Scaled; }
};

/// Weights of values, from those of the values that a loop carries.
class Weigher {
public:
  /// States what a value weighs, whatever the op that gives it.
  void set(mlir::Value value, Weight weight) { weights[value] = weight; }
  Weight of(mlir::Value value) const;

  /// Weighs what an op gives; false if it may depend on d in another way than the above.
  bool weigh(mlir::Operation *op);
  /// Weighs the ops of a block but its terminator; the one that cannot be weighed, or null.
  mlir::Operation *weighAll(mlir::Block &block);

private:
  std::optional<Weight> resultOf(mlir::Operation *op);
  std::optional<Weight> elementwise(mlir::Operation *op);
  std::optional<Weight> reshaped(mlir::Operation *op);
  bool weighBranch(mlir::scf::IfOp branch);

  llvm::DenseMap<mlir::Value, Weight> weights;
};

} // namespace tilewright::passes

#endif
