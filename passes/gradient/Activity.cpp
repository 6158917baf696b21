#include "passes/gradient/Activity.h"

#include "passes/analysis/Weights.h"
#include "passes/gradient/AdjointRules.h"

using namespace mlir;

namespace tilewright::passes {

bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

namespace {

/// Whether everything that the kernel writes is the same for each value of a maximum, as that which
/// a softmax subtracts to keep its exponents in range. Then its derivative is 0.
bool cancels(tile::ReduceOp peak) {
  auto type = dyn_cast<RankedTensorType>(peak.getType());
  if (peak.getKind() != tile::ReduceKind::Max || !type || type.getRank() != 1)
    return false;
  Weigher weigher;
  weigher.set(peak.getResult(), {Weight::Shifted, 0, 1, 0});
  return !weigher.weighAll(*peak->getBlock());
}

/// Which values follow from which, over all of a kernel.
class Flow {
public:
  explicit Flow(func::FuncOp kernel) {
    for (auto reduce : kernel.getBody().front().getOps<tile::ReduceOp>())
      if (cancels(reduce))
        constants.insert(reduce);
    kernel.walk([&](Operation *op) { add(op); });
  }

  /// All that follows from the seeds, or that they follow from.
  DenseSet<Value> downstream(ArrayRef<Value> seeds) const { return reach(seeds, next); }
  DenseSet<Value> upstream(ArrayRef<Value> seeds) const { return reach(seeds, previous); }

private:
  using Edges = DenseMap<Value, SmallVector<Value>>;

  void edge(Value from, Value to) {
    if (!isFloat(from) || !isFloat(to))
      return;
    next[from].push_back(to);
    previous[to].push_back(from);
  }
  void edges(ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      edge(source, target);
  }

  void add(scf::ForOp loop) {
    ValueRange yielded = loop.getYieldedValues();
    edges(loop.getInitArgs(), loop.getRegionIterArgs());
    edges(loop.getInitArgs(), loop.getResults());
    edges(yielded, loop.getRegionIterArgs());
    edges(yielded, loop.getResults());
  }
  void add(scf::IfOp branch) {
    for (Region *region : branch.getRegions())
      if (!region->empty())
        edges(region->front().getTerminator()->getOperands(), branch.getResults());
  }
  /// Of a `while`, which is refused where it is reached.
  void add(scf::WhileOp loop) {
    edges(loop.getInits(), loop.getBeforeArguments());
    edges(loop.getYieldOp()->getOperands(), loop.getBeforeArguments());
    edges(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    edges(loop.getConditionOp().getArgs(), loop.getResults());
  }
  void add(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return add(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return add(branch);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return add(loop);
    const AdjointRule *rule = findAdjointRule(op->getName().getStringRef());
    if ((rule && rule->kind == AdjointRule::Constant) || constants.contains(op))
      return;
    for (Value result : op->getResults())
      for (Value operand : op->getOperands())
        edge(operand, result);
  }

  static DenseSet<Value> reach(ArrayRef<Value> seeds, const Edges &edges) {
    DenseSet<Value> reached(seeds.begin(), seeds.end());
    SmallVector<Value> open(seeds);
    while (!open.empty()) {
      auto found = edges.find(open.pop_back_val());
      if (found == edges.end())
        continue;
      for (Value value : found->second)
        if (reached.insert(value).second)
          open.push_back(value);
    }
    return reached;
  }

  Edges next, previous;
  DenseSet<Operation *> constants;
};

} // namespace

Activity::Activity(func::FuncOp kernel, const DenseSet<Value> &wrt, const DenseSet<Value> &given) {
  SmallVector<Value> loaded, written;
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op);
        load && wrt.contains(tile::tensorOf(load.getView())))
      loaded.push_back(load.getResult());
    if (auto store = dyn_cast<tile::StoreOp>(op);
        store && given.contains(tile::tensorOf(store.getView())))
      written.push_back(store.getValue());
    if (auto atomic = dyn_cast<tile::AtomicOp>(op);
        atomic && given.contains(tile::tensorOf(atomic.getView())))
      written.push_back(atomic.getValue());
  });
  Flow flow(kernel);
  DenseSet<Value> varied = flow.downstream(loaded), useful = flow.upstream(written);
  for (Value value : varied)
    if (useful.contains(value) && isFloat(value))
      active.insert(value);
}

bool Activity::reaches(Operation *op) const {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), [&](Value value) { return contains(value); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tilewright::passes
