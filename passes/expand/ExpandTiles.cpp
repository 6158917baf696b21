// The loop over a block's output tiles. A tile has a number, from which its coordinates follow; the
// loop goes through numbers that are a grid apart, or takes them from a queue.
//
// The queue is a counter in global memory. The first tile of a block is that of its own number; one
// thread of one role, the first that is run by a single thread, takes each other by an atomic
// increment and hands it to all roles through a ring of slots in shared memory: a number at or
// beyond the last says that the block is done. It hands out one ahead, and takes the one behind
// that while its role is at work, so that nobody waits for the counter.
//
// Each tile makes for one increment, whoever works on it. The instruction wraps after as many, and
// so the launch leaves the counter as it found it: at 0.
#include "passes/expand/Expander.h"

namespace tilewright::passes {

using namespace mlir;

constexpr int64_t kQueueSlots = 4;
constexpr int64_t kBarrierBytes = 8;

//===- Numbers and coordinates ----------------------------------------------------------------===//

/// A cluster goes through the tiles as one block would: c neighbours on the first axis are one.
SmallVector<Value> Expander::tileExtents(cta::TilesOp op) {
  SmallVector<Value> extents;
  for (Value extent : op.getExtents())
    extents.push_back(scalar(extent));
  if (cluster > 1)
    extents[0] = div(add(extents[0], constant(cluster - 1)), cluster);
  return extents;
}

/// The coordinates of tile `number`, and, but for the first, of its cluster's others.
SmallVector<Value> Expander::tileCoordinates(cta::TilesOp op, ArrayRef<Value> extents,
                                             Value number) {
  auto named = [&](StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), op.getLoc());
  };
  auto divide = [&](Value a, Value b) { return builder.createOrFold<arith::DivSIOp>(loc, a, b); };
  auto remainder = [&](Value a, Value b) {
    return builder.createOrFold<arith::RemSIOp>(loc, a, b);
  };
  auto product = [&](Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); };
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubIOp>(loc, a, b); };
  auto mirrored = [&](Value along, Value extent) {
    return minus(minus(extent, constant(1)), along);
  };
  // Backwards where an odd number of bands are left.
  auto fold = [&](Value along, Value extent, Value bandsLeft) -> Value {
    Value odd = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rem(bandsLeft, 2),
                                              constant(1));
    return builder.create<arith::SelectOp>(loc, odd, mirrored(along, extent), along);
  };

  Value rest = number;
  SmallVector<Value> coordinates;
  size_t axis = 0;
  if (auto grouped = op.getGrouped()) {
    int64_t group = *grouped / cluster;
    bool more = extents.size() > 2;
    Value plane = product(extents[0], extents[1]);
    Value inPlane = more ? remainder(rest, plane) : rest;
    Value band = mul(extents[1], group);
    Value bandNumber = divide(inPlane, band);
    Value start = mul(bandNumber, group);
    Value height = builder.create<arith::MinSIOp>(named("band_height"), minus(extents[0], start),
                                                  constant(group));
    Value inBand = remainder(inPlane, band);
    Value along = divide(inBand, height);
    if (op.getDescending())
      along = mirrored(along, extents[1]);
    if (op.getFolded()) {
      Value bands = div(add(extents[0], constant(group - 1)), group);
      if (more)
        bandNumber = add(product(divide(rest, plane), bands), bandNumber);
      Value all = bands;
      for (Value extent : extents.drop_front(2))
        all = product(all, extent);
      along = fold(along, extents[1], minus(all, bandNumber));
    }
    coordinates = {add(start, remainder(inBand, height)), along};
    rest = more ? divide(rest, plane) : Value();
    axis = 2;
  }
  for (; axis < extents.size(); ++axis) {
    bool last = axis + 1 == extents.size();
    coordinates.push_back(last ? rest : remainder(rest, extents[axis]));
    rest = last ? Value() : divide(rest, extents[axis]);
  }
  if (cluster > 1)
    coordinates[0] = add(mul(coordinates[0], cluster), rank);
  return coordinates;
}

//===- What tiles hand on ---------------------------------------------------------------------===//

