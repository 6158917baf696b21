// A loop with a delayed product (skew-loops) starts its first iteration before it knows whether
// there is a second one, so it must run at least once. For sizes with no iterations it gets one
// that changes nothing.
#include "passes/Passes.h"
#include "passes/analysis/EmptyIterations.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_RUNLOOPSONCE
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct RunLoopsOnce : impl::RunLoopsOnceBase<RunLoopsOnce> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    kernel.walk([&](scf::ForOp loop) {
      bool isBehind = llvm::any_of(loop.getOps<tile::DotOp>(), [&](tile::DotOp dot) {
        return plan.productOf(*idOf(dot))->behind > 0;
      });
      if (isBehind && failed(runOnce(loop)))
        signalPassFailure();
    });
  }

private:
  static LogicalResult runOnce(scf::ForOp loop) {
    APInt lower, upper;
    bool isKnown = matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
                   matchPattern(loop.getUpperBound(), m_ConstantInt(&upper));
    if (isKnown && lower.slt(upper))
      return success();
    if (!loop->hasAttr(kIdleBehindAttr))
      return loop.emitError() << "is a loop with a product that is behind, which has to run at "
                              << "least once; an iteration more may change something";
    OpBuilder builder(loop);
    Value next = builder.create<arith::AddIOp>(loop.getLoc(), loop.getLowerBound(), loop.getStep());
    loop.setUpperBound(
        builder.createOrFold<arith::MaxSIOp>(loop.getLoc(), loop.getUpperBound(), next));
    return success();
  }
};

} // namespace
} // namespace tilewright::passes
