// Gives the warpgroups of a role different trip counts. The masks of a loop may be false for all
// rows of one warpgroup while other warpgroups still have work, for example under a causal mask.
// The warpgroup then leaves the loop early, or enters it late, and only waits for and releases the
// slots of the other iterations.
//
// begin-by-warpgroup lets it enter the loop late. It comes before skew-loops, so that the iteration
// which that peels is the warpgroup's own. count-by-warpgroup comes behind it, where the last
// product of the loop has its place, and lets it leave the loop early. It also lets slots pass
// behind the peeled iteration where that is the same for all: warpgroups that take turns need
// equally many, and where the next tile starts beside the end of this one, nothing knows yet where
// its rows begin.
//
// The trip count follows from the masks: an iteration whose mask is false for all rows of the
// warpgroup changes nothing. (Which iterations need the mask also depends on the warpgroup's rows.)
// A warpgroup whose rows all lie behind the end of the tensor that they are stored to runs none: it
// lets all slots pass in front of the loop.
#include "passes/Passes.h"
#include "passes/analysis/EmptyIterations.h"
#include "passes/analysis/LoopPredicates.h"
#include "passes/analysis/StoredRows.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/Dominance.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_BEGINBYWARPGROUP
#define GEN_PASS_DEF_COUNTBYWARPGROUP
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

class Counter {
public:
  Counter(scf::ForOp loop, cta::RoleOp role, Dims &dims)
      : loop(loop), role(role), dims(dims), builder(loop) {}

  /// Lets the warpgroup enter the loop where its rows do.
  void begin() {
    if (findOwn() || !reaches.begin)
      return;
    Location loc = loop.getLoc();
    Value first = loop.getLowerBound(), upper = loop.getUpperBound();
    Asks asks = asksFor(arith::CmpIPredicate::slt);
    builder.setInsertionPoint(loop);
    group = builder.create<cta::WarpgroupOp>(loc, builder.getI32Type());
    answer(asks,
           changeOf(*reaches.begin, /*atLowest=*/false, /*isEnd=*/false, /*rowsAlone=*/false));
    // An iteration remains for rows that see none: the one that skew-loops peels.
    Value last = builder.create<arith::SubIOp>(loc, upper, loop.getStep());
    Value own = changeOf(*reaches.begin, /*atLowest=*/true, /*isEnd=*/false, /*rowsAlone=*/true);
    Value begin = most(first, least(own, last));
    if (stored)
      begin = builder.create<arith::SelectOp>(loc, isStored(), begin, first);
    skipSlots(loop, first, begin);
    loop.setLowerBound(begin);
    loop->removeAttr(kIdleBeforeAttr);
  }

