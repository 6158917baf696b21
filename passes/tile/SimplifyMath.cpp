// A tile that repeats a smaller one (a splat, a broadcast, an inserted axis) is called uniform
// here, and the smaller tile or scalar its source. Everything in this pass moves work from tiles to
// sources, where it is done once per row or once per program:
//
//   f(uniform, uniform)            becomes  uniform(f(source, source))
//   (x · uniform) · uniform        becomes  x · uniform(source · source)
//   x / uniform                    becomes  x · uniform(1 / source)
//   exp x, log x                   become   exp2 (x · log2 e), log2 x · ln 2
//   exp2 ((x - uniform) · c)       becomes  exp2 (x · c - uniform(source · c))
//   x · c - y                      becomes  fma(x, c, -y), whose x may have a factor too
//   1 + tanh x                     becomes  2 / (1 + exp (-2 · x)), which does not cancel
//   1 - tanh x · tanh x            becomes  l · (2 - l) with l = 1 + tanh x, beside that
//   x · (c / y)                    becomes  (x · c) / y, if c is a number other than 1
//   max (x · c)                    becomes  max x · c,  if c is known to be positive
//   x · c - y · d                  becomes  (x - y · (d / c)) · c, if c is
//   (x <= a) & (x <= b)            becomes  x <= min(a, b)
//
// and a sum with a product becomes the product's accumulator. Rounding may change in the last bits;
// -inf stays -inf and NaN stays NaN, except that a factor or reciprocal may overflow on its own.
#include "passes/analysis/JoinBounds.h"
#include "passes/analysis/PositiveScalars.h"
#include "passes/analysis/UniformTiles.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilewright::passes {
#define GEN_PASS_DEF_SIMPLIFYMATH
#include "passes/Passes.h.inc"

namespace {

constexpr StringLiteral kFlag = "simplify-math";

} // namespace

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

static bool isWideFloat(Value value) {
  Type element = getElementTypeOrSelf(value);
  return element.isF32() || element.isF64();
}

static Value product(OpBuilder &builder, Location loc, Value a, Value b) {
  return builder.create<arith::MulFOp>(loc, a, b);
}

static Value constantLike(OpBuilder &builder, Location loc, Type type, double value) {
  Attribute number = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    number = SplatElementsAttr::get(tensor, number);
  return builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(number));
}

/// The factors of `x · repeated`, in this order.
static std::optional<std::pair<Value, Value>> scaled(Value value) {
  auto multiply = value.getDefiningOp<arith::MulFOp>();
  if (!multiply || !isTile(value))
    return std::nullopt;
  Value x = multiply.getLhs(), scale = multiply.getRhs();
  if (!isRepeated(scale))
    std::swap(x, scale);
  if (!isRepeated(scale))
    return std::nullopt;
  return std::pair(x, scale);
}

//===- Rewrites ------------------------------------------------------------------------------===//

/// Computes elementwise ops of uniform tiles on their sources.
struct ComputeOnSources : RewritePattern {
  explicit ComputeOnSources(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    StringRef dialect = op->getDialect() ? op->getDialect()->getNamespace() : "";
    if ((dialect != "arith" && dialect != "math" && !isa<tile::CastOp>(op)) ||
        op->getNumResults() != 1 || op->getNumOperands() == 0 || !isTile(op->getResult(0)) ||
        !llvm::all_of(op->getOperands(), isTile))
      return failure();
    auto sources = commonSources(rewriter, op->getLoc(), op->getOperands());
    if (!sources)
      return failure();
    auto [how, operands] = *sources;
    Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
    Type small = how ? withElement(how->getOperand(0).getType(), element) : element;
    OperationState state(op->getLoc(), op->getName(), operands, small, op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOp(op, repeat(rewriter, op->getLoc(), how, type, result));
    return success();
  }
};

/// `(x · a) · b` with uniform a and b.
struct JoinScales : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    auto outer = scaled(op);
    auto inner = outer ? scaled(outer->first) : std::nullopt;
    if (!inner || !outer->first.hasOneUse() || !haveCommonSources(inner->second, outer->second))
      return failure();
    Value scale = uniformProduct(rewriter, op.getLoc(), inner->second, outer->second);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, inner->first, scale);
    return success();
  }
};

