// Software pipelining of products. In iteration i the loop also starts the delayed products of
// iteration i - 1. So the loop becomes a prologue, a steady state and an epilogue:
//
//   early(0); for i in 1 .. n { late(i - 1) | early(i) }; late(n - 1)
//
// `late` has the products that the plan delays, their awaits, and what depends on these in the same
// iteration. A value that both halves need is carried from one iteration to the next.
//
// In the body, starts and awaits have the order of the plan. Everything else stands as early as its
// operands allow, but never in front of a start that does not need it. So an await comes behind the
// arithmetic that can run beside its product.
#include "passes/Passes.h"
#include "passes/plan/BodyOrder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SKEWLOOPS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Builds the three parts of one loop.
class Skewer {
public:
  Skewer(scf::ForOp loop, const Plan &plan) : loop(loop), plan(plan) {}

  LogicalResult run(ArrayRef<Plan::Loop::Step> steps);

private:
  LogicalResult findLate();
  LogicalResult checkCarried();
  bool isLate(Value value) const {
    return value.getDefiningOp() && late.contains(value.getDefiningOp());
  }
  bool isEarly(Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == loop.getBody() && !late.contains(op);
  }
  bool isReadBy(Value value, bool byLate);
  /// Whether the loop's body awaits a product.
  bool isAwaited(Value product) {
    return product && llvm::any_of(product.getUsers(), [&](Operation *user) {
             return isa<cta::AwaitOp>(user) && user->getBlock() == loop.getBody();
           });
  }

  void takeTurns(ArrayRef<Plan::Loop::Step> steps);
  void makeFirst(OpBuilder &builder);
  void makeLoop(OpBuilder &builder);
  void decideFirst();
  void makeLast(OpBuilder &builder);
  void findCarried();
  unsigned carryEarly(Value value);
  void emit(OpBuilder &builder, bool ofLate, IRMapping &values);

  scf::ForOp loop;
  const Plan &plan;
  BodyOrder order;
  llvm::SmallDenseSet<Operation *> late;

  /// A value that the new loop carries: its initial value, and the value that it yields, which is a
  /// value of the old body or the content of another argument.
  struct Carried {
    Value init, yielded;
    std::optional<unsigned> held;
  };
  SmallVector<Carried> carried;
  llvm::SmallDenseMap<Value, unsigned> early;      // carried results of the early part
  llvm::SmallDenseMap<Value, unsigned> readByLate; // carried arguments that the late part reads
  IRMapping first, last; // values of the old body, before and behind the loop
  scf::ForOp made;
};

} // namespace

bool Skewer::isReadBy(Value value, bool byLate) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
    return op && !op->hasTrait<OpTrait::IsTerminator>() && late.contains(op) == byLate;
  });
}

LogicalResult Skewer::findLate() {
  auto behind = [&](Operation *op) {
    auto product = dyn_cast<cta::MmaOp>(op);
    return product && plan.productOf(*idOf(op))->behind > 0;
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool follows = false;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        follows |= isLate(operand);
    });
    // A slot is filled and taken where its tile is computed.
    if (isa<cta::AcquireOp>(op))
      for (Operation *user : op.getUsers())
        follows |= llvm::any_of(user->getOperands(), [&](Value value) { return isLate(value); });
    if (auto wait = dyn_cast<cta::WaitOp>(op))
      follows |=
          llvm::any_of(fillingOf(wait), [&](Operation *other) { return late.contains(other); });
    if (follows && isa<cta::MmaOp>(op) && !behind(&op))
      return op.emitError() << "is product `" << *idOf(&op) << "`, which follows from one that is "
                            << "behind, and is not behind itself";
    if (follows || behind(&op))
      late.insert(&op);
  }
  // Slots that only late ops read are taken by the late part.
  for (auto wait : loop.getOps<cta::WaitOp>())
    if (!late.empty() && llvm::all_of(wait->getUsers(), [&](Operation *user) {
          return late.contains(user) || isa<cta::ReleaseOp>(user);
        })) {
      late.insert(wait);
      for (Operation *user : wait->getUsers())
        late.insert(user);
    }
  // An empty accumulator belongs to the product that adds to it.
  for (auto begin : loop.getOps<cta::BeginOp>())
    if (llvm::all_of(begin->getUsers(), [&](Operation *user) { return late.contains(user); }))
      late.insert(begin);
  return success();
}

