// A mask in a loop compares index tiles that are affine in the loop's counter n, so after moving
// all to one side it reads f(n) ≤ 0, where f grows or falls by c per iteration and spreads over the
// tile from its lowest to its highest element. It is true everywhere just while highest(n) ≤ 0 and
// false everywhere just while lowest(n) > 0: half-lines of iterations, whose ends are scalar
// expressions in loop invariants. Bounds of loads and stores are predicates of the same form.
//
// Iterations where a mask is false everywhere, and that then provably change nothing, are cut off.
// Those where all predicates hold become a loop of their own, in which masks are `true` and
// accesses in bounds; up to two loops with the whole body remain around it.
#include "passes/EmptyIterations.h"
#include "passes/LoopPredicates.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace tilewright::passes {
#define GEN_PASS_DEF_SPLITMASKEDLOOPS
#include "passes/Passes.h.inc"

static constexpr StringLiteral kFlag = "split-masked-loops";

//===- Emitting the loops
//-------------------------------------------------------------------------===//

namespace {

/// The value in a copy of a loop that corresponds to `original`.
Value counterpart(Value original, scf::ForOp copy) {
  Block *body = original.getParentBlock();
  auto index = std::distance(body->begin(), Block::iterator(original.getDefiningOp()));
  return std::next(copy.getBody()->begin(), index)->getResult(0);
}

/// One loop on its way to become several.
class Splitter {
public:
  Splitter(scf::ForOp loop, Dims &dims)
      : loop(loop), dims(dims), counter(loop.getInductionVar()), builder(loop),
        lower(loop.getLowerBound()), upper(loop.getUpperBound()), facts(Facts::at(loop)) {
    facts.addLoop(loop);
  }

  void run(bool dropEmpty, bool splitBounds);

private:
  void assumeProven(SmallVectorImpl<Predicate> &predicates);
  void dropEmptyIterations(ArrayRef<Predicate> masks);
  void split(ArrayRef<Predicate> predicates);
  Value firstFalse(const AffineForm &form);
  Value clampAll(ArrayRef<Predicate> predicates, bool rising, Value start);
  scf::ForOp clone(Value from, Value to, ValueRange init);
  void assume(scf::ForOp copy, ArrayRef<Predicate> predicates);

  bool rises(const Predicate &predicate) const {
    return predicate.highest.coefficient(counter) > 0;
  }
  Value minimum(Value a, Value b) { return builder.create<arith::MinSIOp>(loop.getLoc(), a, b); }
  Value maximum(Value a, Value b) { return builder.create<arith::MaxSIOp>(loop.getLoc(), a, b); }

  scf::ForOp loop;
  Dims &dims;
  Value counter;
  OpBuilder builder;
  Value lower, upper; // of the iterations that are left to run
  Facts facts;
  SmallVector<std::string> notes;
};

} // namespace

/// The iteration at which `form ≤ 0` changes: the first where a rising form is positive, or the
/// first where a falling form is not.
Value Splitter::firstFalse(const AffineForm &form) {
  int64_t slope = form.coefficient(counter);
  AffineForm rest = form.without(counter);
  if (slope > 0)
    return materializeFloorDiv(builder, loop.getLoc(), rest * -1 + slope, slope);
  return materializeFloorDiv(builder, loop.getLoc(), rest + (-slope - 1), -slope);
}

static void makeTrue(Value mask, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(mask.getType());
  mask.replaceAllUsesWith(
      builder.create<arith::ConstantOp>(mask.getLoc(), DenseElementsAttr::get(type, true)));
}

/// Removes the predicates that hold in every iteration, and makes their masks true.
void Splitter::assumeProven(SmallVectorImpl<Predicate> &predicates) {
  llvm::erase_if(predicates, [&](const Predicate &predicate) {
    if (!facts.proveNonPositive(predicate.highest))
      return false;
    if (predicate.mask)
      makeTrue(predicate.mask, builder);
    return true;
  });
}

