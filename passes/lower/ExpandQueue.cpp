// Tiles from a queue (dynamic scheduling).
//
// The queue is a counter in global memory. A block's first tile has the block's own number. One
// thread then takes each further tile by an atomic increment. It belongs to the first role that is
// run by a single thread: the producer, usually. It hands the tile's number to all roles through a
// ring of slots in shared memory. A number at or beyond the last tile ends the block.
//
// The thread takes a tile when its own role is done with the one before, so for a producer when all
// loads have been started. The other roles still work then, and no block reserves tiles that
// another block could start. Where the role's part of a tile ends with a loop that always runs,
// the thread takes the next tile in the last iteration, before it waits for the last slot. So
// nobody waits for the counter, even if there are few slots. Where several such roles take turns,
// each takes a tile first, since the next one belongs to another role.
//
// What every role would search or read in memory for a tile (TileSearch.h), this thread finds alone
// and passes on with the tile's number. It skips a tile that would store nothing.
//
// Each tile stands for one increment, whoever works on it. The instruction wraps around after as
// many, so the launch leaves the counter as it found it: at 0.
#include "passes/analysis/Facts.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

bool Expander::hasQueue() { return kernel->hasAttr(cta::kQueueAttr); }

/// The roles with a loop over tiles.
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
  // Behind the last tile there is none to prepare.
  Value last = builder.create<arith::SubIOp>(loc, tiles.total, constant(1));
  Value tile = builder.create<arith::MinSIOp>(loc, number, last);
  for (auto [argument, coordinate] :
       llvm::zip(cta::TilesOp(search.tiles).getCoordinates(), tileCoordinates(tiles, tile)))
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

/// The name of a value that is found: that of the value inside the loop that finds it.
static Location nameOf(Value found) {
  auto loop = found.getDefiningOp<scf::WhileOp>();
  return loop ? loop.getAfterArguments()[cast<OpResult>(found).getResultNumber()].getLoc()
              : found.getLoc();
}

/// The op before which a role takes the next tile: its last wait, in a loop that always runs and
/// ends the role's part of the tile. Null if the role takes it behind the tile.
static Operation *lastWait(cta::TilesOp tiles) {
  Operation *last = nullptr;
  tiles.walk([&](cuda::MbarrierWaitOp wait) { last = wait; });
  auto loop = last ? dyn_cast<scf::ForOp>(last->getParentOp()) : scf::ForOp();
  if (!loop || loop->getParentOp() != tiles)
    return nullptr;
  AffineForm none = AffineForm::of(loop.getLowerBound()) + 1;
  Value upper = loop.getUpperBound();
  bool runs = Facts::at(loop).proveNonPositive(none - AffineForm::of(upper));
  if (auto most = upper.getDefiningOp<arith::MaxSIOp>())
    for (Value least : most->getOperands())
      runs |= Facts::at(loop).proveNonPositive(none - AffineForm::of(least));
  return runs ? last : nullptr;
}

void Expander::handInLoop(scf::ForOp loop) {
  llvm::SaveAndRestore<Location> place(loc);
  Value next = add(scalar(loop.getInductionVar()), scalar(loop.getStep()));
  branch(builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, next,
                                       scalar(loop.getUpperBound())),
         handNext);
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
  SmallVector<Value> own; // the role's own values that come with a tile
  SmallVector<QueueWord> words = {{0, named("tile")}};
  SmallVector<Value> found = ownFound(op, search);
  for (auto [i, value] : llvm::enumerate(found))
    if (value && !value.use_empty()) {
      own.push_back(value);
      words.push_back({int64_t(i) + 1, nameOf(value)});
    }
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

  SmallVector<Type> types(words.size() + 1, i32);
  auto loop = builder.create<scf::WhileOp>(op.getLoc(), types, ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value entry = get(count);
  SmallVector<Value> numbers = takeOut(entry, words, staged);
  Value isTile = exists(numbers.front());
  numbers.insert(numbers.begin() + 1, entry);
  builder.create<scf::ConditionOp>(loc, isTile, numbers);
  auto names = llvm::map_to_vector(words, [](const QueueWord &word) { return word.named; });
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
  bool inLoop = hands && !op.getTurns() && search.tiles != op;
  llvm::SaveAndRestore wait(handsAt, inLoop ? lastWait(op) : nullptr);
  llvm::SaveAndRestore<function_ref<void()>> inWait(this->handNext, handNext);
  auto body = [&] {
    for (Value value : found)
      if (value)
        handed.insert(value.getDefiningOp());
    for (auto [value, taken] : llvm::zip(own, loop.getAfterArguments().drop_front(2)))
      scalars.map(value, taken);
    if (failed(expandTile(tiles, tileCoordinates(tiles, number))))
      outcome = failure();
    handed.clear();
  };
  Value isOwn;
  if (auto turns = op.getTurns())
    isOwn = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rem(entry, *turns),
                                          constant(*op.getTurn()));
  branch(isOwn, body);
  if (hands && !op.getTurns() && !handsAt)
    handNext();
  builder.create<scf::YieldOp>(op.getLoc());
  builder.setInsertionPointAfter(loop);
  if (op.getTurns())
    sharedTiles = get(count);
  return outcome;
}

} // namespace tilewright::passes
