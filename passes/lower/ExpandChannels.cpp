// Addresses of slots and barriers, and barriers between threads. PlanChannels.cpp has chosen the
// offsets, and LowerChannels.cpp computes the number of the slot.
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

void Expander::planShared() {
  kernel.walk([&](cta::ChannelOp channel) {
    auto tile = channel.getResult().getType().getTile();
    ChannelState &state = channels[channel.getResult()];
    state.slotBytes = channel.getPlan()->getStride();
    if (channel.hasPanelLayout()) {
      state.panels = panelsOf(channel);
      state.layout = state.panels->panel();
      return;
    }
    state.layout = channel.getShared() ? channel.getShared()->getLayout()
                                       : SharedLayout{tile.getShape().back(), 0, 0};
  });
}

/// Declares the barriers of all rings. One thread makes them, and all threads wait for that.
void Expander::makeBarriers() {
  auto named = [&](const llvm::Twine &name) {
    return NameLoc::get(builder.getStringAttr(name), loc);
  };
  auto declareRing = [&](cta::RingAttr plan, int64_t depth, const std::string &name) {
    auto [ring, isNew] = rings.try_emplace(plan);
    if (!isNew)
      return;
    auto barriers = [&](StringRef state, int64_t start) -> Value {
      return builder.create<cuda::SharedOp>(named(name + "_" + state), start, depth * kBarrierBytes,
                                            name + ": barriers, " + state);
    };
    ring->second = {depth, barriers("full", plan.getFull()), barriers("empty", plan.getEmpty())};
  };
  for (auto channel : kernel.getOps<cta::ChannelOp>())
    if (cta::RingAttr plan = channel.getPlan()->getRing())
      declareRing(plan, channel.getResult().getType().getDepth(),
                  cta::nameOf(channel.getResult(), "ring"));
  if (auto plan = kernel->getAttrOfType<cta::PlanAttr>(cta::kQueueAttr)) {
    declareRing(plan.getRing(), kQueueSlots, "tiles");
    queueSlots = builder.create<cuda::SharedOp>(named("tiles_shared"), plan.getOffset(),
                                                kQueueSlots * plan.getStride(),
                                                "numbers of the tiles that a queue hands out");
  }
  Value first = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, thread, constant(0));
  branch(first, [&] {
    for (BlockArgument argument : result.getArguments())
      if (isa<cuda::TensorMapType>(argument.getType()))
        builder.create<cuda::TmaPrefetchMapOp>(loc, argument);
    for (auto &[key, ring] : rings)
      unrolled(ring.depth, [&, plan = cast<cta::RingAttr>(key), ring = ring](Value slot) {
        Value offset = mul(slot, kBarrierBytes);
        builder.create<cuda::MbarrierInitOp>(loc, add(ring.full, offset), plan.getFills());
        builder.create<cuda::MbarrierInitOp>(loc, add(ring.empty, offset), plan.getReturns());
      });
    if (target.has(Feature::Tma))
      builder.create<cuda::FenceOp>(loc, cuda::FenceKind::MbarrierInit);
  });
  if (cluster.blocks() > 1) {
    builder.create<cuda::ClusterArriveOp>(loc, /*relaxed=*/true);
    builder.create<cuda::ClusterWaitOp>(loc);
  } else {
    builder.create<cuda::BarrierOp>(loc);
  }
}

