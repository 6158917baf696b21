//===- NestCopier.h - a loop nest with nothing but what a role does ---------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_NESTCOPIER_H
#define TILEWRIGHT_PASSES_PLAN_NESTCOPIER_H

#include "passes/plan/BoundPlan.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {

/// A scalar comes in a row of 16 bytes, the least that TMA brings, at a multiple of them: how many
/// scalars these are; 0 for a tile.
int64_t rowOf(tile::LoadOp load);

/// What an index is by a bit mask.
mlir::Value masked(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index, int64_t mask);

/// Copies a loop nest with nothing but what a role does: the loads of its streams, which go to
/// their channels, and the puts of its tiles; and with what these follow from.
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
  llvm::DenseMap<mlir::Operation *, bool> asked; // what is known of them
};

} // namespace tilewright::passes

#endif
