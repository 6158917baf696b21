// Two bounds of one index are one bound. `(cols < T) & (cols <= rows + c)` compares each element of
// a tile twice; `cols <= min(T - 1, rows + c)` compares once, and the minimum is formed per row. In
// an attention loop that is an instruction and a predicate less per score, which decides whether the
// masked iterations fit into registers.
#include "passes/JoinBounds.h"

#include "passes/UniformTiles.h"

using namespace mlir;

namespace tilewright::passes {

namespace {

/// `index <= limit` (upper) or `index >= limit`.
struct Bound {
  Value index, limit;
  bool upper, strict;
};

/// The same comparison on a tile of a larger shape, of which `mask` repeats the result.
Value liftTo(OpBuilder &builder, Location loc, Value mask, Value operand) {
  Operation *how = mask.getDefiningOp();
  Value source = how->getOperand(0);
  if (source.getDefiningOp() && !isa<arith::CmpIOp>(source.getDefiningOp()))
    operand = liftTo(builder, loc, source, operand);
  Type type = withElement(mask.getType(), getElementTypeOrSelf(operand.getType()));
  return repeat(builder, loc, how, type, operand);
}

/// The comparison that `mask` is, or repeats.
arith::CmpIOp comparisonOf(Value mask) {
  Operation *op = mask.getDefiningOp();
  while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<arith::CmpIOp>(op);
}

std::optional<Bound> boundOf(OpBuilder &builder, Value mask) {
  auto compare = comparisonOf(mask);
  if (!compare || !isa<RankedTensorType>(compare.getType()))
    return std::nullopt;
  Value index = compare.getLhs(), limit = compare.getRhs();
  if (compare != mask.getDefiningOp()) {
    index = liftTo(builder, compare.getLoc(), mask, index);
    limit = liftTo(builder, compare.getLoc(), mask, limit);
  }
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return Bound{index, limit, true, true};
  case arith::CmpIPredicate::sle:
    return Bound{index, limit, true, false};
  case arith::CmpIPredicate::sgt:
    return Bound{index, limit, false, true};
  case arith::CmpIPredicate::sge:
    return Bound{index, limit, false, false};
  default:
    return std::nullopt;
  }
}

/// True for values made in the same way from the same source.
bool same(Value a, Value b) {
  if (a == b)
    return true;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  return opA && opB && a.getType() == b.getType() && opA->getName() == opB->getName() &&
         isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::RangeOp>(opA) &&
         opA->getAttrs() == opB->getAttrs() &&
         opA->getPropertiesAsAttribute() == opB->getPropertiesAsAttribute() &&
         same(opA->getOperand(0), opB->getOperand(0));
}

struct JoinBounds : OpRewritePattern<arith::AndIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AndIOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !type.getElementType().isInteger(1))
      return failure();
    arith::CmpIOp left = comparisonOf(op.getLhs()), right = comparisonOf(op.getRhs());
    if (!left || !right)
      return failure();
    auto upper = [](arith::CmpIOp compare) {
      auto predicate = compare.getPredicate();
      return predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sle;
    };
    if (upper(left) != upper(right) || !sharesSource(left.getLhs(), right.getLhs()))
      return failure();
    auto a = boundOf(rewriter, op.getLhs()), b = boundOf(rewriter, op.getRhs());
    if (!a || !b || !same(a->index, b->index))
      return failure();
    Location loc = op.getLoc();
    Value limitA = inclusive(rewriter, loc, *a), limitB = inclusive(rewriter, loc, *b);
    Value limit = a->upper
                      ? Value(rewriter.create<arith::MinSIOp>(loc, limitA, limitB))
                      : Value(rewriter.create<arith::MaxSIOp>(loc, limitA, limitB));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        op, a->upper ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge, a->index, limit);
    return success();
  }

private:
  /// Cheap to ask, before anything is created: whether both indices repeat one value.
  static bool sharesSource(Value a, Value b) {
    auto root = [](Value value) {
      while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(value.getDefiningOp()))
        value = value.getDefiningOp()->getOperand(0);
      return value;
    };
    return same(root(a), root(b));
  }

  /// x < a is x <= a - 1; sizes and coordinates are far from the ends of i32.
  static Value inclusive(OpBuilder &builder, Location loc, const Bound &bound) {
    if (!bound.strict)
      return bound.limit;
    auto type = cast<RankedTensorType>(bound.limit.getType());
    Value one = builder.create<arith::ConstantOp>(
        loc, SplatElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(),
                                                                 bound.upper ? -1 : 1)));
    return builder.create<arith::AddIOp>(loc, bound.limit, one);
  }
};

} // namespace

void addJoinBounds(RewritePatternSet &patterns) {
  patterns.add<JoinBounds>(patterns.getContext());
}

} // namespace tilewright::passes
