// Additions in order: every block adds to one place, and the sum does not depend on which block
// comes first.
//
// A block writes its sums to global memory. Blocks are in 16 groups, each of which is added up from
// its first block to its last; then two groups at a time, and so on. There are two ways to do that,
// with the same sum.
//
// **In groups.** Nobody waits: a block counts itself. The last one of a group adds up what the
// group has written, writes that in place of the first block's sums, and counts the group; the last
// group's block does the same with the groups, and adds the total to the view. So all blocks end,
// however many run at once. Warps do not need each other for that. Sums lie in memory as threads
// hold them, one word for each element beside those of the warp's other lanes, and the same warp of
// another block reads them. So each warp has counters of its own: one for each group, at the number
// of the group, and one for the groups, behind them all.
//
// **Together.** In groups, one SM reads all sums of a group, and then one those of all groups: 12
// us for the gradient of rms_norm with 4096 columns on an H100, 23 for layer_norm's two sums. If
// all blocks are at work already, each waits until all have written, and adds up a part: pieces of
// 8 words, what memory reads at least. As many teams of 8 threads share the groups of a piece as it
// takes to have a team for each piece: one for long rows, which few blocks share, and up to 16. A
// team loads all that it adds up at once. Teams of a warp then shuffle, and those of several meet
// in shared memory.
//
// A block may only wait for others that run: it counts itself when it starts, and the last one to
// start proposes the second way. A block that ends before that proposes the first. All go the way
// that was proposed first (`flag_settle`). Flags return to 0 for the next launch. Each step takes a
// thread about 0.7 us, so it waits for no answer that it does not need yet.
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

/// Groups of blocks. With 132 to 528 blocks one has 9 to 33 of them; at least 2, so that there is a
/// counter more than there are groups.
constexpr int64_t kGroups = 16, kFewestMembers = 2;
/// Words that threads add up together: 32 bytes, a sector.
constexpr int64_t kPiece = 8;
/// Words that a thread loads together, and words whose groups it does.
constexpr int64_t kLoadsTogether = 32, kTotalsTogether = 2;
/// Blocks are expected to be as many as this GPU runs; others take more steps.
constexpr int64_t kUsualSms = 132;

/// Proposals of blocks, and the flags behind the counters of warps, of each column.
enum Way : int64_t { kTogether = 1, kInGroups = 2 };
enum Flag : int64_t { kStarted, kWay, kHere, kFlags };

static int64_t wordsOf(Value sum) {
  auto type = dyn_cast<RankedTensorType>(sum.getType());
  return type ? cta::layoutOf(type).registers() : 1;
}

/// The place of the op that is expanded, with a name for the text.
Location Expander::named(StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); }

SmallVector<tile::AtomicOp> Expander::sumsInOrder() {
  SmallVector<tile::AtomicOp> sums;
  for (auto atomic : kernel.getBody().front().getOps<tile::AtomicOp>())
    if (atomic.getInOrder())
      sums.push_back(atomic);
  return sums;
}

int64_t Expander::wordsInOrder() {
  int64_t words = 0;
  for (tile::AtomicOp sum : sumsInOrder())
    words += wordsOf(sum.getValue());
  return words;
}

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
  Value place = add(add(mul(block, wordsInOrder() * lanes), constant(before * lanes)),
                    add(mul(warp, kLanes), lane));
  unrolled(wordsOf(sum.getValue()),
           [&](Value index) { move(index, add(place, mul(index, lanes))); });
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
    before += wordsOf(sum.getValue());
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
  Type element = cast<cuda::RegsType>(array.getType()).getElementType();
  Type f32 = builder.getF32Type();
  builder.create<cuda::SetOp>(loc, constantOf(f32, 0), word, constant(0));
  builder.create<cuda::LoadGlobalOp>(loc, workspace, offset, word, constant(0), only, /*count=*/1);
  Value other = builder.create<cuda::GetOp>(loc, f32, word, constant(0));
  if (element != f32)
    other = builder.create<arith::BitcastOp>(loc, element, other);
  Value own = builder.create<cuda::GetOp>(loc, element, array, index);
  builder.create<cuda::SetOp>(loc, combineValues(builder, loc, tile::ReduceKind::Sum, own, other),
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
  if (2 * wordsInOrder() <= kLoadsTogether)
    loop->setAttr(cuda::kUnrollAttr,
                  builder.getI32IntegerAttr(int32_t(kLoadsTogether / wordsInOrder())));
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
    before += wordsOf(sum.getValue());
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
  SmallVector<tile::AtomicOp> sums = sumsInOrder();
  if (sums.back() != last)
    return success();
  bool areNumbers = llvm::none_of(
      sums, [](tile::AtomicOp sum) { return isa<RankedTensorType>(sum.getValue().getType()); });
  Value holds = areNumbers ? equal(warp, constant(0)) : Value(); // else all warps hold some
  branch(holds, [&] { addInOrder(sums); });
  return success();
}

