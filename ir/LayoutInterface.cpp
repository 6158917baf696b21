#include "ir/LayoutInterface.h"

#include "ir/cta/Cta.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "ir/LayoutInterface.cpp.inc"

using namespace mlir;
using namespace tilewright;

std::optional<Layout> tilewright::layoutIn(Type type) {
  if (auto pending = dyn_cast<cta::PendingType>(type))
    type = pending.getTile();
  auto tile = dyn_cast<RankedTensorType>(type);
  auto layout = tile ? dyn_cast_or_null<cta::LayoutAttr>(tile.getEncoding()) : cta::LayoutAttr();
  return layout ? std::optional(layout.getLayout()) : std::nullopt;
}

bool tilewright::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<tile::CastOp, arith::SelectOp>(op);
}

std::optional<Layout> tilewright::passLayout(Operation *op, TilePlace from, const Layout &layout,
                                             TilePlace to) {
  if (auto passing = dyn_cast<LayoutOpInterface>(op))
    return passing.passLayout(from, layout, to);
  return isElementwise(op) ? std::optional(layout) : std::nullopt;
}

std::optional<Layout> tilewright::preferredLayout(Operation *op, TilePlace place, int64_t warps) {
  auto passing = dyn_cast<LayoutOpInterface>(op);
  return passing ? passing.preferredLayout(place, warps) : std::nullopt;
}

bool tilewright::takesLayout(Operation *op, TilePlace place, const Layout &layout, int64_t warps) {
  auto passing = dyn_cast<LayoutOpInterface>(op);
  return !passing || passing.takesLayout(place, layout, warps);
}

//===- What is checked ------------------------------------------------------------------------===//

static std::string str(TilePlace place) {
  return (place.isResult ? "result " : "operand ") + std::to_string(place.number);
}

LogicalResult tilewright::verifyLayouts(Operation *op) {
  SmallVector<std::pair<TilePlace, Layout>, 0> places;
  for (auto [number, type] : llvm::enumerate(op->getOperandTypes()))
    if (auto layout = layoutIn(type))
      places.push_back({TilePlace::operand(number), *layout});
  for (auto [number, type] : llvm::enumerate(op->getResultTypes()))
    if (auto layout = layoutIn(type))
      places.push_back({TilePlace::result(number), *layout});
  if (places.empty())
    return success();
  auto shown = [&](const Layout &layout) { return cta::LayoutAttr::get(op->getContext(), layout); };
  auto kernel = op->getParentOfType<func::FuncOp>();
  int64_t warps = kernel ? cta::warpsAt(op) : 0;
  for (auto &[from, layout] : places) {
    if (warps && !takesLayout(op, from, layout, warps))
      return op->emitOpError() << "cannot have " << shown(layout) << " as the layout of "
                               << str(from);
    for (auto &[to, other] : places)
      if (auto passed = passLayout(op, from, layout, to); passed && from != to && *passed != other)
        return op->emitOpError() << "has " << shown(other) << " as the layout of " << str(to)
                                 << "; from that of " << str(from) << " follows " << shown(*passed);
  }
  return success();
}
