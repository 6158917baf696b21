//===- PartAxes.h - axes along which tiles are cut or extended --------------------------------===//
//
// Tiles are cut into parts, or become longer, along the rows or columns of what the kernel stores.
// The other axes that change follow from which axes must agree (AxisClasses.h). An op that combines
// elements along such an axis stands against it, since a part does not determine the whole.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_PARTAXES_H
#define TILEWRIGHT_PASSES_PLAN_PARTAXES_H

#include "passes/analysis/AxisClasses.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

class PartAxes {
public:
  /// Along `axis` (one of Plan::Parts::kAxes), in `parts` parts; 1 for tiles that become longer.
  /// `what` names the change in errors.
  PartAxes(mlir::func::FuncOp kernel, llvm::StringRef axis, int64_t parts, std::string what)
      : kernel(kernel), axis(axis), parts(parts), what(std::move(what)), classes(kernel) {}

  /// Finds the axes. Fails, with an error at the op that stands against it, if they cannot be
  /// changed.
  mlir::LogicalResult find();
  /// The same for the longest axis along which the kernel reduces tiles. Reductions of a part are
  /// then the caller's to combine.
  mlir::LogicalResult findReduced();

  mlir::InFlightDiagnostic refuse(mlir::Operation *op);
  /// The axis of a tile that changes, if any.
  std::optional<int64_t> of(mlir::Value value);
  /// All tiles of the kernel.
  llvm::ArrayRef<mlir::Value> tiles() const { return classes.tiles(); }
  /// Whether an op reads or computes a tile that changes.
  bool concern(mlir::Operation *op);
  /// The type of a part; the type itself for a value that does not change.
  mlir::Type partType(mlir::Value value);
  /// Fails if layouts cannot represent the parts. To be called when the kernel is cut.
  mlir::LogicalResult checkParts();

private:
  mlir::LogicalResult findOfEnds();
  mlir::LogicalResult checkAll();
  mlir::LogicalResult check(mlir::Operation *op);
  mlir::LogicalResult checkAccess(mlir::Operation *op);
  mlir::LogicalResult checkMeeting(mlir::Operation *op);
  bool anyIsCut(mlir::ValueRange values);

  mlir::func::FuncOp kernel;
  llvm::StringRef axis;
  int64_t parts;
  std::string what;
  AxisClasses classes;
  bool mayReduce = false;
  llvm::SmallDenseSet<unsigned> found;  ///< Numbers of the classes.
  llvm::SmallDenseSet<int64_t> extents; ///< Extents of the parts.
};

} // namespace tilewright::passes

#endif
