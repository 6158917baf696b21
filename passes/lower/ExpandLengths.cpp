// Tiles of different lengths that blocks share (`split … of (%m, %n) { … }`).
//
// Where a tile's steps lie among those left over is the sum of the lengths before it, and follows
// from no formula. So each role adds up the lengths of all tiles left over, of which there are
// fewer than blocks, once to know how large a share is, and once more to find its own.
//
// A share is shorter than the longest tile, but may hold many short ones, whole. They are made as
// parts are, the last first: only the last can go on in the next block, and is left before the
// first waits for blocks before. What a tile's start is follows on the way back from that of the
// next.
//
// A tile ends in the block whose share has its last step. One without steps ends where the last
// step before it is, or in block 0: at once, and in one block only.
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

/// Tiles whose coordinates are computed side by side: each by quotients that wait for each other.
constexpr int64_t kTogether = 4;

FailureOr<Value> Expander::stepsAt(const TileLoop &tiles, ArrayRef<Value> coordinates) {
  cta::TilesOp op = tiles.op;
  llvm::SaveAndRestore place(loc);
  for (auto [argument, coordinate] : llvm::zip(op.getLengths().getArguments(), coordinates))
    scalars.map(argument, coordinate);
  if (failed(expandBlock(op.getLengths().front())))
    return failure();
  auto named = NameLoc::get(builder.getStringAttr("tile_steps"), loc);
  return Value(builder.create<arith::MaxSIOp>(named, scalar(op.getLength()), constant(0)));
}

FailureOr<Expander::Totals> Expander::addUp(const TileLoop &tiles, const Share &share, Value count,
                                            ArrayRef<StringRef> names,
                                            function_ref<Totals(Value, ValueRange)> next) {
  Location where = cta::TilesOp(tiles.op).getLoc();
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), where); };
  Totals none(names.size(), constant(0));
  auto loop = builder.create<scf::ForOp>(where, constant(0), count, constant(1), none);
  loop.getInductionVar().setLoc(named("other_tile"));
  loop->setAttr(cuda::kUnrollAttr, builder.getI32IntegerAttr(kTogether));
  for (auto [name, total] : llvm::zip(names, loop.getRegionIterArgs()))
    total.setLoc(named(name));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = add(share.whole, loop.getInductionVar());
  FailureOr<Value> steps = stepsAt(tiles, tileCoordinates(tiles, number));
  if (failed(steps))
    return failure();
  builder.create<scf::YieldOp>(where, next(*steps, loop.getRegionIterArgs()));
  return Totals(loop.getResults());
}

FailureOr<std::pair<Value, Value>> Expander::sumSteps(const TileLoop &tiles, const Share &share,
                                                      Value count) {
  auto sums =
      addUp(tiles, share, count, {"steps_left", "longest"},
            [&](Value steps, ValueRange before) -> Totals {
              return {add(before[0], steps), builder.create<arith::MaxSIOp>(loc, before[1], steps)};
            });
  if (failed(sums))
    return failure();
  return std::pair((*sums)[0], (*sums)[1]);
}

LogicalResult Expander::findShare(const TileLoop &tiles, Share &share, Value count) {
  auto is = [&](arith::CmpIPredicate how, Value a, Value b) -> Value {
    return builder.create<arith::CmpIOp>(loc, how, a, b);
  };
  auto countIf = [&](Value condition, Value before) {
    return select(condition, add(before, constant(1)), before);
  };
  // Tiles that end by here end in blocks before; in front of block 0 there are none.
  Value before = select(equal(tiles.first, constant(0)), constant(-1), share.begin);
  auto found = addUp(
      tiles, share, count, {"start", "share_tile", "tiles_begun", "unmade"},
      [&](Value steps, ValueRange at) -> Totals {
        Value end = add(at[0], steps);
        Value passed = is(arith::CmpIPredicate::sle, end, before);
        Value begun =
            builder.create<arith::OrIOp>(loc, is(arith::CmpIPredicate::slt, at[0], share.end),
                                         is(arith::CmpIPredicate::sle, end, share.end));
        return {end, countIf(passed, at[1]), countIf(begun, at[2]), select(begun, end, at[3])};
      });
  if (failed(found))
    return failure();
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  share.tile = (*found)[1];
  share.parts = builder.create<arith::SubIOp>(named("parts"), (*found)[2], share.tile);
  share.unmade = declare(named("unmade"), 1, builder.getI32Type());
  builder.create<cuda::SetOp>(loc, (*found)[3], share.unmade, constant(0));
  return success();
}

Value Expander::nextStart(const Share &share, Value isLeft, Value steps) {
  auto named = NameLoc::get(builder.getStringAttr("start_left"), loc);
  Value end = builder.create<cuda::GetOp>(loc, builder.getI32Type(), share.unmade, constant(0));
  Value made = select(isLeft, steps, constant(0));
  Value start = builder.create<arith::SubIOp>(named, end, made);
  builder.create<cuda::SetOp>(loc, start, share.unmade, constant(0));
  return start;
}

} // namespace tilewright::passes
