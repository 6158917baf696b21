// Deviations from a mean sum to 0, so
//
//   sum (x · r + (v - mean v) · s)   becomes   sum x · r,
//
// where r and s are numbers of a row. In the gradient of a norm that sum then needs neither the
// mean nor the other sums of the row, and threads meet once for several (join-reductions). What
// rounding leaves of the deviations' sum is left out. A sum of deviations alone stays: who writes
// it wants just that, to correct a mean or a variance.
#include "passes/analysis/UniformTiles.h"
#include "passes/say/Explain.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_DROPDEVIATIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "drop-deviations";

/// A term of a sum: a tile times numbers of a row, perhaps negated.
struct Term {
  Value tile;
  SmallVector<Value> factors; ///< Tiles that repeat the numbers.
  bool isNegative;
};

} // namespace

/// Whether it is the same number all along the axis.
static bool isFactor(Value tile, int64_t axis) {
  auto uniform = uniformOf(tile);
  return uniform && (!uniform->how || repeatedAlong(tile, axis));
}

static void collectTerms(Value value, int64_t axis, SmallVector<Value> factors, bool isNegative,
                         SmallVectorImpl<Term> &terms) {
  Operation *op = value.getDefiningOp();
  if (auto add = dyn_cast_or_null<arith::AddFOp>(op)) {
    collectTerms(add.getLhs(), axis, factors, isNegative, terms);
    return collectTerms(add.getRhs(), axis, factors, isNegative, terms);
  }
  if (auto negate = dyn_cast_or_null<arith::NegFOp>(op))
    return collectTerms(negate.getOperand(), axis, factors, !isNegative, terms);
  if (auto multiply = dyn_cast_or_null<arith::MulFOp>(op))
    for (auto [x, factor] :
         {std::pair(multiply.getLhs(), multiply.getRhs()), {multiply.getRhs(), multiply.getLhs()}})
      if (isFactor(factor, axis)) {
        factors.push_back(factor);
        return collectTerms(x, axis, std::move(factors), isNegative, terms);
      }
  terms.push_back({value, std::move(factors), isNegative});
}

/// `sum v / n` along an axis of n elements.
static bool isMean(Value mean, Value tile, int64_t axis) {
  Value whole = dividedBy(mean, double(cast<RankedTensorType>(tile.getType()).getDimSize(axis)));
  auto sum = whole ? whole.getDefiningOp<tile::ReduceOp>() : nullptr;
  return sum && sum.getKind() == tile::ReduceKind::Sum && sum.getSource() == tile &&
         int64_t(sum.getAxis()) == axis;
}

/// `v - mean v`.
static bool isDeviation(Value tile, int64_t axis) {
  auto difference = tile.getDefiningOp<arith::SubFOp>();
  Value mean = difference ? repeatedAlong(difference.getRhs(), axis) : Value();
  return mean && isMean(mean, difference.getLhs(), axis);
}

namespace {

struct DropTerms : OpRewritePattern<tile::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::ReduceOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getSource().getType());
    auto axis = int64_t(op.getAxis());
    if (op.getKind() != tile::ReduceKind::Sum || !isa<FloatType>(type.getElementType()))
      return failure();
    SmallVector<Term> terms;
    collectTerms(op.getSource(), axis, {}, false, terms);
    size_t before = terms.size();
    llvm::erase_if(terms, [&](const Term &term) { return isDeviation(term.tile, axis); });
    if (terms.size() == before || terms.size() != 1)
      return failure();
    Location loc = op.getLoc();
    Type result = op.getResult().getType();
    explain(op, kFlag).with("terms", int64_t(before))
        << "deviations from a mean sum to 0, so a term of this sum is left out";
    auto constant = [&](double number) -> Value {
      Attribute value = rewriter.getFloatAttr(type.getElementType(), number);
      if (auto tile = dyn_cast<RankedTensorType>(result))
        value = SplatElementsAttr::get(tile, value);
      return rewriter.create<arith::ConstantOp>(loc, cast<TypedAttr>(value));
    };
    Term &left = terms.front();
    Value sum = rewriter.create<tile::ReduceOp>(loc, result, op.getKind(), left.tile, axis);
    for (Value factor : left.factors) {
      Value number = repeatedAlong(factor, axis);
      Uniform uniform = *uniformOf(factor);
      if (!number && uniform.number)
        number = constant(cast<FloatAttr>(uniform.number).getValueAsDouble());
      else if (!number)
        number = rewriter.create<tile::SplatOp>(loc, result, uniform.source);
      sum = rewriter.create<arith::MulFOp>(loc, sum, number);
    }
    if (left.isNegative)
      sum = rewriter.create<arith::NegFOp>(loc, sum);
    rewriter.replaceOp(op, sum);
    return success();
  }
};

struct DropDeviations : impl::DropDeviationsBase<DropDeviations> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(tile::kKernelAttr))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<DropTerms>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewright::passes
