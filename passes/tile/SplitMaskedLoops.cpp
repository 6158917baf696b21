// A mask in a loop compares index tiles that are affine in the loop's counter n, so after moving
// all to one side it reads f(n) ≤ 0, where f grows or falls by c per iteration and spreads over the
// tile from its lowest to its highest element. It is true everywhere just while highest(n) ≤ 0 and
// false everywhere just while lowest(n) > 0: half-lines of iterations, whose ends are scalar
// expressions in loop invariants. Bounds of loads and stores are predicates of the same form.
//
// Iterations where a mask is false everywhere, and that then provably change nothing, are cut off.
// Those where all predicates hold become a loop of their own, in which masks are `true` and
// accesses in bounds; up to two loops with the whole body remain around it.
//
// A loop that multiplies matrices stays one: its body is long, and copies of it cost time to
// compile and room in the instruction cache. There only what the masks decide is put behind a
// branch that partial iterations take. Its loads keep their bounds, which asynchronous copies check
// for nothing.
#include "passes/analysis/EmptyIterations.h"
#include "passes/analysis/Facts.h"
#include "passes/analysis/LoopPredicates.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace tilewright::passes {
#define GEN_PASS_DEF_SPLITMASKEDLOOPS
#include "passes/Passes.h.inc"

static constexpr StringLiteral kFlag = "split-masked-loops";

//===- Emitting the loops --------------------------------------------------------------------===//

namespace {

/// The value in a copy of a loop that corresponds to `original`.
Value counterpart(Value original, scf::ForOp copy) {
  Block *body = original.getParentBlock();
  auto index = std::distance(body->begin(), Block::iterator(original.getDefiningOp()));
  return std::next(copy.getBody()->begin(), index)->getResult(0);
}

/// A range of iterations in which predicates hold.
struct Range {
  Value from, to;
};

/// Splits one loop into several.
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
  void noteIdle(ArrayRef<Predicate> masks);
  bool endsInside(tile::LoadOp load);
  void dropEmptyIterations(ArrayRef<Predicate> masks);
  Range fullIterations(ArrayRef<Predicate> predicates);
  void split(ArrayRef<Predicate> predicates);
  void branchOnMasks(ArrayRef<Predicate> masks);
  IRMapping allHold(ArrayRef<Value> masks);
  Value clampAll(ArrayRef<Predicate> predicates, bool rising, Value start);
  scf::ForOp clone(Value from, Value to, ValueRange init);
  void assume(scf::ForOp copy, ArrayRef<Predicate> predicates);

  bool rises(const Predicate &predicate) const {
    return predicate.highest.coefficient(counter) > 0;
  }
  /// Whether some predicate is false before (falling) or after (rising) the full iterations.
  bool limits(ArrayRef<Predicate> predicates, bool rising) const {
    return llvm::any_of(predicates, [&](const Predicate &p) { return rises(p) == rising; });
  }
  Value minimum(Value a, Value b) { return builder.create<arith::MinSIOp>(loop.getLoc(), a, b); }
  Value maximum(Value a, Value b) { return builder.create<arith::MaxSIOp>(loop.getLoc(), a, b); }

  scf::ForOp loop;
  Dims &dims;
  Value counter;
  OpBuilder builder;
  Value lower, upper; // of the iterations that remain
  Facts facts;
  struct Note {
    StringRef decision; // "skip", "split" or "branch"
    int64_t masks;      // the number of masks that it is for
    std::string text;
  };
  SmallVector<Note> notes;
};

} // namespace

/// A mask like `mask` that is true everywhere.
static Value allTrue(Value mask, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(mask.getType());
  return builder.create<arith::ConstantOp>(mask.getLoc(), DenseElementsAttr::get(type, true));
}

static void makeTrue(Value mask, OpBuilder &builder) {
  mask.replaceAllUsesWith(allTrue(mask, builder));
}

