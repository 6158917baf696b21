//===- BodyOrder.h - the order of ops around products -----------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_BODYORDER_H
#define TILEWRIGHT_PASSES_PLAN_BODYORDER_H

#include "passes/plan/BoundPlan.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

/// The values that an op reads, also in its regions.
llvm::SetVector<mlir::Value> readBy(mlir::Operation *op);

/// The ops of a loop's body, without its terminator, in a plan's order of starts and awaits.
struct BodyOrder {
  llvm::SmallVector<mlir::Operation *> ops;
  /// For an await with arithmetic beside its product: a small tile that the arithmetic computes.
  llvm::DenseMap<mlir::Operation *, mlir::Value> after;
};

/// Reorders the body of a loop over iterations or tiles. Ops in `late` belong to the iteration
/// before: the loop carries what they need of this iteration, and their own carried values are
/// available to the other ops. Fails, with an error at the loop, if the order lacks an await or has
/// one that the loop lacks.
mlir::FailureOr<BodyOrder> orderBody(mlir::LoopLikeOpInterface loop,
                                     llvm::ArrayRef<Plan::Loop::Step> steps,
                                     const llvm::SmallDenseSet<mlir::Operation *> &late);

/// Moves an await behind the ops that follow it and do not need it.
void delayAwait(cta::AwaitOp await);

} // namespace tilewright::passes

#endif
