// Stores, and additions to memory, go through slots and TMA, as the plan says: some columns of all
// rows at a time, while other work goes on.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

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
    SmallVector<Operation *> ends;
    kernel.walk([&](Operation *op) {
      if (isa<tile::StoreOp, tile::AtomicOp>(op) && idOf(op))
        ends.push_back(op);
    });
    // Stores that use another store's slots come after it.
    llvm::stable_sort(ends, [&](auto *a, auto *b) { return !goesWith(a) && goesWith(b); });
    for (Operation *op : ends) {
      bool adds = isa<tile::AtomicOp>(op);
      LogicalResult done =
          llvm::TypeSwitch<Operation *, LogicalResult>(op).Case<tile::StoreOp, tile::AtomicOp>(
              [&](auto end) { return goThroughSlots(end, adds); });
      if (failed(done))
        return signalPassFailure();
    }
  }

private:
  bool goesWith(Operation *end) { return !plan.channelOf(*idOf(end))->with.empty(); }

  template <typename EndOp> LogicalResult goThroughSlots(EndOp end, bool adds) {
    const Plan::Channel &entry = *plan.channelOf(*idOf(end));
    auto refuse = [&](const Twine &why) {
      return end.emitError() << "is end `" << entry.id << "`, a tile " << why;
    };
    auto tile = cast<RankedTensorType>(end.getValue().getType());
    if (end.getValid())
      return refuse("that was padded; TMA stores all of it; take the plan's channel for it away");
    if (tile.getRank() != 2)
      return refuse("of rank " + Twine(tile.getRank()) +
                    "; slots of some columns are for rank 2; take the plan's channel for it away");
    int64_t axis = entry.rows ? 0 : 1, part = entry.rows ? entry.rows : entry.columns;
    if (entry.rows == tile.getDimSize(0))
      return refuse("of " + Twine(entry.rows) +
                    " rows that goes through slots of as many; say `of " +
                    Twine(tile.getDimSize(1)) + " columns`");
    if (tile.getDimSize(axis) % part)
      return refuse("of " + Twine(tile.getDimSize(axis)) + (axis ? " columns" : " rows") +
                    " that goes through slots of " + Twine(part) + "; take a divisor");
    SmallVector<int64_t> shape(tile.getShape());
    shape[axis] = part;
    auto slot = RankedTensorType::get(shape, tile.getElementType());
    auto type = cta::ChannelType::get(&getContext(), entry.slots, slot);
    cta::ChannelOp channel = channelFor(end, end.getView(), type, entry);
    if (channel.getResult().getType() != type)
      return end.emitError() << "is end `" << entry.id << "`, a tile of " << tile
                             << " that goes through the slots of `" << entry.with
                             << "`, which are of " << channel.getResult().getType().getTile();
    OpBuilder builder(end);
    auto made = builder.create<cta::StoreOp>(end.getLoc(), end.getValue(), end.getView(),
                                             end.getIndices(), channel, end.getExtentsAttr(),
                                             adds ? builder.getUnitAttr() : UnitAttr());
    if (!entry.with.empty())
      made->setAttr(kIdAttr, builder.getStringAttr(entry.id));
    end.erase();
    return success();
  }

  /// One channel for a store and those that go with it, wherever and however often they occur.
  cta::ChannelOp channelFor(Operation *end, Value view, cta::ChannelType type,
                            const Plan::Channel &entry) {
    cta::ChannelOp &channel = channels[entry.with.empty() ? entry.id : entry.with];
    if (channel)
      return channel;
    OpBuilder builder(*getOperation().getOps<cta::RoleOp>().begin());
    channel = builder.create<cta::ChannelOp>(placeNamed(end, view), type, cta::ChannelKind::Store,
                                             cta::SharedAttr());
    channel->setAttr(kIdAttr, builder.getStringAttr(entry.id));
    return channel;
  }

  Plan plan;
  llvm::StringMap<cta::ChannelOp> channels;
};
} // namespace
} // namespace tilewright::passes
