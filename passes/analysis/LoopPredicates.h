//===- LoopPredicates.h - conditions that are affine in a loop's counter ---------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_LOOPPREDICATES_H
#define TILEWRIGHT_PASSES_ANALYSIS_LOOPPREDICATES_H

#include "passes/analysis/Accesses.h"

namespace tilewright::passes {

/// A condition `form ≤ 0` on the elements of a tile: false everywhere while `lowest > 0`, true
/// everywhere while `highest ≤ 0`. `mask` is the value it decides, if any.
struct Predicate {
  AffineForm lowest, highest;
  mlir::Value mask;
};

/// A comparison as forms, each `≤ 0` where it is true; none if it is no such. A comparison with a
/// minimum, or of a maximum, is several.
llvm::SmallVector<TileForm> formsOf(mlir::arith::CmpIOp compare);

/// The iteration at which `form ≤ 0` changes: the first where a form that rises with the counter is
/// positive, or the first where one that falls is not.
mlir::Value firstFalse(mlir::OpBuilder &builder, mlir::Location loc, const AffineForm &form,
                       mlir::Value counter);

/// Whether the op makes a mask from masks: joins them, or gives one another shape.
bool isMaskJoin(mlir::Operation *op);

/// Comparisons in the loop's body that mask something and depend on the counter.
llvm::SmallVector<Predicate> findMasks(mlir::scf::ForOp loop);

/// Bounds of the body's accesses that depend on the counter.
llvm::SmallVector<Predicate> findBounds(mlir::scf::ForOp loop, Dims &dims);

} // namespace tilewright::passes

#endif
