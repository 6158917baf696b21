// wgmma truncates f32 operands to tf32 and cannot round them. So they are rounded as they are
// copied into slots, and nothing else may read these slots.
#include "passes/check/CheckRounding.h"

namespace tilewright::passes {

using namespace mlir;

LogicalResult checkRounding(func::FuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    auto mma = dyn_cast<cta::MmaOp>(op);
    if (!isa<cta::GetOp, cta::ElementOp>(op) && (!mma || mma.getTf32()))
      return WalkResult::advance();
    for (Value operand : op->getOperands()) {
      auto channel = isa<cta::SlotType>(operand.getType()) ? cta::channelOf(operand) : nullptr;
      if (!channel || !channel.holdsTf32())
        continue;
      op->emitError() << "reads slots of `" << cta::nameOf(channel.getResult(), "channel")
                      << "`, which are rounded to tf32 for a product by `#cta.wgmma`; load what "
                      << "it reads through a channel of its own";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tilewright::passes