struct MultiplyByReciprocal : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!isTile(op) || !isWideFloat(op) || !isRepeated(op.getRhs()) || uniformOf(op.getLhs()))
      return failure();
    Value one = constantLike(rewriter, op.getLoc(), op.getType(), 1.0);
    Value reciprocal = rewriter.create<arith::DivFOp>(op.getLoc(), one, op.getRhs());
    explain(op, kFlag).with("rewrite", "reciprocal")
        << "division by a repeated value multiplies by its reciprocal";
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), reciprocal);
    return success();
  }
};

struct ExpToExp2 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!isWideFloat(op))
      return failure();
    Value log2e = constantLike(rewriter, op.getLoc(), op.getType(), 1.4426950408889634);
    Value exponent = product(rewriter, op.getLoc(), op.getOperand(), log2e);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
    return success();
  }
};

struct LogToLog2 : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    if (!isWideFloat(op))
      return failure();
    Value log = rewriter.create<math::Log2Op>(op.getLoc(), op.getOperand());
    Value ln2 = constantLike(rewriter, op.getLoc(), op.getType(), 0.6931471805599453);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, log, ln2);
    return success();
  }
};

/// `exp2 ((x - y) · c)` with uniform y and c: multiplies the terms by the scale. For y this happens
/// once per source, and the rest becomes an fma.
struct ScaleExponentTerms : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    auto exponent = scaled(op.getOperand());
    auto difference = exponent ? exponent->first.getDefiningOp<arith::SubFOp>() : nullptr;
    if (!difference || !difference->hasOneUse() || !op.getOperand().hasOneUse() ||
        !isRepeated(difference.getRhs()) ||
        !haveCommonSources(difference.getRhs(), exponent->second))
      return failure();
    Location loc = op.getLoc();
    Value x = product(rewriter, loc, difference.getLhs(), exponent->second);
    Value y = uniformProduct(rewriter, loc, difference.getRhs(), exponent->second);
    Value terms = rewriter.create<arith::SubFOp>(loc, x, y);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, terms);
    return success();
  }
};

/// `x · c - y`, if nothing else uses the product.
struct FormFma : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op, PatternRewriter &rewriter) const override {
    auto multiply = scaled(op.getLhs());
    if (!multiply || !op.getLhs().hasOneUse() || !isRepeated(op.getRhs()) || !isWideFloat(op))
      return failure();
    Value negated = rewriter.create<arith::NegFOp>(op.getLoc(), op.getRhs());
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, multiply->first, multiply->second, negated);
    return success();
  }
};

/// `fma(x · a, b, y)` with uniform a and b.
struct JoinScaleOfFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    auto inner = scaled(op.getA());
    if (!inner || !op.getA().hasOneUse() || !haveCommonSources(inner->second, op.getB()))
      return failure();
    Value scale = uniformProduct(rewriter, op.getLoc(), inner->second, op.getB());
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, inner->first, scale, op.getC());
    return success();
  }
};

/// Whether a value, or all of a tile, is this number.
static bool isNumber(Value value, double number) { return numberOf(value) == number; }

