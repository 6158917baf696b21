//===- UniformTiles.h - tiles that repeat a smaller tile -------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_UNIFORMTILES_H
#define TILEWRIGHT_PASSES_ANALYSIS_UNIFORMTILES_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// A tile that repeats its source: by `how` (a broadcast or expand_dims), or as a splat if `how` is
/// null.
struct Uniform {
  mlir::Operation *how;
  mlir::Value source;     // null for a constant
  mlir::TypedAttr number; // the constant's element
};

std::optional<Uniform> uniformOf(mlir::Value tile);

/// What a tile repeats along `axis`: a tile without the axis or, in one dimension, a scalar. Null
/// if it repeats nothing, or a constant.
mlir::Value repeatedAlong(mlir::Value tile, int64_t axis);

/// Whether the tile repeats along `axis` what `source` is reduced to along it.
bool repeatsReduction(mlir::Value tile, tile::ReduceKind kind, mlir::Value source, int64_t axis);

/// The constant float that a value, or each element of a tile, is.
std::optional<double> numberOf(mlir::Value value);

/// What `value` is a `count`-th of, by a division or by the reciprocal; null if it is not.
mlir::Value dividedBy(mlir::Value value, double count);

/// Whether the tile repeats a source with fewer elements.
bool isRepeated(mlir::Value tile);

/// The operands' sources, of one type, and the op that expands them to tiles (null: a splat).
/// Nothing if their shapes differ or all are constants.
std::optional<std::pair<mlir::Operation *, llvm::SmallVector<mlir::Value>>>
commonSources(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange tiles);

/// `like` with another element type; tile or scalar.
mlir::Type withElement(mlir::Type like, mlir::Type element);

/// A tile of `type` that repeats `source` as `how` does.
mlir::Value repeat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Operation *how,
                   mlir::Type type, mlir::Value source);

/// Whether two tiles can be combined on their sources.
bool haveCommonSources(mlir::Value a, mlir::Value b);
/// Their product, and their sum, computed there.
mlir::Value uniformProduct(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a,
                           mlir::Value b);
mlir::Value uniformSum(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);

} // namespace tilewright::passes

#endif
