// The adjoints of loops and branches.
//
// A loop becomes a loop over the same iterations that carries adjoints: those of what the forward's
// loop carries, and those of the values from outside that it uses, to which each iteration adds. A
// carried sum needs neither: its adjoint is the same throughout. Where no carried adjoint changes
// on the way, or only what equals the final extremum takes it, the order does not matter and stays;
// else the loop runs backwards.
//
// What a loop carries is known in its iterations if each stores it to an output that the gradient
// is given: an iteration starts with what the one before has stored.
//
// A branch becomes a branch on the same condition, which gives the adjoints of what it uses.
#include "passes/analysis/DisjointTiles.h"
#include "passes/gradient/Reverse.h"
#include "passes/say/Explain.h"

using namespace mlir;

namespace tilewright::passes {

//===- Loops ----------------------------------------------------------------------------------===//

namespace {
enum class Carried { Unchanged, Sum, Extremum, Other };
}

/// Whether a carried value only has something added to it on its way through the body: what it is
/// added to next, until it is yielded.
static bool isSum(scf::ForOp loop, unsigned index) {
  Value value = loop.getRegionIterArg(index);
  Value yielded = loop.getYieldedValues()[index];
  while (value != yielded) {
    if (!value.hasOneUse())
      return false;
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->getBlock() != loop.getBody())
      return false;
    auto dot = dyn_cast<tile::DotOp>(user);
    if (!isa<arith::AddFOp>(user) && !(dot && dot.getAcc() == value))
      return false;
    value = user->getResult(0);
  }
  return yielded.hasOneUse();
}

/// The op that raises or lowers a carried extremum; null if it is none.
static Operation *extremumOf(scf::ForOp loop, unsigned index) {
  Value value = loop.getRegionIterArg(index);
  Operation *op = loop.getYieldedValues()[index].getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp>(op) ||
      op->getBlock() != loop.getBody())
    return nullptr;
  bool isAlone = value.hasOneUse() && *value.user_begin() == op && op->getResult(0).hasOneUse();
  return isAlone ? op : nullptr;
}

static Carried kindOf(scf::ForOp loop, unsigned index) {
  if (loop.getYieldedValues()[index] == loop.getRegionIterArg(index))
    return Carried::Unchanged;
  if (isSum(loop, index))
    return Carried::Sum;
  return extremumOf(loop, index) ? Carried::Extremum : Carried::Other;
}

/// One loop on its way back.
class ReverseLoop {
public:
  ReverseLoop(Reverse &reverse, scf::ForOp loop) : reverse(reverse), loop(loop) {}
  void write();

private:
  void choose();
  tile::StoreOp storeOf(unsigned index);
  Value loadStored(unsigned index, tile::StoreOp store);
  Value counterFor(scf::ForOp made);
  void writeBody(scf::ForOp made);
  void startBody(scf::ForOp made);
  void endBody();
  void finish(scf::ForOp made);
  /// The adjoint of a value from outside so far, as a loop can carry it.
  Value start(Value value) {
    Value sum = reverse.adjoint(value);
    return sum ? sum : reverse.zero(value.getType());
  }

  Reverse &reverse;
  scf::ForOp loop;
  SmallVector<Value> outside;
  SmallVector<unsigned> sums, carried; // of the loop's carried values
  bool isBackwards = false;
  Value lower, upper, step;
};

/// What the loop is to carry, and in which order it runs.
void ReverseLoop::choose() {
  outside = activeFromOutside(loop, reverse);
  for (unsigned index = 0; index < loop.getNumResults(); ++index) {
    if (!reverse.isActive(loop.getResult(index)) && !reverse.isActive(loop.getRegionIterArg(index)))
      continue;
    Carried kind = kindOf(loop, index);
    (kind == Carried::Sum ? sums : carried).push_back(index);
    isBackwards |= kind == Carried::Other;
    if (kind == Carried::Extremum)
      reverse.extrema[extremumOf(loop, index)] = {loop.getRegionIterArg(index),
                                                  reverse.wide(loop.getResult(index))};
  }
}

