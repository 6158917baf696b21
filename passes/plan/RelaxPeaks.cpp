// Lets the running maximum of an online softmax lag. Its update becomes `cta.raise`, which also
// gives the factor for earlier sums. `cta.rescale` applies the factor, and skips rows whose factor
// is 1.
//
// If a factor of unknown sign scales all elements, `cta.raise` takes them without it, and the
// factor goes into the exponents: exp2(x · f - m) is an fma. A factor of 0 becomes the smallest
// normal number: its products are as good as 0, and a masked element can still be -inf.
//
// Where exponents lie between bounds that f32 has room for (scores with a soft-cap), and sums start
// from 0, there is no need for a maximum: the peak is 0.
#include "passes/Passes.h"
#include "passes/analysis/LatePeak.h"
#include "passes/analysis/UniformTiles.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/Support/Format.h"

#include <limits>

namespace tilewright::passes {
#define GEN_PASS_DEF_RELAXPEAKS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "relax-peaks";

//===- Factors of unknown sign ----------------------------------------------------------------===//

/// x · factor, with a scalar for a whole tile; null for other tiles.
std::pair<Value, Value> scaledBy(Value tile) {
  if (auto product = tile.getDefiningOp<arith::MulFOp>())
    for (auto [x, scale] :
         {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
      if (auto uniform = uniformOf(scale); uniform && !uniform->how && uniform->source)
        return {x, uniform->source};
  return {};
}

/// The scalar by which a tile is scaled, apart from elements that a mask makes -inf; null if there
/// is none. A branch on whether there is a mask may lie between.
Value factorOf(Value tile) {
  if (auto select = tile.getDefiningOp<arith::SelectOp>()) {
    bool isMask = numberOf(select.getFalseValue()) == -std::numeric_limits<double>::infinity();
    return isMask ? scaledBy(select.getTrueValue()).second : Value();
  }
  auto branch = tile.getDefiningOp<scf::IfOp>();
  if (!branch || branch.getElseRegion().empty())
    return scaledBy(tile).second;
  unsigned number = cast<OpResult>(tile).getResultNumber();
  Value factor = factorOf(branch.thenYield()->getOperand(number));
  return factor && factor == factorOf(branch.elseYield()->getOperand(number)) ? factor : Value();
}

/// A scalar factor that is not 0, and what it makes -inf.
struct Factor {
  Value scalar, infinity;

  Factor(OpBuilder &builder, Location loc, Value factor) {
    auto number = [&](double value) -> Value {
      return builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(float(value)));
    };
    auto compare = [&](arith::CmpFPredicate how, Value value) -> Value {
      return builder.create<arith::CmpFOp>(loc, how, value, number(0));
    };
    Value isZero = compare(arith::CmpFPredicate::OEQ, factor);
    scalar = builder.create<arith::SelectOp>(loc, isZero, number(std::numeric_limits<float>::min()),
                                             factor);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    auto named = NameLoc::get(builder.getStringAttr("hidden"), loc);
    infinity = builder.create<arith::SelectOp>(named, compare(arith::CmpFPredicate::OGT, scalar),
                                               number(-kInfinity), number(kInfinity));
  }
};

/// A tile without the factor that `factorOf` has found.
Value withoutFactor(Value tile, const Factor &factor) {
  if (auto branch = tile.getDefiningOp<scf::IfOp>()) {
    unsigned number = cast<OpResult>(tile).getResultNumber();
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      yield.setOperand(number, withoutFactor(yield.getOperand(number), factor));
    return tile;
  }
  auto select = tile.getDefiningOp<arith::SelectOp>();
  if (!select)
    return scaledBy(tile).first;
  OpBuilder builder(select);
  Location loc = select.getLoc();
  Value masked = builder.create<tile::SplatOp>(loc, tile.getType(), factor.infinity);
  return builder.create<arith::SelectOp>(loc, select.getCondition(),
                                         scaledBy(select.getTrueValue()).first, masked);
}

/// x · scale - y
Value scaledDifference(OpBuilder &builder, Location loc, Value x, Value scale, Value y) {
  auto uniform = uniformOf(y);
  Value negated;
  if (uniform && uniform->how)
    negated = repeat(builder, loc, uniform->how, y.getType(),
                     builder.create<arith::NegFOp>(loc, uniform->source));
  else
    negated = builder.create<arith::NegFOp>(loc, y);
  return builder.create<math::FmaOp>(loc, x, scale, negated);
}

/// Takes the factor out of the source of a peak. It is multiplied by where the source is used
/// otherwise. Gives the factor; null if there is none.
Value takeFactor(scf::ForOp loop, LatePeak &peak) {
  Value scaled = peak.source, found = factorOf(scaled);
  if (peak.factor || !found || !loop.isDefinedOutsideOfLoop(found))
    return nullptr;
  explain(peak.update, kFlag).with("rewrite", "factor_of_any_sign")
      << "the scale, of unknown sign, is applied to exponents, by an fma";
  OpBuilder builder(loop);
  Factor factor(builder, found.getLoc(), found);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : scaled.getUses())
    uses.push_back(&use);
  peak.source = withoutFactor(scaled, factor);
  builder.setInsertionPointAfterValue(peak.source);
  Location loc = scaled.getLoc();
  Value scale = builder.create<tile::SplatOp>(loc, scaled.getType(), factor.scalar);
  for (OpOperand *use : uses) {
    Operation *user = use->getOwner();
    builder.setInsertionPoint(user);
    auto difference = dyn_cast<arith::SubFOp>(user);
    if (difference && use->getOperandNumber() == 0)
      difference.replaceAllUsesWith(
          scaledDifference(builder, user->getLoc(), peak.source, scale, difference.getRhs()));
    else
      use->set(builder.create<arith::MulFOp>(loc, peak.source, scale));
  }
  return factor.scalar;
}

//===- Peaks that stay 0 ----------------------------------------------------------------------===//

/// Lets a peak be 0 throughout. The loop carries it no longer.
void fix(scf::ForOp loop, const LatePeak &peak) {
  for (auto [product, tile] : rescalingsOf(loop, peak)) {
    product.replaceAllUsesWith(tile);
    eraseUnused(product);
  }
  OpBuilder builder(loop);
  auto all = [&](double number) -> Value {
    auto type = cast<ShapedType>(peak.carried.getType());
    return builder.create<arith::ConstantOp>(
        loop.getLoc(), SplatElementsAttr::get(type, builder.getF32FloatAttr(float(number))));
  };
  SmallVector<Operation *> shrinks;
  for (auto power : loop.getOps<math::Exp2Op>())
    if (isShrink(power, peak))
      shrinks.push_back(power);
  for (Operation *shrink : shrinks) {
    for (Operation *user : llvm::make_early_inc_range(shrink->getUsers()))
      if (auto product = dyn_cast<arith::MulFOp>(user)) {
        product.replaceAllUsesWith(product.getLhs() == shrink->getResult(0) ? product.getRhs()
                                                                            : product.getLhs());
        product.erase();
      }
    shrink->replaceAllUsesWith(ValueRange(all(1)));
    eraseUnused(shrink);
  }
  auto carried = cast<BlockArgument>(peak.carried);
  Value zero = all(0);
  loop.getTiedLoopInit(carried)->set(zero);
  loop.getTiedLoopResult(carried).replaceAllUsesWith(zero);
  Operation *update = peak.update;
  update->replaceAllUsesWith(ValueRange(zero));
  eraseUnused(update);
  loop.getTiedLoopYieldedValue(carried)->set(carried);
  carried.replaceUsesWithIf(zero,
                            [&](OpOperand &use) { return !isa<scf::YieldOp>(use.getOwner()); });
  RewritePatternSet patterns(loop.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, loop.getContext());
  (void)applyOpPatternsAndFold(loop.getOperation(), std::move(patterns));
}

struct RelaxPeaks : impl::RelaxPeaksBase<RelaxPeaks> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const Plan::Loop *entry = entryOf(plan, loop); entry && entry->latePeak)
        if (failed(relax(loop, *entry)))
          return signalPassFailure();
  }