/// Where the block stands among those that add to one place.
Expander::SumPlace Expander::sumPlace() {
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

/// The number of one of a column's flags, which lie behind the counters.
Value Expander::flagOf(const SumPlace &at, int64_t flag) {
  Value blocks = product(at.rows, at.columns);
  return add(add(product(blocks, constant(warps)), mul(at.column, kFlags)), constant(flag));
}

int64_t Expander::flagsInOrder() { return warps + (addsTogether() ? int64_t(kFlags) : 0); }

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
  at.group = builder.create<arith::MaxSIOp>(loc, div(add(at.rows, constant(kGroups - 1)), kGroups),
                                            constant(kFewestMembers));
  bool mayMeet = addsTogether();
  leaveSums(sums, arrays, at.block);
  if (!mayMeet)
    return addInGroups(sums, arrays, at);
  Value left = declare(named("left"), 1, builder.getI32Type());
  builder.create<cuda::SetOp>(loc, constant(0), left, constant(0));
  Value together = equal(meetBlocks(left, sums.back(), at), constant(kTogether));
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
    int64_t words = wordsOf(sum.getValue());
    Type element = getElementTypeOrSelf(sum.getValue().getType());
    auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
    Value only = holdsFirst(sum);
    GlobalAccess access = accessOf(sum);
    int64_t together = std::gcd(words, kTotalsTogether);
    auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(words), constant(together));
    loop.getInductionVar().setLoc(named("word"));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value left = declare(named("left"), kGroups * together, element);
    Value one = declare(named("one"), 1, builder.getF32Type());
    auto wordAt = [&](Value i) { return add(loop.getInductionVar(), i); };
    unrolled(together, [&](Value i) {
      Value chunk = add(mul(add(wordAt(i), constant(before)), warps), warp);
      unrolled(kGroups, [&](Value group) {
        Value first = firstOf(at, group), place = add(mul(i, kGroups), group);
        Value isThere =
            builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, first, at.rows);
        builder.create<cuda::SetOp>(loc, constantOf(element, 0), left, place);
        addLeftWord(left, place, one, wordOf(blockAt(at, first), add(mul(chunk, kLanes), lane)),
                    both(only, isThere));
      });
    });
    addNeighbours(left, kGroups, together);
    unrolled(together, [&](Value i) {
      Value total = builder.create<cuda::GetOp>(loc, element, left, mul(i, kGroups));
      updateElement(sum, access, total,
                    type ? place(access, cta::layoutOf(type), wordAt(i)) : placeScalar(access),
                    only);
    });
    before += words;
  }
}

/// Where a word lies in what a block has written.
Value Expander::wordOf(Value block, Value word) {
  return add(mul(block, wordsInOrder() * warps * kLanes), word);
}

/// Adds up each `count` elements of an array, two neighbours at a time, in the first of them.
void Expander::addNeighbours(Value array, int64_t count, int64_t times) {
  Type element = cast<cuda::RegsType>(array.getType()).getElementType();
  auto get = [&](Value index) -> Value {
    return builder.create<cuda::GetOp>(loc, element, array, index);
  };
  for (int64_t step = 1; step < count; step *= 2)
    unrolled(times * count / (2 * step), [&](Value pair) {
      Value index = mul(pair, 2 * step);
      builder.create<cuda::SetOp>(loc,
                                  combineValues(builder, loc, tile::ReduceKind::Sum, get(index),
                                                get(add(index, constant(step)))),
                                  array, index);
    });
}

//===- Together -------------------------------------------------------------------------------===//

