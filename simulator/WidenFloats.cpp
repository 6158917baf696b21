#include "simulator/WidenFloats.h"

#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::simulator {

static Type widened(Type type) {
  Type f64 = Float64Type::get(type.getContext());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(widened(tensor.getElementType()));
  if (auto view = dyn_cast<tile::ViewType>(type); view && isa<FloatType>(view.getElementType()))
    return tile::ViewType::get(type.getContext(), view.getShape(), f64, view.getElementBytes() * 8,
                               view.getStrided(), view.getWide());
  return isa<FloatType>(type) ? f64 : type;
}

static void widenConstant(arith::ConstantOp constant) {
  auto toDouble = [](APFloat value) {
    bool loses;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return value;
  };
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    constant.setValueAttr(FloatAttr::get(widened(number.getType()), toDouble(number.getValue())));
  auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  if (!numbers)
    return;
  Type f64 = Float64Type::get(constant.getContext());
  constant.setValueAttr(numbers.mapValues(
      f64, [&](const APFloat &value) { return toDouble(value).bitcastToAPInt(); }));
}

static void widenOp(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    widenConstant(constant);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    dot.removeTf32Attr();
  for (Value result : op->getResults())
    result.setType(widened(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        argument.setType(widened(argument.getType()));
}

void widenFloats(func::FuncOp kernel) {
  kernel.walk(widenOp);
  SmallVector<Type> types(kernel.getBody().front().getArgumentTypes());
  kernel.setType(FunctionType::get(kernel.getContext(), types, {}));
  kernel.walk([](tile::CastOp cast) {
    if (cast.getSource().getType() != cast.getType())
      return;
    cast.getResult().replaceAllUsesWith(cast.getSource());
    cast.erase();
  });
}

} // namespace tilewright::simulator
