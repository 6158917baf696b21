//===- Parts.h - along which axes a view is a part of its tensor ------------------------------===//
#ifndef TILEWRIGHT_IR_TILE_PARTS_H
#define TILEWRIGHT_IR_TILE_PARTS_H

#include "ir/tile/Tile.h"

namespace tilewright::tile {

/// The axes along which a view is a part of its tensor, in order.
llvm::SmallVector<int64_t> cutAxes(mlir::Value view);

/// What says where the part lies that a view is: starts and sizes.
llvm::SmallVector<mlir::Value> boundsOfPart(mlir::Value view);

/// Where a part starts along an axis: what its starts in the parts around it add up to.
llvm::SmallVector<mlir::Value> startsOfPart(mlir::Value view, int64_t axis);

} // namespace tilewright::tile

#endif
