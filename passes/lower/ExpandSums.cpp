// Additions in order: every block adds to one place, and the sum does not depend on which block
// comes first.
//
// A block writes its sums to global memory and counts itself. Nobody waits: the last block of a
// group of 16 adds up what the group has written, from its first block to its last, writes that in
// place of the first block's sums, and counts the group; the last group's block does the same with
// the groups, and adds the total to the view. So all blocks end, however many run at once.
//
// Warps do not need each other for that. Sums lie in memory as threads hold them, one word for each
// element beside those of the warp's other lanes, and the same warp of another block reads them. So
// each warp has counters of its own: one for each group, at the number of the group, and one for
// the groups, behind them all. The counter returns to 0 with its last count, for the next launch.
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

/// Blocks of a group. With 132 to 528 blocks there are 9 to 33 groups: the last block then reads
/// the sums of 25 to 49 others, one after the other.
constexpr int64_t kGroup = 16;
/// Words that a thread loads together.
constexpr int64_t kLoadsTogether = 32;

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
    Type element = cast<cuda::RegsType>(array.getType()).getElementType();
    Type f32 = builder.getF32Type();
    Value word = declare(named("word"), 1, f32);
    forEachWord(sum, before, block, [&, array = array](Value index, Value offset) {
      builder.create<cuda::SetOp>(loc, constantOf(f32, 0), word, constant(0));
      builder.create<cuda::LoadGlobalOp>(loc, workspace, offset, word, constant(0), only,
                                         /*count=*/1);
      Value other = builder.create<cuda::GetOp>(loc, f32, word, constant(0));
      if (element != f32)
        other = builder.create<arith::BitcastOp>(loc, element, other);
      Value own = builder.create<cuda::GetOp>(loc, element, array, index);
      Value total = isa<FloatType>(element)
                        ? builder.create<arith::AddFOp>(loc, own, other).getResult()
                        : builder.create<arith::AddIOp>(loc, own, other).getResult();
      builder.create<cuda::SetOp>(loc, total, array, index);
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

void Expander::addInOrder(ArrayRef<tile::AtomicOp> sums) {
  auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
  // Block `column + columns * row`; those of a column add to one place.
  Value rows = scalar(grid.getExtents().back());
  Value block = builder.create<cuda::BlockIdOp>(loc, builder.getI32Type());
  Value columns = constant(1);
  for (Value extent : grid.getExtents().drop_back())
    columns = product(columns, scalar(extent));
  bool isOneColumn = grid.getExtents().size() == 1;
  Value row = isOneColumn ? block : builder.create<arith::DivSIOp>(loc, block, columns).getResult();
  Value column =
      isOneColumn ? constant(0) : builder.create<arith::RemSIOp>(loc, block, columns).getResult();
  auto at = [&](Value row) { return add(column, product(row, columns)); };
  Value group = div(row, kGroup), first = mul(group, kGroup);
  Value left = builder.create<arith::SubIOp>(loc, rows, first);
  Value members = builder.create<arith::MinSIOp>(loc, left, constant(kGroup));
  Value groups = div(add(rows, constant(kGroup - 1)), kGroup);

  SmallVector<Value> arrays;
  for (tile::AtomicOp sum : sums)
    arrays.push_back(sumRegisters(sum));
  leaveSums(sums, arrays, block);
  byLastToCount(at(group), members, [&] {
    gatherSums(sums, arrays, at(first), members, columns);
    leaveSums(sums, arrays, at(first));
    Value behind = builder.create<arith::SubIOp>(loc, rows, constant(1));
    byLastToCount(at(behind), groups, [&] {
      gatherSums(sums, arrays, column, groups, product(columns, constant(kGroup)));
      for (auto [sum, array] : llvm::zip(sums, arrays))
        addTotal(sum, array);
    });
  });
}

void Expander::addTotal(tile::AtomicOp sum, Value array) {
  auto type = dyn_cast<RankedTensorType>(sum.getValue().getType());
  if (type)
    tiles[sum.getValue()] = array;
  else
    scalars.map(sum.getValue(), readElement(array, constant(0)));
  updateView(sum);
}

} // namespace tilewright::passes
