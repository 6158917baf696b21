//===- LoopPredicates.h - conditions that are affine in a loop's counter ---------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_LOOPPREDICATES_H
#define TILEWRIGHT_PASSES_ANALYSIS_LOOPPREDICATES_H

#include "passes/analysis/Accesses.h"

#include <optional>
#include <vector>

namespace tilewright::passes {

/// A condition `form ≤ 0` on the elements of a tile: false everywhere while `lowest > 0`, true
/// everywhere while `highest ≤ 0`. `mask` is the value that it decides, if any.
struct Predicate {
  AffineForm lowest, highest;
  mlir::Value mask;
};

/// A comparison as forms, each `≤ 0` where it is true; none for other comparisons. A comparison
/// with a minimum, or of a maximum, gives several forms.
llvm::SmallVector<TileForm> formsOf(mlir::arith::CmpIOp compare);

/// The iteration at which `form ≤ 0` changes. If the form rises with the counter, it is the first
/// where the form is positive, else the first where it is not.
mlir::Value firstFalse(mlir::OpBuilder &builder, mlir::Location loc, const AffineForm &form,
                       mlir::Value counter);

/// Whether the op computes a mask from masks: combines or reshapes them.
bool isMaskJoin(mlir::Operation *op);

/// Comparisons in the loop's body that mask something and depend on the counter.
llvm::SmallVector<Predicate> findMasks(mlir::scf::ForOp loop);

/// A mask that is false from some iteration on, or up to one: a condition that rises or falls with
/// the counter, or the conjunction (All) or disjunction (Any) of such masks.
struct Reach {
  enum Kind { Condition, All, Any } kind = Condition;
  TileForm form;                  ///< Condition: true where it is ≤ 0.
  std::optional<int64_t> rowAxis; ///< Condition: the axis of the rows of the mask, if it has one.
  std::vector<Reach> parts;

  /// Whether rows differ in where they change.
  bool isByRow() const;
};

/// Which iterations of a loop the masks see that decide selects of tiles of two axes, nested blocks
/// included. `end`: all of them together are false from some iteration on; `begin`: up to one.
/// Nothing if none is known to be.
struct Reaches {
  std::optional<Reach> begin, end;
  static Reaches of(mlir::scf::ForOp loop);
};

/// Bounds checks of the body's accesses that depend on the counter.
llvm::SmallVector<Predicate> findBounds(mlir::scf::ForOp loop, Dims &dims);

} // namespace tilewright::passes

#endif
