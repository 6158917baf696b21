// What the ops of a program need of the hardware. A feature that the target lacks is refused here,
// at the op that needs it, and not by NVRTC.
#include "passes/check/CheckTarget.h"

#include "ir/Target.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

/// A need of an op, in words: what the op is or does, and what could replace it.
struct Need {
  Feature feature;
  std::string what, instead;
};

using Needs = SmallVector<Need, 2>;

Needs needsOf(cta::ChannelOp op) {
  Needs needs;
  if (op.getKind() == cta::ChannelKind::CpAsync)
    needs.push_back({Feature::CpAsync, "is filled by cp.async", "take kind `registers`"});
  if (op.getKind() == cta::ChannelKind::Tma)
    needs.push_back({Feature::Tma, "is filled by TMA", "take kind `cp_async` or `put`"});
  if (op.getKind() == cta::ChannelKind::Store)
    needs.push_back({Feature::Tma, "is for stores by TMA", "write by `tile.store`"});
  if (op.getMulticast())
    needs.push_back(
        {Feature::Multicast, "copies to all blocks of a cluster at once", "take `multicast` away"});
  return needs;
}

Needs needsOf(cta::RoleOp op) {
  Needs needs = {{Feature::Barriers, "meets other roles at barriers in shared memory",
                  "write the kernel without roles"}};
  if (op.getRegisters())
    needs.push_back({Feature::Registers, "exchanges registers with other roles (setmaxnreg)",
                     "take `registers` away"});
  return needs;
}

/// An instruction of the target for the operands of a product; `#cta.fma` works for all.
Attribute otherInstruction(cta::MmaOp op, const Target &target) {
  for (const ProductForm &form : productForms())
    if (target.has(form.feature) && form.multiplies(op.getOperandElementType(), op.getTf32()))
      return cta::instructionOf(op.getContext(), form);
  return cta::FmaAttr::get(op.getContext());
}

Needs needsOf(cta::MmaOp op, const Target &target) {
  const ProductForm *form = op.getForm();
  if (!form)
    return {};
  auto quoted = [](Attribute instruction) {
    std::string text;
    llvm::raw_string_ostream(text) << "`" << instruction << "`";
    return text;
  };
  return {{form->feature, "multiplies by " + quoted(op.getInstruction()),
           "take " + quoted(otherInstruction(op, target))}};
}

Needs needsOf(func::FuncOp op) {
  if (cta::clusterOf(op).blocks() == 1)
    return {};
  return {{Feature::Clusters, "runs in clusters of blocks", "take `cta.cluster` away"}};
}

Needs needsOf(cta::StoreOp) { return {{Feature::Tma, "stores by TMA", "write by `tile.store`"}}; }

/// The oldest target that has a feature.
StringRef targetWith(Feature feature) {
  return llvm::find_if(allTargets(), [&](const Target &target) { return target.has(feature); })
      ->name;
}

LogicalResult check(Operation *op, const Target &target) {
  Needs needs = llvm::TypeSwitch<Operation *, Needs>(op)
                    .Case([&](cta::MmaOp mma) { return needsOf(mma, target); })
                    .Case<func::FuncOp, cta::ChannelOp, cta::RoleOp, cta::StoreOp>(
                        [](auto each) { return needsOf(each); })
                    .Default([](Operation *) { return Needs(); });
  for (const Need &need : needs)
    if (!target.has(need.feature))
      return op->emitError() << need.what << ", which `" << target.name << "` lacks; "
                             << need.instead << ", or compile for a target that has it, such as `"
                             << targetWith(need.feature) << "`";
  return success();
}

} // namespace

LogicalResult checkTarget(func::FuncOp kernel) {
  auto name = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr);
  const Target *target = name ? findTarget(name) : nullptr;
  if (!target && (name || !kernel.getOps<cta::RoleOp>().empty()))
    return kernel.emitError() << "needs a target that exists, such as `cta.target = \"sm_90\"`";
  if (!target) // a function without a target, which kernels call
    return success();
  return failure(kernel
                     .walk<WalkOrder::PreOrder>([&](Operation *op) {
                       return failed(check(op, *target)) ? WalkResult::interrupt()
                                                         : WalkResult::advance();
                     })
                     .wasInterrupted());
}

} // namespace tilewright::passes
