// Slots that pass from one role to another. A ring has two mbarriers per slot. `full` completes a
// phase when the slot can be read: the producer has announced its bytes and TMA has written them,
// or each warp of the producer has stored its part. `empty` completes when every consumer has
// released the slot. A role keeps in registers which slot comes next and the parity of its phase,
// and goes on counting from loop to loop. A producer starts at parity 1, which a fresh barrier
// grants at once.
//
// How many threads of a producer arrive depends on the kind of channel: one for what TMA brings,
// every thread for what it copies itself, one lane of each warp for register tiles. To release a
// slot one lane of each warp arrives. Behind a wgmma product one thread of the warpgroup does: the
// product is over for all four warps at once, and all of them have waited for the slot. Whoever
// stores what wgmma reads also fences it. So does who loads what TMA writes next: an arrive
// overtakes loads that are under way, and products that read shared memory as fast as it goes can
// hold those up until TMA has written (docs/hopper.md).
//
// Channels whose slots always change hands together, next to each other in the program, share their
// barriers: the bytes of all are counted on one.
//
// A multicast slot is filled by shares of several blocks: of a row of the cluster, of a column, or,
// where barriers are shared, of both. Each of them copies to all blocks of its row or column, when
// these have released the slot, so a consumer arrives in every block that fills its own. The arrive
// is relaxed: products have been waited for, and loads have been fenced, so nothing needs a
// release. One at cluster scope would be a fence of all memory, which cost a fifth of a product's
// speed.
//
// A block must not end while others still arrive at its barriers. So a role that fills multicast
// slots waits at its end until all of them have been released. (A barrier of the cluster there
// would have to release all memory: some 400 clocks.)
#include "passes/analysis/Rings.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/ChannelLowering.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

//===- Plan -----------------------------------------------------------------------------------===//

void ChannelLowering::planRings() {
  for (auto channel : kernel.getOps<cta::ChannelOp>()) {
    cta::RingAttr plan = channel.getPlan()->getRing();
    if (!plan)
      continue;
    if (rings.empty() || rings.back()->plan() != plan)
      rings.push_back(std::make_unique<Ring>());
    rings.back()->channels.push_back(channel);
  }
}

ChannelLowering::Ring *ChannelLowering::ringOf(Value channel) {
  for (auto &ring : rings)
    for (cta::ChannelOp member : ring->channels)
      if (member.getResult() == channel)
        return ring.get();
  return nullptr;
}

//===- Going round a ring ---------------------------------------------------------------------===//

/// Declares the counters of all rings that the role takes part in.
void ChannelLowering::enterRings() {
  filling.clear();
  taking.clear();
  role.walk([&](Operation *op) {
    if (!isa<cta::AcquireOp, cta::WaitOp>(op))
      return;
    Ring *ring = ringOf(op->getOperand(0));
    auto &places = isa<cta::AcquireOp>(op) ? filling : taking;
    if (!ring || places.contains(ring))
      return;
    RingPlace &place = places[ring];
    std::string name = cta::nameOf(ring->channels.front().getResult(), "ring");
    if (ring->depth() > 1)
      place.number = counter(name + "_slot", loc, 0);
    place.phase = counter(name + "_phase", loc, isa<cta::AcquireOp>(op));
  });
}

/// True if tiles are computed between a wait and the first use of its slot.
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

Value ChannelLowering::enterSlot(Operation *op) {
  bool fills = isa<cta::AcquireOp>(op);
  Ring &ring = *ringOf(op->getOperand(0));
  RingPlace &place = (fills ? filling : taking)[&ring];
  cta::ChannelOp first = ring.channels.front();
  if (op->getOperand(0) !=
      first.getResult()) // the first acquire or wait covers the slots of all channels
    return place.current;
  Value phase = comeTo(place);
  Value full = barrierOf(ring, cta::SlotState::Full, place.current);
  Value awaited = fills ? barrierOf(ring, cta::SlotState::Empty, place.current) : full;
  auto wait = [&] {
    builder.create<cuda::MbarrierWaitOp>(loc, awaited, phase, !fills && computesBeside(op));
  };
  bool fillsByTma = fills && ring.kind() == cta::ChannelKind::Tma;
  bool waitsAlone = fillsByTma && fillsAlone();
  if (!waitsAlone)
    wait();
  if (fillsByTma)
    once(cta::Threads::Role, [&](Value) {
      if (waitsAlone)
        wait();
      builder.create<cuda::MbarrierArriveExpectTxOp>(loc, full, constant(ring.plan().getBytes()));
    });
  advance(place, ring, phase);
  return place.current;
}