/// Whether blocks may add up their sums together: if the grid has as many as run at once.
bool Expander::addsTogether() {
  SmallVector<tile::AtomicOp> sums = sumsInOrder();
  auto isTile = [](tile::AtomicOp sum) { return isa<RankedTensorType>(sum.getValue().getType()); };
  auto isLikeFirst = [&](tile::AtomicOp sum) {
    tile::AtomicOp first = sums.front();
    return getElementTypeOrSelf(sum.getValue()) == getElementTypeOrSelf(first.getValue());
  };
  if (sums.empty() || llvm::none_of(sums, isTile) || !llvm::all_of(sums, isLikeFirst) ||
      !loopOfSums())
    return false;
  auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
  SetVector<Operation *> behind;
  getBackwardSlice(grid.getExtents().back(), &behind);
  return llvm::any_of(behind, [](Operation *op) { return isa<cta::SmsOp>(op); });
}

/// The loop over a block's programs.
Operation *Expander::loopOfSums() {
  auto loops = kernel.getBody().front().getOps<scf::ForOp>();
  return loops.empty() ? nullptr : (*loops.begin()).getOperation();
}

/// Counts the block among those that have started, behind its first loads. The last one proposes to
/// go together.
void Expander::countIn() {
  SumPlace at = sumPlace();
  Type i32 = builder.getI32Type();
  branch(equal(thread, constant(0)), [&] {
    Value last = builder.create<arith::SubIOp>(loc, at.rows, constant(1));
    Value before = builder.create<cuda::FlagCountOp>(
        named("before"), i32, flags, flagOf(at, kStarted), last, cuda::FlagOrder::Relaxed);
    branch(equal(before, last), [&] {
      builder.create<cuda::FlagSettleOp>(named("way"), i32, flags, flagOf(at, kWay),
                                         constant(kTogether));
    });
  });
}

/// The way that all blocks go. If they go together, all have left their sums behind it. `left`
/// becomes how many blocks had left before this one.
Value Expander::meetBlocks(Value left, tile::AtomicOp last, const SumPlace &at) {
  Type i32 = builder.getI32Type();
  Value way = declare(named("way"), 1, i32), word = scratch(last), first = constant(0);
  barrier(); // the block has left its sums
  branch(equal(thread, first), [&] {
    countHere(at, cuda::FlagOrder::Release);
    Value settled = builder.create<cuda::FlagSettleOp>(named("settled"), i32, flags,
                                                       flagOf(at, kWay), constant(kInGroups));
    branch(equal(settled, constant(kTogether)),
           [&] { builder.create<cuda::FlagAwaitOp>(loc, flags, flagOf(at, kHere), at.rows); });
    builder.create<cuda::SetOp>(loc, countHere(at, cuda::FlagOrder::Relaxed), left, first);
    builder.create<cuda::SetOp>(loc, settled, way, first);
    builder.create<cuda::StoreSharedOp>(loc, way, first, word, Value(), 1);
  });
  barrier();
  builder.create<cuda::LoadSharedOp>(loc, word, way, first, 1);
  return builder.create<cuda::GetOp>(loc, i32, way, first);
}

/// A count that is one less than twice as many as there are blocks.
static Value lastToLeave(OpBuilder &builder, Location loc, Value blocks) {
  Value twice = builder.create<arith::AddIOp>(loc, blocks, blocks);
  Value one = builder.create<arith::ConstantIntOp>(loc, 1, 32);
  return builder.create<arith::SubIOp>(loc, twice, one);
}

/// Each block counts itself twice: with its sums left, and when it waits for no other. Gives how
/// many had counted before.
Value Expander::countHere(const SumPlace &at, cuda::FlagOrder order) {
  Value last = lastToLeave(builder, loc, at.rows);
  return builder.create<cuda::FlagCountOp>(named("before"), builder.getI32Type(), flags,
                                           flagOf(at, kHere), last, order);
}

/// The last block to leave lets the next launch propose a way.
void Expander::openWay(Value left, const SumPlace &at) {
  branch(equal(thread, constant(0)), [&] {
    Value before = builder.create<cuda::GetOp>(loc, builder.getI32Type(), left, constant(0));
    branch(equal(before, lastToLeave(builder, loc, at.rows)), [&] {
      builder.create<cuda::FlagCountOp>(named("before"), builder.getI32Type(), flags,
                                        flagOf(at, kWay), constant(0), cuda::FlagOrder::Relaxed);
    });
  });
}

