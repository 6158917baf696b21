//===- NestCopier.h - copies a loop nest for one role -----------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_NESTCOPIER_H
#define TILEWRIGHT_PASSES_PLAN_NESTCOPIER_H

#include "passes/plan/BoundPlan.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {

/// TMA loads a scalar in a row of 16 bytes, its minimum, at a multiple of 16 bytes. Returns how
/// many scalars that is; 0 for a tile.
int64_t rowOf(tile::LoadOp load);

/// An index with a bit mask applied.
mlir::Value masked(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index, int64_t mask);

/// Copies a loop nest, reduced to the work of one role: the loads of its streams, which go to
/// channels, the puts of its tiles, and all that these depend on.
class NestCopier {
public:
  NestCopier(const Plan::Role &role, const llvm::StringMap<mlir::Value> &channels)
      : role(role), channels(channels) {}

  void copy(mlir::Block &from, mlir::OpBuilder &builder);

private:
  bool isStream(mlir::Operation *op) const;
  bool isWanted(mlir::Operation *op) const;
  bool holdsWanted(mlir::Operation *op) const;
  bool isAsked(mlir::Operation *op);
  void copyAround(mlir::Operation *op, mlir::OpBuilder &builder);
  void load(tile::LoadOp load, mlir::OpBuilder &builder);

  const Plan::Role &role;
  const llvm::StringMap<mlir::Value> &channels;
  mlir::IRMapping values;
  llvm::DenseMap<mlir::Operation *, bool> asked; // answers found so far
};

} // namespace tilewright::passes

#endif