Value Expander::scratch(Operation *op) {
  auto start = op->getAttrOfType<IntegerAttr>(cta::kScratchAttr);
  auto turns = op->getAttrOfType<IntegerAttr>(cta::kScratchTurnsAttr);
  int64_t bytes = scratchBytes(op) * (turns ? turns.getInt() : 1);
  return builder.create<cuda::SharedOp>(NameLoc::get(builder.getStringAttr("scratch"), loc),
                                        start.getInt(), bytes);
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

void Expander::warpgroupBarrier() {
  builder.create<cuda::NamedBarrierSyncOp>(loc,
                                           add(warpgroup, constant(NamedBarriers::kFirstWarpgroup)),
                                           cta::kWarpsPerWarpgroup * kLanes);
}

void Expander::needAllWarps(StringRef how) {
  if (!apart || misplaced)
    return;
  misplaced = true;
  emitError(loc) << how << ", in a loop or branch of role \"" << role.getName()
                 << "\" that depends on `cta.warpgroup`; move it out of there";
}

//===- Ops ------------------------------------------------------------------------------------===//

/// "as: tma, 4 slots of 16384 bytes, swizzled by 128"
static std::string contentsOf(cta::ChannelOp op, StringRef name) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  int64_t depth = op.getResult().getType().getDepth();
  stream << name << ": " << cta::stringifyChannelKind(op.getKind())
         << (op.getMulticast() ? " multicast" : "") << ", " << depth
         << (depth == 1 ? " slot of " : " slots of ") << op.getPlan()->getStride() << " bytes";
  int64_t swizzle = op.hasPanelLayout() ? panelsOf(op).swizzle : 0;
  if (swizzle)
    stream << ", swizzled by " << swizzle;
  return text;
}

LogicalResult Expander::expandChannel(cta::ChannelOp op) {
  std::string name = cta::nameOf(op.getResult(), "tile");
  auto named = NameLoc::get(builder.getStringAttr(name + "_shared"), op.getLoc());
  channels[op.getResult()].base = builder.create<cuda::SharedOp>(
      named, op.getPlan()->getOffset(), channelBytes(op), contentsOf(op, name));
  return success();
}

void Expander::placeSlot(SlotState &slot, ChannelState &state, Value index) {
  slot.offset = mul(index, state.slotBytes);
  slot.address = builder.createOrFold<arith::AddIOp>(loc, state.base, slot.offset);
}

/// An address in a cluster has the block's rank in its upper bits, and a descriptor has no room for
/// them. They are taken from the address of the channel, which is the same in all iterations.
Value Expander::addressInBlock(SlotState &slot) {
  if (cluster.blocks() == 1)
    return slot.address;
  constexpr int64_t kLocalBits = (1 << 18) - 1;
  auto named =
      NameLoc::get(builder.getStringAttr(cta::nameOf(slot.channel, "slots") + "_local"), loc);
  Value base = builder.create<arith::AndIOp>(named, channels[slot.channel.getResult()].base,
                                             constant(kLocalBits));
  return add(base, slot.offset);
}

Value Expander::barrierOf(cta::ChannelOp channel, cta::SlotState state, Value index) {
  const RingBarriers &ring = rings.find(channel.getPlan()->getRing())->second;
  return add(state == cta::SlotState::Full ? ring.full : ring.empty, mul(index, kBarrierBytes));
}

LogicalResult Expander::expandBarrierOf(cta::BarrierOfOp op) {
  scalars.map(op.getAddress(), barrierOf(op.getChannel().getDefiningOp<cta::ChannelOp>(),
                                         op.getState(), scalar(op.getIndex())));
  return success();
}

LogicalResult Expander::expandSlotAt(cta::SlotAtOp op) {
  SlotState &slot = slots[op.getSlot()];
  slot.channel = op.getChannel().getDefiningOp<cta::ChannelOp>();
  Value index = scalar(op.getIndex());
  if (slot.channel.getKind() == cta::ChannelKind::Tma)
    slot.full = barrierOf(slot.channel, cta::SlotState::Full, index);
  llvm::SaveAndRestore<Location> named(loc, op.getLoc());
  placeSlot(slot, channels[op.getChannel()], index);
  return success();
}

LogicalResult Expander::expandPutCopied(cta::PutCopiedOp op) {
  SlotState &slot = slots[op.getSlot()];
  if (slot.staged && slot.channel.holdsTf32())
    roundTf32(slot.staged);
  if (slot.staged)
    writeSlot(slot, slot.staged, slot.stagedLayout, op.getSlot().getType().getTile());
  return success();
}

} // namespace tilewright::passes
