#include "passes/analysis/CarriedState.h"

#include "passes/analysis/Weights.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

class Carrier {
public:
  explicit Carrier(scf::ForOp loop) : loop(loop) {}

  SmallVector<State> run() {
    SmallVector<State> states;
    for (BlockArgument carried : loop.getRegionIterArgs())
      states.push_back(plainState(carried));
    for (auto [carried, state] : llvm::zip(loop.getRegionIterArgs(), states))
      if (state == State::Maximum)
        findScaled(carried, states);
    for (auto [carried, state] : llvm::zip(loop.getRegionIterArgs(), states))
      if (state == State::Other && isRecurrence(carried))
        state = State::Recurrence;
    return states;
  }

private:
  Value updateOf(BlockArgument carried) { return loop.getTiedLoopYieldedValue(carried)->get(); }

  /// Whether a value depends on what the loop carries, other than through `allowed`.
  bool follows(Value value, Value allowed = nullptr) {
    llvm::SmallDenseSet<Value> seen;
    return follows(value, allowed, seen);
  }
  bool follows(Value value, Value allowed, llvm::SmallDenseSet<Value> &seen) {
    if (value == allowed || !seen.insert(value).second)
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
    Operation *op = value.getDefiningOp();
    if (!loop->isProperAncestor(op))
      return false;
    llvm::SetVector<Value> read;
    read.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), read);
    return llvm::any_of(read, [&](Value v) { return follows(v, allowed, seen); });
  }

  State plainState(BlockArgument carried) {
    Operation *op = updateOf(carried).getDefiningOp();
    // The partial result depends on the order, so nothing else may read it.
    bool isReadOnce = carried.hasOneUse() && updateOf(carried).hasOneUse();
    if (auto dot = dyn_cast_or_null<tile::DotOp>(op); dot && isReadOnce &&
                                                      dot.getAcc() == carried &&
                                                      !follows(dot.getA()) && !follows(dot.getB()))
      return State::Sum;
    if (!op || op->getNumOperands() != 2 || !llvm::is_contained(op->getOperands(), carried))
      return State::Other;
    Value other = op->getOperand(op->getOperand(0) == carried);
    if (follows(other))
      return State::Other;
    if (isa<arith::AddFOp, arith::AddIOp>(op))
      return isReadOnce ? State::Sum : State::Other;
    if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(op))
      return State::Maximum;
    bool least = isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(op);
    return least ? State::Minimum : State::Other;
  }

  /// Finds a' = a · 2^(m - m') + f, with f of weight -1 in m'.
  void findScaled(BlockArgument peak, SmallVectorImpl<State> &states) {
    Value update = updateOf(peak);
    auto type = dyn_cast<RankedTensorType>(peak.getType());
    if (!type || type.getRank() != 1 || !isa<FloatType>(type.getElementType()))
      return;
    // f does not depend on other carried values.
    Weigher weigher;
    for (BlockArgument carried : loop.getRegionIterArgs())
      weigher.set(carried, Weight{Weight::Unknown});
    weigher.set(peak, {Weight::Shifted, 1, 0, 0});
    weigher.set(update, {Weight::Shifted, 0, 1, 0});
    if (weigher.weighAll(*loop.getBody()))
      return; // something depends on m' in another way
    for (auto [carried, state] : llvm::zip(loop.getRegionIterArgs(), states))
      if (state == State::Other && carried.hasOneUse() && updateOf(carried).hasOneUse() &&
          isScaled(carried, peak, weigher))
        state = State::Scaled;
  }

  bool isScaled(BlockArgument carried, BlockArgument peak, const Weigher &weigher) {
    Operation *op = updateOf(carried).getDefiningOp();
    Value update = updateOf(peak);
    auto isShrink = [&](Value a, Value factor) { return a == carried && isShrinkOf(factor, peak); };
    auto isShrunk = [&](Value value) {
      auto product = value.getDefiningOp<arith::MulFOp>();
      return product && (isShrink(product.getLhs(), product.getRhs()) ||
                         isShrink(product.getRhs(), product.getLhs()));
    };
    // Computed under the new maximum: with its weight, and without other carried values.
    auto isMade = [&](ValueRange factors) {
      double weight = 0;
      for (Value factor : factors) {
        Weight own = weigher.of(factor);
        if (own.kind == Weight::Shifted || own.before != 0 || follows(factor, update))
          return false;
        weight += own.kind == Weight::Scaled ? own.now : 0;
      }
      return weight == -1;
    };
    if (auto dot = dyn_cast_or_null<tile::DotOp>(op))
      return isShrunk(dot.getAcc()) && isMade({dot.getA(), dot.getB()});
    if (auto fma = dyn_cast_or_null<math::FmaOp>(op))
      return (isShrink(fma.getA(), fma.getB()) || isShrink(fma.getB(), fma.getA())) &&
             isMade(fma.getC());
    auto add = dyn_cast_or_null<arith::AddFOp>(op);
    return add && ((isShrunk(add.getLhs()) && isMade(add.getRhs())) ||
                   (isShrunk(add.getRhs()) && isMade(add.getLhs())));
  }

  bool isRecurrence(BlockArgument carried) {
    Value update = updateOf(carried);
    auto isFaded = [&](Value a, Value factor) { return a == carried && !follows(factor); };
    auto isProduct = [&](Value value) {
      auto product = value.getDefiningOp<arith::MulFOp>();
      return product && (isFaded(product.getLhs(), product.getRhs()) ||
                         isFaded(product.getRhs(), product.getLhs()));
    };
    if (auto dot = update.getDefiningOp<tile::DotOp>())
      return isProduct(dot.getAcc()) && !follows(dot.getA()) && !follows(dot.getB());
    if (auto fma = update.getDefiningOp<math::FmaOp>())
      return (isFaded(fma.getA(), fma.getB()) || isFaded(fma.getB(), fma.getA())) &&
             !follows(fma.getC());
    auto add = update.getDefiningOp<arith::AddFOp>();
    return isProduct(update) || (add && ((isProduct(add.getLhs()) && !follows(add.getRhs())) ||
                                         (isProduct(add.getRhs()) && !follows(add.getLhs()))));
  }

  /// Whether a tile is 2^(m - m') in all its columns.
  bool isShrinkOf(Value factor, BlockArgument peak) {
    while (factor.getDefiningOp<tile::BroadcastOp>() || factor.getDefiningOp<tile::ExpandDimsOp>())
      factor = factor.getDefiningOp()->getOperand(0);
    auto power = factor.getDefiningOp<math::Exp2Op>();
    auto difference = power ? power.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    return difference && difference.getLhs() == peak && difference.getRhs() == updateOf(peak);
  }

  scf::ForOp loop;
};

} // namespace

SmallVector<State> carriedStates(scf::ForOp loop) { return Carrier(loop).run(); }

} // namespace tilewright::passes