/// Whether the body, nested loops included, has a matrix product.
static bool multiplies(scf::ForOp loop) {
  return loop.getBody()->walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Maps the masks to masks that are true everywhere.
IRMapping Splitter::allHold(ArrayRef<Value> masks) {
  IRMapping mapping;
  for (Value mask : masks)
    mapping.map(mask, allTrue(mask, builder));
  return mapping;
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

/// Marks loops: masks concern only the last iteration; nothing changes where a mask is false;
/// nothing changes from the end of the loop on, because some mask is false from there on, or some
/// load is outside of its view. (Ends that dropEmptyIterations moves forward behave alike.)
void Splitter::noteIdle(ArrayRef<Predicate> masks) {
  bool areIdle = !masks.empty(), areIdleBefore = false;
  for (const Predicate &mask : masks)
    if (rises(mask))
      areIdle &= isIdleWhenFalse(loop, mask.mask);
    else
      areIdleBefore = true;
  areIdleBefore &= llvm::all_of(masks, [&](const Predicate &mask) {
    return rises(mask) || isIdleWhenFalse(loop, mask.mask);
  });
  if (areIdle)
    loop->setAttr(kIdleMasksAttr, builder.getUnitAttr());
  if (areIdleBefore)
    loop->setAttr(kIdleBeforeAttr, builder.getUnitAttr());
  Facts around = Facts::at(loop);
  auto holdsUpToLast = [&](const Predicate &mask) {
    int64_t slope = mask.highest.coefficient(counter);
    AffineForm atLastButOne =
        mask.highest.without(counter) + AffineForm::of(upper) * slope + -2 * slope;
    return slope > 0 && around.proveNonPositive(atLastButOne);
  };
  if (!masks.empty() && llvm::all_of(masks, holdsUpToLast))
    loop->setAttr(kMasksLastAttr, builder.getUnitAttr());
  for (const Predicate &mask : masks) {
    AffineForm atEnd =
        mask.lowest.without(counter) + AffineForm::of(upper) * mask.lowest.coefficient(counter);
    if (rises(mask) && Facts::at(loop).proveNonPositive(atEnd * -1 + 1) &&
        isIdleWhenFalse(loop, mask.mask))
      return loop->setAttr(kIdleBehindAttr, builder.getUnitAttr());
  }
  for (auto load : loop.getOps<tile::LoadOp>()) // only plans for loops with products delay anything
    if (multiplies(loop) && !load.getFill() && endsInside(load) &&
        isIdleWhenFalse(loop, load.getResult()))
      return loop->setAttr(kIdleBehindAttr, builder.getUnitAttr());
}

/// Whether a load is outside of its view from the end of the loop on, and so all zeros.
bool Splitter::endsInside(tile::LoadOp load) {
  Access access = *Access::of(load);
  Facts around = Facts::at(loop);
  for (int64_t axis = 0, rank = int64_t(access.extents.size()); axis < rank; ++axis) {
    if (!access.isRange(axis))
      continue;
    AffineForm last = Bounds::of(access, axis, dims).above; // its first element lies before that
    int64_t slope = last.coefficient(counter);
    AffineForm first =
        last.without(counter) + AffineForm::of(upper) * slope + (1 - access.validElements(axis));
    if (slope > 0 && around.proveNonPositive(first * -1 + 1))
      return true;
  }
  return false;
}

void Splitter::dropEmptyIterations(ArrayRef<Predicate> masks) {
  SmallVector<AffineForm> done;
  for (const Predicate &mask : masks) {
    if (facts.proveNonPositive(mask.lowest) || llvm::is_contained(done, mask.lowest) ||
        !isIdleWhenFalse(loop, mask.mask))
      continue;
    done.push_back(mask.lowest);
    Value end = firstFalse(builder, loop.getLoc(), mask.lowest, counter);
    if (rises(mask))
      upper = minimum(upper, end);
    else
      lower = maximum(lower, end);
    notes.push_back({"skip", 1,
                     rises(mask) ? "the last ones, where the mask is false, never run"
                                 : "the first ones, where the mask is false, never run"});
  }
}

/// Moves `start` up to (falling) or down to (rising) the point from which (until which) all
/// predicates of that direction hold.
Value Splitter::clampAll(ArrayRef<Predicate> predicates, bool rising, Value start) {
  SmallVector<AffineForm> done;
  for (const Predicate &predicate : predicates) {
    if (rises(predicate) != rising || llvm::is_contained(done, predicate.highest))
      continue;
    done.push_back(predicate.highest);
    Value point = firstFalse(builder, loop.getLoc(), predicate.highest, counter);
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

/// In `copy`, which runs one part of the loop's iterations, these predicates hold.
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

/// The iterations in which all predicates hold. A side without a predicate keeps the loop's own
/// bound.
Range Splitter::fullIterations(ArrayRef<Predicate> predicates) {
  Range full{lower, upper};
  if (limits(predicates, /*rising=*/false))
    full.from = minimum(clampAll(predicates, false, lower), upper);
  if (limits(predicates, /*rising=*/true))
    full.to = maximum(full.from, clampAll(predicates, true, upper));
  return full;
}

void Splitter::split(ArrayRef<Predicate> predicates) {
  bool hasHead = limits(predicates, /*rising=*/false),
       hasTail = limits(predicates, /*rising=*/true);
  Range full = fullIterations(predicates);

  SmallVector<scf::ForOp, 3> segments;
  ValueRange carried = loop.getInitArgs();
  auto append = [&](Value from, Value to) {
    segments.push_back(clone(from, to, carried));
    carried = segments.back().getResults();
    return segments.back();
  };
  if (hasHead)
    append(lower, full.from);
  scf::ForOp unmasked = append(full.from, full.to);
  if (hasTail)
    append(full.to, upper);
  builder.setInsertionPoint(segments.front());
  assume(unmasked, predicates);
  if (hasHead && hasTail) { // a tail that runs at all starts where the falling predicates hold
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
  notes.push_back({"split", masks,
                   (Twine("split into ") + (hasHead ? "partial, " : "") + "full" +
                    (hasTail ? ", partial: " : ": ") + Twine(masks) + " masks and " +
                    Twine(predicates.size() - masks) + " bounds always hold in the full part")
                       .str()});
}

/// The selects that masks decide, and the ops that combine and broadcast the masks on the way, in
/// order.
static SetVector<Operation *> usersUpToSelects(ArrayRef<Predicate> masks) {
  SetVector<Operation *> users;
  SmallVector<Value> values;
  for (const Predicate &mask : masks)
    values.push_back(mask.mask);
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      bool selects = isa<arith::SelectOp>(user) && use.getOperandNumber() == 0;
      if ((selects || isMaskJoin(user)) && users.insert(user) && !selects)
        values.push_back(user->getResult(0));
    }
  return topologicalSort(users);
}

/// Whether falling and rising masks are only combined by `and`. Then a select that both decide can
/// become two selects, one after the other.
static bool areApart(const SetVector<Operation *> &users, ArrayRef<Value> falling,
                     ArrayRef<Value> rising) {
  DenseSet<Value> ofFalling(falling.begin(), falling.end()), ofRising(rising.begin(), rising.end());
  for (Operation *user : users)
    for (auto *side : {&ofFalling, &ofRising})
      if (llvm::any_of(user->getOperands(), [&](Value value) { return side->contains(value); }))
        side->insert(user->getResult(0));
  return llvm::none_of(users, [&](Operation *user) {
    return !isa<arith::SelectOp, arith::AndIOp>(user) && ofFalling.contains(user->getResult(0)) &&
           ofRising.contains(user->getResult(0)) && user->getNumOperands() > 1;
  });
}

/// Puts the selects that the masks decide under branches: one for the last iterations and one for
/// the first ones, with the rising and the falling masks, or one for both. In full iterations the
/// selects have no masks, and the masks are not computed.
void Splitter::branchOnMasks(ArrayRef<Predicate> masks) {
  SetVector<Operation *> users = usersUpToSelects(masks);
  SmallVector<Value> all, sides[2]; // falling, rising
  for (const Predicate &mask : masks) {
    all.push_back(mask.mask);
    sides[rises(mask)].push_back(mask.mask);
  }
  bool isTwo =
      !sides[false].empty() && !sides[true].empty() && areApart(users, sides[false], sides[true]);
  Range full = isTwo ? Range{clampAll(masks, false, lower), clampAll(masks, true, upper)}
                     : fullIterations(masks);
  Location loc = loop.getLoc();
  builder.setInsertionPointToStart(loop.getBody());
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) -> Value {
    return builder.create<arith::CmpIOp>(loc, predicate, counter, bound);
  };
  struct Part {
    Value isPartial;
    IRMapping holds; // masks that do not affect it
  };
  SmallVector<Part> parts;
  if (!sides[true].empty())
    parts.push_back({compare(arith::CmpIPredicate::sge, full.to), allHold(sides[false])});
  if (!sides[false].empty())
    parts.push_back({compare(arith::CmpIPredicate::slt, full.from), allHold(sides[true])});
  if (parts.size() > 1 && !isTwo) {
    Value any = builder.create<arith::OrIOp>(loc, parts[1].isPartial, parts[0].isPartial);
    parts = {{any, IRMapping()}};
  }

  IRMapping unmasked = allHold(all);
  SmallVector<Region *> branches;
  for (Operation *user : users) {
    auto select = dyn_cast<arith::SelectOp>(user);
    builder.setInsertionPoint(user);
    if (!select) {
      builder.clone(*user, unmasked);
      for (Part &part : parts)
        builder.clone(*user, part.holds);
      continue;
    }
    Value chosen = select.getTrueValue();
    for (Part &part : parts) {
      auto branch = builder.create<scf::IfOp>(select.getLoc(), select.getType(), part.isPartial,
                                              /*withElseRegion=*/true);
      auto yield = [&](OpBuilder inside, IRMapping &mapping) {
        auto copy = cast<arith::SelectOp>(inside.clone(*select, mapping));
        copy.getTrueValueMutable().assign(chosen);
        inside.create<scf::YieldOp>(select.getLoc(), copy.getResult());
      };
      yield(branch.getThenBodyBuilder(), part.holds);
      yield(branch.getElseBodyBuilder(), unmasked);
      chosen = branch.getResult(0);
      branches.push_back(&branch.getThenRegion());
    }
    select.replaceAllUsesWith(chosen);
  }
  for (Operation *user : llvm::reverse(users))
    if (user->use_empty())
      user->erase();
  DominanceInfo dominance(loop);
  controlFlowSink(
      branches, dominance, [](Operation *op, Region *) { return isMemoryEffectFree(op); },
      [](Operation *op, Region *region) { op->moveBefore(&region->front().front()); });
  notes.push_back(
      {"branch", int64_t(masks.size()),
       (Twine(masks.size()) + " masks are applied behind a branch, in partial iterations; "
                              "the loop is too long to be split")
           .str()});
}

void Splitter::run(bool dropEmpty, bool splitBounds) {
  SmallVector<Predicate> masks = findMasks(loop);
  noteIdle(masks);
  assumeProven(masks);
  if (dropEmpty)
    dropEmptyIterations(masks);
  SmallVector<Predicate> predicates = masks;
  if (splitBounds || !masks.empty())
    llvm::append_range(predicates, findBounds(loop, dims));
  assumeProven(predicates);
  bool whole = multiplies(loop);
  if (whole)
    llvm::erase_if(predicates, [](const Predicate &predicate) { return !predicate.mask; });
  if (!predicates.empty())
    whole ? branchOnMasks(predicates) : split(predicates);
  loop.setLowerBound(lower);
  loop.setUpperBound(upper);
  for (const Note &note : notes)
    explain(loop, kFlag).with("decision", note.decision).with("masks", note.masks) << note.text;
  if (!predicates.empty() && !whole)
    loop.erase();
}

//===- The pass ------------------------------------------------------------------------------===//

/// Hoists loop invariants, also divisions, although the loop might not run: no GPU traps on a zero
/// divisor.
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
