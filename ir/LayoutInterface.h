//===- LayoutInterface.h - how layouts pass through an op -------------------------------------===//
//
// `assign-layouts` gives every tile a layout, and knows no op by name: an op says in `passLayout`
// how the layouts of the tiles that it takes and gives follow from each other. The same rules are
// then what its verifier checks.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_LAYOUTINTERFACE_H
#define TILEWRIGHT_IR_LAYOUTINTERFACE_H

#include "ir/Layout.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace tilewright {

/// An operand or a result of an op.
struct TilePlace {
  bool isResult;
  unsigned number;

  static TilePlace operand(unsigned number) { return {false, number}; }
  static TilePlace result(unsigned number) { return {true, number}; }
  bool operator==(const TilePlace &) const = default;
};

/// The layout of a tile, there or pending; none of other types, and before layouts are assigned.
std::optional<Layout> layoutIn(mlir::Type type);

/// Whether an op works element by element.
bool isElementwise(mlir::Operation *op);

/// Checks that an op's layouts follow from each other as it says.
mlir::LogicalResult verifyLayouts(mlir::Operation *op);

} // namespace tilewright

#include "ir/LayoutInterface.h.inc"

namespace tilewright {

/// What the interface says, for any op.
std::optional<Layout> passLayout(mlir::Operation *op, TilePlace from, const Layout &layout,
                                 TilePlace to);
std::optional<Layout> preferredLayout(mlir::Operation *op, TilePlace place, int64_t warps);
bool takesLayout(mlir::Operation *op, TilePlace place, const Layout &layout, int64_t warps);

} // namespace tilewright

#endif