/// How many teams share a piece: a power of 2, with which each piece has teams.
int64_t Expander::teamsOfPiece() {
  auto perSm = kernel->getAttrOfType<IntegerAttr>(cta::kMinBlocksAttr);
  int64_t rows = kUsualSms * (perSm ? perSm.getInt() : 1) / cluster.blocks();
  int64_t most = std::min(rows / wordsInOrder(), warps * kLanes / kPiece);
  return most < 1 ? 1 : std::min<int64_t>(kGroups, llvm::bit_floor(uint64_t(most)));
}

/// The block has every `rows`th piece, and adds up as many at once as it has teams for.
void Expander::addTogether(ArrayRef<tile::AtomicOp> sums, const SumPlace &at) {
  constexpr int64_t kTeamsOfWarp = kLanes / kPiece;
  int64_t share = teamsOfPiece(), pieces = warps * kLanes / kPiece / share; // at once
  bool fitsWarp = share <= kTeamsOfWarp;
  tile::AtomicOp any = sums.front();
  Type element = getElementTypeOrSelf(any.getValue().getType());
  Value all = constant(wordsInOrder() * warps * kLanes / kPiece);
  Value behind = builder.create<arith::SubIOp>(loc, all, at.row);
  Value own = builder.create<arith::CeilDivSIOp>(loc, behind, at.rows);
  Value team = div(thread, kPiece), word = rem(thread, kPiece), base = scratch(sums.back());
  Value number = div(team, share), member = rem(team, share);
  auto loop = builder.create<scf::ForOp>(loc, constant(0), own, constant(pieces));
  loop.getInductionVar().setLoc(named("done"));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  auto less = [&](Value a, Value b) {
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a, b);
  };
  auto withOwn = [&](Value number, Value condition, auto body) {
    Value next = add(loop.getInductionVar(), number);
    branch(both(both(less(next, own), less(number, constant(pieces))), condition), [&] {
      Value piece = add(at.row, product(next, at.rows));
      withPiece(sums, piece, [&](tile::AtomicOp sum, Value index, Value only) {
        body(piece, sum, index, only);
      });
    });
  };

  Value total = declare(named("total"), 1, element);
  auto get = [&](Value array) {
    return builder.create<cuda::GetOp>(loc, element, array, constant(0));
  };
  auto addUp = [&](Value other) {
    builder.create<cuda::SetOp>(
        loc, combineValues(builder, loc, tile::ReduceKind::Sum, get(total), other), total,
        constant(0));
  };
  auto update = [&](Value, tile::AtomicOp sum, Value index, Value only) {
    auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
    GlobalAccess access = accessOf(sum);
    updateElement(sum, access, get(total),
                  type ? place(access, cta::layoutOf(type), index) : placeScalar(access), only);
  };
  builder.create<cuda::SetOp>(loc, constantOf(element, 0), total, constant(0));
  withOwn(number, Value(), [&](Value piece, tile::AtomicOp, Value, Value only) {
    addGroups(total, at, member, kGroups / share, piece, only);
  });
  for (int64_t step = 1; step < std::min(share, kTeamsOfWarp); step *= 2)
    addUp(builder.create<cuda::ShuffleXorOp>(loc, element, get(total), constant(step * kPiece)));
  if (fitsWarp)
    return withOwn(number, equal(member, constant(0)), update);

  int64_t parts = share / kTeamsOfWarp; // of warps
  auto placeOf = [&](Value number, Value part) {
    Value linear = add(mul(add(mul(number, parts), part), kPiece), word);
    return add(base, mul(linear, Exchange::kWordBytes));
  };
  barrier(); // nobody reads the scratch memory
  Value isFirst = equal(rem(team, kTeamsOfWarp), constant(0));
  builder.create<cuda::StoreSharedOp>(loc, total, constant(0),
                                      placeOf(number, div(member, kTeamsOfWarp)), isFirst, 1);
  barrier();
  withOwn(team, Value(), [&](Value piece, tile::AtomicOp sum, Value index, Value only) {
    Value found = declare(named("parts"), parts, element);
    unrolled(parts, [&](Value part) {
      builder.create<cuda::LoadSharedOp>(loc, placeOf(team, part), found, part, 1);
    });
    addNeighbours(found, parts);
    builder.create<cuda::SetOp>(loc, get(found), total, constant(0));
    update(piece, sum, index, only);
  });
}

