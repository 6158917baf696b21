// Products by wgmma. They are asynchronous; `place-waits` has inserted the waits.
//
// The first product of an empty accumulator overwrites it, by a flag of the instruction, so nothing
// has to clear it. Only where a loop may not run at all is it cleared, behind the loop.
#include "passes/analysis/RegisterTiles.h"
#include "passes/lower/Expander.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {

using namespace mlir;

//===- Where a sum lies -----------------------------------------------------------------------===//

bool Expander::readBefore(Value tile, Value array, Operation *op) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    // A product may still read, or continue in, the registers of a tile.
    if (!here || !here->isBeforeInBlock(op) || isa<cta::MmaOp>(user))
      return false;
    return llvm::all_of(user->getResults(), [&](Value result) {
      Value own = tiles.lookup(result);
      return !isa<RankedTensorType>(result.getType()) || (own && own != array) ||
             readBefore(result, array, op);
    });
  });
}

/// Results of products that have registers of their own in the block of `op`: those of the
/// iteration before, which a loop carries, and those that were begun there and are awaited before
/// `op`.
static SmallVector<Value> resultsBefore(cta::BeginOp op) {
  SmallVector<Value> owned;
  if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp<cta::AwaitOp>())
        owned.push_back(argument);
  for (auto await : op->getBlock()->getOps<cta::AwaitOp>()) {
    if (!await->isBeforeInBlock(op))
      break;
    Value first = await.getPending();
    while (auto product = first.getDefiningOp<cta::MmaOp>())
      first = product.getAcc();
    auto begin = first.getDefiningOp<cta::BeginOp>();
    if (begin && begin->getBlock() == op->getBlock())
      owned.push_back(await.getResult());
  }
  return owned;
}

/// The accumulator reuses the registers of a tile that is no longer read, for example because it
/// was added to another one. With registers of its own, ptxas would delay the remaining work on
/// that tile until behind the new product, and keep both.
LogicalResult Expander::expandBegin(cta::BeginOp op) {
  Value sum = op.getResult();
  begun[sum] = integerOf(builder.getI1Type(), 0);
  for (Value tile : resultsBefore(op)) {
    Value array = tiles.lookup(tile);
    if (tile.getType() == op.getType().getTile() && !taken.contains(tile) &&
        readBefore(tile, array, op)) {
      taken.insert(tile);
      tiles[sum] = array;
      return success();
    }
  }
  tiles[sum] = declareTile(op.getLoc(), op.getType().getTile());
  return success();
}

//===- One product ----------------------------------------------------------------------------===//

Value Expander::panelOffset(const PanelLayout &panels, Major major, Value mn, Value k) {
  Value row = major == Major::K ? mn : k, column = major == Major::K ? k : mn;
  Value offset = row ? mul(row, panels.rowBytes()) : Value();
  if (!column)
    return offset;
  if (panels.panels() == 1)
    return add(offset, mul(column, panels.elementBytes));
  Value inPanel = mul(rem(column, panels.panelColumns()), panels.elementBytes);
  return add(add(offset, mul(div(column, panels.panelColumns()), panels.panelBytes())), inPanel);
}

/// Moves an op and what it is computed from up, to where the last of its operands is known: a
/// descriptor is then there before a turn or a slot has been waited for.
static void moveUp(Operation *op) {
  Operation *last = nullptr;
  for (Value operand : op->getOperands()) {
    Operation *from = operand.getDefiningOp();
    if (!from || from->getBlock() != op->getBlock())
      continue;
    if (isPure(from))
      moveUp(from);
    if (!last || last->isBeforeInBlock(from))
      last = from;
  }
  if (last)
    op->moveAfter(last);
  else
    op->moveBefore(&op->getBlock()->front());
}