LogicalResult Skewer::checkCarried() {
  if (!matchPattern(loop.getStep(), m_One()))
    return loop.emitError() << "has a product that is behind, and a step other than 1";
  for (auto wait : loop.getOps<cta::WaitOp>())
    if (!late.contains(wait) && isReadBy(wait.getResult(), /*byLate=*/true))
      return wait.emitError() << "takes a slot of `" << *idOf(wait.getChannel().getDefiningOp())
                              << "` that goes back an iteration later, with a product that is "
                              << "behind; one that is not behind cannot share it, or go with it";
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (auto other = dyn_cast<BlockArgument>(loop.getTiedLoopYieldedValue(argument)->get());
        other && other != argument && other.getOwner() == loop.getBody())
      return loop.emitError() << "has a product that is behind, and carries on what it has carried "
                              << "for an iteration; such values cannot be planned yet";
  return success();
}

/// Adds the critical section of the role's warpgroups, if the order has one.
void Skewer::takeTurns(ArrayRef<Plan::Loop::Step> steps) {
  if (llvm::none_of(steps, [](auto &step) { return step.kind == Plan::Loop::Step::Enter; }))
    return;
  auto kernel = loop->getParentOfType<func::FuncOp>();
  OpBuilder builder(*kernel.getOps<cta::RoleOp>().begin());
  auto turns = builder.create<cta::OrderOp>(loop.getLoc());
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  auto turn = builder.create<cta::EnterOp>(loop.getLoc(), turns);
  builder.create<cta::LeaveOp>(loop.getLoc(), turn);
}

/// Writes the ops of one part, in order. There are no turns outside of the loop.
void Skewer::emit(OpBuilder &builder, bool ofLate, IRMapping &values) {
  for (Operation *op : order.ops)
    if (late.contains(op) == ofLate && !isa<cta::EnterOp, cta::LeaveOp>(op)) {
      Operation *copy = builder.clone(*op, values);
      SmallVector<Value> known; // such as an empty sum, rescaled
      if (copy->getNumRegions() || failed(builder.tryFold(copy, known)) || known.empty())
        continue;
      values.map(op->getResults(), known);
      copy->erase();
    }
}

/// Writes the early part of the first iteration.
void Skewer::makeFirst(OpBuilder &builder) {
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (BlockArgument argument : loop.getRegionIterArgs())
    first.map(argument, loop.getTiedLoopInit(argument)->get());
  emit(builder, /*ofLate=*/false, first);
}

/// The argument with a result of the early part of the iteration before.
unsigned Skewer::carryEarly(Value value) {
  auto [it, isNew] = early.try_emplace(value, carried.size());
  if (isNew)
    carried.push_back({first.lookup(value), value, std::nullopt});
  return it->second;
}

void Skewer::findCarried() {
  for (Operation *op : order.ops)
    if (!late.contains(op))
      for (Value result : op->getResults())
        if (isReadBy(result, /*byLate=*/true))
          carryEarly(result);
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
    Value init = loop.getTiedLoopInit(argument)->get();
    bool lateReads = isReadBy(argument, /*byLate=*/true);
    if (isEarly(yielded)) {
      unsigned now = carryEarly(yielded);
      if (lateReads) { // the value from two iterations before
        readByLate[argument] = carried.size();
        carried.push_back({init, nullptr, now});
      }
    } else if (lateReads) {
      readByLate[argument] = carried.size();
      carried.push_back({init, yielded, std::nullopt});
    }
  }
}

void Skewer::makeLoop(OpBuilder &builder) {
  Location loc = loop.getLoc();
  SmallVector<Value> inits;
  for (const Carried &value : carried)
    inits.push_back(value.init);
  Value second = builder.createOrFold<arith::AddIOp>(loc, loop.getLowerBound(), loop.getStep());
  made = builder.create<scf::ForOp>(loc, second, loop.getUpperBound(), loop.getStep(), inits);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  if (inits.empty())
    made.getBody()->getTerminator()->erase();
  OpBuilder inside = OpBuilder::atBlockEnd(made.getBody());

  IRMapping earlyNow, lateNow;
  earlyNow.map(loop.getInductionVar(), made.getInductionVar());
  if (isReadBy(loop.getInductionVar(), /*byLate=*/true))
    lateNow.map(loop.getInductionVar(),
                inside.create<arith::SubIOp>(loc, made.getInductionVar(), loop.getStep()));
  for (auto [value, index] : early)
    lateNow.map(value, made.getRegionIterArg(index));
  for (auto [argument, index] : readByLate)
    lateNow.map(argument, made.getRegionIterArg(index));
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
    if (isEarly(yielded))
      earlyNow.map(argument, made.getRegionIterArg(early.lookup(yielded)));
    else if (!isLate(yielded))
      earlyNow.map(argument, yielded == argument ? loop.getTiedLoopInit(argument)->get() : yielded);
  }
  for (Operation *op : order.ops) {
    bool ofLate = late.contains(op);
    Operation *copy = inside.clone(*op, ofLate ? lateNow : earlyNow);
    if (auto await = dyn_cast<cta::AwaitOp>(copy))
      if (Value tile = order.after.lookup(op))
        await.getComputedMutable().assign((isLate(tile) ? lateNow : earlyNow).lookup(tile));
    // The late part has completed the iteration before, so the early part uses its results as the
    // carried values.
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
      if (ofLate && yielded.getDefiningOp() == op)
        earlyNow.map(argument, lateNow.lookup(yielded));
    }
  }
  SmallVector<Value> yields;
  for (const Carried &value : carried) {
    if (value.held)
      yields.push_back(made.getRegionIterArg(*value.held));
    else
      yields.push_back((isLate(value.yielded) ? lateNow : earlyNow).lookupOrDefault(value.yielded));
  }
  inside.create<scf::YieldOp>(loc, yields);
  decideFirst();
}

