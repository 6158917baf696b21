// Slots that go from one role to another. A ring of them has two mbarriers per slot. `full`
// completes a phase when the producer has announced the slot's bytes and TMA has written them, or
// when each of its warps has put its part; `empty` when every consumer has given the slot back. A
// role counts in registers which slot comes next and the parity of its phase, and its counters run
// on from loop to loop. A producer starts at parity 1, which a fresh barrier grants at once.
//
// Who fills a slot arrives as its kind of channel asks: one thread for what TMA brings, each thread
// for what it copies, a lane of each warp for what all have stored. A lane of each warp gives a
// slot back for all that have read it; a thread of each warpgroup does behind a product, which is
// over for all four warps at once, and had them all wait for the slot. What wgmma reads by itself
// is fenced by those who put it there.
//
// Channels whose slots always change hands together, next to each other in the program, share their
// barriers: the bytes of all are counted on one.
//
// A multicast slot is filled in every block of the cluster, by shares; so it is free only when all
// blocks have given theirs back, and each consumer arrives in every block. What products read has
// been waited for, so that nothing need be released: a release to the cluster is a fence of all
// memory, which cost a fifth of a product's speed.
#include "passes/analysis/Rings.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

//===- Plan -----------------------------------------------------------------------------------===//

static cta::ChannelKind kindOf(const Ring &ring) {
  return cta::ChannelOp(ring.channels.front()).getKind();
}

void Expander::planRings() {
  for (auto channel : kernel.getOps<cta::ChannelOp>()) {
    cta::RingAttr plan = channel.getPlan()->getRing();
    if (!plan)
      continue;
    if (rings.empty() || rings.back()->plan != plan)
      rings.push_back(std::make_unique<Ring>(Ring{plan}));
    Ring &ring = *rings.back();
    ring.channels.push_back(channel);
    ring.depth = channel.getResult().getType().getDepth();
    ring.multicast |= channel.getMulticast();
  }
  if (auto plan = kernel->getAttrOfType<cta::PlanAttr>(cta::kQueueAttr)) {
    queue = rings.emplace_back(std::make_unique<Ring>(Ring{plan.getRing()})).get();
    queue->depth = kQueueSlots;
  }
}

Ring *Expander::ringOf(Value channel) {
  for (auto &ring : rings)
    for (cta::ChannelOp member : ring->channels)
      if (member.getResult() == channel)
        return ring.get();
  return nullptr;
}

void Expander::initialiseRings() {
  auto named = [&](const llvm::Twine &name) {
    return NameLoc::get(builder.getStringAttr(name), loc);
  };
  for (auto &ring : rings) {
    std::string name =
        ring.get() == queue ? "tiles" : cta::nameOf(ring->channels.front().getResult(), "ring");
    int64_t bytes = ring->depth * kBarrierBytes;
    auto barriers = [&](StringRef suffix, int64_t start) {
      return builder.create<cuda::SharedOp>(named(name + suffix), builder.getI32Type(), start,
                                            bytes);
    };
    ring->full = barriers("_full", ring->plan.getFull());
    ring->empty = barriers("_empty", ring->plan.getEmpty());
  }
  if (queue) {
    auto plan = kernel->getAttrOfType<cta::PlanAttr>(cta::kQueueAttr);
    queueSlots = builder.create<cuda::SharedOp>(named("tiles_shared"), builder.getI32Type(),
                                                plan.getOffset(), queue->depth * plan.getStride());
  }
  Value first = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, thread, constant(0));
  branch(first, [&] {
    for (BlockArgument argument : result.getArguments())
      if (isa<cuda::TensorMapType>(argument.getType()))
        builder.create<cuda::TmaPrefetchMapOp>(loc, argument);
    for (auto &ring : rings)
      unrolled(ring->depth, [&](Value slot) {
        Value offset = mul(slot, kBarrierBytes);
        builder.create<cuda::MbarrierInitOp>(loc, add(ring->full, offset), ring->plan.getFills());
        builder.create<cuda::MbarrierInitOp>(loc, add(ring->empty, offset),
                                             ring->plan.getReturns());
      });
    if (target.has(Feature::Tma))
      builder.create<cuda::FenceOp>(loc, cuda::FenceKind::MbarrierInit);
  });
  if (cluster > 1) {
    builder.create<cuda::ClusterArriveOp>(loc);
    builder.create<cuda::ClusterWaitOp>(loc);
  } else {
    builder.create<cuda::BarrierOp>(loc);
  }
}

//===- Going round a ring ---------------------------------------------------------------------===//

