// Index tiles: ranges, what repeats them, and comparisons with them. What all registers of a thread
// have in common is computed once, and what differs between them is a constant once the loop over
// registers is unrolled.
#include "passes/analysis/Divisibility.h"
#include "passes/analysis/RegisterTiles.h"
#include "passes/lower/Expander.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

std::optional<std::pair<Value, Value>> Expander::rangeParts(Value tile, Value index) {
  Operation *op = tile.getDefiningOp();
  if (!op || tiles.contains(tile))
    return std::nullopt;
  const Layout &layout = cta::layoutOf(tile.getType());
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    Value step = registerCoordinate(layout, 0, index);
    return std::pair(add(scalar(range.getStart()), threadCoordinate(layout, 0)),
                     step ? step : constant(0));
  }
  if (isIndexAsFloat(op))
    return rangeParts(op->getOperand(0), index);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return rangeParts(expand.getSource(), index);
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    auto from = broadcast.getSource().getType().getShape(), to = broadcast.getType().getShape();
    return rangeParts(broadcast.getSource(),
                      keepDigits(layout, index, [&](int64_t dim) { return from[dim] == to[dim]; }));
  }
  return std::nullopt;
}

/// Whether a tile of floats repeats the numbers of an index tile.
static bool repeatsIndex(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && isa<tile::ExpandDimsOp, tile::BroadcastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto cast = dyn_cast_or_null<tile::CastOp>(op);
  return cast && cast.getSource().getDefiningOp<tile::RangeOp>() &&
         getElementTypeOrSelf(cast.getType()).isF32();
}

Value Expander::asFloat(Value number) {
  return convert(loc, number, builder.getI32Type(), builder.getF32Type(), /*rounded=*/false);
}

Value Expander::difference(arith::SubFOp op, Value index) {
  // row - (origin + step) becomes (row - origin) - step: one difference per row, and the steps are
  // constants once the loop is unrolled. All are whole numbers, so nothing is rounded otherwise.
  if (!repeatsIndex(op.getLhs()) || !repeatsIndex(op.getRhs()))
    return Value();
  auto parts = rangeParts(op.getRhs(), index);
  if (!parts)
    return Value();
  Value row = element(op.getLhs(), index);
  Value rest = builder.create<arith::SubFOp>(loc, row, asFloat(parts->first));
  return builder.create<arith::SubFOp>(loc, rest, asFloat(parts->second));
}

/// What stands for a step in `step < limit` or its opposite: the first of the thread's neighbours
/// that are on one side, because the limit is a multiple of their number. They then share a
/// comparison.
static Value stepToCompare(OpBuilder &builder, arith::CmpIOp compare, Value step, Value limit) {
  auto predicate = compare.getPredicate();
  auto range = compare.getLhs().getDefiningOp<tile::RangeOp>();
  if (!range || (predicate != arith::CmpIPredicate::slt && predicate != arith::CmpIPredicate::sge))
    return step;
  int64_t neighbours = std::gcd(knownDivisor(limit), cta::layoutOf(range.getType()).vector(0));
  neighbours &= -neighbours;
  if (neighbours == 1)
    return step;
  Value mask = builder.create<arith::ConstantIntOp>(compare.getLoc(), -neighbours, 32);
  return builder.createOrFold<arith::AndIOp>(compare.getLoc(), step, mask);
}

Value Expander::surelyBefore(const Layout &layout, int64_t dim, Value step, int64_t end) {
  int64_t farthest = 0, last = 0; // what threads add, and what registers do
  for (Level level : {Level::Lane, Level::Warp, Level::Register})
    for (const Digit &digit : layout.digits(level))
      if (digit.dim == dim)
        (level == Level::Register ? last : farthest) += (digit.size - 1) * digit.stride;
  int64_t known = end - farthest;
  if (known <= 0)
    return Value();
  if (last < known)
    return builder.create<arith::ConstantIntOp>(loc, 1, 1);
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, step, constant(known));
}

/// `origin + step <= y` as `step <= y - origin`: one difference per row, and the steps are
/// constants once the loop is unrolled. So is the answer where it is the same for all threads.
Value Expander::comparison(arith::CmpIOp op, Value index) {
  auto parts = rangeParts(op.getLhs(), index);
  if (!parts)
    return Value();
  auto [origin, step] = *parts;
  Value limit = builder.createOrFold<arith::SubIOp>(loc, element(op.getRhs(), index), origin);
  Value compared = stepToCompare(builder, op, step, limit);
  Value result = builder.create<arith::CmpIOp>(loc, op.getPredicate(), compared, limit);
  APInt end;
  auto range = op.getLhs().getDefiningOp<tile::RangeOp>();
  auto lastStart = range ? knownMost(range.getStart()) : std::nullopt;
  if (lastStart && op.getPredicate() == arith::CmpIPredicate::slt &&
      matchPattern(op.getRhs(), m_ConstantInt(&end)))
    return either(
        surelyBefore(cta::layoutOf(range.getType()), 0, step, end.getSExtValue() - *lastStart),
        result);
  return result;
}

} // namespace tilewright::passes