void Expander::expandWgmma(cta::MmaOp op, Value acc) {
  auto shape = op.getShape();
  auto split = op.getWarps();
  auto tile = cta::tileOf(op.getAcc().getType()).getShape();
  Type element = op.getOperandElementType();
  int64_t groupsM = split[0] / cta::kWarpsPerWarpgroup, groupsN = split[1];
  int64_t rows = tile[0] / groupsM, columns = tile[1] / groupsN; // of a warpgroup's part
  auto b = op.getB().getType().getTile().getShape();
  int64_t depth = op.getBTransposed() ? b[1] : b[0];
  Value own = div(warp, cta::kWarpsPerWarpgroup);
  Value row = groupsM > 1 ? mul(groupsN > 1 ? rem(own, groupsM) : own, rows) : Value();
  Value column = groupsN > 1 ? mul(div(own, groupsM), columns) : Value();

  auto describe = [&](Value slot, StringRef name, Major major, Value start) {
    const PanelLayout &panels = *channels[slots[slot].channel.getResult()].panels;
    MatrixDescriptor fields = panels.descriptor(major);
    Value address = add(addressInBlock(slots[slot]), panelOffset(panels, major, start, Value()));
    auto named = NameLoc::get(builder.getStringAttr(name), loc);
    auto descriptor = builder.create<cuda::MatrixDescriptorOp>(
        named, builder.getI64Type(), address, fields.leading, fields.stride, fields.swizzle);
    moveUp(descriptor);
    return std::tuple(panels, major, Value(descriptor));
  };
  auto advance = [&](auto &operand, Value mn, Value k) -> Value {
    auto &[panels, major, descriptor] = operand;
    Value bytes = panelOffset(panels, major, mn, k);
    return builder.create<cuda::AdvanceDescriptorOp>(loc, builder.getI64Type(), descriptor, bytes);
  };

  // Registers that were written must have their final value.
  SmallVector<Value> written;
  bool fromSlot = isa<cta::SlotType>(op.getA().getType());
  if (!isa<cta::PendingType>(op.getAcc().getType()))
    written.push_back(acc);
  Value held = fromSlot ? Value() : registersOf(op.getA());
  if (held && op.takesOrderOfSums() && !isInOrderOfOperands(op.getA())) {
    // Words of two columns in two rows, the order of accumulators, become words of four columns.
    Value words = declare(op.getA().getLoc(), cast<cuda::RegsType>(held.getType()).getSize(),
                          cast<cuda::RegsType>(held.getType()).getElementType());
    exchangeBytes(held, words, {0x5410, 0x7632});
    held = words;
  }
  if (held)
    written.push_back(held);
  std::optional<std::tuple<PanelLayout, Major, Value>> inA;
  if (fromSlot)
    inA = describe(op.getA(), "a_descriptor", op.getATransposed() ? Major::MN : Major::K, row);
  auto inB =
      describe(op.getB(), "b_descriptor", op.getBTransposed() ? Major::K : Major::MN, column);
  builder.create<cuda::WgmmaFenceOp>(loc, written);

  Value sum = begun.lookup(op.getAcc());
  int64_t steps = depth / shape[2], blocksM = rows / 64, blocksN = columns / shape[1];
  unrolled(steps, [&](Value step) {
    Value k = mul(step, shape[2]), adds;
    if (sum) {
      Value later =
          builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, step, constant(0));
      adds = builder.createOrFold<arith::OrIOp>(loc, sum, later);
    }
    unrolled(blocksM, [&](Value m) {
      Value a = fromSlot ? advance(*inA, mul(m, 64), k) : held;
      Value word = fromSlot ? Value() : mul(add(mul(m, steps), step), 4);
      unrolled(blocksN, [&](Value n) {
        Value index = add(mul(m, columns / 2), mul(n, shape[1] / 2));
        builder.create<cuda::WgmmaOp>(loc, shape[1], acc, index, a, word,
                                      advance(inB, mul(n, shape[1]), k), adds, element, element,
                                      fromSlot && op.getATransposed(), !op.getBTransposed());
      });
    });
  });
  builder.create<cuda::WgmmaCommitOp>(loc);
}

//===- Waiting --------------------------------------------------------------------------------===//

LogicalResult Expander::expandWaitGroup(cta::WaitGroupOp op) {
  voteBefore(op);
  if (op.getComputed())
    builder.create<cuda::SettleOp>(loc, registersOf(op.getComputed()));
  SmallVector<Value> readable;
  for (Value sum : op.getDone())
    readable.push_back(tiles.lookup(sum));
  builder.create<cuda::WgmmaWaitOp>(loc, op.getLeft(), readable);
  return success();
}

LogicalResult Expander::expandAwait(cta::AwaitOp op) {
  Value pending = op.getPending(), sum = tiles.lookup(pending);
  tiles[op.getResult()] = sum;
  // An empty accumulator is 0.
  if (Value filled = begun.lookup(pending)) {
    Value empty = bitXor(filled, integerOf(builder.getI1Type(), 1));
    branch(empty, [&] {
      auto type = cast<cuda::RegsType>(sum.getType());
      unrolled(type.getSize(), [&](Value index) {
        builder.create<cuda::SetOp>(loc, constantOf(type.getElementType(), 0), sum, index);
      });
      // Not by a fence: behind one, ptxas assumes that products are in flight.
      builder.create<cuda::PinRegistersOp>(loc, sum);
    });
  }
  return success();
}

//===- Loops that carry sums ------------------------------------------------------------------===//

/// A loop's accumulator stays in the registers in which it was begun.
void Expander::enterSums(scf::ForOp op) {
  for (BlockArgument sum : op.getRegionIterArgs()) {
    if (!isa<cta::PendingType>(sum.getType()))
      continue;
    Value array = tiles.lookup(op.getTiedLoopInit(sum)->get());
    tiles[sum] = array;
    tiles[op.getTiedLoopResult(sum)] = array;
  }
}

/// Notes, for a loop's accumulators under these names, that there is something to add to if an
/// iteration has run (`added`) or the initial accumulator was not empty.
void Expander::markBegun(scf::ForOp op, ValueRange names, function_ref<Value()> added) {
  for (auto [init, name] : llvm::zip(op.getInitArgs(), names))
    if (Value filled = begun.lookup(init))
      begun[name] = builder.createOrFold<arith::OrIOp>(loc, added(), filled);
}

} // namespace tilewright::passes
