//===- Tile.h - the tile dialect --------------------------------------------------------------===//
//
// The meaning of a kernel: loads, products, reductions and stores of whole tiles. See docs/ir.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_TILE_TILE_H
#define TILEWRIGHT_IR_TILE_TILE_H

#include "ir/LayoutInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/tile/TileDialect.h.inc"
#include "ir/tile/TileEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/tile/TileOps.h.inc"

namespace tilewright::tile {

/// Names of the attributes that a kernel function and its arguments carry.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel"; // unit, on the function
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";     // string, on each argument
inline constexpr llvm::StringLiteral kDimsAttr = "tile.dims";     // array of strings, on views
/// On views: before the first program runs, all elements are 0.
inline constexpr llvm::StringLiteral kStartsAtZeroAttr = "tile.starts_at_zero"; // unit
/// On views that start at zero: the programs store all elements, each once, when they are added up.
/// So only a launch without programs sets them to 0.
inline constexpr llvm::StringLiteral kStoredWholeAttr = "tile.stored_whole"; // unit

/// On the `scf.for` ops that together run one iteration space: the number of the part, and whether
/// masks and bounds were dropped from it.
inline constexpr llvm::StringLiteral kSegmentAttr = "tile.segment"; // i32, from 0

/// The kernel's argument that a view is or is a part of.
mlir::Value tensorOf(mlir::Value view);
/// The size of a part along an axis; null if it is the tensor's size.
mlir::Value sizeOfPart(mlir::Value view, int64_t axis);
/// Whether sizes show that what a load or a copy has of a row, with its `valid` and `in_bounds`,
/// ends with a vector of so many elements.
bool rowsEndWithVectors(ViewType view, std::optional<llvm::ArrayRef<int64_t>> valid,
                        std::optional<llvm::ArrayRef<bool>> inBounds, int64_t vector);

/// The extent that marks an index tile in load, store and atomic.
inline constexpr int64_t kGather = -1;

} // namespace tilewright::tile

#endif
