// Additions in order: every block adds to one place, and the sum does not depend on which block
// comes first.
//
// A block writes its sums to global memory. Blocks are in 16 groups, each of which is added up from
// its first block to its last; then two groups at a time, and so on. There are two ways to do that,
// with the same sum.
//
// **In groups.** Nobody waits: a block counts itself. The last one of a group adds up what the
// group has written, writes that in place of the first block's sums, and counts the group; the last
// group's block does the same with the groups, and adds the total to the view (or stores it, where
// the view starts at 0). So all blocks end, however many run at once. Warps do not need each other
// for that. Sums lie in memory as threads hold them, one word for each element beside those of the
// warp's other lanes, and the same warp of another block reads them. So each warp has counters of
// its own: one for each group, at the number of the group, and one for the groups, behind them all.
//
// **Together.** If all blocks are at work already, each waits until all have written, and adds up a
// part (ExpandSumsTogether.cpp).
#include "passes/lower/Expander.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

/// Words whose groups a thread loads together.
constexpr int64_t kTotalsTogether = 2;

/// The place of the op that is expanded, with a name for the text.
Location Expander::named(StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); }

/// Whether this thread holds elements that no thread before it holds; null if each does.
Value Expander::holdsFirst(tile::AtomicOp sum) {
  auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
  return type ? firstReplica(cta::layoutOf(type)) : equal(thread, constant(0));
}

/// Calls `move(register, offset)` for each word of a sum, with its place in what a block has
/// written. `before` words of other sums precede it.
void Expander::forEachWord(tile::AtomicOp sum, int64_t before, Value block,
                           function_ref<void(Value, Value)> move) {
  int64_t lanes = warps * kLanes;
  Value place = add(wordOf(block, constant(before * lanes)), add(mul(warp, kLanes), lane));
  unrolled(wordsOfSum(sum), [&](Value index) { move(index, add(place, mul(index, lanes))); });
}

/// Writes the block's sums, in `arrays`, as the block's of that number.
void Expander::leaveSums(ArrayRef<tile::AtomicOp> sums, ArrayRef<Value> arrays, Value block) {
  int64_t before = 0;
  for (auto [each, array] : llvm::zip(sums, arrays)) {
    tile::AtomicOp sum = each;
    Value only = holdsFirst(sum);
    Type f32 = builder.getF32Type();
    bool isDirect = cast<cuda::RegsType>(array.getType()).getElementType() == f32;
    Value word = isDirect ? Value() : declare(named("word"), 1, f32);
    forEachWord(sum, before, block, [&, array = array](Value index, Value offset) {
      if (!isDirect)
        builder.create<cuda::SetOp>(
            loc, builder.create<arith::BitcastOp>(loc, f32, readElement(array, index)), word,
            constant(0));
      builder.create<cuda::StoreGlobalOp>(loc, isDirect ? array : word,
                                          isDirect ? index : constant(0), workspace, offset, only,
                                          /*count=*/1);
    });
    before += wordsOfSum(sum);
  }
}

/// Counts this warp among `count`, and writes the code for the last one to come.
void Expander::byLastToCount(Value counter, Value count, function_ref<void()> body) {
  Type i32 = builder.getI32Type();
  Value last = builder.create<arith::SubIOp>(loc, count, constant(1));
  Value before = declare(named("counted"), 1, i32);
  builder.create<cuda::WarpSyncOp>(loc);
  branch(equal(lane, constant(0)), [&] {
    Value index = add(mul(counter, warps), warp);
    Value old = builder.create<cuda::FlagCountOp>(named("before"), i32, flags, index, last);
    builder.create<cuda::SetOp>(loc, old, before, constant(0));
  });
  builder.create<cuda::WarpSyncOp>(loc);
  Value own = builder.create<cuda::GetOp>(loc, i32, before, constant(0));
  Value place = builder.create<cuda::ShuffleIdxOp>(named("place"), i32, own, constant(0));
  branch(equal(place, last), body);
}

/// Adds a word that a block has left to an element of `array`; through `word`, an array of one.
void Expander::addLeftWord(Value array, Value index, Value word, Value offset, Value only) {
  builder.create<cuda::SetOp>(loc, constantOf(builder.getF32Type(), 0), word, constant(0));
  builder.create<cuda::LoadGlobalOp>(loc, workspace, offset, word, constant(0), only, /*count=*/1);
  addWord(array, index, word, constant(0));
}

