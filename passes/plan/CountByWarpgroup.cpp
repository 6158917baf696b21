// Gives the warpgroups of a role different trip counts. The masks of a loop may be false for all
// rows of one warpgroup while other warpgroups still have work, for example under a causal mask.
// The warpgroup then leaves the loop early, and only waits for and releases the remaining slots.
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

namespace tilewright::passes {
#define GEN_PASS_DEF_COUNTBYWARPGROUP
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

class Counter {
public:
  Counter(scf::ForOp loop, cta::RoleOp role, Dims &dims)
      : loop(loop), role(role), dims(dims), builder(loop) {}

  LogicalResult run(StringRef id) {
    auto refuse = [&](StringRef why) {
      return loop.emitError() << "is loop `" << id
                              << "`, of which each warpgroup is to take its own "
                              << "number of iterations; " << why;
    };
    groups = role.getWarps() / cta::kWarpsPerWarpgroup;
    if (groups < 2 || role.getWarps() % cta::kWarpsPerWarpgroup)
      return refuse("its role has one");
    if (loop.walk([](cta::PutOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return refuse("its warpgroups put tiles together");
    if (role->getParentOp()->hasAttr(kPartsAttr))
      return refuse("its tiles are in parts, of which each warpgroup has rows");
    if (!keepsRowsApart(loop))
      return refuse("its rows are not apart");
    stored = storedRows(loop, dims);
    // The marks about masks refer to a loop that starts with the first iteration.
    bool isReversed =
        llvm::any_of(*loop.getBody(), [](Operation &op) { return op.hasAttr(kReversedAttr); });
    bool isIdle = loop->hasAttr(kIdleMasksAttr);
    if (!isReversed && isIdle)
      ending = endingOf(loop);
    if (ending && !ending->isByRow())
      ending.reset();
    if (!ending && !stored)
      return refuse(isReversed ? "it goes from the last"
                    : isIdle   ? "it has no mask that ends it by rows"
                               : "an iteration that its rows do not see may change them");
    count();
    return success();
  }

private:
  Value least(Value a, Value b) {
    return builder.createOrFold<arith::MinSIOp>(loop.getLoc(), a, b);
  }
  Value most(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loop.getLoc(), a, b); }

  /// The first iteration in which a condition is false for some of the warpgroup's rows, or for
  /// all.
  Value firstFalseOf(const Ending &condition, bool forAll) {
    TileForm form = condition.form;
    if (condition.isByRow()) {
      int64_t axis = *condition.rowAxis;
      form.shape[axis] /= groups;
      form.base.add(group, form.steps[axis] * form.shape[axis]);
    }
    return firstFalse(builder, loop.getLoc(), forAll ? form.lowest() : form.highest(),
                      loop.getInductionVar());
  }

  /// From here on the mask is false for all rows of the warpgroup. Beside conditions about rows,
  /// others are left out: the loop ends by them for all.
  Value endOf(const Ending &mask) {
    if (mask.kind == Ending::Condition)
      return firstFalseOf(mask, /*forAll=*/true);
    Value end;
    for (const Ending &part : mask.parts)
      if (mask.kind == Ending::Any || part.isByRow() || !mask.isByRow()) {
        Value own = endOf(part);
        end = !end ? own : mask.kind == Ending::Any ? most(end, own) : least(end, own);
      }
    return end;
  }

  /// Up to here the mask is true for all rows of the warpgroup.
  Value openOf(const Ending &mask) {
    if (mask.kind == Ending::Condition)
      return firstFalseOf(mask, /*forAll=*/false);
    Value open;
    for (const Ending &part : mask.parts) {
      Value own = openOf(part);
      open = !open ? own : mask.kind == Ending::Any ? most(open, own) : least(open, own);
    }
    return open;
  }

  /// The values that conditions are made of, but for the loop's counter.
  void addTerms(const Ending &mask, SmallVectorImpl<Value> &terms) {
    for (auto [term, coefficient] : mask.form.base.terms)
      if (term != loop.getInductionVar())
        terms.push_back(term);
    for (const Ending &part : mask.parts)
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
    Value first = loop.getLowerBound(), upper = loop.getUpperBound(), end = upper;
    SmallVector<Value> needed = {upper};
    SmallVector<arith::CmpIOp> asks;
    if (ending) {
      asks = comparisons();
      for (arith::CmpIOp ask : asks)
        needed.push_back(bounds.lookup(ask));
      addTerms(*ending, needed);
    }
    setInsertionPointAfter(needed);
    group = builder.create<cta::WarpgroupOp>(loc, builder.getI32Type());
    if (ending) {
      Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 32);
      Value open = most(least(upper, openOf(*ending)), zero);
      for (arith::CmpIOp ask : asks)
        ask.setOperand(ask.getLhs() == bounds.lookup(ask) ? 0 : 1, open);
      builder.setInsertionPoint(loop);
      end = most(least(upper, endOf(*ending)), first);
    }
    if (stored) {
      // Slots are let pass in front: behind the loop, a product may still hold some.
      builder.setInsertionPoint(loop);
      Value areStored = isStored();
      if (ending)
        end = builder.create<arith::SelectOp>(loc, areStored, end, upper);
      Value begin = builder.create<arith::SelectOp>(loc, areStored, first, upper);
      skipSlots(loop, first, begin);
      loop.setLowerBound(begin);
    }
    if (ending) {
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

  /// The comparisons that decide whether an iteration is masked: in the loop, and in front of it.
  SmallVector<arith::CmpIOp> comparisons() {
    SmallVector<arith::CmpIOp> found;
    Value bound;
    for (auto compare : loop.getOps<arith::CmpIOp>())
      if (compare.getLhs() == loop.getInductionVar() &&
          loop.isDefinedOutsideOfLoop(compare.getRhs()) &&
          (compare.getPredicate() == arith::CmpIPredicate::sge)) {
        bound = compare.getRhs();
        bounds[compare] = bound;
        found.push_back(compare);
      }
    if (bound && !bound.getDefiningOp<arith::ConstantOp>()) // other ops ask about a constant too
      for (Operation *user : bound.getUsers())
        if (auto compare = dyn_cast<arith::CmpIOp>(user);
            compare && role->isAncestor(user) && !llvm::is_contained(found, compare)) {
          bounds[compare] = bound;
          found.push_back(compare);
        }
    return found;
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
  std::optional<Ending> ending;     // How masks end the loop by rows, if they do.
  std::optional<StoredRows> stored; // Where its rows are stored, if not all may be.
  llvm::DenseMap<Operation *, Value> bounds;
};

struct CountByWarpgroup : impl::CountByWarpgroupBase<CountByWarpgroup> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    Dims dims(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const Plan::Loop *entry = entryOf(plan, loop); entry && entry->byWarpgroup)
        if (failed(Counter(loop, loop->getParentOfType<cta::RoleOp>(), dims).run(entry->id)))
          return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