Value ChannelLowering::barrierOf(Ring &ring, cta::SlotState state, Value number) {
  return builder.create<cta::BarrierOfOp>(loc, state, ring.channels.front(), number);
}

Value ChannelLowering::comeTo(RingPlace &place) {
  place.current = place.number ? get(place.number, "slot") : constant(0);
  return get(place.phase, "phase");
}

void ChannelLowering::advance(RingPlace &place, Ring &ring, Value phase) {
  Value flipped = builder.create<arith::XOrIOp>(loc, phase, constant(1));
  if (place.number) {
    Value wraps, next = following(place.current, ring.depth(), wraps);
    set(place.number, select(wraps, constant(0), next));
    flipped = select(wraps, flipped, phase);
  }
  set(place.phase, flipped);
}

/// Whether one thread alone waits for slots that TMA fills. Of several warps, the ring would go on
/// without the others, and a barrier that has completed two phases looks as if it had none.
bool ChannelLowering::fillsAlone() { return role.getWarps() > 1; }

void ChannelLowering::leaveRings() {
  for (auto &ring : rings) {
    auto place = filling.find(ring.get());
    if (place == filling.end() || !ring->multicast())
      continue;
    auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(ring->depth()), constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value phase = comeTo(place->second);
    Value empty = barrierOf(*ring, cta::SlotState::Empty, place->second.current);
    auto wait = [&] { builder.create<cuda::MbarrierWaitOp>(loc, empty, phase, /*spins=*/false); };
    if (fillsAlone())
      once(cta::Threads::Role, [&](Value) { wait(); });
    else
      wait();
    advance(place->second, *ring, phase);
  }
}

/// Notes that a slot is closed; returns whether the slots of all channels of its ring are.
bool ChannelLowering::closesAll(RingPlace &place, Ring &ring, Value slot) {
  auto &[channels, isStored] = place.closing[numbers[slot]];
  isStored |= stored.contains(slot);
  return ++channels == ring.channels.size();
}

void ChannelLowering::handOver(Ring &ring, Value number) {
  if (ring.kind() == cta::ChannelKind::Tma) // TMA does
    return;
  auto full = [&] { return barrierOf(ring, cta::SlotState::Full, number); };
  if (ring.kind() == cta::ChannelKind::CpAsync) { // each thread's copies do
    builder.create<cuda::CpAsyncArriveOp>(loc, full());
    return;
  }
  builder.create<cuda::WarpSyncOp>(loc);
  once(cta::Threads::Warp, [&](Value) { builder.create<cuda::MbarrierArriveOp>(loc, full()); });
}

/// Whether one thread releases a slot for a warpgroup whose other warps may not have waited for it
/// yet.
bool ChannelLowering::meetsAt(cta::ReleaseOp op) {
  Ring *ring = ringOf(cta::channelOf(op.getSlot()));
  return ring && returnerOf(role, ring->channels) == Returner::Warpgroup && !haveAllWaited(op);
}

void ChannelLowering::releaseToRing(Ring &ring, cta::ReleaseOp op) {
  Value slot = op.getSlot();
  auto before = dyn_cast_or_null<cta::ReleaseOp>(op->getPrevNode());
  if (meetsAt(op) && !(before && meetsAt(before))) // one thread arrives for all warps
    builder.create<cta::SyncOp>(loc, /*warpgroup=*/true);
  if (!closesAll(taking[&ring], ring, slot))
    return;
  if (taking[&ring].closing[numbers[slot]].stored) {
    builder.create<cta::AwaitStoresOp>(loc);
    if (ring.multicast()) // other threads of the warp arrive at the other blocks
      builder.create<cuda::WarpSyncOp>(loc);
  }
  giveBack(ring, numbers[slot], op.getCondition());
}

void ChannelLowering::giveBack(Ring &ring, Value number, Value condition) {
  Value empty = barrierOf(ring, cta::SlotState::Empty, number);
  Returner returner = returnerOf(role, ring.channels);
  if (returner == Returner::Warp) {
    if (ring.kind() == cta::ChannelKind::Tma)
      builder.create<cuda::FenceOp>(loc, cuda::FenceKind::AsyncShared);
    builder.create<cuda::WarpSyncOp>(loc);
  }
  auto of = returner == Returner::Thread ? cta::Threads::Role
            : returner == Returner::Warp ? cta::Threads::Warp
                                         : cta::Threads::Warpgroup;
  if (!ring.multicast()) {
    once(of, [&](Value) { builder.create<cuda::MbarrierArriveOp>(loc, empty); }, 1, condition);
    return;
  }
  // One thread of each warp or warpgroup for each block.
  auto arrive = [&](Value number) {
    Value block = fillerOf(ring, number);
    if (block != number)
      block.setLoc(named("block"));
    Value there = builder.create<cuda::MapaOp>(loc, empty.getType(), empty, block);
    builder.create<cuda::MbarrierArriveRemoteOp>(loc, there, /*relaxed=*/true);
  };
  once(of, arrive, fillersOf(ring.channels), condition);
}