/// Adds the word at `from` of an array of words to an element of `array`.
void Expander::addWord(Value array, Value index, Value words, Value from) {
  Type element = cast<cuda::RegsType>(array.getType()).getElementType();
  Type f32 = builder.getF32Type();
  Value word = builder.create<cuda::GetOp>(loc, f32, words, from);
  if (element != f32)
    word = builder.create<arith::BitcastOp>(loc, element, word);
  Value own = builder.create<cuda::GetOp>(loc, element, array, index);
  builder.create<cuda::SetOp>(loc, combineValues(builder, loc, tile::ReduceKind::Sum, own, word),
                              array, index);
}

/// Adds up what `count` blocks have written, from block `first` on in steps of `step`.
void Expander::gatherSums(ArrayRef<tile::AtomicOp> sums, ArrayRef<Value> arrays, Value first,
                          Value count, Value step) {
  for (auto [sum, array] : llvm::zip(sums, arrays)) {
    auto type = cast<cuda::RegsType>(array.getType());
    Value zero = constantOf(type.getElementType(), 0);
    unrolled(type.getSize(),
             [&](Value index) { builder.create<cuda::SetOp>(loc, zero, array, index); });
  }
  auto loop = builder.create<scf::ForOp>(loc, constant(0), count, constant(1));
  loop.getInductionVar().setLoc(named("other"));
  constexpr int64_t kLoads = 32; // together
  if (int64_t words = wordsOfSums(kernel); 2 * words <= kLoads)
    unrollPartly(loop, kLoads / words);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value block = add(first, product(loop.getInductionVar(), step));
  int64_t before = 0;
  for (auto [each, array] : llvm::zip(sums, arrays)) {
    tile::AtomicOp sum = each;
    Value only = holdsFirst(sum);
    Value word = declare(named("word"), 1, builder.getF32Type());
    forEachWord(sum, before, block, [&, array = array](Value index, Value offset) {
      addLeftWord(array, index, word, offset, only);
    });
    before += wordsOfSum(sum);
  }
}

/// The registers of a sum, which may be changed.
Value Expander::sumRegisters(tile::AtomicOp sum) {
  Value value = sum.getValue();
  if (isa<RankedTensorType>(value.getType()))
    return changeableRegisters(value, sum);
  Value array = declare(sum.getLoc(), 1, value.getType());
  builder.create<cuda::SetOp>(loc, scalar(value), array, constant(0));
  return array;
}

/// All sums of the kernel, with the last of them.
LogicalResult Expander::expandSumsInOrder(tile::AtomicOp last) {
  SmallVector<tile::AtomicOp> sums = sumsInOrder(kernel);
  if (sums.back() != last)
    return success();
  bool areNumbers = llvm::none_of(
      sums, [](tile::AtomicOp sum) { return isa<RankedTensorType>(sum.getValue().getType()); });
  Value holds = areNumbers ? equal(warp, constant(0)) : Value(); // else all warps hold some
  branch(holds, [&] { addInOrder(sums); });
  return success();
}

/// Where the block stands among those that add to one place.
SumPlace Expander::sumPlace() {
  auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
  SumPlace at;
  at.rows = scalar(grid.getExtents().back());
  at.block = builder.create<cuda::BlockIdOp>(loc, builder.getI32Type());
  at.columns = constant(1);
  for (Value extent : grid.getExtents().drop_back())
    at.columns = product(at.columns, scalar(extent));
  at.row = at.block, at.column = constant(0);
  if (grid.getExtents().size() > 1)
    std::tie(at.row, at.column) = divideWithRest(at.block, divisor(at.columns, "columns"));
  return at;
}

/// The number of a block of the same column.
Value Expander::blockAt(const SumPlace &at, Value row) {
  return add(at.column, product(row, at.columns));
}

/// The first block of a group.
Value Expander::firstOf(const SumPlace &at, Value group) { return product(group, at.group); }

/// How many blocks the group from block `first` on has.
Value Expander::membersOf(const SumPlace &at, Value first) {
  Value left = builder.create<arith::SubIOp>(loc, at.rows, first);
  return builder.create<arith::MinSIOp>(loc, left, at.group);
}

Value Expander::groupsOf(const SumPlace &at) {
  return builder.create<arith::CeilDivSIOp>(loc, at.rows, at.group);
}