/// Declares the counters of all rings that the role takes part in.
void Expander::enterRings() {
  filling.clear();
  taking.clear();
  storing.clear();
  auto counter = [&](Value channel, StringRef suffix, int64_t value) {
    auto named =
        NameLoc::get(builder.getStringAttr(cta::nameOf(channel, "ring") + suffix.str()), loc);
    Value regs = declare(named, 1, builder.getI32Type());
    builder.create<cuda::SetOp>(loc, constant(value), regs, constant(0));
    return regs;
  };
  role.walk([&](Operation *op) {
    if (auto store = dyn_cast<cta::StoreOp>(op); store && store.getChannel()) {
      Value channel = store.getThrough();
      bool whole = cta::partsOf(store) % store.getChannel().getDepth() == 0;
      Value &slot = storing[channel];
      if (!whole && !slot) // else each store starts with slot 0
        slot = counter(channel, "_slot", 0);
    }
    if (!isa<cta::AcquireOp, cta::WaitOp>(op))
      return;
    Ring *ring = ringOf(op->getOperand(0));
    auto &places = isa<cta::AcquireOp>(op) ? filling : taking;
    if (!ring || places.contains(ring))
      return;
    RingPlace &place = places[ring];
    Value channel = ring->channels.front().getResult();
    if (ring->depth > 1)
      place.index = counter(channel, "_slot", 0);
    place.phase = counter(channel, "_phase", isa<cta::AcquireOp>(op));
  });
}

/// True when tiles are computed between a wait and what the slot is needed for.
static bool computesBeside(Operation *wait) {
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode()) {
    if (isa<cta::MmaOp, cta::AwaitOp, cta::GetOp, cta::ElementOp>(op) || op->getNumRegions() > 0)
      return false;
    auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                                         : RankedTensorType();
    if (type && op->getNumOperands() > 0 && isa<FloatType>(type.getElementType()))
      return true;
  }
  return false;
}

/// The slot that the role comes to, once it is free to fill or full; the role then moves on.
void Expander::enterSlot(Operation *op, SlotState &slot) {
  Value channel = op->getOperand(0);
  bool fills = isa<cta::AcquireOp>(op);
  Ring &ring = *ringOf(channel);
  RingPlace &place = (fills ? filling : taking)[&ring];
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  Type i32 = builder.getI32Type();
  if (slot.channel == ring.channels.front()) {
    place.current =
        ring.depth > 1
            ? Value(builder.create<cuda::GetOp>(named("slot"), i32, place.index, constant(0)))
            : constant(0);
    Value phase = builder.create<cuda::GetOp>(named("phase"), i32, place.phase, constant(0));
    Value offset = mul(place.current, kBarrierBytes);
    place.full = add(ring.full, offset);
    builder.create<cuda::MbarrierWaitOp>(loc, fills ? add(ring.empty, offset) : place.full, phase,
                                         !fills && computesBeside(op));
    if (fills && kindOf(ring) == cta::ChannelKind::Tma)
      byOneThread([&] {
        builder.create<cuda::MbarrierArriveExpectTxOp>(loc, place.full,
                                                       constant(ring.plan.getBytes()));
      });
    Value flipped = bitXor(phase, constant(1));
    if (ring.depth > 1) {
      Value next = add(place.current, constant(1));
      Value wraps =
          builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, constant(ring.depth));
      flipped = builder.create<arith::SelectOp>(loc, wraps, flipped, phase);
      next = builder.create<arith::SelectOp>(loc, wraps, constant(0), next);
      builder.create<cuda::SetOp>(loc, next, place.index, constant(0));
    }
    builder.create<cuda::SetOp>(loc, flipped, place.phase, constant(0));
  }
  slot.index = place.current;
  slot.full = place.full;
  Location outer = loc;
  loc = named(cta::nameOf(channel, "ring") + "_shared");
  slot.address = slotAt(channels[channel], place.current);
  loc = outer;
}

/// Notes that a slot is closed; whether those of all channels of its ring now are.
bool Expander::closesAll(RingPlace &place, Ring &ring, const SlotState &slot) {
  auto &[channels, stored] = place.closing[slot.index];
  stored |= slot.stored;
  return ++channels == ring.channels.size();
}

/// The thread's number in its warpgroup, or in a role that starts within one.
Value Expander::numberInGroup() {
  return cta::firstWarp(role) % cta::kWarpsPerGroup == 0 ? groupThread
                                                         : add(mul(warp, kLanes), lane);
}

void Expander::handOver(Ring &ring, Value index) {
  if (kindOf(ring) == cta::ChannelKind::Tma) // TMA does
    return;
  auto full = [&] { return add(ring.full, mul(index, kBarrierBytes)); };
  if (kindOf(ring) == cta::ChannelKind::CpAsync) { // each thread's copies do
    builder.create<cuda::CpAsyncArriveOp>(loc, full());
    return;
  }
  builder.create<cuda::WarpSyncOp>(loc);
  Value arrives = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane, constant(1));
  branch(arrives, [&] { builder.create<cuda::MbarrierArriveOp>(loc, full()); });
}

