// Tiles from a queue.
//
// The queue is a counter in global memory. The first tile of a block is that of its own number; one
// thread of one role, the first that is run by a single thread, takes each other by an atomic
// increment and hands it to all roles through a ring of slots in shared memory: a number at or
// beyond the last says that the block is done. It hands out one ahead, and takes the one behind
// that while its role is at work, so that nobody waits for the counter.
//
// Each tile makes for one increment, whoever works on it. The instruction wraps after as many, and
// so the launch leaves the counter as it found it: at 0.
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
  auto body = [&] { outcome = expandTile(tiles, tileCoordinates(tiles, number)); };
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