void Expander::addInOrder(ArrayRef<tile::AtomicOp> sums) {
  // The loop before needs all registers that there are.
  FreshThread behindLoop(*this, /*active=*/loopOfSums() != nullptr);
  SumPlace at = sumPlace();
  SmallVector<Value> arrays;
  for (tile::AtomicOp sum : sums)
    arrays.push_back(sumRegisters(sum));
  at.group = builder.create<arith::MaxSIOp>(
      loc, div(add(at.rows, constant(kSumGroups - 1)), kSumGroups), constant(kFewestMembers));
  bool mayMeet = addsTogether();
  leaveSums(sums, arrays, at.block);
  if (!mayMeet)
    return addInGroups(sums, arrays, at);
  Value left = declare(named("left"), 1, builder.getI32Type());
  builder.create<cuda::SetOp>(loc, constant(0), left, constant(0));
  Value together = meetBlocks(left, sums.back(), at);
  {
    auto ways = builder.create<scf::IfOp>(loc, together, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(ways.thenBlock());
    addTogether(sums, at);
    builder.setInsertionPointToStart(ways.elseBlock());
    addInGroups(sums, arrays, at);
  }
  openWay(left, at);
}

void Expander::addInGroups(ArrayRef<tile::AtomicOp> sums, ArrayRef<Value> arrays,
                           const SumPlace &at) {
  Value group = divideWithRest(at.row, divisor(at.group, "group")).first;
  Value first = firstOf(at, group);
  Value members = membersOf(at, first), groups = groupsOf(at);
  byLastToCount(blockAt(at, group), members, [&] {
    gatherSums(sums, arrays, blockAt(at, first), members, at.columns);
    leaveSums(sums, arrays, blockAt(at, first));
    Value behind = builder.create<arith::SubIOp>(loc, at.rows, constant(1));
    byLastToCount(blockAt(at, behind), groups, [&] { addTotals(sums, at); });
  });
}

/// Adds what all groups have left to the view.
void Expander::addTotals(ArrayRef<tile::AtomicOp> sums, const SumPlace &at) {
  int64_t before = 0;
  for (tile::AtomicOp sum : sums) {
    int64_t words = wordsOfSum(sum);
    Type element = getElementTypeOrSelf(sum.getValue().getType());
    Value only = holdsFirst(sum);
    int64_t together = std::gcd(words, kTotalsTogether);
    auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(words), constant(together));
    loop.getInductionVar().setLoc(named("word"));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value left = declare(named("left"), kSumGroups * together, element);
    Value one = declare(named("one"), 1, builder.getF32Type());
    auto wordAt = [&](Value i) { return add(loop.getInductionVar(), i); };
    unrolled(together, [&](Value i) {
      Value chunk = add(mul(add(wordAt(i), constant(before)), warps), warp);
      unrolled(kSumGroups, [&](Value group) {
        Value first = firstOf(at, group), place = add(mul(group, together), i);
        Value isThere =
            builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, first, at.rows);
        builder.create<cuda::SetOp>(loc, constantOf(element, 0), left, place);
        addLeftWord(left, place, one, wordOf(blockAt(at, first), add(mul(chunk, kLanes), lane)),
                    both(only, isThere));
      });
    });
    addNeighbours(left, kSumGroups, together);
    unrolled(together, [&](Value i) { updateWord(sum, left, i, wordAt(i), only); });
    before += words;
  }
}

/// Adds the total at `from` of an array to the element of which a thread holds register `index`; or
/// stores it, where nothing else is in the tensor.
void Expander::updateWord(tile::AtomicOp sum, Value array, Value from, Value index, Value only) {
  auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
  GlobalAccess access = accessOf(sum);
  Place where =
      type ? place(access, cta::layoutOf(type), index, /*vector=*/1) : placeScalar(access);
  auto tensor = cast<BlockArgument>(sum.getView());
  if (!kernel.getArgAttr(tensor.getArgNumber(), tile::kStoredWholeAttr)) {
    Type element = cast<cuda::RegsType>(array.getType()).getElementType();
    Value total = builder.create<cuda::GetOp>(loc, element, array, from);
    return updateElement(sum, access, total, where, only);
  }
  builder.create<cuda::StoreGlobalOp>(loc, array, from, access.view->ptr, where.offset,
                                      both(where.inside, only), /*count=*/1);
}

/// Where a word lies in what a block has written.
Value Expander::wordOf(Value block, Value word) {
  return add(mul(block, wordsOfSums(kernel) * warps * kLanes), word);
}

/// Adds up `count` vectors of an array, two neighbours at a time, in the first of them.
void Expander::addNeighbours(Value array, int64_t count, int64_t vector) {
  Type element = cast<cuda::RegsType>(array.getType()).getElementType();
  auto get = [&](Value index) -> Value {
    return builder.create<cuda::GetOp>(loc, element, array, index);
  };
  for (int64_t step = 1; step < count; step *= 2)
    unrolled(count / (2 * step) * vector, [&](Value i) {
      Value index = add(mul(div(i, vector), 2 * step * vector), rem(i, vector));
      builder.create<cuda::SetOp>(loc,
                                  combineValues(builder, loc, tile::ReduceKind::Sum, get(index),
                                                get(add(index, constant(step * vector)))),
                                  array, index);
    });
}

} // namespace tilewright::passes
