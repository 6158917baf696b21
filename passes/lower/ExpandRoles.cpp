// Each role becomes a branch on the number of the warpgroup, and within that of the warp. A branch
// of whole warpgroups starts with setmaxnreg, which ptxas accepts only in one chain of if and else.
// A role without register tiles is run by one elected thread.
//
// Before the roles, the barriers of all rings are initialised, and the blocks of a cluster wait for
// each other. They also end together, since a peer may still write to the slots of another block or
// release them.
#include "passes/lower/Expander.h"

#include "passes/analysis/RegisterPressure.h"

namespace tilewright::passes {

using namespace mlir;

void Expander::branch(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = builder.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  body();
}

void Expander::branchEither(Value condition, function_ref<void()> body,
                            function_ref<void()> other) {
  auto branch = builder.create<scf::IfOp>(loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  body();
  builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  other();
}

Value Expander::firstThread() {
  if (elected)
    return {};
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                             numberIn(cta::Threads::Role), constant(0));
}

void Expander::byOneThread(function_ref<void()> body) { branch(firstThread(), body); }

/// The thread's number in its warpgroup, or in a role that starts within one.
Value Expander::numberInWarpgroup() {
  return cta::firstWarp(role) % cta::kWarpsPerWarpgroup == 0 ? warpgroupThread
                                                             : add(mul(warp, kLanes), lane);
}

/// The thread's number in its role, warpgroup or warp.
Value Expander::numberIn(cta::Threads threads) {
  switch (threads) {
  case cta::Threads::Role:
    needAllWarps("is done by one thread for all");
    return role ? add(mul(warp, kLanes), lane) : thread;
  case cta::Threads::Warpgroup:
    return numberInWarpgroup();
  case cta::Threads::Warp:
    return lane;
  }
  llvm_unreachable("all of Threads");
}

LogicalResult Expander::expandOnce(cta::OnceOp op) {
  llvm::SaveAndRestore<Location> outer(loc);
  int64_t count = op.getCount();
  Value condition = op.getCondition() ? scalar(op.getCondition()) : Value();
  LogicalResult outcome = success();
  auto body = [&](Value number) {
    scalars.map(op.getBody().getArgument(0), number);
    for (Operation &inner : op.getBody().front())
      if (failed(expand(&inner)))
        outcome = failure();
  };
  if (elected) {
    branch(condition, [&] { unrolled(count, body); });
    return outcome;
  }
  Value number = numberIn(op.getOf());
  Value within =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, number, constant(count));
  branch(both(condition, within), [&] { body(number); });
  return outcome;
}

//===- The branches ---------------------------------------------------------------------------===//

LogicalResult Expander::expandRoles() {
  llvm::SaveAndRestore locScope(loc, kernel.getLoc()); // code for all roles belongs to none
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  warpgroup = builder.create<arith::ShRSIOp>(named("warpgroup"), warp, constant(2));
  warpgroupThread = builder.create<arith::AndIOp>(named("group_thread"), thread, constant(127));
  if (cluster.blocks() > 1)
    rank = builder.create<cuda::ClusterRankOp>(named("rank"), builder.getI32Type());
  makeBarriers();

  SmallVector<RegisterPool> pools;
  for (auto op : kernel.getBody().front().getOps<cta::RoleOp>()) {
    int64_t first = cta::firstWarp(op), end = first + op.getWarps();
    if (pools.empty() || first >= pools.back().end * cta::kWarpsPerWarpgroup)
      pools.push_back({});
    RegisterPool &pool = pools.back();
    pool.end = llvm::divideCeil(end, cta::kWarpsPerWarpgroup);
    pool.roles.push_back(op);
    pool.registers = op.getRegisters();
  }
  return expandPools(pools);
}

LogicalResult Expander::expandPools(ArrayRef<RegisterPool> pools) {
  const RegisterPool &pool = pools.front();
  OpBuilder::InsertionGuard guard(builder);
  if (pools.size() > 1) {
    Value here = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, warpgroup,
                                               constant(pool.end));
    auto choice = builder.create<scf::IfOp>(loc, here, /*withElseRegion=*/true);
    builder.setInsertionPoint(choice.elseBlock()->getTerminator());
    if (failed(expandPools(pools.drop_front())))
      return failure();
    builder.setInsertionPoint(choice.thenBlock()->getTerminator());
  }
  int64_t entry = registersAtEntry(kernel);
  Location place = cta::RoleOp(pool.roles.front()).getLoc();
  if (pool.registers && *pool.registers > entry)
    builder.create<cuda::IncreaseRegistersOp>(place, *pool.registers);
  else if (pool.registers && *pool.registers < entry)
    builder.create<cuda::DecreaseRegistersOp>(place, *pool.registers);
  for (cta::RoleOp op : pool.roles)
    if (failed(expandRole(op)))
      return failure();
  return success();
}

LogicalResult Expander::expandRole(cta::RoleOp op) {
  OpBuilder::InsertionGuard guard(builder);
  Location outer = loc;
  loc = op.getLoc();
  int64_t first = cta::firstWarp(op), count = op.getWarps();
  bool single = cta::isElected(op);
  Value condition;
  auto narrow = [&](arith::CmpIPredicate predicate, int64_t bound) {
    condition =
        both(condition, builder.create<arith::CmpIOp>(loc, predicate, warp, constant(bound)));
  };
  if (single)
    narrow(arith::CmpIPredicate::eq, first);
  else if (first % cta::kWarpsPerWarpgroup || count % cta::kWarpsPerWarpgroup) {
    narrow(arith::CmpIPredicate::sge, first);
    narrow(arith::CmpIPredicate::slt, first + count);
  }
  LogicalResult outcome = success();
  auto body = [&] {
    Value own = warp;
    if (first)
      own = builder.create<arith::SubIOp>(NameLoc::get(builder.getStringAttr("own_warp"), loc),
                                          warp, constant(first));
    llvm::SaveAndRestore roleScope(role, op);
    llvm::SaveAndRestore electedScope(elected, single);
    llvm::SaveAndRestore warpsScope(warps, count);
    llvm::SaveAndRestore warpScope(warp, own);
    // The coordinates of this role's tiles are computed here.
    llvm::SaveAndRestore endScope(entryEnd, entryEnd);
    llvm::SaveAndRestore tilesScope(sharedTiles, Value());
    llvm::SaveAndRestore coordinatesScope(threadCoordinates, CoordinateCache());
    if (first)
      entryEnd = own.getDefiningOp();
    startLane();
    enterStores();
    startTurns();
    outcome = expandBlock(op.getBody().front());
    if (!storing.empty()) // the stores' slots live until they have been read
      awaitStores();
    storing.clear();
    endTurns();
    endLane();
  };
  branch(condition, [&] {
    if (!single)
      return body();
    Value chosen =
        target.has(Feature::Elect)
            ? Value(builder.create<cuda::ElectOp>(loc, builder.getI1Type()))
            : builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lane, constant(0));
    branch(chosen, body);
  });
  loc = outer;
  return outcome;
}

} // namespace tilewright::passes
