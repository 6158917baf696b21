//===- PartAxes.h - tiles that get other extents, and what stands against it ------------------===//
//
// Of a kernel whose tiles are to be in parts along the rows, or columns, of what its ends store, or
// longer along them. Which axes these are follows from what makes axes agree (AxisClasses.h). Where
// elements along them meet, a part says nothing of the whole.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_PARTAXES_H
#define TILEWRIGHT_PASSES_PLAN_PARTAXES_H

#include "passes/analysis/AxisClasses.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

class PartAxes {
public:
  /// Along `axis`, one of Plan::Parts::kAxes, in so many parts, 1 for tiles that become longer.
  /// Errors say that something stands against `what`.
  PartAxes(mlir::func::FuncOp kernel, llvm::StringRef axis, int64_t parts, std::string what)
      : kernel(kernel), axis(axis), parts(parts), what(std::move(what)), classes(kernel) {}

  /// Finds the axes; fails, with an error at what stands against it, if they cannot be changed.
  mlir::LogicalResult find();

  mlir::InFlightDiagnostic refuse(mlir::Operation *op);
  /// The axis of a tile that changes, if it has one.
  std::optional<int64_t> of(mlir::Value value);
  /// All tiles of the kernel.
  llvm::ArrayRef<mlir::Value> tiles() const { return classes.tiles(); }
  /// Whether an op reads, or makes, what is cut.
  bool concern(mlir::Operation *op);
  /// Of a part of a tile, or of what is not cut.
  mlir::Type partType(mlir::Value value);
  /// Fails if parts are no tiles as layouts take them; for the kernel once it is cut.
  mlir::LogicalResult checkParts();

private:
  mlir::LogicalResult findOfEnds();
  mlir::LogicalResult check(mlir::Operation *op);
  mlir::LogicalResult checkAccess(mlir::Operation *op);
  mlir::LogicalResult checkMeeting(mlir::Operation *op);
  bool anyIsCut(mlir::ValueRange values);

  mlir::func::FuncOp kernel;
  llvm::StringRef axis;
  int64_t parts;
  std::string what;
  AxisClasses classes;
  llvm::SmallDenseSet<unsigned> found;  ///< Classes, by their numbers.
  llvm::SmallDenseSet<int64_t> extents; ///< Of parts.
};

} // namespace tilewright::passes

#endif