private:
  static void say(LatePeak peak, double lag, size_t rescaled) {
    Explanation words = explain(peak.update, kFlag);
    words.with("rewrite", "late_peak").with("rescaled", int64_t(rescaled));
    if (lag > 0)
      words << "any lag gives the same results, so the maximum rises only by more than "
            << llvm::format("%g", lag) << " powers of two";
    else
      words << "maxima are computed only where a bound says that one may have risen";
    if (rescaled)
      words << "; " << rescaled << (rescaled == 1 ? " tile is" : " tiles are")
            << " rescaled only then";
  }

  static LogicalResult relax(scf::ForOp loop, const Plan::Loop &entry) {
    LatePeakSearch found = findLatePeak(loop, *entry.latePeak);
    if (!found.peak) {
      InFlightDiagnostic error = (found.where ? found.where : loop.getOperation())->emitError();
      return error << "stands against a late peak of loop `" << entry.id << "`: it "
                   << found.reason;
    }
    LatePeak peak = *found.peak;
    if (std::optional<double> bound = boundOfExponents(loop, peak)) {
      explain(peak.update, kFlag).with("rewrite", "fixed_peak")
          << "exponents lie between -" << llvm::format("%.4g", *bound) << " and "
          << llvm::format("%.4g", *bound) << ", so they need no maximum";
      loop->setAttr(kLatePeakAttr, Builder(loop.getContext()).getF64FloatAttr(*entry.latePeak));
      fix(loop, peak);
      return success();
    }
    say(peak, *entry.latePeak, rescalingsOf(loop, peak).size());
    Value taken = takeFactor(loop, peak);
    OpBuilder builder(peak.update);
    Location loc = peak.update.getLoc();
    Value factor = taken ? taken : peak.factor ? peak.factor->source : Value();
    if (!factor) {
      TypedAttr number = peak.factor ? peak.factor->number : builder.getF32FloatAttr(1);
      factor = builder.create<arith::ConstantOp>(loc, number);
    }
    FloatAttr whole;
    if (peak.whole)
      whole = builder.getF32FloatAttr(float(*peak.whole));
    auto raise = builder.create<cta::RaiseOp>(loc, peak.carried.getType(), peak.carried.getType(),
                                              peak.carried, peak.source, factor,
                                              builder.getF32FloatAttr(float(*entry.latePeak)),
                                              whole, taken ? builder.getUnitAttr() : UnitAttr());
    for (auto [product, tile] : rescalingsOf(loop, peak)) {
      builder.setInsertionPoint(product);
      product.replaceAllUsesWith(
          builder.create<cta::RescaleOp>(product.getLoc(), tile, raise.getShrink()).getResult());
      product.erase();
    }
    SmallVector<Operation *> shrinks;
    for (auto power : loop.getOps<math::Exp2Op>())
      if (isShrink(power, peak))
        shrinks.push_back(power);
    for (Operation *op : shrinks) {
      op->replaceAllUsesWith(ValueRange(raise.getShrink()));
      eraseUnused(op);
    }
    peak.update.replaceAllUsesWith(raise.getPeak());
    eraseUnused(peak.update);
    return success();
  }
};

} // namespace
} // namespace tilewright::passes
