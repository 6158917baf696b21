// Tiles from a queue.
//
// The queue is a counter in global memory. The first tile of a block is that of its own number; one
// thread of one role, the first that is run by a single thread, takes each other by an atomic
// increment and hands it to all roles through a ring of slots in shared memory: a number at or
// beyond the last says that the block is done.
//
// It takes a tile when its role has done its part of the one before, which is the loads of a role
// that loads: the others are at work still, so nobody waits for the counter, and no block holds
// tiles for later that another could begin with. Of roles that take turns the one that hands out
// does so first, since the next tile is another's.
//
// What every role would search in memory for a tile (TileSearch.h) that thread searches alone, and
// hands it out with the tile's number; a tile that then stores nothing is passed over.
//
// Each tile makes for one increment, whoever works on it. The instruction wraps after as many, and
// so the launch leaves the counter as it found it: at 0.
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

bool Expander::hasQueue() { return kernel->hasAttr(cta::kQueueAttr); }

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

FailureOr<std::pair<SmallVector<Value>, Value>>
Expander::searchTile(const TileLoop &tiles, const TileSearch &search, Value number) {
  SmallVector<Value> numbers = {number};
  if (search.ops.empty())
    return std::pair(numbers, Value());
  for (auto [argument, coordinate] :
       llvm::zip(cta::TilesOp(search.tiles).getCoordinates(), tileCoordinates(tiles, number)))
    scalars.map(argument, coordinate);
  for (Operation *op : search.ops) {
    llvm::SaveAndRestore place(loc, placeOf(op->getLoc()));
    if (failed(expand(op)))
      return failure();
  }
  for (Value each : search.found)
    numbers.push_back(scalar(each));
  Value stores;
  for (auto [start, size] : search.stores) {
    Value some =
        builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, scalar(start), scalar(size));
    stores = stores ? builder.create<arith::OrIOp>(loc, stores, some).getResult() : some;
  }
  return std::pair(numbers, stores);
}

FailureOr<SmallVector<Value>> Expander::nextTile(const TileLoop &tiles, const TileSearch &search,
                                                 Value coming, function_ref<void()> take) {
  auto get = [&] {
    return builder.create<cuda::GetOp>(loc, builder.getI32Type(), coming, constant(0));
  };
  if (search.stores.empty()) {
    auto found = searchTile(tiles, search, get());
    if (failed(found))
      return failure();
    return found->first;
  }
  SmallVector<Type> types(1 + search.found.size(), builder.getI32Type());
  auto loop = builder.create<scf::WhileOp>(loc, types, ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  auto found = searchTile(tiles, search, get());
  if (failed(found))
    return failure();
  auto [numbers, stores] = *found;
  Value exists =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, numbers.front(), tiles.total);
  Value idle = builder.create<arith::XOrIOp>(loc, stores,
                                             builder.create<arith::ConstantIntOp>(loc, true, 1));
  builder.create<scf::ConditionOp>(loc, both(exists, idle), numbers);
  builder.createBlock(&loop.getAfter(), {}, types, SmallVector<Location>(types.size(), loc));
  take();
  builder.create<scf::YieldOp>(loc);
  return SmallVector<Value>(loop.getResults());
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
  TileSearch search = searchOfTiles(kernel);
  assert(int64_t(1 + search.found.size()) * kQueueWordBytes ==
             kernel->getAttrOfType<cta::PlanAttr>(cta::kQueueAttr).getStride() &&
         "plan-channels found as much");
  auto ownLoop = cast_or_null<scf::WhileOp>(ownSearch(op, search));
  SmallVector<Location> names = {named("tile")};
  for (Value each : search.found)
    names.push_back(each.getDefiningOp<scf::WhileOp>()
                        .getAfterArguments()[cast<OpResult>(each).getResultNumber()]
                        .getLoc());
  LogicalResult outcome = success();
  Value count = variable("entries", constant(0)), staged = variable("staged", constant(0));
  Value coming = hands ? variable("coming", first) : Value();
  auto take = [&] {
    Value last = builder.create<arith::SubIOp>(loc, total, constant(1));
    Value taken = builder.create<cuda::AtomicIncOp>(named("taken"), i32, tileCounter, last);
    builder.create<cuda::SetOp>(loc, add(taken, step), coming, constant(0));
  };
  auto hand = [&](Value entry) {
    auto numbers = nextTile(tiles, search, coming, take);
    if (failed(numbers))
      outcome = failure();
    else
      handOut(entry, *numbers, staged);
  };
  if (hands)
    byOneThread([&] { hand(constant(0)); });

  SmallVector<Type> types(names.size() + 1, i32);
  auto loop = builder.create<scf::WhileOp>(op.getLoc(), types, ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value entry = get(count);
  SmallVector<Value> numbers = takeOut(entry, names, staged);
  Value isTile = exists(numbers.front());
  numbers.insert(numbers.begin() + 1, entry);
  builder.create<scf::ConditionOp>(loc, isTile, numbers);
  names.insert(names.begin() + 1, named("entry"));
  builder.createBlock(&loop.getAfter(), {}, types, names);
  Value number = loop.getAfterArguments()[0];
  entry = loop.getAfterArguments()[1];
  Value next = add(entry, constant(1));
  builder.create<cuda::SetOp>(loc, next, count, constant(0));
  auto handNext = [&] {
    byOneThread([&] {
      take();
      hand(next);
    });
  };
  if (hands && op.getTurns())
    handNext();
  auto body = [&] {
    if (ownLoop)
      for (auto [value, taken] : llvm::zip(search.found, loop.getAfterArguments().drop_front(2)))
        scalars.map(ownLoop.getResult(cast<OpResult>(value).getResultNumber()), taken);
    llvm::SaveAndRestore found(handed, ownLoop.getOperation());
    if (failed(expandTile(tiles, tileCoordinates(tiles, number))))
      outcome = failure();
  };
  Value own;
  if (auto turns = op.getTurns())
    own = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rem(entry, *turns),
                                        constant(*op.getTurn()));
  branch(own, body);
  if (hands && !op.getTurns())
    handNext();
  builder.create<scf::YieldOp>(op.getLoc());
  builder.setInsertionPointAfter(loop);
  if (op.getTurns())
    sharedTiles = get(count);
  return outcome;
}

} // namespace tilewright::passes
