// Tiles that blocks share (stream-K, Osama et al. 2023).
//
// The tiles behind the last that all blocks have one of are left over. Their steps, one tile's
// after the other's, are cut into even shares, one for each block: at most two tiles' steps, as a
// share is shorter than a tile. A block makes its parts last, behind its whole tiles: in those the
// blocks stay in step, and find in the caches what the others have just loaded.
//
// Of two parts the later tile's is the first. That tile goes on in the next block, so the part is
// left in global memory and a flag raised. Behind it comes the part with a tile's last step, whose
// block adds what the blocks before it have left. So no block waits before it has left its own
// part, and each waits only for blocks before it: they have started if it has, and all end, however
// many run at once.
//
// A part is kept as each thread holds it, register by register beside those of its neighbours: the
// same thread of another block takes it up. (Vectors would be no faster, and would tell ptxas where
// sums lie, with conflicts of register banks in the loop that adds to them.) A flag is taken by the
// one who adds the part, and lowered for the next launch.
#include "passes/lower/Expander.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

/// Registers of a part that are moved at a time.
constexpr int64_t kBunch = 64;

/// The op that puts parts of tiles together; null without.
static cta::CombineOp combineOf(func::FuncOp kernel) {
  cta::CombineOp combine;
  kernel.walk([&](cta::CombineOp op) { combine = op; });
  return combine;
}

int64_t Expander::workspaceBytes() {
  cta::CombineOp combine = combineOf(kernel);
  if (!combine)
    return 0;
  const Layout &layout = cta::layoutOf(combine.getParts().front().getType());
  return int64_t(combine.getParts().size()) * layout.registers() * cta::warpsAt(combine) * kLanes *
         int64_t(sizeof(float));
}

//===- Shares ---------------------------------------------------------------------------------===//

Expander::Share Expander::planShare(const TileLoop &tiles) {
  auto named = [&](StringRef name, Value value) {
    if (Operation *made = value.getDefiningOp())
      made->setLoc(NameLoc::get(builder.getStringAttr(name), loc));
    return value;
  };
  auto times = [&](Value a, Value b) -> Value { return builder.create<arith::MulIOp>(loc, a, b); };
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubIOp>(loc, a, b); };
  auto least = [&](Value a, Value b) -> Value { return builder.create<arith::MinSIOp>(loc, a, b); };
  auto most = [&](Value a, Value b) -> Value { return builder.create<arith::MaxSIOp>(loc, a, b); };
  auto over = [&](Value a, Value b) -> Value { return builder.create<arith::DivSIOp>(loc, a, b); };
  auto overUp = [&](Value a, Value b) { return over(add(a, minus(b, constant(1))), b); };
  auto where = [&](Value condition, Value a, Value b) -> Value {
    return builder.create<arith::SelectOp>(loc, condition, a, b);
  };
  cta::TilesOp op = tiles.op;
  Value block = tiles.first, blocks = tiles.step, fewest = constant(*op.getLeast());
  Share share;
  share.steps = scalar(op.getSteps());
  Value rounds = over(tiles.total, blocks);
  share.whole = named("whole_tiles", times(rounds, blocks));
  Value left = named("steps_left", times(minus(tiles.total, share.whole), share.steps));
  share.size = named("share", most(overUp(left, blocks), fewest));
  Value pays = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                             minus(share.steps, share.size), fewest);
  named("splits", pays);
  left = named("steps_shared", where(pays, left, constant(0)));
  share.begin = named("share_begin", least(times(block, share.size), left));
  share.end = named("share_end", least(add(share.begin, share.size), left));
  Value steps = most(share.steps, constant(1));
  share.tile = named("share_tile", over(share.begin, steps));
  share.parts = named("parts", minus(overUp(share.end, steps), share.tile));
  Value own = overUp(minus(tiles.total, block), blocks);
  share.rounds = named("rounds", where(pays, rounds, own));
  return share;
}

LogicalResult Expander::expandParts(const TileLoop &tiles) {
  cta::TilesOp op = tiles.op;
  Share share = planShare(tiles);
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  Value behind = add(share.rounds, share.parts);
  if (Operation *made = behind.getDefiningOp())
    made->setLoc(named("all_rounds"));
  auto loop = builder.create<scf::ForOp>(op.getLoc(), constant(0), behind, constant(1));
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("round"), op.getLoc()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value round = loop.getInductionVar();
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubIOp>(loc, a, b); };
  Value isLeft = builder.create<arith::CmpIOp>(named("is_left"), arith::CmpIPredicate::sge, round,
                                               share.rounds);
  auto ifLeft = [&](Location where, Value a, Value b) -> Value {
    return builder.create<arith::SelectOp>(where, isLeft, a, b);
  };
  // The last round is the share's first tile, the one before, where it is left, the tile behind.
  Value fromLast = minus(minus(behind, constant(1)), round);
  Value tile = builder.create<arith::AddIOp>(named("tile_left"), share.tile, fromLast);
  Value start = builder.create<arith::MulIOp>(named("start_left"), tile, share.steps);
  Value regular = add(builder.create<arith::MulIOp>(loc, round, tiles.step), tiles.first);
  Value number = ifLeft(named("tile"), add(share.whole, tile), regular);
  Value first = builder.create<arith::MaxSIOp>(loc, minus(share.begin, start), constant(0));
  Value end = builder.create<arith::MinSIOp>(loc, minus(share.end, start), share.steps);
  first = ifLeft(op.getPart()[0].getLoc(), first, constant(0));
  end = ifLeft(op.getPart()[1].getLoc(), end, share.steps);
  scalars.map(op.getPart()[0], first);
  scalars.map(op.getPart()[1], end);
  llvm::SaveAndRestore scope(part, std::optional<Part>({isLeft, start, end, tiles.first, share}));
  return expandTile(tiles, number);
}