/// Writes code for a piece, as the lanes that hold it: `body(sum, register, only)`, with the sum
/// that it is of, its register there, and whether the lane is the first to hold its element.
void Expander::withPiece(ArrayRef<tile::AtomicOp> sums, Value piece,
                         function_ref<void(tile::AtomicOp, Value, Value)> body) {
  FreshThread holder(*this, /*active=*/false);
  constexpr int64_t kPieces = kLanes / kPiece; // of the words that a warp's lanes hold together
  Value chunk = div(piece, kPieces), word = div(chunk, warps);
  warp = rem(chunk, warps);
  lane = builder.create<arith::AddIOp>(loc, mul(rem(piece, kPieces), kPiece), rem(thread, kPiece));
  entryEnd = lane.getDefiningOp();
  threadCoordinates.clear();
  int64_t before = 0;
  for (tile::AtomicOp sum : sums) {
    int64_t behind = before + wordsOf(sum.getValue());
    Value isOf;
    if (before)
      isOf = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, word, constant(before));
    if (behind < wordsInOrder())
      isOf = both(isOf, builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, word,
                                                      constant(behind)));
    branch(isOf, [&] {
      FreshThread inside(*this, /*active=*/false); // coordinates of a branch stay in it
      auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
      Value only = type ? firstReplica(cta::layoutOf(type))
                        : both(equal(warp, constant(0)), equal(lane, constant(0)));
      body(sum, add(word, constant(-before)), only);
    });
    before = behind;
  }
}

/// Adds up this thread's word of a piece over the blocks of `count` groups, in `total`. These are
/// the groups from `member * count` on, of which some may not be there.
void Expander::addGroups(Value total, const SumPlace &at, Value member, int64_t count, Value piece,
                         Value only) {
  Type f32 = builder.getF32Type(), element = cast<cuda::RegsType>(total.getType()).getElementType();
  int64_t together = kLoadsTogether / count + (count == 1); // of a group, or all 33 of 528 blocks
  Value sums = declare(named("sums"), count, element);
  Value words = declare(named("words"), count * together, f32);
  unrolled(count,
           [&](Value i) { builder.create<cuda::SetOp>(loc, constantOf(element, 0), sums, i); });
  auto loop = builder.create<scf::ForOp>(loc, constant(0), at.group, constant(together));
  loop.getInductionVar().setLoc(named("other"));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value column = add(mul(piece, kPiece), rem(thread, kPiece));
    unrolled(count, [&](Value i) {
      Value first = firstOf(at, add(mul(member, count), i)), members = membersOf(at, first);
      unrolled(together, [&](Value j) {
        Value other = add(loop.getInductionVar(), j), slot = add(mul(i, together), j);
        Value isMember =
            builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, other, members);
        builder.create<cuda::SetOp>(loc, constantOf(f32, 0), words, slot);
        builder.create<cuda::LoadGlobalOp>(loc, workspace,
                                           wordOf(blockAt(at, add(first, other)), column), words,
                                           slot, both(only, isMember), /*count=*/1);
      });
    });
    unrolled(count, [&](Value i) {
      unrolled(together, [&](Value j) {
        Value word = builder.create<cuda::GetOp>(loc, f32, words, add(mul(i, together), j));
        if (element != f32)
          word = builder.create<arith::BitcastOp>(loc, element, word);
        Value before = builder.create<cuda::GetOp>(loc, element, sums, i);
        Value sum = combineValues(builder, loc, tile::ReduceKind::Sum, before, word);
        builder.create<cuda::SetOp>(loc, sum, sums, i);
      });
    });
  }
  addNeighbours(sums, count);
  Value sum = builder.create<cuda::GetOp>(loc, element, sums, constant(0));
  builder.create<cuda::SetOp>(loc, sum, total, constant(0));
}

} // namespace tilewright::passes
