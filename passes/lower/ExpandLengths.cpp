// Stream-K with tiles of different lengths (`split … of (%m, %n) { … }`).
//
// Where a tile's steps begin among those left over is the sum of the lengths before it, and follows
// from no formula. So each role adds up the lengths of all tiles left over, of which there are
// fewer than blocks: once to know how long a range is, and once more to find its own.
//
// A range is shorter than the longest tile, but may hold many short ones, whole. The block makes
// them in reverse order: only the last can go on in the next block, and its partial sums are
// written before the block waits for those that its first tile needs. On the way back, where a tile
// starts follows from where the next one starts.
//
// A tile is finished by the block whose range has its last step. A tile without steps is finished
// by the block that has the last step before it, or by block 0: by one block only, at once.
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

/// Tiles whose coordinates are computed together, since each is a chain of quotients.
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

FailureOr<Expander::Totals> Expander::addUp(const TileLoop &tiles, const StreamKRange &range,
                                            Value count, ArrayRef<StringRef> names,
                                            function_ref<Totals(Value, ValueRange)> next) {
  Location where = cta::TilesOp(tiles.op).getLoc();
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), where); };
  Totals none(names.size(), constant(0));
  auto loop = builder.create<scf::ForOp>(where, constant(0), count, constant(1), none);
  loop.getInductionVar().setLoc(named("other_tile"));
  unrollPartly(loop, kTogether);
  for (auto [name, total] : llvm::zip(names, loop.getRegionIterArgs()))
    total.setLoc(named(name));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = add(range.whole, loop.getInductionVar());
  FailureOr<Value> steps = stepsAt(tiles, tileCoordinates(tiles, number));
  if (failed(steps))
    return failure();
  builder.create<scf::YieldOp>(where, next(*steps, loop.getRegionIterArgs()));
  return Totals(loop.getResults());
}

FailureOr<std::pair<Value, Value>> Expander::sumSteps(const TileLoop &tiles,
                                                      const StreamKRange &range, Value count) {
  auto sums =
      addUp(tiles, range, count, {"steps_left", "longest"},
            [&](Value steps, ValueRange before) -> Totals {
              return {add(before[0], steps), builder.create<arith::MaxSIOp>(loc, before[1], steps)};
            });
  if (failed(sums))
    return failure();
  return std::pair((*sums)[0], (*sums)[1]);
}

LogicalResult Expander::findStreamKRange(const TileLoop &tiles, StreamKRange &range, Value count) {
  auto is = [&](arith::CmpIPredicate how, Value a, Value b) -> Value {
    return builder.create<arith::CmpIOp>(loc, how, a, b);
  };
  auto countIf = [&](Value condition, Value before) {
    return select(condition, add(before, constant(1)), before);
  };
  // Tiles that end by here end in earlier blocks; block 0 has none before it.
  Value before = select(equal(tiles.first, constant(0)), constant(-1), range.begin);
  auto found = addUp(
      tiles, range, count, {"start", "range_tile", "tiles_begun", "unmade"},
      [&](Value steps, ValueRange at) -> Totals {
        Value end = add(at[0], steps);
        Value passed = is(arith::CmpIPredicate::sle, end, before);
        Value begun =
            builder.create<arith::OrIOp>(loc, is(arith::CmpIPredicate::slt, at[0], range.end),
                                         is(arith::CmpIPredicate::sle, end, range.end));
        return {end, countIf(passed, at[1]), countIf(begun, at[2]), select(begun, end, at[3])};
      });
  if (failed(found))
    return failure();
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  range.tile = (*found)[1];
  range.parts = builder.create<arith::SubIOp>(named("parts"), (*found)[2], range.tile);
  range.unmade = declare(named("unmade"), 1, builder.getI32Type());
  builder.create<cuda::SetOp>(loc, (*found)[3], range.unmade, constant(0));
  return success();
}

Value Expander::nextStart(const StreamKRange &range, Value isLeft, Value steps) {
  auto named = NameLoc::get(builder.getStringAttr("start_left"), loc);
  Value end = builder.create<cuda::GetOp>(loc, builder.getI32Type(), range.unmade, constant(0));
  Value made = select(isLeft, steps, constant(0));
  Value start = builder.create<arith::SubIOp>(named, end, made);
  builder.create<cuda::SetOp>(loc, start, range.unmade, constant(0));
  return start;
}

} // namespace tilewright::passes
