// Late additions: if the plan's order adds a product in front of its await, it adds that of the
// iteration before. The loop carries the product and the other operands of the addition, starting
// with zeros. The last product is added behind the loop:
//
//   for { p = dot; a += f(p, x) }
//
// becomes
//
//   for { a += f(q, y); p = dot; q, y = p, x }; a += f(q, y)
//
// In the first iteration, and behind a loop without iterations, the operands of f are zeros, and
// the result must be zero. The late ops are marked (`plan.add`), and skew-loops puts them in place.
#include "passes/Passes.h"
#include "passes/analysis/CarriedState.h"
#include "passes/plan/BodyOrder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SINKSUMS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// What is known of a value that is computed from zeros.
enum class Number { Zero, Finite, Unknown };

class Sinker {
public:
  Sinker(scf::ForOp loop, const Plan::Loop &entry) : loop(loop), entry(entry) {}

  LogicalResult run();

private:
  tile::DotOp productOf(StringRef id);
  LogicalResult findAdded(tile::DotOp dot);
  void takeShapes();
  LogicalResult checkSums();
  void findCarried();
  Number numberOf(Value value);
  Number numberOf(Operation *op, ArrayRef<Number> operands);
  void sink();

  scf::ForOp loop;
  const Plan::Loop &entry;
  SmallVector<unsigned> sums;        ///< Carried values that are added to an iteration later.
  llvm::SetVector<Operation *> late; ///< The ops that do this.
  llvm::SetVector<Value> carried;    ///< The values that they need from their own iteration.
};

} // namespace

tile::DotOp Sinker::productOf(StringRef id) {
  auto dots = loop.getOps<tile::DotOp>();
  return *llvm::find_if(dots, [&](tile::DotOp dot) { return idOf(dot) == id; });
}

/// Only a sum that nothing else reads can wait. With zeros, nothing may change.
LogicalResult Sinker::checkSums() {
  SmallVector<State> states = carriedStates(loop);
  for (unsigned place : sums) {
    Operation *sum = loop.getYieldedValues()[place].getDefiningOp();
    if (states[place] != State::Sum)
      return sum->emitError() << "adds a product late to what is no sum that the loop carries, or "
                              << "one that something else in it reads";
    Value before = loop.getRegionIterArgs()[place];
    if (numberOf(sum->getOperand(sum->getOperand(0) == before)) != Number::Zero)
      return sum->emitError()
             << "adds what may be other than 0 where a product that is added late, "
             << "and what goes with it, are 0, as they are in the first iteration";
  }
  return success();
}

/// Marks the ops that depend on a product and lead to carried values.
LogicalResult Sinker::findAdded(tile::DotOp dot) {
  bool isLate = entry.addsLate(*idOf(dot));
  auto name = StringAttr::get(loop.getContext(), *idOf(dot));
  llvm::SetVector<Operation *> added;
  SmallVector<Value> open{dot.getResult()};
  SmallVector<unsigned> yields;
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<scf::YieldOp>(user) && user->getBlock() == loop.getBody()) {
        yields.push_back(use.getOperandNumber());
        continue;
      }
      if (user->getBlock() != loop.getBody() || user->getNumRegions() ||
          !isMemoryEffectFree(user) || isa<tile::DotOp>(user))
        return user->emitError() << "follows from product `" << *idOf(dot) << "`, which the plan "
                                 << "adds at a place of its own, and is more than that";
      if (added.insert(user))
        llvm::append_range(open, user->getResults());
    }
  if (added.empty())
    return dot.emitError() << "is product `" << *idOf(dot) << "`, which leads to no sum";
  for (Operation *op : added) {
    if (op->hasAttr(kAddAttr))
      return op->emitError() << "is added with product `" << name.getValue() << "` and with `"
                             << op->getAttrOfType<StringAttr>(kAddAttr).getValue()
                             << "`, which the plan adds at two places";
    op->setAttr(kAddAttr, name);
  }
  if (isLate) {
    late.insert(added.begin(), added.end());
    llvm::append_range(sums, yields);
  }
  return success();
}

/// Ops that only repeat elements stay with their reader, so that the loop carries the small tile.
void Sinker::takeShapes() {
  for (size_t at = 0; at < late.size(); ++at)
    for (Value operand : late[at]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!isa_and_nonnull<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp>(op) ||
          op->getBlock() != loop.getBody() ||
          llvm::any_of(op->getUsers(), [&](Operation *user) { return !late.contains(user); }))
        continue;
      late.insert(op);
    }
}

