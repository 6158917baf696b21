//===- Weights.h - how values change if a peak lags -------------------------------------------===//
//
// An online softmax subtracts a peak from its exponents only to keep them in range. Suppose that a
// loop uses m + d for its peak m, with any d per row. Then two kinds of values change, each by a
// pair of weights (b, n), where d_before belongs to the peak before an iteration's update and d_now
// to the peak after it:
//
//   shifted   x + b · d_before + n · d_now           m, x - m, log of a sum
//   scaled    x · 2^(b · d_before + n · d_now)       exp2 (x - m), sums and products of these
//
// exp2 and log2 turn one into the other. A sum needs equal pairs, a product adds them. A value
// without a weight is the same for every d, so lagging peaks give the same result (except for
// rounding).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_WEIGHTS_H
#define TILEWRIGHT_PASSES_ANALYSIS_WEIGHTS_H

#include "passes/Passes.h"

namespace tilewright::passes {

struct Weight {
  enum Kind {
    Unknown,  ///< Not known yet; compatible with every weight.
    Zero,     ///< The value 0, which no factor changes.
    Infinite, ///< Infinity, which no finite term changes.
    Plain,    ///< No weight: the same for every d.
    Shifted,
    Scaled,
  };
  Kind kind = Plain;
  double before = 0, now = 0;
  int64_t axis = 0; ///< For shifted and scaled tiles: the axis along which d varies.

  bool operator==(const Weight &) const = default;
  bool moves() const { return kind == Shifted || kind == Scaled; }
};

/// Computes weights of values, starting from those of the values that a loop carries.
class Weigher {
public:
  /// Sets the weight of a value, whatever op computes it.
  void set(mlir::Value value, Weight weight) { weights[value] = weight; }
  Weight of(mlir::Value value) const;

  /// Computes the weights of an op's results; false if they may depend on d in another way than
  /// above.
  bool weigh(mlir::Operation *op);
  /// Computes the weights for all ops of a block except its terminator. Returns the first op for
  /// which this fails, or null.
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
