// Lets a kernel be launched before the ones in front of it on the stream have ended. Between two
// launches the GPU would otherwise idle while the next grid starts: 0.5 us on an H100.
//
// No kernel lets the next begin while it runs itself (griddepcontrol.launch_dependents), though
// that is allowed: it made some pairs of kernels a quarter slower (docs/hopper.md, Launches).
#include "passes/Passes.h"

#include "ir/Target.h"
#include "ir/cuda/Cuda.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_OVERLAPGRIDS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// For an op that may see what another kernel writes, or write what it sees. Maps are parameters.
bool touchesGlobalMemory(Operation &op) {
  return op
      .walk([](Operation *inner) {
        bool touches = llvm::any_of(inner->getOperandTypes(),
                                    llvm::IsaPred<cuda::PtrType, cuda::TensorMapType>);
        return touches && !isa<cuda::TmaPrefetchMapOp>(inner) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

struct OverlapGrids : impl::OverlapGridsBase<OverlapGrids> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto name = kernel->getAttrOfType<StringAttr>(cuda::kTargetAttr);
    const Target *target = name ? findTarget(name) : nullptr;
    if (!target || !target->has(Feature::DependentLaunch))
      return;
    Block &body = kernel.getBody().front();
    if (!body.getOps<cuda::GridWaitOp>().empty())
      return; // the program says where
    auto first = llvm::find_if(body, touchesGlobalMemory);
    OpBuilder builder(first == body.end() ? body.getTerminator() : &*first);
    builder.create<cuda::GridWaitOp>(builder.getInsertionPoint()->getLoc());
  }
};

} // namespace
} // namespace tilewright::passes
