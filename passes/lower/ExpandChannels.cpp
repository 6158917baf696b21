// Channels. A slot is a stretch of shared memory; where it lies and how it changes hands has been
// planned (PlanChannels.cpp). Those of one role go round in lockstep (ExpandLockstep.cpp), others
// by mbarriers (ExpandRings.cpp), however data gets into them.
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

void Expander::planShared() {
  kernel.walk([&](cta::ChannelOp channel) {
    auto tile = channel.getResult().getType().getTile();
    ChannelState &state = channels[channel.getResult()];
    state.slotBytes = channel.getPlan()->getStride();
    if (channel.isPanel()) {
      state.panels = cta::panelsOf(tile);
      state.layout = state.panels->panel();
      return;
    }
    state.layout = channel.getShared() ? channel.getShared()->getLayout()
                                       : SharedLayout{tile.getShape().back(), 0, 0};
  });
  planLockstep();
  planRings();
}

Value Expander::scratch(Operation *op) {
  auto start = op->getAttrOfType<IntegerAttr>(cta::kScratchAttr);
  return builder.create<cuda::SharedOp>(NameLoc::get(builder.getStringAttr("scratch"), loc),
                                        builder.getI32Type(), start.getInt(), scratchBytes(op));
}

void Expander::barrier() {
  if (insideTurn)
    metInTurn = loc;
  needAllWarps("is where all warps meet");
  if (role)
    builder.create<cuda::NamedBarrierSyncOp>(loc, constant(NamedBarriers(kernel).of(role)),
                                             warps * kLanes);
  else
    builder.create<cuda::BarrierOp>(loc);
}

void Expander::groupBarrier() {
  builder.create<cuda::NamedBarrierSyncOp>(loc, add(group, constant(NamedBarriers::kFirstGroup)),
                                           cta::kWarpsPerGroup * kLanes);
}

void Expander::needAllWarps(StringRef how) {
  if (!apart || misplaced)
    return;
  misplaced = true;
  emitError(loc) << how << ", in a loop or branch of role \"" << role.getName()
                 << "\" that depends on `cta.warpgroup`; move it out of there";
}

//===- Ops -----------------------------------------------------------------------------------===//

/// A name for what belongs to a channel: the variable that its tile was loaded into.
static std::string nameOf(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getName().str();
  return "tile";
}

LogicalResult Expander::expandChannel(cta::ChannelOp op) {
  ChannelState &state = channels[op.getResult()];
  auto type = op.getResult().getType();
  std::string name = nameOf(op.getLoc());
  auto named = NameLoc::get(builder.getStringAttr(name + "_shared"), op.getLoc());
  state.base = builder.create<cuda::SharedOp>(named, builder.getI32Type(),
                                              op.getPlan()->getOffset(), channelBytes(op));
  bool boxed = op.getKind() == cta::ChannelKind::Tma || op.getKind() == cta::ChannelKind::Store;
  if (type.getDepth() > 1 && !boxed && !ringOf(op.getResult()))
    declareCounters(op, state, name);
  return success();
}

Value Expander::slotAt(ChannelState &state, Value index) {
  return builder.createOrFold<arith::AddIOp>(loc, state.base, mul(index, state.slotBytes));
}

Value Expander::nextIndex(Value counter, int64_t depth) {
  Value index = builder.create<cuda::GetOp>(loc, builder.getI32Type(), counter, constant(0));
  Value next = builder.create<arith::AddIOp>(loc, index, constant(1));
  Value wraps = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, constant(depth));
  builder.create<cuda::SetOp>(loc, builder.create<arith::SelectOp>(loc, wraps, constant(0), next),
                              counter, constant(0));
  return index;
}

LogicalResult Expander::expandAcquire(cta::AcquireOp op) {
  SlotState &slot = slots[op.getSlot()];
  slot.channel = op.getChannel().getDefiningOp<cta::ChannelOp>();
  if (ringOf(op.getChannel()))
    enterSlot(op, slot);
  else
    acquireInLockstep(op, slot);
  return success();
}

LogicalResult Expander::expandCommit(cta::CommitOp op) {
  SlotState &slot = slots[op.getSlot()];
  Ring *ring = ringOf(slot.channel.getResult());
  if (!ring)
    commitInLockstep(slot);
  if (slot.staged)
    writeSlot(slot, slot.staged, stagedLayouts[op.getSlot()], op.getSlot().getType().getTile());
  if (ring && !closesAll(filling[ring], *ring, slot))
    return success();
  auto isFenced = [](cta::ChannelOp channel) { return channel.getPlan()->getFenced(); };
  if (ring ? llvm::any_of(ring->channels, isFenced) : isFenced(slot.channel))
    builder.create<cuda::FenceOp>(loc, cuda::FenceKind::AsyncShared);
  if (ring)
    handOver(*ring, slot.index);
  return success();
}

LogicalResult Expander::expandWait(cta::WaitOp op) {
  SlotState &slot = slots[op.getSlot()];
  slot.channel = op.getChannel().getDefiningOp<cta::ChannelOp>();
  if (ringOf(op.getChannel()))
    enterSlot(op, slot);
  else
    waitInLockstep(op, slot);
  return success();
}

} // namespace tilewright::passes
