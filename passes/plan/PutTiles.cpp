// Computed tiles that a product reads from shared memory. The role puts them into slots, which it
// then waits for, reads and releases like those of a stream. If the plan says so, cut-roles moves
// this to a producer role of its own.
//
// A product that has the tile as its left operand, as it stands, still reads it from registers,
// unless another role computes the tile, or no other product needs it in shared memory: then the
// channel is meant for this one.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

#include "llvm/ADT/MapVector.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_PUTTILES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// An operand of a product that is read from a slot.
struct Use {
  tile::DotOp dot;
  unsigned operand;

  tile::TransposeOp transpose() const {
    auto transposed = dot->getOperand(operand).getDefiningOp<tile::TransposeOp>();
    return transposed && transposed->hasAttr(kTurnedAttr) ? nullptr : transposed;
  }
  Value tile() const {
    tile::TransposeOp transposed = transpose();
    return transposed ? transposed.getSource() : dot->getOperand(operand);
  }
};

struct PutTiles : impl::PutTilesBase<PutTiles> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    llvm::MapVector<StringRef, SmallVector<Use>> uses;
    kernel.walk([&](tile::DotOp dot) {
      for (unsigned operand : {0, 1})
        if (auto id = dot->getAttrOfType<StringAttr>(operand ? kRightAttr : kLeftAttr))
          uses[id.getValue()].push_back({dot, operand});
    });
    for (auto &[id, of] : uses)
      put(*plan.channelOf(id), plan.makerOf(id), of);
  }

private:
  void put(const Plan::Channel &entry, const Plan::Role *maker, ArrayRef<Use> uses) {
    Value tile = uses.front().tile();
    Location loc = NameLoc::get(StringAttr::get(&getContext(), entry.id), tile.getLoc());
    auto type = cast<RankedTensorType>(tile.getType());
    OpBuilder builder(*getOperation().getOps<cta::RoleOp>().begin());
    auto channel =
        builder.create<cta::ChannelOp>(loc, cta::ChannelType::get(&getContext(), entry.slots, type),
                                       cta::ChannelKind::Put, cta::SharedAttr());
    channel->setAttr(kIdAttr, builder.getStringAttr(entry.id));

    auto slotType = cta::SlotType::get(&getContext(), type);
    builder.setInsertionPointAfterValue(tile);
    auto acquired = builder.create<cta::AcquireOp>(loc, slotType, channel);
    auto put = builder.create<cta::PutOp>(loc, tile, acquired);

    builder.create<cta::CommitOp>(loc, acquired);
    auto slot = builder.create<cta::WaitOp>(loc, slotType, channel);
    auto taken = builder.create<cta::GetOp>(loc, type, slot);
    auto release = builder.create<cta::ReleaseOp>(loc, slot);
    if (maker)
      tile.replaceAllUsesExcept(taken, put);
    else
      for (Use use : uses)
        readInstead(use, taken);
    Operation *use = firstUse(taken);
    for (Operation *op : {slot.getOperation(), taken.getOperation(), release.getOperation()})
      op->moveBefore(use);
    for (Operation *user : llvm::make_early_inc_range(taken->getUsers()))
      if (isa<tile::TransposeOp>(user) && user->getBlock() == use->getBlock())
        user->moveBefore(use);
  }

  static void readInstead(Use use, Value taken) {
    OpBuilder builder(use.dot);
    Value operand = taken;
    if (tile::TransposeOp transpose = use.transpose())
      operand = builder.create<tile::TransposeOp>(transpose.getLoc(), transpose.getType(), taken,
                                                  transpose.getPermutation());
    Value before = use.dot->getOperand(use.operand);
    use.dot->setOperand(use.operand, operand);
    if (Operation *unused = before.getDefiningOp<tile::TransposeOp>())
      eraseUnused(unused);
  }
};

} // namespace
} // namespace tilewright::passes