/// The store by which each iteration leaves what it hands on, in an output that the gradient is
/// given; null if there is none.
tile::StoreOp ReverseLoop::storeOf(unsigned index) {
  for (auto store : loop.getBody()->getOps<tile::StoreOp>()) {
    Value value = store.getValue();
    while (auto cast = value.getDefiningOp<tile::CastOp>())
      value = cast.getSource();
    bool isAlone = llvm::count_if(usersOf(store.getView()), [](Operation *user) {
                     return isa<tile::StoreOp, tile::AtomicOp>(user);
                   }) == 1;
    if (value == loop.getYieldedValues()[index] && isa<BlockArgument>(store.getView()) && isAlone &&
        reverse.storedView(store.getView()) && disjointTiles(*Access::of(store)).iterations)
      return store;
  }
  return {};
}

/// What an iteration starts with: what the one before has stored, and in the first what the loop
/// starts with. To be called when the counter is known.
Value ReverseLoop::loadStored(unsigned index, tile::StoreOp store) {
  OpBuilder &builder = reverse.builder;
  Location place = reverse.place;
  Value counter = reverse.primal(loop.getInductionVar());
  IRMapping before = reverse.scope.primals;
  before.map(loop.getInductionVar(), builder.create<arith::SubIOp>(place, counter, step));
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == store)
      break;
    bool isIndex = isPure(&op) && op.getNumRegions() == 0 &&
                   llvm::none_of(op.getResults(), [](Value result) { return isFloat(result); });
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value v) { return before.contains(v); });
    if (isIndex && isKnown)
      builder.clone(op, before);
  }
  SmallVector<Value> indices;
  for (Value at : store.getIndices()) {
    if (!before.contains(at))
      return {};
    indices.push_back(before.lookup(at));
  }
  Value view = reverse.storedView(store.getView()), argument = loop.getRegionIterArg(index);
  Type element = cast<tile::ViewType>(view.getType()).getElementType();
  Value loaded =
      builder.create<tile::LoadOp>(place, withElement(argument.getType(), element), view, indices,
                                   /*fill=*/Value(), store.getExtents());
  loaded = reverse.convert(loaded, getElementTypeOrSelf(argument.getType()));
  explain(store, "differentiate").with("stored", nameOf(store.getView()))
      << "what an iteration starts with is loaded from `" << nameOf(store.getView())
      << "`, where the one before has stored it";
  Value isFirst = builder.create<arith::CmpIOp>(place, arith::CmpIPredicate::eq, counter, lower);
  if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
    isFirst = builder.create<tile::SplatOp>(
        place, RankedTensorType::get(type.getShape(), builder.getI1Type()), isFirst);
  return reverse.select(isFirst, reverse.primal(loop.getInitArgs()[index]), loaded);
}

/// The iteration that the body stands for: the last one first, where the order matters.
Value ReverseLoop::counterFor(scf::ForOp made) {
  Value counter = made.getInductionVar();
  if (!isBackwards)
    return counter;
  OpBuilder &builder = reverse.builder;
  Location place = reverse.place;
  Type type = counter.getType();
  auto constant = [&](int64_t value) {
    return builder.create<arith::ConstantOp>(place, builder.getIntegerAttr(type, value));
  };
  Value span = builder.create<arith::SubIOp>(place, upper, lower);
  Value count = builder.create<arith::CeilDivSIOp>(place, span, step);
  Value steps = builder.create<arith::SubIOp>(place, count, constant(1));
  Value last = builder.create<arith::AddIOp>(place, lower,
                                             builder.create<arith::MulIOp>(place, steps, step));
  Value mirrored = builder.create<arith::AddIOp>(place, last, lower);
  return builder.create<arith::SubIOp>(place, mirrored, counter);
}

/// In the body, adjoints are those of this iteration; those of values from outside add up.
void ReverseLoop::startBody(scf::ForOp made) {
  Reverse::Scope &scope = reverse.scope;
  ValueRange arguments = made.getRegionIterArgs();
  DenseMap<Value, Value> around = std::exchange(scope.adjoints, DenseMap<Value, Value>());
  for (auto [value, argument] : llvm::zip(outside, arguments))
    scope.adjoints[value] = argument;
  ValueRange yielded = loop.getYieldedValues();
  for (auto [index, argument] : llvm::zip(carried, arguments.drop_front(outside.size())))
    reverse.give(yielded[index], Value(argument));
  for (unsigned index : sums)
    if (Value given = around.lookup(loop.getResult(index)))
      reverse.give(yielded[index], given);
}