void Splitter::dropEmptyIterations(ArrayRef<Predicate> masks) {
  SmallVector<AffineForm> done;
  for (const Predicate &mask : masks) {
    if (facts.proveNonPositive(mask.lowest) || llvm::is_contained(done, mask.lowest) ||
        !isIdleWhenFalse(loop, mask.mask))
      continue;
    done.push_back(mask.lowest);
    Value end = firstFalse(mask.lowest);
    if (rises(mask))
      upper = minimum(upper, end);
    else
      lower = maximum(lower, end);
    notes.push_back(rises(mask) ? "the last ones, where the mask is false, never run"
                                : "the first ones, where the mask is false, never run");
  }
}

/// `start` moved up to (falling) or down to (rising) the point from where (until where) all
/// predicates of that direction hold.
Value Splitter::clampAll(ArrayRef<Predicate> predicates, bool rising, Value start) {
  SmallVector<AffineForm> done;
  for (const Predicate &predicate : predicates) {
    if (rises(predicate) != rising || llvm::is_contained(done, predicate.highest))
      continue;
    done.push_back(predicate.highest);
    Value point = firstFalse(predicate.highest);
    start = rising ? minimum(start, point) : maximum(start, point);
  }
  return start;
}

scf::ForOp Splitter::clone(Value from, Value to, ValueRange init) {
  IRMapping mapping;
  auto copy = cast<scf::ForOp>(builder.clone(*loop, mapping));
  copy.setLowerBound(from);
  copy.setUpperBound(to);
  copy.getInitArgsMutable().assign(init);
  return copy;
}

/// In `copy`, which is one part of the loop's iterations, these predicates hold.
void Splitter::assume(scf::ForOp copy, ArrayRef<Predicate> predicates) {
  SmallVector<AffineForm> holds;
  auto hold = [&](const AffineForm &form) {
    AffineForm renamed = form.without(counter);
    renamed.add(copy.getInductionVar(), form.coefficient(counter));
    holds.push_back(renamed);
  };
  AffineForm iteration;
  iteration.add(counter, 1);
  hold(AffineForm::of(loop.getLowerBound()) - iteration);
  hold(iteration - AffineForm::of(loop.getUpperBound()) + 1);
  SmallVector<Value> masks;
  for (const Predicate &predicate : predicates) {
    hold(predicate.highest);
    if (predicate.mask)
      masks.push_back(counterpart(predicate.mask, copy));
  }
  for (Value mask : masks)
    makeTrue(mask, builder);
  markInBounds(copy, dims, holds);
}

void Splitter::split(ArrayRef<Predicate> predicates) {
  bool hasHead = llvm::any_of(predicates, [&](const Predicate &p) { return !rises(p); });
  bool hasTail = llvm::any_of(predicates, [&](const Predicate &p) { return rises(p); });
  Value fullFrom = hasHead ? minimum(clampAll(predicates, false, lower), upper) : lower;
  Value fullTo = hasTail ? maximum(fullFrom, clampAll(predicates, true, upper)) : upper;

  SmallVector<scf::ForOp, 3> segments;
  ValueRange carried = loop.getInitArgs();
  auto append = [&](Value from, Value to) {
    segments.push_back(clone(from, to, carried));
    carried = segments.back().getResults();
    return segments.back();
  };
  if (hasHead)
    append(lower, fullFrom);
  scf::ForOp full = append(fullFrom, fullTo);
  if (hasTail)
    append(fullTo, upper);
  builder.setInsertionPoint(segments.front());
  assume(full, predicates);
  if (hasHead && hasTail) { // a tail that runs at all starts where the falling ones hold
    SmallVector<Predicate> falling;
    llvm::copy_if(predicates, std::back_inserter(falling),
                  [&](const Predicate &p) { return !rises(p); });
    assume(segments.back(), falling);
  }
  for (auto [index, segment] : llvm::enumerate(segments)) {
    segment->setAttr(tile::kSegmentAttr, builder.getI32IntegerAttr(index));
  }
  loop.replaceAllUsesWith(carried);
  int64_t masks = llvm::count_if(predicates, [](const Predicate &p) { return bool(p.mask); });
  notes.push_back((Twine("split into ") + (hasHead ? "partial, " : "") + "full" +
                   (hasTail ? ", partial: " : ": ") + Twine(masks) + " masks and " +
                   Twine(predicates.size() - masks) + " bounds always hold in the full part")
                      .str());
}

