//===- AffineForm.h - integers as constant + Σ coefficient · symbol --------------------------===//
//
// Index arithmetic of a kernel is nearly always affine in values that are opaque to the compiler:
// loop counters, program ids, dimensions. An AffineForm represents one such i32. A TileForm
// represents an index tile, whose element i… is base + Σ step[axis] · i[axis]. Coordinates and
// their sums are assumed not to overflow 31 bits.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_AFFINEFORM_H
#define TILEWRIGHT_PASSES_ANALYSIS_AFFINEFORM_H

#include "passes/Passes.h"

namespace tilewright::passes {

struct AffineForm {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 4> terms; // without zero coefficients

  /// The form of a scalar, looking through additions, subtractions and constant factors.
  static AffineForm of(mlir::Value scalar);

  int64_t coefficient(mlir::Value symbol) const;
  bool isConstant() const { return terms.empty(); }
  void add(mlir::Value symbol, int64_t coefficient);
  AffineForm operator+(const AffineForm &other) const;
  AffineForm operator-(const AffineForm &other) const { return *this + other * -1; }
  AffineForm operator+(int64_t value) const;
  AffineForm operator*(int64_t factor) const;
  bool operator==(const AffineForm &other) const;
  AffineForm without(mlir::Value symbol) const;

  /// Arithmetic that computes the form.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc) const;
};

struct TileForm {
  AffineForm base;
  llvm::SmallVector<int64_t> steps, shape;

  /// The form of a tile of i32, or of such a tile as f32, which above 2^24 may round; nothing if it
  /// is not affine in its coordinates.
  static std::optional<TileForm> of(mlir::Value tile);

  /// The smallest and the largest element.
  AffineForm lowest() const;
  AffineForm highest() const;
};

/// floor(form / divisor), for a positive divisor.
mlir::Value materializeFloorDiv(mlir::OpBuilder &builder, mlir::Location loc,
                                const AffineForm &form, int64_t divisor);

} // namespace tilewright::passes

#endif