void Sinker::findCarried() {
  for (Operation *op : late)
    for (Value operand : op->getOperands()) {
      bool isSum = llvm::is_contained(loop.getRegionIterArgs(), operand);
      bool isOwn = operand.getDefiningOp() && late.contains(operand.getDefiningOp());
      if (!isSum && !isOwn && !matchPattern(operand, m_Constant()))
        carried.insert(operand);
    }
}

//===- What zeros become ----------------------------------------------------------------------===//

Number Sinker::numberOf(Value value) {
  if (matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()))
    return Number::Zero;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
      constant = splat.getSplatValue<Attribute>();
    auto number = dyn_cast<FloatAttr>(constant);
    return isa<IntegerAttr>(constant) || (number && number.getValue().isFinite()) ? Number::Finite
                                                                                  : Number::Unknown;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !late.contains(op))
    return Number::Zero; // carried by the loop
  SmallVector<Number> operands;
  for (Value operand : op->getOperands())
    operands.push_back(numberOf(operand));
  return numberOf(op, operands);
}

Number Sinker::numberOf(Operation *op, ArrayRef<Number> operands) {
  auto isZero = [](Number number) { return number == Number::Zero; };
  auto isKnown = [](Number number) { return number != Number::Unknown; };
  auto product = [&](Number a, Number b) {
    return (isZero(a) || isZero(b)) && isKnown(a) && isKnown(b);
  };
  bool zero = llvm::TypeSwitch<Operation *, bool>(op)
                  .Case<arith::MulFOp, arith::MulIOp>(
                      [&](Operation *) { return product(operands[0], operands[1]); })
                  .Case<math::FmaOp>([&](Operation *) {
                    return product(operands[0], operands[1]) && isZero(operands[2]);
                  })
                  .Case<arith::DivFOp>([&](Operation *) {
                    return isZero(operands[0]) && operands[1] == Number::Finite;
                  })
                  .Case<arith::SelectOp>(
                      [&](Operation *) { return isZero(operands[1]) && isZero(operands[2]); })
                  .Case<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp, arith::NegFOp,
                        arith::MaximumFOp, arith::MinimumFOp, math::AbsFOp, tile::CastOp,
                        tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(
                      [&](Operation *) { return llvm::all_of(operands, isZero); })
                  .Case<tile::ReduceOp>([&](tile::ReduceOp reduce) {
                    return reduce.getKind() == tile::ReduceKind::Sum && isZero(operands[0]);
                  })
                  .Default(false);
  return zero ? Number::Zero : Number::Unknown;
}

//===- Carrying -------------------------------------------------------------------------------===//

void Sinker::sink() {
  IRRewriter builder(loop->getContext());
  builder.setInsertionPoint(loop);
  SmallVector<Value> zeros;
  for (Value value : carried)
    zeros.push_back(builder.create<arith::ConstantOp>(
        loop.getLoc(), cast<TypedAttr>(builder.getZeroAttr(value.getType()))));
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  unsigned results = loop.getNumResults();
  auto yieldCarried = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return SmallVector<Value>(carried.begin(), carried.end());
  };
  Value counter = loop.getInductionVar();
  Location place = counter.getLoc();
  auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      builder, zeros, /*replaceInitOperandUsesInLoop=*/false, yieldCarried));
  made->setDiscardableAttrs(attributes);
  made.getInductionVar().setLoc(place);

  IRMapping last;
  for (auto [argument, result] : llvm::zip(made.getRegionIterArgs(), made.getResults()))
    last.map(argument, result);
  for (auto [at, value] : llvm::enumerate(carried)) {
    Value now = value == counter ? made.getInductionVar() : value;
    Value before = made.getRegionIterArg(results + at);
    now.replaceUsesWithIf(before, [&](OpOperand &use) { return late.contains(use.getOwner()); });
  }
  builder.setInsertionPointAfter(made);
  SmallVector<Operation *> order(late.begin(), late.end());
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::SmallPtrSet<Operation *, 8> behind;
  for (Operation *op : order) {
    Operation *copy = builder.clone(*op, last);
    copy->removeAttr(kAddAttr);
    behind.insert(copy);
  }
  for (unsigned sum : sums)
    made.getResult(sum).replaceAllUsesExcept(last.lookup(made.getYieldedValues()[sum]), behind);
}

LogicalResult Sinker::run() {
  for (const Plan::Loop::Step &step : entry.order)
    if (step.kind == Plan::Loop::Step::Add && failed(findAdded(productOf(step.product))))
      return failure();
  if (late.empty())
    return success();
  takeShapes();
  if (failed(checkSums()))
    return failure();
  findCarried();
  sink();
  return success();
}

namespace {

struct SinkSums : impl::SinkSumsBase<SinkSums> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const Plan::Loop *entry = entryOf(plan, loop);
          entry && failed(Sinker(loop, *entry).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