  /// Lets it leave the loop where they do, and enter it later if `begin` has not.
  LogicalResult run(StringRef id) {
    if (std::optional<StringRef> why = findOwn())
      return loop.emitError() << "is loop `" << id
                              << "`, of which each warpgroup is to take its own "
                              << "number of iterations; " << *why;
    if (reaches.begin || reaches.end || stored)
      count();
    return success();
  }

private:
  /// Finds by what each warpgroup may count for itself. Says what stands against it, if anything
  /// does.
  std::optional<StringRef> findOwn() {
    groups = role.getWarps() / cta::kWarpsPerWarpgroup;
    if (groups < 2 || role.getWarps() % cta::kWarpsPerWarpgroup)
      return "its role has one";
    if (loop.walk([](cta::PutOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return "its warpgroups put tiles together";
    if (role->getParentOp()->hasAttr(kPartsAttr))
      return "its tiles are in parts, of which each warpgroup has rows";
    if (!keepsRowsApart(loop))
      return "its rows are not apart";
    stored = storedRows(loop, dims);
    if (stored && !isKnownInFront(stored->first))
      stored.reset();
    // The marks about masks refer to a loop that starts with the first iteration.
    bool isReversed =
        llvm::any_of(*loop.getBody(), [](Operation &op) { return op.hasAttr(kReversedAttr); });
    bool isIdle = loop->hasAttr(kIdleMasksAttr);
    bool hasBegun = cta::differsAmongWarpgroups(loop.getLowerBound());
    reaches = Reaches::of(loop);
    auto drop = [](std::optional<Reach> &reach, bool isUsable) {
      if (!isUsable || (reach && !reach->isByRow()))
        reach.reset();
    };
    drop(reaches.end, isIdle && !isReversed);
    drop(reaches.begin, loop->hasAttr(kIdleBeforeAttr) && !isReversed);
    if (reaches.begin || reaches.end || stored || hasBegun)
      return std::nullopt;
    return isReversed ? "it goes from the last"
           : isIdle   ? "its masks do not depend on rows, and nothing says that rows are not stored"
                      : "an iteration that its rows do not see may change them";
  }

  /// Whether all terms are computed in front of the loop: what is stored may begin where only the
  /// epilogue reads from memory.
  bool isKnownInFront(const AffineForm &form) {
    DominanceInfo dominance(role);
    return llvm::all_of(form.terms, [&](const auto &term) {
      return dominance.properlyDominates(term.first, loop);
    });
  }

  Value least(Value a, Value b) {
    return builder.createOrFold<arith::MinSIOp>(loop.getLoc(), a, b);
  }
  Value most(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loop.getLoc(), a, b); }

  /// The first iteration in which a condition changes for some of the warpgroup's rows, or for all.
  /// Where it rises, it becomes false; else true.
  Value changeOf(const Reach &condition, bool atLowest) {
    TileForm form = condition.form;
    if (condition.isByRow()) {
      int64_t axis = *condition.rowAxis;
      form.shape[axis] /= groups;
      form.base.add(group, form.steps[axis] * form.shape[axis]);
    }
    return firstFalse(builder, loop.getLoc(), atLowest ? form.lowest() : form.highest(),
                      loop.getInductionVar());
  }

  /// Where a mask changes for the warpgroup's rows. Between the iteration at the lowest elements of
  /// its forms and that at the highest it is true for some of its rows. Of masks that all have to
  /// be true, the earliest end counts and the latest begin; beside those that depend on rows,
  /// others need not count: the loop begins and ends by them for all (`rowsAlone`).
  Value changeOf(const Reach &mask, bool atLowest, bool isEnd, bool rowsAlone) {
    if (mask.kind == Reach::Condition)
      return changeOf(mask, atLowest);
    bool leavesOut = rowsAlone && mask.kind == Reach::All && mask.isByRow();
    Value change;
    for (const Reach &part : mask.parts)
      if (!leavesOut || part.isByRow()) {
        Value own = changeOf(part, atLowest, isEnd, rowsAlone);
        bool isEarliest = (mask.kind == Reach::All) == isEnd;
        change = !change ? own : isEarliest ? least(change, own) : most(change, own);
      }
    return change;
  }

  /// The values that conditions are made of, but for the loop's counter.
  void addTerms(const Reach &mask, SmallVectorImpl<Value> &terms) {
    for (auto [term, coefficient] : mask.form.base.terms)
      if (term != loop.getInductionVar())
        terms.push_back(term);
    for (const Reach &part : mask.parts)
      addTerms(part, terms);
  }

  /// As early as the values allow: what stands in front of the loop asks about the bounds too.
  void setInsertionPointAfter(ArrayRef<Value> values) {
    Block *block = loop->getBlock();
    builder.setInsertionPointToStart(block);
    for (Value value : values)
      if (Operation *op = value.getDefiningOp();
          op && op->getBlock() == block && !op->isBeforeInBlock(&*builder.getInsertionPoint()))
        builder.setInsertionPointAfter(op);
  }

  /// The bounds of the warpgroup's loop, and of its masked iterations.
  void count() {
    Location loc = loop.getLoc();
    Value first = loop.getLowerBound(), upper = loop.getUpperBound();
    Asks atEnd = asksFor(arith::CmpIPredicate::sge), atBegin = asksFor(arith::CmpIPredicate::slt);
    SmallVector<Value> needed = {upper};
    for (auto [reach, asks] : {std::pair(&reaches.begin, &atBegin), {&reaches.end, &atEnd}})
      if (*reach) {
        addTerms(**reach, needed);
        for (auto &[ask, bound] : *asks)
          needed.push_back(bound);
      }
    setInsertionPointAfter(needed);
    group = builder.create<cta::WarpgroupOp>(loc, builder.getI32Type());
    Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 32);
    if (reaches.end) {
      Value open = changeOf(*reaches.end, /*atLowest=*/false, /*isEnd=*/true, /*rowsAlone=*/false);
      answer(atEnd, most(least(upper, open), zero));
    }
    if (reaches.begin)
      answer(atBegin,
             changeOf(*reaches.begin, /*atLowest=*/false, /*isEnd=*/false, /*rowsAlone=*/false));
    builder.setInsertionPoint(loop);
    Value begin = first, end = upper;
    if (reaches.end)
      end = most(least(upper, changeOf(*reaches.end, /*atLowest=*/true, /*isEnd=*/true,
                                       /*rowsAlone=*/true)),
                 first);
    if (reaches.begin)
      begin = least(most(first, changeOf(*reaches.begin, /*atLowest=*/true, /*isEnd=*/false,
                                         /*rowsAlone=*/true)),
                    end);
    if (stored) {
      Value areStored = isStored();
      if (reaches.end)
        end = builder.create<arith::SelectOp>(loc, areStored, end, upper);
      begin = builder.create<arith::SelectOp>(loc, areStored, begin, upper);
    }
    // In front of the loop: behind it, a product may still hold slots.
    if (begin != first) {
      skipSlots(loop, first, begin);
      loop.setLowerBound(begin);
    }
    if (reaches.end) {
      loop.setUpperBound(end);
      skipSlots(placeToSkip(), end, upper);
    }
  }

  /// Whether any of the warpgroup's rows is stored.
  Value isStored() {
    Location loc = loop.getLoc();
    AffineForm first = stored->first;
    first.add(group, stored->rows / groups);
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                         first.materialize(builder, loc),
                                         builder.create<arith::ConstantIntOp>(loc, 0, 32));
  }

