// States the conditions of a plan. If they do not hold, the host takes another plan. Passes use
// them as facts.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_ASSUMECONDITIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct AssumeConditions : impl::AssumeConditionsBase<AssumeConditions> {
  using AssumeConditionsBase::AssumeConditionsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    ErrorOr<Plan> plan = readPlan(kernel, text);
    if (!plan) {
      kernel.emitError() << plan.error().message;
      return signalPassFailure();
    }
    for (const std::string &name : plan->positive)
      if (failed(assumePositive(name)))
        return signalPassFailure();
  }

private:
  LogicalResult assumePositive(StringRef name) {
    func::FuncOp kernel = getOperation();
    for (BlockArgument argument : kernel.getArguments()) {
      auto own = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
      auto type = dyn_cast<FloatType>(argument.getType());
      if (!own || own != name || !type)
        continue;
      OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
      Location loc = argument.getLoc();
      Value zero = builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(type, 0));
      Value holds = builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, argument, zero);
      builder.create<cta::WhenOp>(loc, holds);
      return success();
    }
    return kernel.emitError() << "has a plan for `" << name << " > 0`, and no scalar argument `"
                              << name << "` of a float type";
  }
};

} // namespace
} // namespace tilewright::passes
