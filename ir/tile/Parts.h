//===- Parts.h - the axes along which a view is a part of its tensor --------------------------===//
#ifndef TILEWRIGHT_IR_TILE_PARTS_H
#define TILEWRIGHT_IR_TILE_PARTS_H

#include "ir/tile/Tile.h"

namespace tilewright::tile {

/// The axes along which a view is a part of its tensor, in order.
llvm::SmallVector<int64_t> cutAxes(mlir::Value view);

/// The values that determine where a part lies: starts and sizes.
llvm::SmallVector<mlir::Value> boundsOfPart(mlir::Value view);

/// The starts of a part along an axis, one for each part around it; their sum is its start in the
/// tensor.
llvm::SmallVector<mlir::Value> startsOfPart(mlir::Value view, int64_t axis);

} // namespace tilewright::tile

#endif
