//===- Accesses.h - loads, stores, atomics and copies as one thing ---------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_ACCESSES_H
#define TILEWRIGHT_PASSES_ANALYSIS_ACCESSES_H

#include "passes/analysis/AffineForm.h"

namespace tilewright::passes {

/// The memory that a load, store, atomic or copy (into a channel) accesses.
struct Access {
  mlir::Operation *op;
  mlir::TypedValue<tile::ViewType> view;
  mlir::OperandRange indices;
  llvm::ArrayRef<int64_t> extents;

  static std::optional<Access> of(mlir::Operation *op);

  /// The kernel's argument that the view is or is a part of.
  mlir::Value tensor() const { return tile::tensorOf(view); }
  /// Where the view starts along an axis of the tensor.
  AffineForm start(int64_t axis) const;

  /// The tile that is loaded or written. Copies have none in registers.
  mlir::Value tile() const;
  bool isRange(int64_t axis) const { return extents[axis] > 0; }
  /// The number of elements that are accessed along an axis (1 for a scalar index).
  int64_t validElements(int64_t axis) const;
  /// The axis of the tile that corresponds to an axis of the view.
  int64_t tileAxis(int64_t axis) const;
  bool isInBounds(int64_t axis) const;
  void setInBounds(int64_t axis, bool isKnown = true);
};

/// The ops that use the tensor of a view, as a whole or a part of it.
llvm::SmallVector<mlir::Operation *> usersOf(mlir::Value view);

/// Whether a call may pass one tensor for a view that is read and another that is written. They
/// need the same dimensions and element type ("Aliasing" in docs/language.md).
bool mayBeInPlace(mlir::Value read, mlir::Value written);

/// One tile.dim per dimension name, at the start of the kernel, so that equal sizes are one symbol.
class Dims {
public:
  /// Replaces every tile.dim of the kernel.
  explicit Dims(mlir::func::FuncOp kernel);
  AffineForm size(mlir::TypedValue<tile::ViewType> view, int64_t axis);

private:
  mlir::Value symbol(mlir::TypedValue<tile::ViewType> view, int64_t axis);

  mlir::func::FuncOp kernel;
  llvm::DenseMap<mlir::Attribute, mlir::Value> byName;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> unnamed;
};

/// The access stays within the view along `axis` if and only if both are ≤ 0. Not for index tiles.
struct Bounds {
  AffineForm below, above;
  static Bounds of(const Access &access, int64_t axis, Dims &dims);
  bool operator==(const Bounds &) const = default;
};

/// Marks the axes of every access under `root` that the facts prove to be in bounds.
void markInBounds(mlir::Operation *root, Dims &dims, llvm::ArrayRef<AffineForm> nonPositive = {});

} // namespace tilewright::passes

#endif