/// `1 + tanh x`, and `1 - tanh x · tanh x` beside it, if nothing else uses the tangent: twice the
/// logistic function l, and l · (2 - l), without a case for small x.
struct LogisticOfTanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    if (op.getFastmath() != arith::FastMathFlags::none || !isWideFloat(op))
      return failure();
    SmallVector<Operation *> sums, slopes;
    for (Operation *user : op->getUsers()) {
      auto square = dyn_cast<arith::MulFOp>(user);
      if (isa<arith::AddFOp>(user) &&
          (isNumber(user->getOperand(0), 1) || isNumber(user->getOperand(1), 1)))
        sums.push_back(user);
      else if (square && square.getLhs() == square.getRhs() && takesFromOne(square))
        llvm::append_range(slopes, square->getUsers());
      else
        return failure();
    }
    if (sums.empty())
      return failure();
    Location loc = op.getLoc();
    Type type = op.getType();
    Value one = constantLike(rewriter, loc, type, 1), two = constantLike(rewriter, loc, type, 2);
    Value exponent = product(rewriter, loc, op.getOperand(), constantLike(rewriter, loc, type, -2));
    Value power = rewriter.create<math::ExpOp>(loc, exponent);
    Value sum = rewriter.create<arith::AddFOp>(loc, power, one);
    Value logistic = rewriter.create<arith::DivFOp>(loc, two, sum);
    for (Operation *whole : sums)
      rewriter.replaceOp(whole, logistic);
    for (Operation *slope : slopes) {
      Value rest = rewriter.create<arith::SubFOp>(loc, two, logistic);
      rewriter.replaceOp(slope, product(rewriter, loc, logistic, rest));
    }
    return success();
  }

private:
  /// Whether all uses are `1 - value`.
  static bool takesFromOne(Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      auto difference = dyn_cast<arith::SubFOp>(user);
      return difference && difference.getRhs() == value && isNumber(difference.getLhs(), 1);
    });
  }
};

/// `x · (c / y)` with a number c other than 1 and no repeated y, if nothing else uses the quotient.
struct DivideProduct : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    for (auto [x, value] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
      auto quotient = value.getDefiningOp<arith::DivFOp>();
      if (!quotient || !quotient->hasOneUse() || !matchPattern(quotient.getLhs(), m_Constant()) ||
          isNumber(quotient.getLhs(), 1) || isRepeated(quotient.getRhs()) || !isWideFloat(op))
        continue;
      Value dividend = product(rewriter, op.getLoc(), x, quotient.getLhs());
      rewriter.replaceOpWithNewOp<arith::DivFOp>(op, dividend, quotient.getRhs());
      return success();
    }
    return failure();
  }
};

/// `x + dot(a, b, 0)`: the sum is the product's accumulator.
template <typename AddOp> struct AccumulateInDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [sum, value] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
      auto dot = value.template getDefiningOp<tile::DotOp>();
      if (!dot || !dot->hasOneUse() || dot->getBlock() != op->getBlock() ||
          !(matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero())))
        continue;
      rewriter.replaceOpWithNewOp<tile::DotOp>(op, op.getType(), dot.getA(), dot.getB(), sum,
                                               dot.getTf32());
      return success();
    }
    return failure();
  }
};

//===- Scales that are known to be positive --------------------------------------------------===//

/// The factors of `x · c` with a positive scalar c.
static std::optional<std::pair<Value, Value>> scaledByPositive(Value value) {
  auto factors = scaled(value);
  auto scale = factors ? uniformOf(factors->second) : std::nullopt;
  return scale && !scale->how && isPositive(*scale) ? factors : std::nullopt;
}

/// `where(mask, x · c, -inf)`: the infinity may be scaled too.
struct ScaleAfterSelect : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto factors = scaledByPositive(op.getTrueValue());
    auto other = uniformOf(op.getFalseValue());
    auto number = other ? dyn_cast_or_null<FloatAttr>(other->number) : nullptr;
    if (!factors || !number || !number.getValue().isInfinity())
      return failure();
    Value chosen = rewriter.create<arith::SelectOp>(op.getLoc(), op.getCondition(), factors->first,
                                                    op.getFalseValue());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, chosen, factors->second);
    return success();
  }
};

