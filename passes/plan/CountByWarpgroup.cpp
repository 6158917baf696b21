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
    findForms();
    if (forms.empty())
      return refuse("it has no mask that ends it by rows");
    count();
    skipSlots();
    return success();
  }

private:
  /// The conditions that end the loop: they rise with the counter and depend on the row.
  void findForms() {
    loop.walk([&](arith::CmpIOp compare) {
      auto type = dyn_cast<RankedTensorType>(compare.getType());
      if (!type || type.getRank() != 2 || type.getDimSize(0) % groups)
        return;
      for (TileForm &form : formsOf(compare))
        if (form.base.coefficient(loop.getInductionVar()) > 0)
          (form.steps[0] ? forms : shared).push_back(form);
    });
  }

  /// A form, over the rows of one warpgroup.
  TileForm ofOwnRows(TileForm form, Value group) {
    form.shape[0] /= groups;
    form.base.add(group, form.steps[0] * form.shape[0]);
    return form;
  }

  /// The bounds of the warpgroup's loop, and of its masked iterations.
  void count() {
    Location loc = loop.getLoc();
    Value counter = loop.getInductionVar(), upper = loop.getUpperBound();
    SmallVector<arith::CmpIOp> asks = comparisons();
    Operation *last = upper.getDefiningOp();
    for (arith::CmpIOp ask : asks)
      if (Operation *bound = ask.getRhs().getDefiningOp();
          bound && bound->getBlock() == loop->getBlock() &&
          (last->getBlock() != loop->getBlock() || last->isBeforeInBlock(bound)))
        last = bound;
    if (last->getBlock() == loop->getBlock())
      builder.setInsertionPointAfter(last);
    Value group = builder.create<cta::WarpgroupOp>(loc, builder.getI32Type());
    auto least = [&](Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); };
    auto most = [&](Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); };
    Value end = upper, open = upper;
    for (const TileForm &form : forms) {
      TileForm own = ofOwnRows(form, group);
      end = least(end, firstFalse(builder, loc, own.lowest(), counter));
      open = least(open, firstFalse(builder, loc, own.highest(), counter));
    }
    for (const TileForm &form : shared)
      open = least(open, firstFalse(builder, loc, form.highest(), counter));
    open = most(open, builder.create<arith::ConstantIntOp>(loc, 0, 32));
    for (arith::CmpIOp ask : asks)
      ask.setOperand(ask.getLhs() == bounds.lookup(ask) ? 0 : 1, open);
    builder.setInsertionPoint(loop);
    own = most(end, loop.getLowerBound());
    all = upper;
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
  SmallVector<TileForm> forms, shared; // forms that depend on the row, and that do not
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