/// Replaces tests for the first iteration by a constant: the loop starts with the second.
void Skewer::decideFirst() {
  APInt first, bound;
  if (!matchPattern(made.getLowerBound(), m_ConstantInt(&first)))
    return;
  for (auto compare : llvm::make_early_inc_range(made.getOps<arith::CmpIOp>())) {
    bool less = compare.getPredicate() == arith::CmpIPredicate::slt;
    if (compare.getLhs() != made.getInductionVar() ||
        !matchPattern(compare.getRhs(), m_ConstantInt(&bound)) || bound.sgt(first) ||
        !(less || compare.getPredicate() == arith::CmpIPredicate::sge))
      continue;
    OpBuilder builder(compare);
    compare.replaceAllUsesWith(
        builder.create<arith::ConstantIntOp>(compare.getLoc(), !less, 1).getResult());
    compare.erase();
  }
}

/// Writes the late part of the last iteration, and replaces the results of the old loop.
void Skewer::makeLast(OpBuilder &builder) {
  if (isReadBy(loop.getInductionVar(), /*byLate=*/true))
    last.map(loop.getInductionVar(),
             builder.create<arith::SubIOp>(loop.getLoc(), loop.getUpperBound(), loop.getStep()));
  for (auto [value, index] : early)
    last.map(value, made.getResult(index));
  for (auto [argument, index] : readByLate)
    last.map(argument, made.getResult(index));
  emit(builder, /*ofLate=*/true, last);
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
    Value given =
        yielded == argument ? loop.getTiedLoopInit(argument)->get() : last.lookupOrDefault(yielded);
    loop.getTiedLoopResult(argument).replaceAllUsesWith(given);
  }
}

LogicalResult Skewer::run(ArrayRef<Plan::Loop::Step> steps) {
  if (failed(findLate()))
    return failure();
  takeTurns(steps);
  FailureOr<BodyOrder> ordered = orderBody(loop, steps, late);
  if (failed(ordered))
    return failure();
  order = std::move(*ordered);
  for (Operation *op : order.ops) // behind the await by now
    if (auto release = dyn_cast<cta::ReleaseOp>(op); release && isAwaited(release.getProduct()))
      release.getProductMutable().clear();
  if (late.empty()) {
    for (Operation *op : order.ops)
      op->moveBefore(loop.getBody()->getTerminator());
    for (auto [await, tile] : order.after)
      cast<cta::AwaitOp>(await).getComputedMutable().assign(tile);
    return success();
  }
  if (failed(checkCarried()))
    return failure();
  // Slots that only the loop reads are released before the late part of the last iteration.
  Operation *behind = loop;
  while (auto release = dyn_cast<cta::ReleaseOp>(behind->getNextNode())) {
    if (isReadBy(release.getSlot(), /*byLate=*/true))
      break;
    behind = release;
  }
  OpBuilder builder(loop);
  makeFirst(builder);
  findCarried();
  makeLoop(builder);
  builder.setInsertionPointAfter(behind);
  makeLast(builder);
  for (Operation *op : order.ops)
    if (auto await = dyn_cast<cta::AwaitOp>(op); await && late.contains(op))
      delayAwait(cast<cta::AwaitOp>(last.lookup(await.getResult()).getDefiningOp()));
  loop.erase();
  return success();
}

namespace {

struct SkewLoops : impl::SkewLoopsBase<SkewLoops> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<scf::ForOp> loops; // innermost first
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const Plan::Loop *entry = entryOf(plan, loop); entry && !entry->order.empty())
        if (failed(Skewer(loop, plan).run(entry->order)))
          return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
