// Tiles behind the loops go to memory by TMA, through the slots that the plan gives them: some
// columns of all rows at a time, while the next tile is on its way.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_STOREBYTMA
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {
struct StoreByTma : impl::StoreByTmaBase<StoreByTma> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    plan = planOf(kernel);
    SmallVector<tile::StoreOp> stores;
    kernel.walk([&](tile::StoreOp store) {
      if (store->hasAttr(kIdAttr))
        stores.push_back(store);
    });
    // Those that go with others behind them.
    llvm::stable_sort(stores, [&](auto a, auto b) { return !goesWith(a) && goesWith(b); });
    llvm::StringMap<cta::ChannelOp> channels;
    for (tile::StoreOp store : stores)
      if (failed(replace(store, channels)))
        return signalPassFailure();
  }

private:
  const Plan::Channel &entryOf(tile::StoreOp store) { return *plan.channelOf(*idOf(store)); }
  bool goesWith(tile::StoreOp store) { return !entryOf(store).with.empty(); }

  LogicalResult replace(tile::StoreOp store, llvm::StringMap<cta::ChannelOp> &channels) {
    const Plan::Channel &entry = entryOf(store);
    auto refuse = [&] { return store.emitError() << "is end `" << entry.id << "`, a tile "; };
    auto tile = cast<RankedTensorType>(store.getValue().getType());
    if (store.getValid())
      return refuse() << "that was padded; TMA stores all of it; take the plan's channel for it "
                      << "away";
    if (tile.getRank() != 2)
      return refuse() << "of rank " << tile.getRank() << "; slots of some columns are for rank 2; "
                      << "take the plan's channel for it away";
    if (tile.getDimSize(1) % entry.columns)
      return refuse() << "of " << tile.getDimSize(1) << " columns that goes through slots of "
                      << entry.columns << "; take a divisor";
    auto slot = RankedTensorType::get({tile.getDimSize(0), entry.columns}, tile.getElementType());
    auto type = cta::ChannelType::get(&getContext(), entry.slots, slot);
    cta::ChannelOp &channel = channels[entry.with.empty() ? entry.id : entry.with];
    if (!channel)
      channel = makeChannel(store, type, entry.id);
    if (channel.getResult().getType() != type)
      return refuse() << "of " << tile << " that goes through the slots of `" << entry.with
                      << "`, which are of " << channel.getResult().getType().getTile();
    auto made = OpBuilder(store).create<cta::StoreOp>(store.getLoc(), store.getValue(),
                                                      store.getView(), store.getIndices(), channel,
                                                      store.getExtentsAttr(), UnitAttr());
    if (!entry.with.empty())
      made->setAttr(kIdAttr, store->getAttr(kIdAttr));
    store.erase();
    return success();
  }

  cta::ChannelOp makeChannel(tile::StoreOp store, cta::ChannelType type, StringRef id) {
    OpBuilder builder(*getOperation().getOps<cta::RoleOp>().begin());
    auto channel = builder.create<cta::ChannelOp>(placeNamed(store, store.getView()), type,
                                                  cta::ChannelKind::Store, cta::SharedAttr());
    channel->setAttr(kIdAttr, builder.getStringAttr(id));
    return channel;
  }

  Plan plan;
};
} // namespace
} // namespace tilewright::passes
