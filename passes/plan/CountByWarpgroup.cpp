// Gives the warpgroups of a role different trip counts. The masks of a loop may be false for all
// rows of one warpgroup while other warpgroups still have work, for example under a causal mask.
// The warpgroup then leaves the loop early, and only waits for and releases the remaining slots.
//
// The trip count follows from the masks: an iteration whose mask is false for all rows of the
// warpgroup changes nothing. (Which iterations need the mask also depends on the warpgroup's rows.)
#include "passes/Passes.h"
#include "passes/analysis/EmptyIterations.h"
#include "passes/analysis/LoopPredicates.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_COUNTBYWARPGROUP
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Whether rows of tiles are independent: no op combines elements along a column.
bool keepsRowsApart(scf::ForOp loop) {
  return !loop.walk([](Operation *op) {
                if (auto reduce = dyn_cast<tile::ReduceOp>(op); reduce && reduce.getAxis() != 1)
                  return WalkResult::interrupt();
                if (isa<tile::TransposeOp, tile::ScanOp, tile::ArgReduceOp, tile::StoreOp,
                        tile::AtomicOp>(op))
                  return WalkResult::interrupt();
                return WalkResult::advance();
              })
              .wasInterrupted();
}

class Counter {
public:
  Counter(scf::ForOp loop, cta::RoleOp role) : loop(loop), role(role), builder(loop) {}

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
    // The marks about masks refer to a loop that starts with the first iteration.
    if (llvm::any_of(*loop.getBody(), [](Operation &op) { return op.hasAttr(kReversedAttr); }))
      return refuse("it goes from the last");
    if (role->getParentOp()->hasAttr(kPartsAttr))
      return refuse("its tiles are in parts, of which each warpgroup has rows");
    if (!loop->hasAttr(kIdleMasksAttr) || !keepsRowsApart(loop))
      return refuse("an iteration that its rows do not see may change them");
    auto ending = endingOf(loop);
    if (!ending || !ending->isByRow())
      return refuse("it has no mask that ends it by rows");
    count(*ending);
    skipSlots();
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
  void count(const Ending &ending) {
    Location loc = loop.getLoc();
    SmallVector<arith::CmpIOp> asks = comparisons();
    SmallVector<Value> needed = {loop.getUpperBound()};
    for (arith::CmpIOp ask : asks)
      needed.push_back(bounds.lookup(ask));
    addTerms(ending, needed);
    setInsertionPointAfter(needed);
    group = builder.create<cta::WarpgroupOp>(loc, builder.getI32Type());
    Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 32);
    Value open = most(least(loop.getUpperBound(), openOf(ending)), zero);
    for (arith::CmpIOp ask : asks)
      ask.setOperand(ask.getLhs() == bounds.lookup(ask) ? 0 : 1, open);
    builder.setInsertionPoint(loop);
    all = loop.getUpperBound();
    own = most(least(all, endOf(ending)), loop.getLowerBound());
    loop.setUpperBound(own);
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

  /// Takes and releases the slots that are for other warpgroups.
  void skipSlots() {
    builder.setInsertionPoint(placeToSkip());
    Location loc = loop.getLoc();
    auto pass = builder.create<scf::ForOp>(loc, own, all, loop.getStep());
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
  OpBuilder builder;
  int64_t groups = 0;
  Value group;
  llvm::DenseMap<Operation *, Value> bounds;
  Value own, all; // trip counts
};

struct CountByWarpgroup : impl::CountByWarpgroupBase<CountByWarpgroup> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const Plan::Loop *entry = entryOf(plan, loop); entry && entry->byWarpgroup)
        if (failed(Counter(loop, loop->getParentOfType<cta::RoleOp>()).run(entry->id)))
          return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
