// Channels that the plan joins: their slots are waited for and released together, so they share the
// mbarriers of one ring.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_JOINCHANNELS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct JoinChannels : impl::JoinChannelsBase<JoinChannels> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    for (const Plan::Channel &entry : plan.channels)
      if (!entry.with.empty() && entry.kind != "store" && failed(join(entry)))
        return signalPassFailure();
  }

private:
  cta::ChannelOp channelOf(StringRef id) {
    for (auto channel : getOperation().getOps<cta::ChannelOp>())
      if (idOf(channel) == id)
        return channel;
    return nullptr;
  }

  /// Moves the waits and releases of a channel's slots to those of the channel that it goes with.
  LogicalResult join(const Plan::Channel &entry) {
    cta::ChannelOp channel = channelOf(entry.id), first = channelOf(entry.with);
    SmallVector<cta::WaitOp> waits = waitsOf(channel), leading = waitsOf(first);
    for (auto [wait, lead] : llvm::zip(waits, leading))
      if (waits.size() != leading.size() || wait->getBlock() != lead->getBlock())
        return channel.emitError()
               << "is channel `" << entry.id << "`, which does not change hands "
               << "in the same loop as `" << entry.with << "`";
    for (Operation *op : {channel.getOperation(), first.getOperation()})
      op->setAttr(kWithAttr, StringAttr::get(&getContext(), entry.with));
    for (auto [wait, lead] : llvm::zip(waits, leading)) {
      Operation *behind = lead;
      while (isa<cta::WaitOp>(behind->getNextNode()))
        behind = behind->getNextNode();
      if (!wait->isBeforeInBlock(lead) && wait != behind)
        wait->moveAfter(behind);
      if (failed(joinReleases(wait, lead)))
        return failure();
    }
    return success();
  }

  static SmallVector<cta::WaitOp> waitsOf(cta::ChannelOp channel) {
    SmallVector<cta::WaitOp> waits;
    for (Operation *user : channel->getUsers())
      if (auto wait = dyn_cast<cta::WaitOp>(user))
        waits.push_back(wait);
    return waits;
  }

  /// Both use the later of the two places, and wait for the later of the two products.
  static LogicalResult joinReleases(cta::WaitOp wait, cta::WaitOp lead) {
    cta::ReleaseOp own = releaseOf(wait), other = releaseOf(lead);
    if (!own || !other || own->getBlock() != other->getBlock())
      return wait.emitError() << "takes a slot that does not go back in the same loop as that of "
                              << "the channel with which its own goes";
    if (other->isBeforeInBlock(own))
      std::swap(own, other);
    if (!other.getProduct() && own.getProduct())
      other.getProductMutable().assign(own.getProduct());
    if (Value product = other.getProduct())
      own.getProductMutable().assign(product);
    own->moveAfter(other);
    return success();
  }

  static cta::ReleaseOp releaseOf(cta::WaitOp wait) {
    for (Operation *user : wait->getUsers())
      if (auto release = dyn_cast<cta::ReleaseOp>(user))
        return release;
    return nullptr;
  }
};

} // namespace
} // namespace tilewright::passes