/// Whether a copy of the loop would copy a nest with matrix products in it.
static bool isExpensiveNest(scf::ForOp loop) {
  return loop.getBody()
      ->walk([&](Operation *op) {
        bool nested = isa<tile::DotOp>(op) && op->getParentOfType<LoopLikeOpInterface>() != loop;
        return nested ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void Splitter::run(bool dropEmpty, bool splitBounds) {
  SmallVector<Predicate> masks = findMasks(loop);
  assumeProven(masks);
  if (dropEmpty)
    dropEmptyIterations(masks);
  SmallVector<Predicate> predicates = masks;
  if (splitBounds || !masks.empty())
    llvm::append_range(predicates, findBounds(loop, dims));
  assumeProven(predicates);
  if (!predicates.empty() && isExpensiveNest(loop)) {
    notes.push_back("not split: it contains another loop with matrix products");
    predicates.clear();
  }
  if (!predicates.empty())
    split(predicates);
  loop.setLowerBound(lower);
  loop.setUpperBound(upper);
  for (const std::string &note : notes)
    explain(loop, kFlag) << note;
  if (!predicates.empty())
    loop.erase();
}

//===- The pass
//-----------------------------------------------------------------------------------===//

/// Moves what is invariant out of the loop: divisions too, although the loop might not run, since
/// no GPU traps on a zero divisor.
static void hoistInvariants(LoopLikeOpInterface loop) {
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [](Operation *op, Region *) {
        bool division =
            isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op);
        return isMemoryEffectFree(op) && (division || isSpeculatable(op));
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

/// Rewrites a loop with a constant step as one with step 1.
static void normalizeStep(scf::ForOp loop) {
  AffineForm step = AffineForm::of(loop.getStep());
  Value counter = loop.getInductionVar();
  if (!step.isConstant() || step.constant <= 1 || !counter.getType().isInteger(32))
    return;
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value lower = loop.getLowerBound(), one = builder.create<arith::ConstantIntOp>(loc, 1, 32);
  Value span = builder.create<arith::SubIOp>(loc, loop.getUpperBound(), lower);
  loop.setUpperBound(builder.create<arith::CeilDivSIOp>(loc, span, loop.getStep()));
  loop.setLowerBound(builder.create<arith::ConstantIntOp>(loc, 0, 32));
  Value stride = loop.getStep();
  loop.setStep(one);
  builder.setInsertionPointToStart(loop.getBody());
  auto scaled = builder.create<arith::MulIOp>(loc, counter, stride);
  auto value = builder.create<arith::AddIOp>(loc, lower, scaled);
  counter.replaceAllUsesExcept(value, scaled);
}

static bool isUnitStep(scf::ForOp loop) {
  AffineForm step = AffineForm::of(loop.getStep());
  return step.isConstant() && step.constant == 1 && loop.getInductionVar().getType().isInteger(32);
}

namespace {
struct SplitMaskedLoops : impl::SplitMaskedLoopsBase<SplitMaskedLoops> {
  using SplitMaskedLoopsBase::SplitMaskedLoopsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    Dims dims(kernel);
    kernel.walk(hoistInvariants);
    SmallVector<scf::ForOp> loops; // innermost first
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      normalizeStep(loop);
    markInBounds(kernel, dims);
    for (scf::ForOp loop : loops)
      if (isUnitStep(loop) && !loop->hasAttr(tile::kSegmentAttr))
        Splitter(loop, dims).run(dropEmpty, splitBounds);
    if (failed(applyPatternsAndFoldGreedily(kernel, RewritePatternSet(&getContext()))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::passes