/// Whether one thread gives a slot back for a warpgroup whose other warps may not have waited for
/// it yet.
bool Expander::meetsAt(cta::ReleaseOp op) {
  Ring *ring = ringOf(cta::channelOf(op.getSlot()));
  return ring && returnerOf(role, ring->channels) == Returner::Warpgroup && !haveAllWaited(op);
}

LogicalResult Expander::expandRelease(cta::ReleaseOp op) {
  Ring *ring = ringOf(cta::channelOf(op.getSlot()));
  if (!ring)
    return success();
  SlotState &slot = slots[op.getSlot()];
  auto before = dyn_cast_or_null<cta::ReleaseOp>(op->getPrevNode());
  if (meetsAt(op) && !(before && meetsAt(before))) // one thread speaks for all warps
    groupBarrier();
  if (!closesAll(taking[ring], *ring, slot))
    return success();
  if (taking[ring].closing[slot.index].stored) {
    awaitStores();
    if (ring->multicast) // other threads of the warp arrive at the other blocks
      builder.create<cuda::WarpSyncOp>(loc);
  }
  giveBack(*ring, slot.index, op.getCondition() ? scalar(op.getCondition()) : Value());
  return success();
}

void Expander::giveBack(Ring &ring, Value index, Value condition) {
  Value barrier = add(ring.empty, mul(index, kBarrierBytes));
  bool eachWarp = returnerOf(role, ring.channels) == Returner::Warp;
  auto arrive = [&](Value block) {
    if (!ring.multicast) {
      builder.create<cuda::MbarrierArriveOp>(loc, barrier);
      return;
    }
    Value there = builder.create<cuda::MapaOp>(loc, barrier.getType(), barrier, block);
    builder.create<cuda::MbarrierArriveRemoteOp>(loc, there, /*relaxed=*/!eachWarp);
  };
  int64_t blocks = ring.multicast ? cluster : 1;
  if (elected)
    return branch(condition, [&] { unrolled(blocks, arrive); });
  if (eachWarp)
    builder.create<cuda::WarpSyncOp>(loc);
  // One thread of each warp or warpgroup for each block.
  Value number = eachWarp ? lane : numberInGroup();
  Value arrives =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, number, constant(blocks));
  branch(both(condition, arrives), [&] { arrive(number); });
}

//===- The queue's ring -----------------------------------------------------------------------===//

/// What belongs to entry `count` of the queue: the addresses of its slot and barriers, and the
/// parity of the phase in which its slot is filled.
Expander::QueuePlace Expander::queuePlace(Value count) {
  Value slot = rem(count, queue->depth);
  Value barrier = mul(slot, kBarrierBytes);
  return {add(queueSlots, mul(slot, kQueueSlotBytes)), add(queue->full, barrier),
          add(queue->empty, barrier), rem(div(count, queue->depth), 2)};
}

/// Hands out a tile as entry `count`.
void Expander::handOut(Value count, Value number, Value staged) {
  QueuePlace place = queuePlace(count);
  builder.create<cuda::MbarrierWaitOp>(loc, place.empty, bitXor(place.phase, constant(1)));
  builder.create<cuda::SetOp>(loc, number, staged, constant(0));
  builder.create<cuda::StoreSharedOp>(loc, staged, constant(0), place.slot, /*predicate=*/Value(),
                                      /*count=*/1);
  builder.create<cuda::MbarrierArriveOp>(loc, place.full);
}

/// Entry `count` of the queue, once it is there.
Value Expander::takeOut(Value count, Value staged) {
  Type i32 = builder.getI32Type();
  auto named = NameLoc::get(builder.getStringAttr("tile"), loc);
  QueuePlace place = queuePlace(count);
  builder.create<cuda::MbarrierWaitOp>(loc, place.full, place.phase);
  builder.create<cuda::LoadSharedOp>(loc, place.slot, staged, constant(0), /*count=*/1);
  Value number = builder.create<cuda::GetOp>(named, i32, staged, constant(0));
  if (elected) {
    builder.create<cuda::MbarrierArriveOp>(loc, place.empty);
    return number;
  }
  // Roles branch on it: let the compiler know that all lanes have the same.
  number = builder.create<cuda::ShuffleIdxOp>(named, i32, number, constant(0));
  builder.create<cuda::WarpSyncOp>(loc);
  branch(builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane, constant(0)),
         [&] { builder.create<cuda::MbarrierArriveOp>(loc, place.empty); });
  return number;
}

} // namespace tilewright::passes
