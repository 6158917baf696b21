//===- LayoutInterface.h - how layouts propagate through an op --------------------------------===//
//
// `assign-layouts` gives every tile a layout, and knows no op by name. An op states in `passLayout`
// how the layouts of its operands and results are related. Its verifier checks the same rules.
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

/// The layout of a tile, computed or pending. None for other types, and before layouts are
/// assigned.
std::optional<Layout> layoutIn(mlir::Type type);

/// Whether an op is elementwise.
bool isElementwise(mlir::Operation *op);

/// Checks that the layouts of an op's operands and results are related as it states.
mlir::LogicalResult verifyLayouts(mlir::Operation *op);

} // namespace tilewright

#include "ir/LayoutInterface.h.inc"

namespace tilewright {

/// The answer of the interface, for any op.
std::optional<Layout> passLayout(mlir::Operation *op, TilePlace from, const Layout &layout,
                                 TilePlace to);
std::optional<Layout> preferredLayout(mlir::Operation *op, TilePlace place, int64_t warps);
bool takesLayout(mlir::Operation *op, TilePlace place, const Layout &layout, int64_t warps);

} // namespace tilewright

#endif
