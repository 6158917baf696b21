// Turns masks into a branch on the loop counter. With `cta.before` as its condition the branch
// splits the loop in two: one with the iterations that need the mask, one with the others.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SPLITITERATIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct SplitIterations : impl::SplitIterationsBase<SplitIterations> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      const Plan::Loop *entry = entryOf(plan, loop);
      if (!entry || !entry->splitMasks)
        continue;
      if (split(loop))
        continue;
      loop.emitError() << "is loop `" << entry->id << "`, which has no masks that concern some "
                       << "of its iterations";
      return signalPassFailure();
    }
  }

private:
  /// Replaces each comparison of the counter with a bound that a branch uses by a `cta.before`.
  static bool split(scf::ForOp loop) {
    bool any = false;
    for (auto compare : llvm::make_early_inc_range(loop.getOps<arith::CmpIOp>())) {
      bool least = compare.getPredicate() == arith::CmpIPredicate::slt;
      bool asked = llvm::any_of(compare->getUsers(),
                                [](Operation *user) { return isa<scf::IfOp, arith::OrIOp>(user); });
      if (compare.getLhs() != loop.getInductionVar() || !asked ||
          !loop.isDefinedOutsideOfLoop(compare.getRhs()) ||
          !(least || compare.getPredicate() == arith::CmpIPredicate::sge))
        continue;
      OpBuilder builder(compare);
      Location loc = compare.getLoc();
      Value holds = builder.create<cta::BeforeOp>(loc, compare.getLhs(), compare.getRhs());
      if (!least)
        holds = builder.create<arith::XOrIOp>(loc, holds,
                                              builder.create<arith::ConstantIntOp>(loc, 1, 1));
      compare.replaceAllUsesWith(holds);
      compare.erase();
      any = true;
    }
    return any;
  }
};

} // namespace
} // namespace tilewright::passes