SmallVector<Value> Expander::declareCarried(cta::TilesOp op) {
  SmallVector<Value> carried;
  for (BlockArgument argument : op.getRegionIterArgs()) {
    std::string number = cta::nameOf(argument, "slot") + "_number";
    auto tile = dyn_cast<RankedTensorType>(argument.getType());
    carried.push_back(
        tile ? declareTile(argument.getLoc(), tile)
             : declare(NameLoc::get(builder.getStringAttr(number), loc), 1, builder.getI32Type()));
  }
  return carried;
}

void Expander::handOn(ValueRange values, ArrayRef<Value> carried) {
  SmallVector<Value> tilesToCopy, arrays;
  for (auto [value, registers] : llvm::zip(values, carried))
    if (isa<cta::SlotType>(value.getType()))
      builder.create<cuda::SetOp>(loc, slots[value].index, registers, constant(0));
    else
      tilesToCopy.push_back(value), arrays.push_back(registers);
  assignTiles(tilesToCopy, arrays);
}

/// Gives what is carried the names that it has in a tile, or behind the loop.
void Expander::takeOver(ValueRange names, ArrayRef<Value> carried) {
  for (auto [name, registers] : llvm::zip(names, carried)) {
    if (!isa<cta::SlotType>(name.getType())) {
      tiles[name] = registers;
      continue;
    }
    SlotState &slot = slots[name];
    slot.channel = cta::channelOf(name);
    slot.index = builder.create<cuda::GetOp>(loc, builder.getI32Type(), registers, constant(0));
    slot.address = slotAt(channels[slot.channel], slot.index);
  }
}

//===- The loop -------------------------------------------------------------------------------===//

LogicalResult Expander::expandTile(const TileLoop &loop, Value number) {
  cta::TilesOp op = loop.op;
  SmallVector<Value> coordinates = tileCoordinates(op, loop.extents, number);
  for (auto [argument, coordinate] : llvm::zip(op.getCoordinates(), coordinates)) {
    if (Operation *made = coordinate.getDefiningOp();
        made && made->getBlock() == builder.getInsertionBlock())
      made->setLoc(argument.getLoc());
    scalars.map(argument, coordinate);
  }
  takeOver(op.getRegionIterArgs(), loop.carried);
  if (failed(expandBlock(op.getBody().front())))
    return failure();
  retire(0);
  handOn(op.getYieldedValues(), loop.carried);
  return success();
}

LogicalResult Expander::expandTiles(cta::TilesOp op) {
  retireBefore(op);
  TileLoop loop{op, tileExtents(op), {}, {}, {}, declareCarried(op)};
  loop.total = loop.extents[0];
  for (Value extent : ArrayRef(loop.extents).drop_front())
    loop.total = builder.createOrFold<arith::MulIOp>(loc, loop.total, extent);
  loop.first = div(builder.create<cuda::BlockIdOp>(loc, builder.getI32Type()), cluster);
  loop.step = div(builder.create<cuda::GridSizeOp>(loc, builder.getI32Type()), cluster);
  handOn(op.getInitArgs(), loop.carried);
  if (failed(op.getQueue() ? expandQueue(loop) : expandShare(loop)))
    return failure();
  takeOver(op.getResults(), loop.carried);
  return success();
}

/// Every n-th tile, or every n-th of the role's turns.
LogicalResult Expander::expandShare(const TileLoop &tiles) {
  cta::TilesOp op = tiles.op;
  Value total = tiles.total, first = tiles.first, step = tiles.step;
  if (auto turns = op.getTurns()) {
    Value behind = builder.create<arith::SubIOp>(loc, add(total, step), first);
    behind = builder.create<arith::SubIOp>(loc, behind, constant(1));
    sharedTiles = builder.create<arith::DivSIOp>(loc, behind, step);
    first = add(first, mul(step, *op.getTurn()));
    step = mul(step, *turns);
  }
  auto loop = builder.create<scf::ForOp>(op.getLoc(), first, total, step);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("tile"), op.getLoc()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  return expandTile(tiles, loop.getInductionVar());
}

//===- Queues ---------------------------------------------------------------------------------===//

