//===- BodyOrder.h - the order of what stands beside products ---------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_BODYORDER_H
#define TILEWRIGHT_PASSES_PLAN_BODYORDER_H

#include "passes/plan/BoundPlan.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

/// What an op reads, in its regions too.
llvm::SetVector<mlir::Value> readBy(mlir::Operation *op);

/// The ops of a loop's body but its terminator, in a plan's order of starts and awaits.
struct BodyOrder {
  llvm::SmallVector<mlir::Operation *> ops;
  /// For awaits beside whose products there is arithmetic: a small tile that it leads to.
  llvm::DenseMap<mlir::Operation *, mlir::Value> after;
};

/// Puts the body of a loop, over iterations or tiles, in order. What is `late` is of the iteration
/// before: what it needs of this iteration the loop carries, and what it carries itself is there
/// for what is not late. Fails, with an error at the loop, where the order lacks an await or has
/// one that the loop lacks.
mlir::FailureOr<BodyOrder> orderBody(mlir::LoopLikeOpInterface loop,
                                     llvm::ArrayRef<Plan::Loop::Step> steps,
                                     const llvm::SmallDenseSet<mlir::Operation *> &late);

/// Moves an await behind what stands behind it and does not need it.
void delayAwait(cta::AwaitOp await);

} // namespace tilewright::passes

#endif
