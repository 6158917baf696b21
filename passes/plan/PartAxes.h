//===- PartAxes.h - which tiles are cut into parts, and what stands against it ----------------===//
//
// Of a kernel whose tiles are to be in parts along the rows, or columns, of what its ends store.
// Which axes these are follows from what makes axes agree (AxisClasses.h). Where elements along
// them meet, a part says nothing of the whole.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_PARTAXES_H
#define TILEWRIGHT_PASSES_PLAN_PARTAXES_H

#include "passes/analysis/AxisClasses.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

class PartAxes {
public:
  PartAxes(mlir::func::FuncOp kernel, const Plan::Parts &parts)
      : kernel(kernel), parts(parts), classes(kernel) {}

  /// Finds the axes; fails, with an error at what stands against it, if they cannot be cut.
  mlir::LogicalResult find();

  /// The axis of a tile that is cut, if it has one.
  std::optional<int64_t> of(mlir::Value value);
  /// Whether an op reads, or makes, what is cut.
  bool concern(mlir::Operation *op);
  /// Of a part of a tile, or of what is not cut.
  mlir::Type partType(mlir::Value value);
  /// Fails if parts are no tiles as layouts take them; for the kernel once it is cut.
  mlir::LogicalResult checkParts();

private:
  mlir::InFlightDiagnostic refuse(mlir::Operation *op);
  mlir::LogicalResult findOfEnds();
  mlir::LogicalResult check(mlir::Operation *op);
  mlir::LogicalResult checkAccess(mlir::Operation *op);
  mlir::LogicalResult checkMeeting(mlir::Operation *op);
  bool anyIsCut(mlir::ValueRange values);

  mlir::func::FuncOp kernel;
  const Plan::Parts &parts;
  AxisClasses classes;
  llvm::SmallDenseSet<unsigned> found;  ///< Classes, by their numbers.
  llvm::SmallDenseSet<int64_t> extents; ///< Of parts.
};

} // namespace tilewright::passes

#endif