//===- Parts ----------------------------------------------------------------------------------===//

/// Calls `move(register, offset)` for each register of a sum: where `block` leaves it.
void Expander::forEachLeft(cta::CombineOp op, size_t sum, Value block,
                           function_ref<void(Value, Value)> move) {
  int64_t registers = cta::layoutOf(op.getParts().front().getType()).registers();
  int64_t threads = warps * kLanes, bunch = std::gcd(registers, kBunch);
  Value base = add(mul(block, workspaceBytes() / int64_t(sizeof(float))),
                   constant(int64_t(sum) * registers * threads));
  Value own = add(base, add(mul(warp, kLanes), lane));
  unrolled(registers / bunch, [&](Value which) {
    unrolled(bunch, [&](Value index) {
      Value number = add(mul(which, bunch), index);
      move(number, add(own, mul(number, threads)));
    });
    // Else all registers of a part would be loaded at once, beside those of the sum.
    builder.create<cuda::WarpSyncOp>(loc);
  });
}

void Expander::leaveParts(cta::CombineOp op, ArrayRef<Value> arrays) {
  for (auto [sum, array] : llvm::enumerate(arrays))
    forEachLeft(op, sum, part->block, [&, array = array](Value index, Value offset) {
      builder.create<cuda::StoreGlobalOp>(loc, array, index, workspace, offset,
                                          /*predicate=*/Value(), /*count=*/1);
    });
  barrier();
  byOneThread([&] { builder.create<cuda::FlagRaiseOp>(loc, flags, part->block); });
}

void Expander::addParts(cta::CombineOp op, ArrayRef<Value> arrays, Value block) {
  Type f32 = builder.getF32Type();
  byOneThread([&] { builder.create<cuda::FlagTakeOp>(loc, flags, block); });
  barrier();
  for (auto [sum, array] : llvm::enumerate(arrays))
    forEachLeft(op, sum, block, [&, array = array](Value index, Value offset) {
      Value other = declare(NameLoc::get(builder.getStringAttr("part"), loc), 1, f32);
      builder.create<cuda::LoadGlobalOp>(loc, workspace, offset, other, constant(0),
                                         /*predicate=*/Value(), /*count=*/1);
      Value total =
          builder.create<arith::AddFOp>(loc, builder.create<cuda::GetOp>(loc, f32, array, index),
                                        builder.create<cuda::GetOp>(loc, f32, other, constant(0)));
      builder.create<cuda::SetOp>(loc, total, array, index);
    });
}

LogicalResult Expander::expandCombine(cta::CombineOp op) {
  SmallVector<Value> arrays;
  for (auto [source, sum] : llvm::zip(op.getParts(), op.getSums())) {
    arrays.push_back(changeableRegisters(source, op));
    tiles[sum] = arrays.back();
  }
  auto compare = [&](StringRef name, arith::CmpIPredicate how, Value a, Value b) -> Value {
    return builder.create<arith::CmpIOp>(NameLoc::get(builder.getStringAttr(name), loc), how, a, b);
  };
  const Share &share = part->share;
  Value whole = compare("whole", arith::CmpIPredicate::eq, part->end, share.steps);
  Value unfinished = compare("unfinished", arith::CmpIPredicate::ne, part->end, share.steps);
  branch(unfinished, [&] { leaveParts(op, arrays); });
  // The blocks from the one that has the tile's first step up to this one.
  Value firstBlock = builder.create<arith::DivSIOp>(loc, part->start, share.size);
  Value finishes = builder.create<arith::AndIOp>(loc, part->isLeft, whole);
  Value from = builder.create<arith::SelectOp>(loc, finishes, firstBlock, part->block);
  auto loop = builder.create<scf::ForOp>(op.getLoc(), from, part->block, constant(1));
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("other"), op.getLoc()));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    addParts(op, arrays, loop.getInductionVar());
  }
  scalars.map(op.getWhole(), whole);
  return success();
}

} // namespace tilewright::passes
