// Stream-K (Osama et al. 2023): blocks divide the steps of the last tiles among themselves.
//
// Every block first makes the same number of whole tiles. The tiles left over are fewer than the
// blocks. Their steps, counted from the first step of the first of them, are cut into even ranges,
// one for each block. A range is shorter than a tile, so it touches two tiles at most (unless tiles
// differ in length: ExpandLengths.cpp). A block works on its range last. While it makes whole
// tiles, the blocks run in step, and find in the caches what others have just loaded.
//
// A range that touches two tiles starts with the later one. That tile is finished by the next
// block, so this block writes its partial sums to global memory and raises a flag. Then it takes
// the earlier tile, which ends in its range: it adds the partial sums of the blocks before it. So a
// block never waits before it has written its own sums, and it waits only for blocks with smaller
// numbers. Those have started if it has. Hence all blocks end, however many run at once.
//
// A cluster has a range as one block would: its blocks make the same steps of tiles that are
// neighbours. Each hands its sums to the block of its rank in the other cluster.
//
// Partial sums lie in global memory as threads hold them, one word for each element, next to the
// words of neighbouring threads: the same thread of another block reads them. Sums of several tiles
// lie one behind the other. (Vectors would be no faster. They would also tie the sums to certain
// registers, and ptxas then gets bank conflicts in the loop that adds to them.) The block that adds
// the sums also lowers the flag, so that the next launch finds it lowered.
#include "passes/lower/Expander.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

/// Registers of a part that are moved together.
constexpr int64_t kBunch = 64;
/// Registers for small parts of several blocks that are loaded together.
constexpr int64_t kTogether = 64;

/// The op that combines parts of tiles; null if there is none.
static cta::CombineOp combineOf(func::FuncOp kernel) {
  cta::CombineOp combine;
  kernel.walk([&](cta::CombineOp op) { combine = op; });
  return combine;
}

/// The words that a thread writes for a part: one for each of its elements.
static int64_t wordsOf(Value part) { return cta::layoutOf(part.getType()).registers(); }

int64_t Expander::workspaceBytes() {
  cta::CombineOp combine = combineOf(kernel);
  int64_t words = 0;
  if (combine)
    for (Value part : combine.getParts())
      words += wordsOf(part);
  return combine ? words * cta::warpsAt(combine) * kLanes * int64_t(sizeof(float)) : 0;
}

//===- Ranges ---------------------------------------------------------------------------------===//

FailureOr<StreamKRange> Expander::planStreamK(const TileLoop &tiles) {
  auto named = [&](StringRef name, Value value) {
    if (Operation *made = value.getDefiningOp())
      made->setLoc(NameLoc::get(builder.getStringAttr(name), loc));
    return value;
  };
  auto times = [&](Value a, Value b) -> Value { return builder.create<arith::MulIOp>(loc, a, b); };
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubIOp>(loc, a, b); };
  auto least = [&](Value a, Value b) -> Value { return builder.create<arith::MinSIOp>(loc, a, b); };
  auto most = [&](Value a, Value b) -> Value { return builder.create<arith::MaxSIOp>(loc, a, b); };
  auto over = [&](Value a, Value b) { return divide(a, divisor(b, "number")); };
  auto overUp = [&](Value a, Value b) { return over(add(a, minus(b, constant(1))), b); };
  auto where = [&](Value condition, Value a, Value b) -> Value {
    return builder.create<arith::SelectOp>(loc, condition, a, b);
  };
  cta::TilesOp op = tiles.op;
  Value block = tiles.first, blocks = tiles.step, fewest = constant(*op.getLeast());
  StreamKRange range;
  range.steps = op.getSteps() ? scalar(op.getSteps()) : Value();
  Value rounds = over(tiles.total, blocks);
  range.whole = named("whole_tiles", times(rounds, blocks));
  Value tilesLeft = minus(tiles.total, range.whole), left, longest = range.steps;
  if (range.steps) {
    left = named("steps_left", times(tilesLeft, range.steps));
  } else {
    auto sums = sumSteps(tiles, range, tilesLeft);
    if (failed(sums))
      return failure();
    std::tie(left, longest) = *sums;
  }
  range.size = named("range_size", most(overUp(left, blocks), fewest));
  Value pays = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                                             minus(longest, range.size), fewest);
  named("splits", pays);
  left = named("steps_shared", where(pays, left, constant(0)));
  range.begin = named("range_begin", least(times(block, range.size), left));
  range.end = named("range_end", least(add(range.begin, range.size), left));
  if (range.steps) {
    Value steps = most(range.steps, constant(1));
    range.tile = named("range_tile", over(range.begin, steps));
    range.parts = named("parts", minus(overUp(range.end, steps), range.tile));
  } else if (failed(findStreamKRange(tiles, range, where(pays, tilesLeft, constant(0))))) {
    return failure();
  }
  Value own = overUp(minus(tiles.total, block), blocks);
  range.rounds = named("rounds", where(pays, rounds, own));
  return range;
}

