//===- AxisClasses.h - tile axes that must have one extent -----------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_AXISCLASSES_H
#define TILEWRIGHT_PASSES_ANALYSIS_AXISCLASSES_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// The axes of all tiles of a kernel, in classes that an operation requires to agree.
class AxisClasses {
public:
  struct Class {
    int64_t extent = 0;
    int64_t padded = 0;
    int64_t productMultiple = 1; // matrix products need a multiple of this
    bool combined = false;       // a reduction or product combines elements along the axis
    mlir::Value example;
  };

  explicit AxisClasses(mlir::func::FuncOp kernel);

  /// Whether the tile existed when the classes were made.
  bool contains(mlir::Value tile) const { return first.contains(tile); }
  /// The number of the class that an axis belongs to; equal for axes that agree.
  unsigned idOf(mlir::Value tile, int64_t axis) { return find(first.lookup(tile) + axis); }
  Class &of(mlir::Value tile, int64_t axis) { return classes[idOf(tile, axis)]; }
  bool isPadded(mlir::Value tile, int64_t axis) {
    return of(tile, axis).padded != of(tile, axis).extent;
  }
  /// One entry for each class that is padded.
  llvm::SmallVector<Class> padded();
  /// The tile's type with padded extents.
  mlir::RankedTensorType paddedType(mlir::Value tile);
  llvm::ArrayRef<mlir::Value> tiles() const { return values; }

private:
  void addValue(mlir::Value value);
  void joinOperands(mlir::Operation *op);
  void join(mlir::Value a, int64_t aAxis, mlir::Value b, int64_t bAxis);
  void joinAll(mlir::Value a, mlir::Value b);
  void joinRanges(mlir::ValueRange as, mlir::ValueRange bs);
  void joinControlFlow(mlir::Operation *op);
  void joinDot(tile::DotOp op);
  void joinReduced(mlir::Value source, mlir::Value result, int64_t axis);
  void joinIndexTiles(mlir::Operation *op);
  unsigned find(unsigned axis);

  llvm::SmallVector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, unsigned> first; // a tile's axis 0 among all axes
  llvm::SmallVector<unsigned> parent;
  llvm::SmallVector<Class> classes;
};

/// Gives each use of a splat or constant tile a copy of its own. A tile with equal elements must
/// not make axes of other tiles agree.
void separateConstants(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