/// The rank of the `number`-th block that fills slots of this one.
Value ChannelLowering::fillerOf(Ring &ring, Value number) {
  cta::Cluster cluster = cta::clusterOf(kernel);
  SmallVector<int64_t> axes = sharedAxes(ring.channels);
  if (cluster.along[axes.front()] == cluster.blocks())
    return number;
  Value rank = builder.create<cuda::ClusterRankOp>(named("rank"), builder.getI32Type());
  Value width = constant(cluster.along[0]);
  Value first = builder.create<arith::RemSIOp>(loc, rank, width);
  Value second = builder.create<arith::DivSIOp>(loc, rank, width);
  auto blockAt = [&](Value first, Value second) -> Value {
    return builder.create<arith::AddIOp>(loc, first,
                                         builder.create<arith::MulIOp>(loc, second, width));
  };
  if (axes.size() == 1)
    return axes.front() == 0 ? blockAt(number, second) : blockAt(first, number);
  // Those along the first axis, and then those along the second, without this one again.
  auto isLess = [&](Value a, Value b) -> Value {
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a, b);
  };
  Value other = builder.create<arith::SubIOp>(loc, number, width);
  Value behind = builder.create<arith::AddIOp>(loc, other, constant(1));
  other = select(isLess(other, second), other, behind);
  return select(isLess(number, width), blockAt(number, second), blockAt(first, other));
}

//===- The queue's ring -----------------------------------------------------------------------===//

/// The addresses of slot and barriers of entry `count` of the queue, and the parity of the phase in
/// which the slot is filled.
QueuePlace Expander::queuePlace(Value count) {
  auto plan = kernel->getAttrOfType<cta::PlanAttr>(cta::kQueueAttr);
  const RingBarriers &queue = rings.find(plan.getRing())->second;
  Value slot = rem(count, kQueueSlots);
  Value barrier = mul(slot, kBarrierBytes);
  return {add(queueSlots, mul(slot, plan.getStride())), add(queue.full, barrier),
          add(queue.empty, barrier), rem(div(count, kQueueSlots), 2)};
}

/// Hands out a tile, with the values found for it, as entry `count`.
void Expander::handOut(Value count, ValueRange numbers, Value staged) {
  QueuePlace place = queuePlace(count);
  builder.create<cuda::MbarrierWaitOp>(loc, place.empty, bitXor(place.phase, constant(1)));
  for (auto [i, number] : llvm::enumerate(numbers)) {
    builder.create<cuda::SetOp>(loc, number, staged, constant(0));
    builder.create<cuda::StoreSharedOp>(loc, staged, constant(0),
                                        add(place.slot, constant(i * kQueueWordBytes)),
                                        /*predicate=*/Value(), /*count=*/1);
  }
  builder.create<cuda::MbarrierArriveOp>(loc, place.full);
}

/// These words of entry `count` of the queue, once it is full.
SmallVector<Value> Expander::takeOut(Value count, ArrayRef<QueueWord> words, Value staged) {
  Type i32 = builder.getI32Type();
  QueuePlace place = queuePlace(count);
  builder.create<cuda::MbarrierWaitOp>(loc, place.full, place.phase);
  SmallVector<Value> numbers;
  for (auto [word, named] : words) {
    Value address = add(place.slot, constant(word * kQueueWordBytes));
    builder.create<cuda::LoadSharedOp>(loc, address, staged, constant(0), /*count=*/1);
    Value number = builder.create<cuda::GetOp>(named, i32, staged, constant(0));
    // Roles branch on it: tells the compiler that it is equal in all lanes.
    if (!elected)
      number = builder.create<cuda::ShuffleIdxOp>(named, i32, number, constant(0));
    numbers.push_back(number);
  }
  if (elected) {
    builder.create<cuda::MbarrierArriveOp>(loc, place.empty);
    return numbers;
  }
  builder.create<cuda::WarpSyncOp>(loc);
  branch(builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane, constant(0)),
         [&] { builder.create<cuda::MbarrierArriveOp>(loc, place.empty); });
  return numbers;
}

} // namespace tilewright::passes