void ReverseLoop::endBody() {
  SmallVector<Value> yielded;
  for (Value value : outside)
    yielded.push_back(reverse.adjoint(value));
  for (unsigned index : carried) {
    Value argument = loop.getRegionIterArg(index);
    Value next = reverse.adjoint(argument);
    yielded.push_back(next ? next : reverse.zero(argument.getType()));
  }
  reverse.builder.create<scf::YieldOp>(reverse.place, yielded);
}

/// Behind the loop: what its start values, and those from outside, get.
void ReverseLoop::finish(scf::ForOp made) {
  for (auto [value, sum] : llvm::zip(outside, made.getResults()))
    reverse.replaceAdjoint(value, sum);
  for (auto [index, adjoint] : llvm::zip(carried, made.getResults().drop_front(outside.size())))
    reverse.give(loop.getInitArgs()[index], Value(adjoint));
  for (unsigned index : sums)
    if (Value given = reverse.adjoint(loop.getResult(index)))
      reverse.give(loop.getInitArgs()[index], given);
}

void ReverseLoop::writeBody(scf::ForOp made) {
  OpBuilder::InsertionGuard guard(reverse.builder);
  Location place = reverse.place;
  Reverse::Scope around = reverse.scope;
  if (made.getNumResults() == 0)
    made.getBody()->getTerminator()->erase();
  reverse.builder.setInsertionPointToEnd(made.getBody());
  IRMapping &primals = reverse.scope.primals;
  primals.map(loop.getInductionVar(), counterFor(made));
  for (unsigned index = 0; index < loop.getNumResults(); ++index)
    if (kindOf(loop, index) == Carried::Unchanged)
      primals.map(loop.getRegionIterArg(index), reverse.primal(loop.getInitArgs()[index]));
    else if (tile::StoreOp store = storeOf(index))
      if (Value known = loadStored(index, store))
        primals.map(loop.getRegionIterArg(index), known);
  reverse.recompute(*loop.getBody());
  startBody(made);
  reverse.run(*loop.getBody());
  reverse.place = place;
  endBody();
  reverse.scope = std::move(around);
}

void ReverseLoop::write() {
  choose();
  lower = reverse.primal(loop.getLowerBound());
  upper = reverse.primal(loop.getUpperBound());
  step = reverse.primal(loop.getStep());
  SmallVector<Value> starts;
  for (Value value : outside)
    starts.push_back(start(value));
  for (unsigned index : carried)
    starts.push_back(start(loop.getResult(index)));
  auto made = reverse.builder.create<scf::ForOp>(reverse.place, lower, upper, step, starts);
  writeBody(made);
  finish(made);
}

void Reverse::visit(scf::ForOp loop) {
  if (activity.reaches(loop))
    ReverseLoop(*this, loop).write();
}

//===- Branches -------------------------------------------------------------------------------===//

/// Writes one side, from the adjoints of its results to those of what it uses.
void Reverse::runBranch(Region &region, ArrayRef<Value> given, ArrayRef<Value> through) {
  Scope around = scope;
  if (!region.empty()) {
    recompute(region.front());
    for (auto [value, adjoint] : llvm::zip(region.front().getTerminator()->getOperands(), given))
      if (adjoint)
        give(value, adjoint);
    run(region.front());
  }
  SmallVector<Value> sums;
  for (Value value : through) {
    Value sum = adjoint(value);
    sums.push_back(sum ? sum : zero(value.getType()));
  }
  builder.create<scf::YieldOp>(place, sums);
  scope = std::move(around);
}

void Reverse::visit(scf::IfOp branch) {
  if (!activity.reaches(branch))
    return;
  Location here = place;
  SmallVector<Value> given, through = activeFromOutside(branch, *this);
  for (Value result : branch.getResults())
    given.push_back(adjoint(result));
  SmallVector<Type> types;
  for (Value value : through)
    types.push_back(wideType(value.getType()));
  auto made = builder.create<scf::IfOp>(here, types, primal(branch.getCondition()),
                                        /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
    OpBuilder::InsertionGuard guard(builder);
    to.front().clear();
    builder.setInsertionPointToEnd(&to.front());
    runBranch(from, given, through);
    place = here;
  }
  for (auto [value, sum] : llvm::zip(through, made.getResults()))
    replaceAdjoint(value, sum);
}

} // namespace tilewright::passes
