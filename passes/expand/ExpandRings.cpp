// Channels that TMA fills or empties.
//
// A ring of slots between roles has two mbarriers per slot. `full` completes a phase when the
// producer has announced the slot's bytes and TMA has written them; `empty` when every consumer has
// given the slot back. A role counts in registers which slot comes next and the parity of its
// phase, and its counters run on from loop to loop. A producer starts at parity 1, which a fresh
// barrier grants at once.
//
// Channels whose slots always change hands together, next to each other in the program, share their
// barriers: the bytes of all are counted on one.
//
// A multicast slot is filled in every block of the cluster, by shares; so it is free only when all
// blocks have given theirs back, and each consumer arrives in every block. What products read has
// been waited for, so that nothing need be released: a release to the cluster is a fence of all
// memory, which cost a fifth of a product's speed.
//
// A store goes from registers to a slot, and from there by TMA. A thread that started stores waits
// until they have read a slot before the role fills it again. Warpgroups that hold separate rows
// store them separately, without waiting for each other.
#include "passes/SharedAccesses.h"
#include "passes/expand/Expander.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

using namespace mlir;

constexpr int64_t kBarrierBytes = 8;

//===- Plan -----------------------------------------------------------------------------------===//

static bool isTma(Value channel) {
  return channel.getDefiningOp<cta::ChannelOp>().getKind() == cta::ChannelKind::Tma;
}

/// The acquires and waits of a channel, in program order.
static SmallVector<Operation *> turnsOf(cta::ChannelOp channel) {
  SmallVector<Operation *> turns;
  channel->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (isa<cta::AcquireOp, cta::WaitOp>(op) && op->getOperand(0) == channel.getResult())
      turns.push_back(op);
  });
  return turns;
}