/// `x · c - y · d` or `x · c + y · d`, as attention's scores with slopes are, where the next
/// rewrites can join c with other factors.
template <typename SumOp> struct ScaleAfterSum : OpRewritePattern<SumOp> {
  using OpRewritePattern<SumOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(SumOp op, PatternRewriter &rewriter) const override {
    auto x = scaledByPositive(op.getLhs()), y = scaled(op.getRhs());
    if (!x || !y || !isWideFloat(op) || !op.getLhs().hasOneUse() || !op.getRhs().hasOneUse() ||
        !haveCommonSources(x->second, y->second) || !llvm::all_of(op->getUsers(), takesFactor))
      return failure();
    Location loc = op.getLoc();
    Value ratio = rewriter.create<arith::DivFOp>(loc, y->second, x->second);
    Value sum = rewriter.create<SumOp>(loc, x->first, product(rewriter, loc, y->first, ratio));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, sum, x->second);
    return success();
  }

private:
  /// For what moves behind a factor, or has one itself.
  static bool takesFactor(Operation *user) {
    return isa<arith::SelectOp, scf::YieldOp>(user) ||
           (isa<arith::MulFOp>(user) && scaledByPositive(user->getResult(0)));
  }
};

/// A branch whose regions all yield some x · c: it may yield x.
struct ScaleAfterBranch : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IfOp op, PatternRewriter &rewriter) const override {
    for (OpResult result : op.getResults()) {
      OpOperand &taken = op.thenYield()->getOpOperand(result.getResultNumber());
      OpOperand &other = op.elseYield()->getOpOperand(result.getResultNumber());
      auto a = scaledByPositive(taken.get()), b = scaledByPositive(other.get());
      if (!a || !b || a->second != b->second ||
          !a->second.getParentRegion()->isAncestor(op->getParentRegion()))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        taken.set(a->first);
        other.set(b->first);
      });
      rewriter.setInsertionPointAfter(op);
      auto scaled = rewriter.create<arith::MulFOp>(op.getLoc(), result, a->second);
      rewriter.replaceAllUsesExcept(result, scaled, scaled);
      return success();
    }
    return failure();
  }
};

/// `max (x · c)` over an axis. Rounding is monotonic, so the result is the same to the bit.
struct ScaleAfterMax : OpRewritePattern<tile::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::ReduceOp op, PatternRewriter &rewriter) const override {
    auto factors = scaledByPositive(op.getSource());
    if (!factors ||
        (op.getKind() != tile::ReduceKind::Max && op.getKind() != tile::ReduceKind::Min))
      return failure();
    Location loc = op.getLoc();
    Type type = op.getResult().getType();
    Uniform scale = *uniformOf(factors->second);
    Value extreme =
        rewriter.create<tile::ReduceOp>(loc, type, op.getKind(), factors->first, op.getAxis());
    Value factor = scale.source;
    if (!factor)
      factor = rewriter.create<arith::ConstantOp>(loc, scale.number);
    if (isa<RankedTensorType>(type))
      factor = rewriter.create<tile::SplatOp>(loc, type, factor);
    explain(op, kFlag).with("rewrite", "scale_after_reduction")
        << "the scale is positive, so it is applied after the reduction";
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, extreme, factor);
    return success();
  }
};

//===- The pass
//-----------------------------------------------------------------------------------===//

namespace {
struct SimplifyMath : impl::SimplifyMathBase<SimplifyMath> {
  using SimplifyMathBase::SimplifyMathBase;

  void runOnOperation() override {
    if (!getOperation()->hasAttr(tile::kKernelAttr))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<ComputeOnSources, JoinScales, MultiplyByReciprocal, ExpToExp2, LogToLog2,
                 ScaleExponentTerms, FormFma, JoinScaleOfFma, LogisticOfTanh, DivideProduct,
                 AccumulateInDot<arith::AddFOp>, AccumulateInDot<arith::AddIOp>, ScaleAfterSelect,
                 ScaleAfterBranch, ScaleAfterMax, ScaleAfterSum<arith::AddFOp>,
                 ScaleAfterSum<arith::SubFOp>>(&getContext());
    addJoinBounds(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::passes
