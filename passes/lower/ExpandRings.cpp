// Slots that go from one role to another. A ring of them has two mbarriers per slot. `full`
// completes a phase when the producer has announced the slot's bytes and TMA has written them, or
// when each of its warps has put its part; `empty` when every consumer has given the slot back. A
// role counts in registers which slot comes next and the parity of its phase, and its counters run
// on from loop to loop. A producer starts at parity 1, which a fresh barrier grants at once.
//
// One lane of a warp arrives for what all have read or written. What wgmma reads by itself is
// fenced by those who put it there.
//
// Channels whose slots always change hands together, next to each other in the program, share their
// barriers: the bytes of all are counted on one.
//
// A multicast slot is filled in every block of the cluster, by shares; so it is free only when all
// blocks have given theirs back, and each consumer arrives in every block. What products read has
// been waited for, so that nothing need be released: a release to the cluster is a fence of all
// memory, which cost a fifth of a product's speed.
#include "passes/analysis/SharedAccesses.h"
#include "passes/lower/Expander.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

using namespace mlir;

constexpr int64_t kBarrierBytes = 8;

//===- Plan -----------------------------------------------------------------------------------===//

/// The acquires and waits of a channel, in program order.
static SmallVector<Operation *> turnsOf(cta::ChannelOp channel) {
  SmallVector<Operation *> turns;
  channel->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (isa<cta::AcquireOp, cta::WaitOp>(op) && op->getOperand(0) == channel.getResult())
      turns.push_back(op);
  });
  return turns;
}

static bool isPut(const Ring &ring) {
  return cta::ChannelOp(ring.channels.front()).getKind() == cta::ChannelKind::Put;
}

/// Where the slot that an op gives is released: by its own name or by those that loops give it;
/// nothing for slots that are committed, or handed to another tile.
static SmallVector<cta::ReleaseOp> releasesOf(Value slot) {
  SmallVector<cta::ReleaseOp> releases;
  for (OpOperand &use : slot.getUses()) {
    if (auto release = dyn_cast<cta::ReleaseOp>(use.getOwner()))
      releases.push_back(release);
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (!loop || !isa<scf::YieldOp>(use.getOwner()))
      continue;
    llvm::append_range(releases, releasesOf(loop.getRegionIterArg(use.getOperandNumber())));
    llvm::append_range(releases, releasesOf(loop.getResult(use.getOperandNumber())));
  }
  return releases;
}

/// True when no slot of another channel changes hands between two ops of a block.
static bool nothingBetween(Operation *first, Operation *second) {
  if (first->getBlock() != second->getBlock() || !first->isBeforeInBlock(second))
    return false;
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (isa<cta::AcquireOp, cta::WaitOp>(op) || op->getNumRegions())
      return false;
  return true;
}

/// True when two slots go back with no wait in between, so that nobody can tell them apart.
static bool releasedTogether(cta::ReleaseOp first, cta::ReleaseOp second) {
  if (first->getBlock() != second->getBlock() || first.getCondition() != second.getCondition())
    return false;
  if (second->isBeforeInBlock(first))
    std::swap(first, second);
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (isa<cta::WaitGroupOp, cta::AcquireOp, cta::WaitOp, cta::EnterOp>(op) || op->getNumRegions())
      return false;
  return true;
}

/// True when slots of `second` always change hands right behind those of `first`.
static bool goTogether(cta::ChannelOp first, cta::ChannelOp second) {
  auto turns = turnsOf(first), others = turnsOf(second);
  if (first.getKind() != second.getKind() || turns.size() != others.size() ||
      first.getResult().getType().getDepth() != second.getResult().getType().getDepth())
    return false;
  for (auto [turn, other] : llvm::zip(turns, others)) {
    if (turn->getName() != other->getName() || !nothingBetween(turn, other))
      return false;
    auto releases = releasesOf(turn->getResult(0)), others = releasesOf(other->getResult(0));
    if (releases.size() != others.size() || (isa<cta::WaitOp>(turn) && releases.empty()))
      return false; // or a tile hands a slot to the next
    for (auto [release, otherRelease] : llvm::zip(releases, others))
      if (!releasedTogether(release, otherRelease))
        return false;
  }
  return true;
}