LogicalResult Expander::expandStreamK(const TileLoop &tiles) {
  cta::TilesOp op = tiles.op;
  FailureOr<StreamKRange> planned = planStreamK(tiles);
  if (failed(planned))
    return failure();
  const StreamKRange &range = *planned;
  auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
  Value behind = add(range.rounds, range.parts);
  if (Operation *made = behind.getDefiningOp())
    made->setLoc(named("all_rounds"));
  auto loop = builder.create<scf::ForOp>(op.getLoc(), constant(0), behind, constant(1));
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("round"), op.getLoc()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value round = loop.getInductionVar();
  auto minus = [&](Value a, Value b) -> Value { return builder.create<arith::SubIOp>(loc, a, b); };
  Value isLeft = builder.create<arith::CmpIOp>(named("is_left"), arith::CmpIPredicate::sge, round,
                                               range.rounds);
  auto ifLeft = [&](Location where, Value a, Value b) -> Value {
    return builder.create<arith::SelectOp>(where, isLeft, a, b);
  };
  // The last iteration is for the first tile of the range, the one before it for the second.
  Value fromLast = minus(minus(behind, constant(1)), round);
  Value tile = builder.create<arith::AddIOp>(named("tile_left"), range.tile, fromLast);
  Value steps = range.steps, start;
  if (steps)
    start = builder.create<arith::MulIOp>(named("start_left"), tile, steps);
  Value regular = add(builder.create<arith::MulIOp>(loc, round, tiles.step), tiles.first);
  Value number = ifLeft(named("tile"), add(range.whole, tile), regular);
  if (!steps) {
    FailureOr<Value> own = stepsAt(tiles, tileCoordinates(tiles, number));
    if (failed(own))
      return failure();
    steps = *own, start = nextStart(range, isLeft, steps);
  }
  Value first = builder.create<arith::MaxSIOp>(loc, minus(range.begin, start), constant(0));
  Value end = builder.create<arith::MinSIOp>(loc, minus(range.end, start), steps);
  first = ifLeft(op.getPart()[0].getLoc(), first, constant(0));
  end = ifLeft(op.getPart()[1].getLoc(), end, steps);
  scalars.map(op.getPart()[0], first);
  scalars.map(op.getPart()[1], end);
  llvm::SaveAndRestore scope(part,
                             std::optional<Part>({isLeft, start, end, steps, tiles.first, range}));
  return expandTile(tiles, tileCoordinates(tiles, number));
}

//===- Parts ----------------------------------------------------------------------------------===//

Value Expander::blockAt(Value place) {
  return cluster.blocks() == 1 ? place : add(mul(place, cluster.blocks()), rank);
}

/// The place of this thread's first word of a part from `block`; the parts of several tiles follow
/// each other.
Value Expander::leftBy(cta::CombineOp op, size_t number, Value block) {
  int64_t before = 0;
  for (Value part : op.getParts().take_front(number))
    before += wordsOf(part);
  Value base =
      add(mul(block, workspaceBytes() / int64_t(sizeof(float))), constant(before * warps * kLanes));
  return add(base, add(mul(warp, kLanes), lane));
}

/// Calls `move(register, offset)` for each register of a part, with its place in the workspace of
/// `block`.
void Expander::forEachLeft(cta::CombineOp op, size_t number, Value block,
                           function_ref<void(Value, Value)> move) {
  Value place = leftBy(op, number, block);
  int64_t registers = wordsOf(op.getParts()[number]), bunch = std::gcd(registers, kBunch);
  unrolled(registers / bunch, [&](Value outer) {
    unrolled(bunch, [&](Value index) {
      Value which = add(mul(outer, bunch), index);
      move(which, add(place, mul(which, warps * kLanes)));
    });
    // Otherwise all registers of a large part would be loaded at once, beside those of the sum.
    if (registers > kTogether)
      builder.create<cuda::WarpSyncOp>(loc);
  });
}

