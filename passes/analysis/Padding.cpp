#include "passes/analysis/Padding.h"
#include "passes/analysis/UniformTiles.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tilewright::passes {

Attribute zeroOf(Type element) { return Builder(element.getContext()).getZeroAttr(element); }

std::optional<Attribute> Padding::of(Value tile, int64_t axis) {
  std::optional<Held> held = find(tile, axis);
  return held ? std::optional(held->number) : std::nullopt;
}

std::optional<Padding::Held> Padding::find(Value tile, int64_t axis) {
  if (auto found = known.find({tile, axis}); found != known.end())
    return found->second;
  return known[{tile, axis}] = compute(tile, axis);
}

/// A number in another type, where every type has it: 0, and the infinities of floats.
static std::optional<Attribute> castOf(Attribute number, Type type) {
  if (number == zeroOf(cast<TypedAttr>(number).getType()))
    return zeroOf(type);
  auto from = dyn_cast<FloatAttr>(number);
  auto to = dyn_cast<FloatType>(type);
  if (!from || !from.getValue().isInfinity() || !to)
    return std::nullopt;
  auto infinity = APFloat::getInf(to.getFloatSemantics(), from.getValue().isNegative());
  return infinity.isInfinity() ? std::optional<Attribute>(FloatAttr::get(type, infinity))
                               : std::nullopt;
}

/// Whether an op makes NaN of every NaN.
static bool keepsNan(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, math::FmaOp, math::ExpOp, math::Exp2Op>(op);
}

/// What an elementwise op makes of its operands' padding.
std::optional<Padding::Held> Padding::fold(Operation *op, int64_t axis) {
  // -inf less the row's maximum. If that is -inf too, so is the row, and its differences are NaN.
  if (auto difference = dyn_cast<arith::SubFOp>(op)) {
    auto lhs = dyn_cast_or_null<FloatAttr>(of(difference.getLhs(), axis).value_or(nullptr));
    if (lhs && lhs.getValue().isInfinity() && lhs.getValue().isNegative() &&
        repeatsReduction(difference.getRhs(), tile::ReduceKind::Max, difference.getLhs(), axis))
      return Held{lhs, /*isNanWithRow=*/true};
  }
  // 0 by the sum of the row's powers. If that is 0 too, so are the powers, and quotients are NaN.
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    Value power = quotient.getLhs();
    if (isa_and_nonnull<math::ExpOp, math::Exp2Op>(power.getDefiningOp()) &&
        repeatsReduction(quotient.getRhs(), tile::ReduceKind::Sum, power, axis) &&
        of(power, axis) == zeroOf(getElementTypeOrSelf(power)))
      return Held{zeroOf(getElementTypeOrSelf(power)), /*isNanWithRow=*/true};
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto condition = find(select.getCondition(), axis);
    if (condition && !condition->isNanWithRow)
      return find(cast<BoolAttr>(condition->number).getValue() ? select.getTrueValue()
                                                               : select.getFalseValue(),
                  axis);
    auto held = find(select.getTrueValue(), axis), other = find(select.getFalseValue(), axis);
    if (held && other && held->number == other->number && !held->isNanWithRow &&
        !other->isNanWithRow)
      return held;
  }
  SmallVector<Attribute> operands;
  bool isNanWithRow = false;
  for (Value operand : op->getOperands()) {
    auto held = find(operand, axis);
    if (!held || (held->isNanWithRow && !keepsNan(op)))
      return std::nullopt;
    isNanWithRow |= held->isNanWithRow;
    operands.push_back(held->number);
  }
  // A fold may change the op that it looks at.
  Operation *copy = op->clone();
  auto erase = llvm::make_scope_exit([&] { copy->destroy(); });
  SmallVector<OpFoldResult> results;
  if (failed(copy->fold(operands, results)) || results.size() != 1)
    return std::nullopt;
  if (auto value = dyn_cast<Value>(results.front())) {
    auto held = find(value, axis);
    return held ? std::optional(Held{held->number, isNanWithRow}) : std::nullopt;
  }
  return Held{cast<Attribute>(results.front()), isNanWithRow};
}

std::optional<Padding::Held> Padding::compute(Value tile, int64_t axis) {
  Attribute number;
  Operation *op = tile.getDefiningOp();
  if (!op || !classes.contains(tile))
    return std::nullopt;
  if (matchPattern(tile, m_Constant(&number))) {
    auto splat = dyn_cast<SplatElementsAttr>(number);
    return splat ? std::optional(Held{splat.getSplatValue<Attribute>()}) : std::nullopt;
  }
  if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    if (matchPattern(splat.getValue(), m_Constant(&number)))
      return Held{number};
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (!classes.of(tile, axis).combined)
      return std::nullopt; // may hold anything
    if (!load.getFill())
      return Held{zeroOf(getElementTypeOrSelf(tile))};
    if (matchPattern(load.getFill(), m_Constant(&number)))
      return Held{number};
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    return find(transpose.getSource(), transpose.getPermutation()[axis]);
  } else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    int64_t added = expand.getAxis();
    if (axis != added)
      return find(expand.getSource(), axis < added ? axis : axis - 1);
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    if (classes.contains(broadcast.getSource()) &&
        classes.of(tile, axis).extent == classes.of(broadcast.getSource(), axis).extent)
      return find(broadcast.getSource(), axis);
  } else if (auto cast = dyn_cast<tile::CastOp>(op)) {
    Type type = getElementTypeOrSelf(tile);
    auto held = find(cast.getSource(), axis);
    auto same = held ? castOf(held->number, type) : std::nullopt;
    if (same && (isa<FloatType>(type) || !held->isNanWithRow))
      return Held{*same, held->isNanWithRow};
  } else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1) {
    return fold(op, axis);
  }
  return std::nullopt;
}

} // namespace tilewright::passes
