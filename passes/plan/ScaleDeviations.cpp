// Scaled deviations by one instruction for each element:
//
//   (x - m) · s          fma(x, s, -m · s)
//   (a + fma(x, s, t)) + u          a + fma(x, s, t + u)
//
// where m, s, t and u are numbers of a row. Both round once where the number of the row is rounded
// and once for the element, so with a mean far from 0 the error is that of the mean itself.
#include "passes/analysis/CheapOps.h"
#include "passes/analysis/UniformTiles.h"
#include "passes/say/Explain.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SCALEDEVIATIONS
#include "passes/Passes.h.inc"

using namespace mlir;

static constexpr StringLiteral kFlag = "scale-deviations";

/// Whether a tile repeats numbers of its rows, and no constant.
static bool repeatsNumbers(Value tile) { return isRepeated(tile) && uniformOf(tile)->source; }

namespace {

struct ScaleDifference : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    for (auto [tile, scale] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
      auto difference = tile.getDefiningOp<arith::SubFOp>();
      if (!difference || !repeatsNumbers(scale) || !repeatsNumbers(difference.getRhs()) ||
          isRepeated(difference.getLhs()) || !haveCommonSources(difference.getRhs(), scale))
        continue;
      Location loc = op.getLoc();
      auto [how, numbers] = *commonSources(rewriter, loc, {difference.getRhs(), scale});
      Value product = rewriter.create<arith::MulFOp>(loc, numbers[0], numbers[1]);
      Value negated =
          repeat(rewriter, loc, how, op.getType(), rewriter.create<arith::NegFOp>(loc, product));
      explain(op, kFlag) << "the difference is scaled by one instruction for each element";
      rewriter.replaceOpWithNewOp<math::FmaOp>(op, difference.getLhs(), scale, negated);
      return success();
    }
    return failure();
  }
};

/// Pairs of an op's operands, in both orders.
std::array<std::pair<Value, Value>, 2> bothWays(arith::AddFOp op) {
  return {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}};
}

struct AddToFma : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    for (auto [tile, term] : bothWays(op)) {
      auto sum = tile.getDefiningOp<arith::AddFOp>();
      if (!sum || !sum->hasOneUse() || !repeatsNumbers(term))
        continue;
      for (auto [other, scaled] : bothWays(sum)) {
        auto fma = scaled.getDefiningOp<math::FmaOp>();
        if (!fma || !fma->hasOneUse() || !haveCommonSources(fma.getC(), term))
          continue;
        Location loc = op.getLoc();
        Value terms = uniformSum(rewriter, loc, fma.getC(), term);
        Value together = rewriter.create<math::FmaOp>(loc, fma.getA(), fma.getB(), terms);
        rewriter.replaceOpWithNewOp<arith::AddFOp>(op, other, together);
        return success();
      }
    }
    return failure();
  }
};

struct ScaleDeviations : impl::ScaleDeviationsBase<ScaleDeviations> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(tile::kKernelAttr) || hasProducts(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<ScaleDifference, AddToFma>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewright::passes
