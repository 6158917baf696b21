//===- TileSearch.h - what roles compute about a tile before they start on it -----------------===//
//
// The tiles of a kernel may belong to parts of its tensors (rows of an expert, a sequence). Then
// each role searches memory for the part of its tile, and finds that some parts have no rows for a
// tile. A role that hands out tiles can do both for all roles.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_TILESEARCH_H
#define TILEWRIGHT_PASSES_ANALYSIS_TILESEARCH_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// The values that follow from a tile's coordinates, and that every role computes alike. All are
/// values of one role.
struct TileSearch {
  cta::TilesOp tiles; ///< The tile loop of that role; null if there is nothing to hand out.
  /// Results of loops that search memory, and values that are read from memory.
  llvm::SmallVector<mlir::Value> found;
  /// Pairs of a store's start along an axis and the length of that axis. A tile whose stores all
  /// start at or past the end does nothing. Empty if this is not known for some store.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> stores;
  /// The ops of a tile that compute these values, in order.
  llvm::SmallVector<mlir::Operation *> ops;
};

TileSearch searchOfTiles(mlir::func::FuncOp kernel);

/// The values of `search.found` as this role computes them; null for those that it does not
/// compute.
llvm::SmallVector<mlir::Value> ownFound(cta::TilesOp tiles, const TileSearch &search);

} // namespace tilewright::passes

#endif
