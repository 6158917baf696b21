// Two bounds of one index are one bound. `(cols < T) & (cols <= rows + c)` compares each element of
// a tile twice; `cols <= min(T - 1, rows + c)` compares once, and the minimum is formed per row. In
// an attention loop that is an instruction and a predicate less per score, which decides whether
// the masked iterations fit into registers.
#include "passes/analysis/JoinBounds.h"

#include "passes/analysis/UniformTiles.h"

using namespace mlir;

namespace tilewright::passes {

namespace {

/// `index <= limit` (upper) or `index >= limit`.
struct Bound {
  Value index, limit;
  bool upper, strict;
};

/// The same comparison on tiles of a larger shape, whose result `mask` repeats.
Value liftTo(OpBuilder &builder, Location loc, Value mask, Value operand) {
  Operation *how = mask.getDefiningOp();
  Value source = how->getOperand(0);
  if (source.getDefiningOp() && !isa<arith::CmpIOp>(source.getDefiningOp()))
    operand = liftTo(builder, loc, source, operand);
  Type type = withElement(mask.getType(), getElementTypeOrSelf(operand.getType()));
  return repeat(builder, loc, how, type, operand);
}

/// The value that `tile` repeats, and the ops that repeat it, outermost first.
Value peel(Value tile, SmallVectorImpl<Operation *> &how) {
  while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(tile.getDefiningOp())) {
    how.push_back(tile.getDefiningOp());
    tile = how.back()->getOperand(0);
  }
  return tile;
}

bool isUpper(arith::CmpIOp compare) {
  auto predicate = compare.getPredicate();
  return predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sle;
}

bool isStrict(arith::CmpIOp compare) {
  auto predicate = compare.getPredicate();
  return predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sgt;
}

/// The order comparison that `mask` is or repeats.
arith::CmpIOp comparisonOf(Value mask) {
  SmallVector<Operation *> how;
  auto compare = peel(mask, how).getDefiningOp<arith::CmpIOp>();
  if (!compare || !isa<RankedTensorType>(compare.getType()))
    return nullptr;
  auto predicate = compare.getPredicate();
  bool lower = predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::sge;
  return isUpper(compare) || lower ? compare : nullptr;
}

Bound boundOf(OpBuilder &builder, Value mask) {
  arith::CmpIOp compare = comparisonOf(mask);
  Value index = compare.getLhs(), limit = compare.getRhs();
  if (compare != mask.getDefiningOp()) {
    index = liftTo(builder, compare.getLoc(), mask, index);
    limit = liftTo(builder, compare.getLoc(), mask, limit);
  }
  return {index, limit, isUpper(compare), isStrict(compare)};
}

/// True if two values are computed alike from the same source.
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
    // Creates nothing before it is certain that the bounds can be joined: a rewrite that fails must
    // leave the function unchanged.
    arith::CmpIOp left = comparisonOf(op.getLhs()), right = comparisonOf(op.getRhs());
    if (!left || !right || isUpper(left) != isUpper(right) ||
        !sharesIndex(op.getLhs(), op.getRhs()))
      return failure();
    Bound a = boundOf(rewriter, op.getLhs()), b = boundOf(rewriter, op.getRhs());
    Location loc = op.getLoc();
    Value limitA = inclusive(rewriter, loc, a), limitB = inclusive(rewriter, loc, b);
    Value limit = a.upper ? Value(rewriter.create<arith::MinSIOp>(loc, limitA, limitB))
                          : Value(rewriter.create<arith::MaxSIOp>(loc, limitA, limitB));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        op, a.upper ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge, a.index, limit);
    return success();
  }

private:
  /// Whether two comparisons have the same index along the same axes.
  static bool sharesIndex(Value a, Value b) {
    SmallVector<Operation *> howA, howB;
    peel(a, howA);
    peel(b, howB);
    Value rootA = peel(comparisonOf(a).getLhs(), howA);
    Value rootB = peel(comparisonOf(b).getLhs(), howB);
    auto alike = [](Operation *opA, Operation *opB) {
      return opA->getName() == opB->getName() && opA->getAttrs() == opB->getAttrs() &&
             opA->getPropertiesAsAttribute() == opB->getPropertiesAsAttribute() &&
             cast<ShapedType>(opA->getResult(0).getType()).getShape() ==
                 cast<ShapedType>(opB->getResult(0).getType()).getShape();
    };
    return same(rootA, rootB) && howA.size() == howB.size() &&
           llvm::all_of(llvm::zip(howA, howB),
                        [&](auto pair) { return alike(std::get<0>(pair), std::get<1>(pair)); });
  }

  /// x < a is x <= a - 1; sizes and coordinates are far from the ends of i32.
  static Value inclusive(OpBuilder &builder, Location loc, const Bound &bound) {
    if (!bound.strict)
      return bound.limit;
    auto type = cast<RankedTensorType>(bound.limit.getType());
    Value one = builder.create<arith::ConstantOp>(
        loc, SplatElementsAttr::get(
                 type, builder.getIntegerAttr(type.getElementType(), bound.upper ? -1 : 1)));
    return builder.create<arith::AddIOp>(loc, bound.limit, one);
  }
};

} // namespace

void addJoinBounds(RewritePatternSet &patterns) { patterns.add<JoinBounds>(patterns.getContext()); }

} // namespace tilewright::passes
