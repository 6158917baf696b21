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
    Plan plan = planOf(kernel);
    SmallVector<tile::StoreOp> stores;
    kernel.walk([&](tile::StoreOp store) {
      if (store->hasAttr(kIdAttr))
        stores.push_back(store);
    });
    OpBuilder builder(*kernel.getOps<cta::RoleOp>().begin());
    for (tile::StoreOp store : stores) {
      const Plan::Channel &entry =
          *plan.channelOf(store->getAttrOfType<StringAttr>(kIdAttr).getValue());
      auto tile = cast<RankedTensorType>(store.getValue().getType());
      if (store.getValid()) {
        store.emitError() << "is end `" << entry.id
                          << "`, a tile that was padded; TMA stores all of "
                          << "it; take the plan's channel for it away";
        return signalPassFailure();
      }
      if (tile.getRank() != 2) {
        store.emitError() << "is end `" << entry.id << "`, a tile of rank " << tile.getRank()
                          << "; slots of some columns are for rank 2; take the plan's channel "
                          << "for it away";
        return signalPassFailure();
      }
      if (tile.getDimSize(1) % entry.columns) {
        store.emitError() << "is end `" << entry.id << "`, a tile of " << tile.getDimSize(1)
                          << " columns that goes through slots of " << entry.columns
                          << "; take a divisor";
        return signalPassFailure();
      }
      auto slot = RankedTensorType::get({tile.getDimSize(0), entry.columns}, tile.getElementType());
      auto channel =
          builder.create<cta::ChannelOp>(placeNamed(store, store.getView()),
                                         cta::ChannelType::get(&getContext(), entry.slots, slot),
                                         cta::ChannelKind::Store, cta::SharedAttr());
      channel->setAttr(kIdAttr, builder.getStringAttr(entry.id));
      OpBuilder(store).create<cta::StoreOp>(store.getLoc(), store.getValue(), store.getView(),
                                            store.getIndices(), channel, store.getExtentsAttr(),
                                            UnitAttr());
      store.erase();
    }
  }
};
} // namespace
} // namespace tilewright::passes