/// Where the slot that an op gives is released; null for slots that are committed.
static cta::ReleaseOp releaseOf(Operation *turn) {
  for (Operation *user : turn->getResult(0).getUsers())
    if (auto release = dyn_cast<cta::ReleaseOp>(user))
      return release;
  return {};
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

/// True when slots of `second` always change hands right behind those of `first`.
static bool goTogether(cta::ChannelOp first, cta::ChannelOp second) {
  auto turns = turnsOf(first), others = turnsOf(second);
  if (first.getResult().getType().getDepth() != second.getResult().getType().getDepth() ||
      turns.size() != others.size())
    return false;
  for (auto [turn, other] : llvm::zip(turns, others)) {
    if (turn->getName() != other->getName() || !nothingBetween(turn, other))
      return false;
    cta::ReleaseOp release = releaseOf(turn), otherRelease = releaseOf(other);
    if (bool(release) != bool(otherRelease))
      return false;
    if (release && (release->getBlock() != otherRelease->getBlock() ||
                    release.getProduct() != otherRelease.getProduct()))
      return false;
  }
  return true;
}

/// Whether the threads of a role read slots themselves, rather than its products.
static bool readsByThreads(cta::RoleOp op, Ring &ring) {
  for (cta::ChannelOp channel : ring.channels)
    for (Operation *turn : turnsOf(channel))
      for (Operation *user : turn->getResult(0).getUsers())
        if (cta::roleOf(turn) == op && isa<cta::GetOp>(user))
          return true;
  return false;
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
    if (!isTma(channel))
      continue;
    if (rings.empty() || !goTogether(rings.back()->channels.back(), channel))
      rings.push_back(std::make_unique<Ring>());
    Ring &ring = *rings.back();
    ring.channels.push_back(channel);
    ring.depth = channel.getResult().getType().getDepth();
    ring.bytes += cta::panelsOf(channel.getResult().getType()).bytes();
    ring.multicast |= channel.getMulticast();
  }
  for (auto &ring : rings) {
    llvm::SmallSetVector<Operation *, 4> consumers;
    for (Operation *turn : turnsOf(ring->channels.front()))
      if (isa<cta::WaitOp>(turn))
        consumers.insert(cta::roleOf(turn));
    for (Operation *consumer : consumers)
      ring->arrivals += arrivalsOf(cast<cta::RoleOp>(consumer), *ring);
    if (ring->multicast)
      ring->arrivals *= cluster;
    channelBytes += 2 * ring->depth * kBarrierBytes;
  }
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
    std::string name = cta::nameOf(ring->channels.front().getResult(), "ring");
    int64_t bytes = ring->depth * kBarrierBytes;
    for (auto [barriers, suffix] :
         {std::pair(&ring->full, "_full"), std::pair(&ring->empty, "_empty")}) {
      *barriers =
          builder.create<cuda::SharedOp>(named(name + suffix), builder.getI32Type(), next, bytes);
      next += bytes;
    }
  }
  Value first = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, thread, constant(0));
  branch(first, [&] {
    for (BlockArgument argument : result.getArguments())
      if (isa<cuda::TensorMapType>(argument.getType()))
        builder.create<cuda::TmaPrefetchMapOp>(loc, argument);
    for (auto &ring : rings)
      unrolled(ring->depth, [&](Value slot) {
        Value offset = mul(slot, kBarrierBytes);
        builder.create<cuda::MbarrierInitOp>(loc, add(ring->full, offset), 1);
        builder.create<cuda::MbarrierInitOp>(loc, add(ring->empty, offset), ring->arrivals);
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

/// Parts in which a tile goes through the slots of its channel.
static int64_t partsOf(cta::StoreOp op) {
  return cast<RankedTensorType>(op.getTile().getType()).getDimSize(1) /
         op.getChannel().getType().getTile().getDimSize(1);
}

/// Declares the counters of all rings that the role takes part in.
void Expander::enterRings() {
  places.clear();
  storing.clear();
  auto counter = [&](Value channel, StringRef suffix, int64_t value) {
    auto named =
        NameLoc::get(builder.getStringAttr(cta::nameOf(channel, "ring") + suffix.str()), loc);
    Value regs = declare(named, 1, builder.getI32Type());
    builder.create<cuda::SetOp>(loc, constant(value), regs, constant(0));
    return regs;
  };
  role.walk([&](Operation *op) {
    if (auto store = dyn_cast<cta::StoreOp>(op)) {
      Value channel = store.getChannel();
      bool whole = partsOf(store) % store.getChannel().getType().getDepth() == 0;
      Value &slot = storing[channel];
      if (!whole && !slot) // else each store starts with slot 0
        slot = counter(channel, "_slot", 0);
    }
    if (!isa<cta::AcquireOp, cta::WaitOp>(op))
      return;
    Ring *ring = ringOf(op->getOperand(0));
    if (!ring || places.contains(ring))
      return;
    RingPlace &place = places[ring];
    Value channel = ring->channels.front().getResult();
    if (ring->depth > 1)
      place.index = counter(channel, "_slot", 0);
    place.phase = counter(channel, "_phase", isa<cta::AcquireOp>(op));
  });
}

/// The slot that the role comes to, once it is free to fill or full; the role then moves on.
void Expander::enterSlot(Value channel, SlotState &slot, bool fills) {
  Ring &ring = *ringOf(channel);
  RingPlace &place = places[&ring];
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
    builder.create<cuda::MbarrierWaitOp>(loc, fills ? add(ring.empty, offset) : place.full, phase);
    if (fills)
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

/// True where the last of the slots that were taken together is given back.
static bool isLastOfRing(cta::ReleaseOp op, const Ring &ring) {
  Operation *turn = op.getSlot().getDefiningOp();
  auto turns = turnsOf(turn->getOperand(0).getDefiningOp<cta::ChannelOp>());
  size_t number = llvm::find(turns, turn) - turns.begin();
  return llvm::all_of(ring.channels, [&](cta::ChannelOp channel) {
    cta::ReleaseOp other = releaseOf(turnsOf(channel)[number]);
    return other == op || other->isBeforeInBlock(op);
  });
}

LogicalResult Expander::expandRelease(cta::ReleaseOp op) {
  SlotState &slot = slots[op.getSlot()];
  Ring *ring = ringOf(slot.channel.getResult());
  if (!ring || !isLastOfRing(op, *ring))
    return success();
  for (ProductGroup &group : groups)
    if (group.pending == op.getProduct()) {
      group.releases.push_back({ring, slot.index});
      return success();
    }
  giveBack(*ring, slot.index, /*condition=*/{});
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
  Value number = eachWarp ? lane : groupThread;
  Value arrives =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, number, constant(blocks));
  branch(both(condition, arrives), [&] { arrive(number); });
}

//===- Copies ---------------------------------------------------------------------------------===//

/// Axes of a view along which a tile has rows (-1: it has one) and columns.
static std::pair<int64_t, int64_t> tileAxes(ArrayRef<int64_t> extents) {
  int64_t rows = -1, columns = extents.size() - 1;
  for (int64_t axis = columns - 1; axis >= 0; --axis)
    if (extents[axis] != 0)
      rows = axis;
  return {rows, columns};
}

/// The largest part of `extent`, in multiples of `unit`, that a box may have along an axis.
static int64_t boxExtent(int64_t extent, int64_t unit) {
  constexpr int64_t kMost = 256;
  int64_t boxes = llvm::divideCeil(extent, kMost);
  while (extent % (boxes * unit) != 0)
    ++boxes;
  return extent / boxes;
}

/// True when each warpgroup holds rows of its own, next to each other.
static bool splitsRows(const Layout &layout, int64_t rows, int64_t groups) {
  for (int64_t warp = 0; warp < layout.warps(); ++warp)
    for (int64_t reg = 0; reg < layout.registers(); ++reg)
      for (int64_t lane : {int64_t(0), kLanes - 1})
        if (layout.coordinates(2, reg, lane, warp)[0] / (rows / groups) !=
            warp / cta::kWarpsPerGroup)
          return false;
  return true;
}

/// In how many parts warpgroups store a tile by themselves; 1: together.
static int64_t storingGroups(cta::StoreOp op) {
  int64_t warps = cta::warpsAt(op), groups = warps / cta::kWarpsPerGroup;
  int64_t rows = cast<RankedTensorType>(op.getTile().getType()).getDimSize(0);
  bool split = warps % cta::kWarpsPerGroup == 0 && rows % (8 * groups) == 0 &&
               splitsRows(cta::layoutOf(op.getTile().getType()), rows, groups);
  return split ? groups : 1;
}

cuda::TensorMapType Expander::mapType(Operation *op) {
  auto typeOf = [&](cta::ChannelType channel, ArrayRef<int64_t> extents, int64_t parts) {
    PanelLayout panels = cta::panelsOf(channel);
    SmallVector<int64_t> box(extents.size(), 1);
    auto [rows, columns] = tileAxes(extents);
    if (rows >= 0)
      box[rows] = boxExtent(panels.rows / parts, 8);
    box[columns] = rows >= 0               ? panels.panelColumns()
                   : panels.columns <= 256 ? panels.columns
                                           : boxExtent(panels.columns, 128 / panels.elementBytes);
    return cuda::TensorMapType::get(builder.getContext(),
                                    RankedTensorType::get(box, channel.getTile().getElementType()),
                                    panels.swizzle);
  };
  if (auto store = dyn_cast<cta::StoreOp>(op))
    return typeOf(store.getChannel().getType(), store.getExtents(), storingGroups(store));
  auto copy = cast<cta::CopyOp>(op);
  auto channel = copy.getSlot().getDefiningOp<cta::AcquireOp>().getChannel();
  bool multicast = channel.getDefiningOp<cta::ChannelOp>().getMulticast();
  return typeOf(cast<cta::ChannelType>(channel.getType()), copy.getExtents(),
                multicast ? cta::clusterOf(kernel) : 1);
}

/// Calls `move(coordinates, byte offset)` for each box of `rows` rows, from `firstRow` on, of a
/// slot; `columns` are where its columns start in the view.
void Expander::forEachBox(cuda::TensorMapType map, const PanelLayout &panels,
                          ArrayRef<int64_t> extents, ValueRange indices, int64_t rows,
                          Value firstRow, Value columns,
                          function_ref<void(ValueRange, Value)> move) {
  auto [rowAxis, columnAxis] = tileAxes(extents);
  auto box = map.getBox().getShape();
  int64_t height = rowAxis < 0 ? 1 : box[rowAxis], width = box[columnAxis];
  SmallVector<Value> start;
  for (Value index : indices)
    start.push_back(scalar(index));
  start[columnAxis] = add(start[columnAxis], columns);
  unrolled(panels.columns / width, [&, rowAxis = rowAxis, columnAxis = columnAxis](Value across) {
    unrolled(rows / height, [&](Value down) {
      SmallVector<Value> coordinates(start);
      Value row = add(firstRow, mul(down, height));
      if (rowAxis >= 0)
        coordinates[rowAxis] = add(coordinates[rowAxis], row);
      coordinates[columnAxis] = add(coordinates[columnAxis], mul(across, width));
      move(coordinates, add(mul(across, panels.rows * width * panels.elementBytes),
                            mul(row, panels.rowBytes())));
    });
  });
}

LogicalResult Expander::expandTmaCopy(cta::CopyOp op) {
  SlotState &slot = slots[op.getSlot()];
  cta::ChannelOp channel = slot.channel;
  PanelLayout panels = *channels[channel.getResult()].panels;
  cuda::TensorMapType type = mapType(op);
  Value map = maps.lookup({op.getView(), type});
  bool multicast = channel.getMulticast();
  int64_t rows = panels.rows / (multicast ? cluster : 1);
  Value share = multicast ? mul(rank, rows) : Value();
  byOneThread([&] {
    Value mask = multicast ? constant((1 << cluster) - 1) : Value();
    forEachBox(type, panels, op.getExtents(), op.getIndices(), rows, share, /*columns=*/{},
               [&](ValueRange coordinates, Value offset) {
                 builder.create<cuda::TmaLoadOp>(loc, map, coordinates, add(slot.address, offset),
                                                 slot.full, mask, /*hint=*/nullptr);
               });
  });
  return success();
}

//===- Stores ---------------------------------------------------------------------------------===//

Value Expander::sliceRegister(const Layout &whole, int64_t dim, int64_t size, Value part,
                              Value index) {
  Value sum;
  int64_t weight = 1, prefix = 1;
  for (const Digit &digit : whole.digits(Level::Register)) {
    int64_t kept = digit.size;
    bool cut = digit.dim == dim && digit.stride * digit.size > size;
    if (cut)
      kept = std::max<int64_t>(1, size / digit.stride);
    sum = add(sum, mul(rem(div(index, prefix), kept), weight));
    if (cut) // what the parts before this one count of the digit
      sum = add(sum, mul(rem(mul(part, size / digit.stride ? size / digit.stride : 1), digit.size),
                         weight));
    prefix *= kept;
    weight *= digit.size;
  }
  return sum ? sum : constant(0);
}

void Expander::fillSlot(const SlotState &slot, RankedTensorType type,
                        function_ref<std::pair<Value, Value>(Value, int64_t)> vectorAt) {
  const Layout &layout = cta::layoutOf(type);
  auto addressOf = [&](const Layout &places, Value index) {
    return slotAddress(slot, coordinate(places, 0, index), coordinate(places, 1, index));
  };
  if (storeMatrices(type, layout, vectorAt, addressOf))
    return;
  int64_t vector = sharedVector(layout, 2, type.getElementTypeBitWidth() / 8);
  Value replica = firstReplica(layout);
  unrolled(layout.registers() / vector, [&](Value index) {
    Value first = mul(index, vector);
    auto [array, entry] = vectorAt(first, vector);
    builder.create<cuda::StoreSharedOp>(loc, array, entry, addressOf(layout, first), replica,
                                        vector);
  });
}

LogicalResult Expander::expandTmaStore(cta::StoreOp op) {
  auto channel = op.getChannel();
  ChannelState &state = channels[channel];
  PanelLayout panels = *state.panels;
  auto type = cast<RankedTensorType>(op.getTile().getType());
  auto slotTile = channel.getType().getTile();
  const Layout &whole = cta::layoutOf(type);
  int64_t columns = slotTile.getDimSize(1), depth = channel.getType().getDepth();
  std::optional<Layout> layout = whole.sliceDim(1, columns);
  if (!layout)
    return op.emitError() << "through slots of " << columns
                          << " columns would take other threads for each; make the slots wider";
  auto partType = cta::withLayout(slotTile, *layout);
  int64_t parties = storingGroups(op);
  auto meet = [&] {
    if (parties == 1)
      return barrier();
    builder.create<cuda::NamedBarrierSyncOp>(loc, add(group, constant(1)),
                                             cta::kWarpsPerGroup * kLanes);
  };
  Value starter = parties > 1 ? groupThread : add(mul(warp, kLanes), lane);
  Value starts = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, starter, constant(0));
  cuda::TensorMapType mapped = mapType(op);
  Value map = maps.lookup({op.getView(), mapped});
  int64_t rows = panels.rows / parties;
  Value firstRow = parties > 1 ? mul(div(warp, cta::kWarpsPerGroup), rows) : Value();

  unrolled(partsOf(op), [&](Value part) {
    SlotState slot;
    slot.channel = channel.getDefiningOp<cta::ChannelOp>();
    slot.address =
        slotAt(state, storing[channel] ? nextIndex(storing[channel], depth) : rem(part, depth));
    branch(starts, [&] { builder.create<cuda::BulkWaitOp>(loc, depth - 1, /*read=*/true); });
    meet();
    fillSlot(slot, partType, [&](Value first, int64_t vector) {
      return vectorAt(op.getTile(), sliceRegister(whole, 1, columns, part, first), vector);
    });
    builder.create<cuda::FenceOp>(loc, cuda::FenceKind::AsyncShared);
    meet();
    branch(starts, [&] {
      forEachBox(mapped, panels, op.getExtents(), op.getIndices(), rows, firstRow,
                 mul(part, columns), [&](ValueRange coordinates, Value offset) {
                   Value from = add(slot.address, offset);
                   if (op.getAdd())
                     builder.create<cuda::TmaReduceAddOp>(loc, from, map, coordinates, nullptr);
                   else
                     builder.create<cuda::TmaStoreOp>(loc, from, map, coordinates, nullptr);
                 });
      builder.create<cuda::BulkCommitOp>(loc);
    });
  });
  return success();
}

} // namespace tilewright::passes
