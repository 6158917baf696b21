//===- Activity.h - through which values a gradient flows -------------------------------------===//
//
// A value is active if it depends on a tensor that is differentiated by, and an output whose
// gradient is given depends on it. Only these have adjoints.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_GRADIENT_ACTIVITY_H
#define TILEWRIGHT_PASSES_GRADIENT_ACTIVITY_H

#include "passes/Passes.h"

#include "llvm/ADT/DenseSet.h"

namespace tilewright::passes {

/// Whether a value or a tile of values has a derivative at all.
bool isFloat(mlir::Value value);

class Activity {
public:
  /// Of a kernel, of whose arguments some are differentiated by and some have gradients.
  Activity(mlir::func::FuncOp kernel, const llvm::DenseSet<mlir::Value> &wrt,
           const llvm::DenseSet<mlir::Value> &given);

  bool contains(mlir::Value value) const { return active.contains(value); }
  /// Whether an op, or one within it, has an active operand.
  bool reaches(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Value> active;
};

} // namespace tilewright::passes

#endif