bool Expander::hasQueue() {
  return kernel
      .walk([](cta::TilesOp op) {
        return op.getQueue() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The roles that go through tiles.
static SmallVector<cta::RoleOp> rolesWithTiles(func::FuncOp kernel) {
  SmallVector<cta::RoleOp> roles;
  for (auto role : kernel.getOps<cta::RoleOp>())
    if (!role.getBody().getOps<cta::TilesOp>().empty())
      roles.push_back(role);
  return roles;
}

/// The role whose first thread hands out the tiles.
static cta::RoleOp handingRole(func::FuncOp kernel) {
  SmallVector<cta::RoleOp> roles = rolesWithTiles(kernel);
  auto elected = llvm::find_if(roles, [](cta::RoleOp role) { return cta::isElected(role); });
  return elected == roles.end() ? roles.front() : *elected;
}

void Expander::planQueue() {
  if (!hasQueue())
    return;
  queue = rings.emplace_back(std::make_unique<Ring>()).get();
  queue->depth = kQueueSlots;
  for (cta::RoleOp role : rolesWithTiles(kernel)) // one thread, or one of each warp
    queue->returns += cta::isElected(role) ? 1 : role.getWarps();
  channelBytes += kQueueSlots * (2 * kBarrierBytes + kQueueSlotBytes);
}

/// What belongs to entry `count` of the queue: the addresses of its slot and barriers, and the
/// parity of the phase in which its slot is filled.
Expander::QueuePlace Expander::queuePlace(Value count) {
  Value slot = rem(count, kQueueSlots);
  Value barrier = mul(slot, kBarrierBytes);
  return {add(queueSlots, mul(slot, kQueueSlotBytes)), add(queue->full, barrier),
          add(queue->empty, barrier), rem(div(count, kQueueSlots), 2)};
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

LogicalResult Expander::expandQueue(const TileLoop &tiles) {
  cta::TilesOp op = tiles.op;
  Value total = tiles.total, first = tiles.first, step = tiles.step;
  Type i32 = builder.getI32Type();
  auto named = [&](StringRef name) -> Location {
    return NameLoc::get(builder.getStringAttr(name), op.getLoc());
  };
  auto variable = [&](StringRef name, Value value) {
    Value regs = declare(named(name), 1, i32);
    builder.create<cuda::SetOp>(loc, value, regs, constant(0));
    return regs;
  };
  auto get = [&](Value regs) -> Value {
    return builder.create<cuda::GetOp>(loc, i32, regs, constant(0));
  };
  auto exists = [&](Value number) -> Value {
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, number, total);
  };
  bool hands = handingRole(kernel) == role;
  Value count = variable("entries", constant(0)), staged = variable("staged", constant(0));
  Value coming = hands ? variable("coming", first) : Value();
  // Hands out the tile that has been taken, and takes the next.
  auto hand = [&](Value entry) {
    byOneThread([&] {
      Value number = get(coming);
      handOut(entry, number, staged);
      branch(exists(number), [&] {
        Value last = builder.create<arith::SubIOp>(loc, total, constant(1));
        Value taken = builder.create<cuda::AtomicIncOp>(named("taken"), i32, tileCounter, last);
        builder.create<cuda::SetOp>(loc, add(taken, step), coming, constant(0));
      });
    });
  };
  if (hands)
    hand(constant(0));

  auto loop = builder.create<scf::WhileOp>(op.getLoc(), TypeRange{i32, i32}, ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value entry = get(count);
  Value number = takeOut(entry, staged);
  builder.create<scf::ConditionOp>(loc, exists(number), ValueRange{number, entry});
  builder.createBlock(&loop.getAfter(), {}, {i32, i32}, {named("tile"), named("entry")});
  number = loop.getAfterArguments()[0], entry = loop.getAfterArguments()[1];
  Value next = add(entry, constant(1));
  builder.create<cuda::SetOp>(loc, next, count, constant(0));
  if (hands)
    hand(next);
  LogicalResult outcome = success();
  auto body = [&] { outcome = expandTile(tiles, number); };
  Value own;
  if (auto turns = op.getTurns())
    own = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rem(entry, *turns),
                                        constant(*op.getTurn()));
  branch(own, body);
  builder.create<scf::YieldOp>(op.getLoc());
  builder.setInsertionPointAfter(loop);
  if (op.getTurns())
    sharedTiles = get(count);
  return outcome;
}

} // namespace tilewright::passes