void Expander::leaveParts(cta::CombineOp op, ArrayRef<Value> arrays) {
  Type f32 = builder.getF32Type();
  auto direct = [&](Value array) {
    return cast<cuda::RegsType>(array.getType()).getValueType() == f32;
  };
  Value own = blockAt(part->place);
  for (auto [number, array] : llvm::enumerate(arrays))
    forEachLeft(op, number, own, [&, array = array](Value index, Value offset) {
      Value from = array, entry = index;
      if (!direct(array)) { // as a word with the element's value, which fits
        Value word = readElement(array, index);
        from = declare(NameLoc::get(builder.getStringAttr("word"), loc), 1, f32);
        entry = constant(0);
        if (word.getType() != f32)
          word = builder.create<arith::BitcastOp>(loc, f32, word);
        builder.create<cuda::SetOp>(loc, word, from, entry);
      }
      builder.create<cuda::StoreGlobalOp>(loc, from, entry, workspace, offset,
                                          /*predicate=*/Value(), /*count=*/1);
    });
  barrier();
  byOneThread([&] { builder.create<cuda::FlagRaiseOp>(loc, flags, own); });
}

/// An element that another block has written, in its compute type.
Value Expander::readLeft(Type compute, Value offset) {
  Type f32 = builder.getF32Type();
  Value word = declare(NameLoc::get(builder.getStringAttr("part"), loc), 1, f32);
  builder.create<cuda::LoadGlobalOp>(loc, workspace, offset, word, constant(0),
                                     /*predicate=*/Value(), /*count=*/1);
  Value value = builder.create<cuda::GetOp>(loc, f32, word, constant(0));
  return compute == f32 ? value : builder.create<arith::BitcastOp>(loc, compute, value);
}

/// Adds the parts of another block.
void Expander::addParts(cta::CombineOp op, ArrayRef<Value> arrays, Value block) {
  for (auto [number, array] : llvm::enumerate(arrays))
    forEachLeft(op, number, block, [&, array = array](Value index, Value offset) {
      Type type = cast<cuda::RegsType>(array.getType()).getElementType();
      Value other = readLeft(type, offset);
      Value own = builder.create<cuda::GetOp>(loc, type, array, index);
      Value total = isa<FloatType>(type) ? Value(builder.create<arith::AddFOp>(loc, own, other))
                                         : Value(builder.create<arith::AddIOp>(loc, own, other));
      builder.create<cuda::SetOp>(loc, total, array, index);
    });
}

/// Merges the parts of another block as the program says. Its elements are read one by one, from
/// where they lie.
LogicalResult Expander::mergeParts(cta::CombineOp op, ArrayRef<Value> arrays, Value block) {
  for (auto [number, array] : llvm::enumerate(arrays)) {
    tiles[op.getOwn()[number]] = array;
    leftParts[op.getOther()[number]] = leftBy(op, number, block);
  }
  Block &merge = op.getMerge().front();
  if (failed(expandBlock(merge)))
    return failure();
  assignTiles(SmallVector<Value>(merge.getTerminator()->getOperands()), arrays);
  return success();
}

/// Waits for the flags of the blocks at these places. One thread waits for each flag: one after the
/// other, each would take a memory latency.
void Expander::takeFlags(Location at, Value from, Value to) {
  Value threads = constant(warps * kLanes), own = add(from, add(mul(warp, kLanes), lane));
  Value any = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, from, to);
  branch(any, [&] {
    auto loop = builder.create<scf::ForOp>(at, own, to, threads);
    loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("other"), at));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      builder.create<cuda::FlagTakeOp>(loc, flags, blockAt(loop.getInductionVar()));
    }
    barrier();
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
  Value whole = compare("whole", arith::CmpIPredicate::eq, part->end, part->steps);
  Value unfinished = compare("unfinished", arith::CmpIPredicate::ne, part->end, part->steps);
  branch(unfinished, [&] { leaveParts(op, arrays); });
  // The places from the block with the tile's first step up to this one.
  Value firstPlace = divide(part->start, divisor(part->range.size, "range_size"));
  Value finishes = builder.create<arith::AndIOp>(loc, part->isLeft, whole);
  Value from = builder.create<arith::SelectOp>(loc, finishes, firstPlace, part->place);
  takeFlags(op.getLoc(), from, part->place);
  auto loop = builder.create<scf::ForOp>(op.getLoc(), from, part->place, constant(1));
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("other"), op.getLoc()));
  int64_t words = 0;
  for (Value part : op.getParts())
    words += wordsOf(part);
  if (op.getMerge().empty() && 2 * words <= kTogether)
    unrollPartly(loop, kTogether / words);
  scalars.map(op.getWhole(), whole);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value other = blockAt(loop.getInductionVar());
  if (!op.getMerge().empty())
    return mergeParts(op, arrays, other);
  addParts(op, arrays, other);
  return success();
}

} // namespace tilewright::passes