  /// Comparisons that decide whether an iteration is masked, in the loop and in front of it, and
  /// the bound that they ask about.
  using Asks = SmallVector<std::pair<arith::CmpIOp, Value>>;

  Asks asksFor(arith::CmpIPredicate predicate) {
    Asks found;
    Value bound;
    for (auto compare : loop.getOps<arith::CmpIOp>())
      if (compare.getLhs() == loop.getInductionVar() &&
          loop.isDefinedOutsideOfLoop(compare.getRhs()) && compare.getPredicate() == predicate) {
        bound = compare.getRhs();
        found.push_back({compare, bound});
      }
    if (bound && !bound.getDefiningOp<arith::ConstantOp>()) // other ops ask about a constant too
      for (Operation *user : bound.getUsers())
        if (auto compare = dyn_cast<arith::CmpIOp>(user);
            compare && role->isAncestor(user) &&
            llvm::none_of(found, [&](auto &known) { return known.first == compare; }))
          found.push_back({compare, bound});
    return found;
  }

  static void answer(Asks &asks, Value bound) {
    for (auto &[ask, old] : asks)
      ask.setOperand(ask.getLhs() == old ? 0 : 1, bound);
  }

  bool takesFrom(Value channel) {
    return llvm::any_of(loop.getOps<cta::WaitOp>(),
                        [&](cta::WaitOp wait) { return wait.getChannel() == channel; });
  }

  /// The place to skip slots: behind the loop, before warpgroups may meet. If a product of the last
  /// iteration stands there, it takes its own slots first.
  Operation *placeToSkip() {
    for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
      if (auto wait = dyn_cast<cta::WaitOp>(op); wait && takesFrom(wait.getChannel())) {
        while (!isa<cta::MmaOp>(op))
          op = op->getNextNode();
        return op;
      }
    return loop->getNextNode();
  }

  /// Takes and releases the slots of iterations that are for other warpgroups.
  void skipSlots(Operation *place, Value from, Value to) {
    builder.setInsertionPoint(place);
    Location loc = loop.getLoc();
    auto pass = builder.create<scf::ForOp>(loc, from, to, loop.getStep());
    builder.setInsertionPoint(pass.getBody()->getTerminator());
    SmallVector<Value> slots;
    Value turn;
    for (Operation &op : *loop.getBody())
      if (auto wait = dyn_cast<cta::WaitOp>(op))
        slots.push_back(builder.create<cta::WaitOp>(loc, wait.getType(), wait.getChannel()));
      else if (auto enter = dyn_cast<cta::EnterOp>(op))
        turn = builder.create<cta::EnterOp>(loc, enter.getOrder());
      else if (isa<cta::LeaveOp>(op))
        builder.create<cta::LeaveOp>(loc, turn);
    for (Value slot : slots)
      builder.create<cta::ReleaseOp>(loc, slot);
  }

  scf::ForOp loop;
  cta::RoleOp role;
  Dims &dims;
  OpBuilder builder;
  int64_t groups = 0;
  Value group;
  Reaches reaches;                  // How masks begin and end the loop by rows, if they do.
  std::optional<StoredRows> stored; // Where its rows are stored, if not all may be.
};

/// Does something with each loop that the plan has by warpgroup.
LogicalResult
forEachCounted(func::FuncOp kernel,
               function_ref<LogicalResult(Counter, const Plan &, const Plan::Loop &)> act) {
  if (!kernel->hasAttr(kPlanAttr))
    return success();
  Plan plan = planOf(kernel);
  Dims dims(kernel);
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    if (const Plan::Loop *entry = entryOf(plan, loop); entry && entry->byWarpgroup)
      if (failed(act(Counter(loop, loop->getParentOfType<cta::RoleOp>(), dims), plan, *entry)))
        return failure();
  return success();
}

struct BeginByWarpgroup : impl::BeginByWarpgroupBase<BeginByWarpgroup> {
  void runOnOperation() override {
    auto begin = [](Counter counter, const Plan &plan, const Plan::Loop &entry) {
      bool takesTurns = llvm::any_of(
          entry.order, [](auto &step) { return step.kind == Plan::Loop::Step::Enter; });
      if (!takesTurns && !plan.loopOf(Plan::kTiles))
        counter.begin();
      return success();
    };
    (void)forEachCounted(getOperation(), begin);
  }
};

struct CountByWarpgroup : impl::CountByWarpgroupBase<CountByWarpgroup> {
  void runOnOperation() override {
    auto count = [](Counter counter, const Plan &, const Plan::Loop &entry) {
      return counter.run(entry.id);
    };
    if (failed(forEachCounted(getOperation(), count)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
