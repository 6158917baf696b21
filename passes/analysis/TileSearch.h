//===- TileSearch.h - what roles find out about a tile before they begin with it --------------===//
//
// Where the tiles of a kernel belong to parts of its tensors (rows of an expert, a sequence), each
// role searches memory for the part of its tile, and a part may have no rows for a tile. A role
// that hands out tiles can do both for all.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_TILESEARCH_H
#define TILEWRIGHT_PASSES_ANALYSIS_TILESEARCH_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// What follows from a tile's coordinates, alike in every role. All are values of one role.
struct TileSearch {
  cta::TilesOp tiles; ///< Of that role; null where there is nothing of the kind.
  /// Numbers that a loop finds in memory, and that are used; numbers that are read there.
  llvm::SmallVector<mlir::Value> found;
  /// Where stores begin along an axis, and how long that is: a tile all of whose stores begin
  /// beyond the end does nothing. Empty where some tile's end cannot be told.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> stores;
  /// The ops of a tile that compute these, in order.
  llvm::SmallVector<mlir::Operation *> ops;
};

TileSearch searchOfTiles(mlir::func::FuncOp kernel);

/// What is found, as tiles of this role find it: as many values, null where they do not.
llvm::SmallVector<mlir::Value> ownFound(cta::TilesOp tiles, const TileSearch &search);

} // namespace tilewright::passes

#endif
