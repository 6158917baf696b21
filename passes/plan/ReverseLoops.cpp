// Runs loops from the last iteration to the first. The values that they carry do not depend on the
// order, except for rounding.
#include "passes/Passes.h"
#include "passes/analysis/CarriedState.h"
#include "passes/analysis/EmptyIterations.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_REVERSELOOPS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct ReverseLoops : impl::ReverseLoopsBase<ReverseLoops> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    kernel.walk([&](scf::ForOp loop) {
      if (const Plan::Loop *entry = entryOf(plan, loop);
          entry && entry->fromLast && failed(reverse(loop)))
        signalPassFailure();
    });
  }

private:
  static LogicalResult reverse(scf::ForOp loop) {
    for (auto [number, state] : llvm::enumerate(carriedStates(loop)))
      if (dependsOnOrder(state))
        return loop.emitError() << "carries a value, number " << number + 1 << ", that depends on "
                                << "the order of iterations; it cannot go from the last";
    bool writes = loop.walk([](Operation *op) {
                        return isa<tile::StoreOp, tile::AtomicOp>(op) ? WalkResult::interrupt()
                                                                      : WalkResult::advance();
                      })
                      .wasInterrupted();
    if (writes)
      return loop.emitError() << "writes to memory in the order of its iterations; it cannot go "
                              << "from the last";
    if (!matchPattern(loop.getStep(), m_One()))
      return loop.emitError() << "goes by another step than 1; it cannot go from the last";
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value upper = loop.getUpperBound(), lower = loop.getLowerBound();
    Value last = builder.create<arith::SubIOp>(loc, upper, loop.getStep());
    Value sum = builder.createOrFold<arith::AddIOp>(loc, last, lower);
    builder.setInsertionPointToStart(loop.getBody());
    Value counter = loop.getInductionVar();
    auto reversed = builder.create<arith::SubIOp>(loc, sum, counter);
    reversed->setAttr(kReversedAttr, builder.getUnitAttr());
    counter.replaceAllUsesExcept(reversed, reversed);
    turnComparisons(loop, reversed, sum);
    return success();
  }

  /// Replaces comparisons of the iteration by comparisons of the counter, which split-iterations
  /// understands.
  static void turnComparisons(scf::ForOp loop, Value reversed, Value sum) {
    using P = arith::CmpIPredicate;
    OpBuilder builder(loop);
    for (auto compare : llvm::make_early_inc_range(loop.getOps<arith::CmpIOp>())) {
      bool less = compare.getPredicate() == P::slt;
      if (compare.getLhs() != reversed || !loop.isDefinedOutsideOfLoop(compare.getRhs()) ||
          !(less || compare.getPredicate() == P::sge))
        continue;
      // sum - i >= b is i < sum - b + 1.
      Location loc = compare.getLoc();
      Value before = loop->hasAttr(kMasksLastAttr)
                         ? loop.getLowerBound() // masks concerned the last iteration
                         : builder.create<arith::SubIOp>(loc, sum, compare.getRhs()).getResult();
      Value bound = builder.createOrFold<arith::AddIOp>(loc, before, loop.getStep());
      OpBuilder inside(compare);
      Value turned =
          inside.create<arith::CmpIOp>(loc, less ? P::sge : P::slt, loop.getInductionVar(), bound);
      compare.replaceAllUsesWith(turned);
      compare.erase();
    }
  }
};

} // namespace
} // namespace tilewright::passes