/// Whether an op reads a slot by the threads that run it.
static bool readsByThreads(Operation *op) {
  auto mma = dyn_cast<cta::MmaOp>(op);
  return isa<cta::GetOp, cta::ElementOp>(op) || (mma && !mma.readsShared());
}
static bool readsByThreads(cta::RoleOp role, Ring &ring) {
  auto isOfRing = [&](Value operand) {
    return isa<cta::SlotType>(operand.getType()) &&
           llvm::is_contained(ring.channels, cta::channelOf(operand));
  };
  return role
      .walk([&](Operation *op) {
        bool reads = readsByThreads(op) && llvm::any_of(op->getOperands(), isOfRing);
        return reads ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// How often a role arrives to give a slot back: once per warpgroup behind products, which finish
/// for a whole warpgroup; else once per warp.
static int64_t arrivalsOf(cta::RoleOp op, Ring &ring) {
  if (cta::isElected(op))
    return 1;
  return readsByThreads(op, ring) ? op.getWarps()
                                  : llvm::divideCeil(op.getWarps(), cta::kWarpsPerGroup);
}

void Expander::planRings() {
  for (auto channel : kernel.getOps<cta::ChannelOp>()) {
    if (!cta::isRing(channel))
      continue;
    if (rings.empty() || !goTogether(rings.back()->channels.back(), channel))
      rings.push_back(std::make_unique<Ring>());
    Ring &ring = *rings.back();
    ring.channels.push_back(channel);
    ring.depth = channel.getResult().getType().getDepth();
    if (!isPut(ring))
      ring.bytes += cta::panelsOf(channel.getResult().getType().getTile()).bytes();
    ring.fenced |= isPut(ring) && channel.isPanel();
    ring.multicast |= channel.getMulticast();
  }
  for (auto &ring : rings) {
    llvm::SmallSetVector<Operation *, 4> consumers;
    for (Operation *turn : turnsOf(ring->channels.front()))
      if (isa<cta::WaitOp>(turn))
        consumers.insert(cta::roleOf(turn));
      else if (isPut(*ring))
        ring->fills = cta::roleOf(turn).getWarps();
    for (Operation *consumer : consumers)
      ring->returns += arrivalsOf(cast<cta::RoleOp>(consumer), *ring);
    if (ring->multicast)
      ring->returns *= cluster;
    channelBytes += 2 * ring->depth * kBarrierBytes;
  }
  planQueue();
  sharedBytes = channelBytes;
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
  int64_t next = nextShared;
  for (auto &ring : rings) {
    std::string name =
        ring.get() == queue ? "tiles" : cta::nameOf(ring->channels.front().getResult(), "ring");
    int64_t bytes = ring->depth * kBarrierBytes;
    for (auto [barriers, suffix] :
         {std::pair(&ring->full, "_full"), std::pair(&ring->empty, "_empty")}) {
      *barriers =
          builder.create<cuda::SharedOp>(named(name + suffix), builder.getI32Type(), next, bytes);
      next += bytes;
    }
  }
  if (queue)
    queueSlots = builder.create<cuda::SharedOp>(named("tiles_shared"), builder.getI32Type(), next,
                                                queue->depth * kQueueSlotBytes);
  Value first = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, thread, constant(0));
  branch(first, [&] {
    for (BlockArgument argument : result.getArguments())
      if (isa<cuda::TensorMapType>(argument.getType()))
        builder.create<cuda::TmaPrefetchMapOp>(loc, argument);
    for (auto &ring : rings)
      unrolled(ring->depth, [&](Value slot) {
        Value offset = mul(slot, kBarrierBytes);
        builder.create<cuda::MbarrierInitOp>(loc, add(ring->full, offset), ring->fills);
        builder.create<cuda::MbarrierInitOp>(loc, add(ring->empty, offset), ring->returns);
      });
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
  slot.channel = channel.getDefiningOp<cta::ChannelOp>();
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
    if (fills && !isPut(ring))
      byOneThread([&] {
        builder.create<cuda::MbarrierArriveExpectTxOp>(loc, place.full, constant(ring.bytes));
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
  if (!isPut(ring)) // TMA does
    return;
  if (ring.fenced)
    builder.create<cuda::FenceOp>(loc, cuda::FenceKind::AsyncShared);
  builder.create<cuda::WarpSyncOp>(loc);
  Value arrives = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane, constant(1));
  branch(arrives, [&] {
    builder.create<cuda::MbarrierArriveOp>(loc, add(ring.full, mul(index, kBarrierBytes)));
  });
}

LogicalResult Expander::expandRelease(cta::ReleaseOp op) {
  SlotState &slot = slots[op.getSlot()];
  Ring *ring = ringOf(slot.channel.getResult());
  if (!ring || !closesAll(taking[ring], *ring, slot))
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
  bool eachWarp = readsByThreads(role, ring);
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

} // namespace tilewright::passes
