// Products of warpgroups. They run on their own, group after group, in the order in which they were
// started; the expander keeps the list of those under way, and every wait follows from it:
//
//   an await           until the product's group is done, so with as many left as are younger
//   the next product   of the same sum: until the one before is done, so that one is under way
//
// Slots that a product reads are given back when its group is found to be done.
//
// A loop carries a sum that is pending without a wait: the sum's registers stay what they are, the
// group is under way across the back edge, and the slots that it reads are given back in the next
// iteration, or behind the loop. In the first iteration there is no such group. The first product
// of an empty sum overwrites it, which the instruction can be told, so that nothing need clear it;
// only where a loop may not run at all is it cleared behind the loop.
//
// ptxas keeps products asynchronous only if their registers are left alone until they are waited
// for; that is what being pending means.
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

/// The sum takes the registers of a tile that has been added to another, say, and is not read
/// again: with registers of its own, ptxas would let what is left to do with that one wait until
/// behind the new product, and hold both.
void Expander::expandBegin(cta::BeginOp op) {
  Value sum = op.getResult();
  begun[sum] = integerOf(builder.getI1Type(), 0);
  for (Value tile : resultsBefore(op)) {
    Value array = tiles.lookup(tile);
    if (tile.getType() == op.getType().getTile() && !taken.contains(tile) &&
        readBefore(tile, array, op)) {
      taken.insert(tile);
      tiles[sum] = array;
      return;
    }
  }
  tiles[sum] = declareTile(op.getLoc(), op.getType().getTile());
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

void Expander::expandWgmma(cta::MmaOp op, Value acc) {
  auto shape = op.getShape(), split = op.getWarps();
  auto tile = cta::tileOf(op.getAcc().getType()).getShape();
  Type element = op.getOperandElementType();
  int64_t groupsM = split[0] / cta::kWarpsPerGroup, groupsN = split[1];
  int64_t rows = tile[0] / groupsM, columns = tile[1] / groupsN; // of a warpgroup's part
  auto b = op.getB().getType().getTile().getShape();
  int64_t depth = op.getBTransposed() ? b[1] : b[0];
  Value own = div(warp, cta::kWarpsPerGroup);
  Value row = groupsM > 1 ? mul(groupsN > 1 ? rem(own, groupsM) : own, rows) : Value();
  Value column = groupsN > 1 ? mul(div(own, groupsM), columns) : Value();

  auto describe = [&](Value slot, StringRef name, Major major, Value start) {
    const PanelLayout &panels = *channels[slots[slot].channel.getResult()].panels;
    MatrixDescriptor fields = panels.descriptor(major);
    Value address = add(slots[slot].address, panelOffset(panels, major, start, Value()));
    auto named = NameLoc::get(builder.getStringAttr(name), loc);
    return std::tuple(
        panels, major,
        Value(builder.create<cuda::MatrixDescriptorOp>(
            named, builder.getI64Type(), address, fields.leading, fields.stride, fields.swizzle)));
  };
  auto advance = [&](auto &operand, Value mn, Value k) -> Value {
    auto &[panels, major, descriptor] = operand;
    Value bytes = panelOffset(panels, major, mn, k);
    return builder.create<cuda::AdvanceDescriptorOp>(loc, builder.getI64Type(), descriptor, bytes);
  };

  // Registers that were written must be final.
  SmallVector<Value> written;
  bool fromSlot = isa<cta::SlotType>(op.getA().getType());
  if (!isa<cta::PendingType>(op.getAcc().getType()))
    written.push_back(acc);
  Value held = fromSlot ? Value() : registersOf(op.getA());
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

  size_t before = groups.size();
  readsBehind = false;
  groups.push_back({op.getResult(), {}, {}});
  for (size_t i = before; i-- > 0;)
    if (tiles.lookup(groups[i].pending) == acc) {
      retire(before - i);
      break;
    }
}

//===- Waiting --------------------------------------------------------------------------------===//

void Expander::retire(size_t keep, ValueRange readable) {
  if (groups.size() <= keep)
    return;
  builder.create<cuda::WgmmaWaitOp>(loc, keep, readable);
  SmallVector<ProductGroup> done(groups.begin(), groups.end() - keep);
  groups.erase(groups.begin(), groups.end() - keep);
  for (ProductGroup &group : done)
    for (auto [ring, index] : group.releases)
      giveBack(*ring, index, group.started);
}

/// ptxas moves reads up between the instructions of a product, where the rest of these queue up
/// behind them. It moves none past a wait, even one for more groups than there are.
void Expander::readBehindProducts() {
  if (!groups.empty() && !readsBehind)
    builder.create<cuda::WgmmaWaitOp>(loc, groups.size(), ValueRange());
  readsBehind = true;
}

void Expander::retireBefore(Operation *op) {
  auto concerns = [](Operation *inner) {
    bool products = isa<cta::MmaOp, cta::AwaitOp, cta::ReleaseOp>(inner);
    return products ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (!groups.empty() && op->walk(concerns).wasInterrupted())
    retire(0);
}

LogicalResult Expander::expandAwait(cta::AwaitOp op) {
  Value pending = op.getPending(), sum = tiles.lookup(pending);
  tiles[op.getResult()] = sum;
  // Awaits that stand together are one: no sum is touched while another is under way.
  size_t keep = groups.size();
  SmallVector<Value> readable;
  for (auto next = op; next; next = dyn_cast<cta::AwaitOp>(next->getNextNode()))
    for (size_t i = 0; i < groups.size(); ++i)
      if (groups[i].pending == next.getPending()) {
        keep = std::min(keep, groups.size() - 1 - i);
        readable.push_back(tiles.lookup(next.getPending()));
      }
  if (op.getComputed() && keep < groups.size())
    builder.create<cuda::SettleOp>(loc, registersOf(op.getComputed()));
  retire(keep, readable);
  // An empty sum is 0.
  if (Value filled = begun.lookup(pending)) {
    Value empty = bitXor(filled, integerOf(builder.getI1Type(), 1));
    branch(empty, [&] {
      auto type = cast<cuda::RegsType>(sum.getType());
      unrolled(type.getSize(), [&](Value index) {
        builder.create<cuda::SetOp>(loc, constantOf(type.getElementType(), 0), sum, index);
      });
      // Not by a fence, behind which ptxas takes products to be under way.
      builder.create<cuda::PinRegistersOp>(loc, sum);
    });
  }
  return success();
}

//===- Loops that carry sums ------------------------------------------------------------------===//

static bool isPending(Value value) { return isa<cta::PendingType>(value.getType()); }

/// The sums that a loop carries, by the order in which its products continue them.
static SmallVector<BlockArgument> carriedSums(scf::ForOp loop) {
  SmallVector<BlockArgument> sums;
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (isPending(argument))
      sums.push_back(argument);
  llvm::sort(sums, [&](BlockArgument a, BlockArgument b) {
    return loop.getTiedLoopYieldedValue(a)->get().getDefiningOp()->isBeforeInBlock(
        loop.getTiedLoopYieldedValue(b)->get().getDefiningOp());
  });
  return sums;
}

/// True when products of the loop's own body lead from `argument` to what the loop yields for it.
static bool continuesInBody(scf::ForOp loop, BlockArgument argument) {
  Value sum = loop.getTiedLoopYieldedValue(argument)->get();
  while (sum != argument) {
    auto mma = sum.getDefiningOp<cta::MmaOp>();
    if (!mma || mma->getParentOp() != loop)
      return false;
    sum = mma.getAcc();
  }
  return loop.getTiedLoopYieldedValue(argument)->get() != argument;
}

LogicalResult Expander::enterPendingLoop(scf::ForOp op) {
  retireBefore(op);
  for (BlockArgument sum : op.getRegionIterArgs()) {
    if (!isPending(sum))
      continue;
    if (!continuesInBody(op, sum))
      return op.emitError() << "carries a pending sum that no product of its body continues; "
                            << "await it instead";
    Value init = op.getTiedLoopInit(sum)->get();
    tiles[sum] = tiles[op.getTiedLoopResult(sum)] = tiles.lookup(init);
    // The slots that the sum's product has not given back at the end of an iteration.
    for (Operation *user : op.getTiedLoopYieldedValue(sum)->get().getUsers())
      if (auto release = dyn_cast<cta::ReleaseOp>(user)) {
        Ring *ring = ringOf(cta::channelOf(release.getSlot()));
        if (Value &slot = held[{sum, ring}]; !slot) {
          auto named = NameLoc::get(builder.getStringAttr("held_slot"), loc);
          slot = declare(named, 1, builder.getI32Type());
          builder.create<cuda::SetOp>(loc, constant(0), slot, constant(0));
        }
      }
  }
  return success();
}

/// Null for a condition that is known to hold.
static Value unlessTrue(Value condition) {
  return matchPattern(condition, m_One()) ? Value() : condition;
}

/// The group of a sum that comes from an earlier iteration, if there was one (`started`).
ProductGroup Expander::carriedGroup(BlockArgument sum, Value pending, Value started) {
  ProductGroup group{pending, unlessTrue(started), {}};
  for (auto &[key, slot] : held)
    if (key.first == sum)
      group.releases.push_back(
          {key.second, builder.create<cuda::GetOp>(loc, builder.getI32Type(), slot, constant(0))});
  // What the loop started from was there before.
  Value init = cast<scf::ForOp>(sum.getOwner()->getParentOp()).getTiedLoopInit(sum)->get();
  if (Value filled = begun.lookup(init))
    begun[pending] = builder.createOrFold<arith::OrIOp>(loc, started, filled);
  return group;
}

void Expander::carryPending(scf::ForOp op, Value lower, Value counter) {
  auto sums = carriedSums(op);
  if (sums.empty())
    return;
  Value later = builder.createOrFold<arith::CmpIOp>(
      NameLoc::get(builder.getStringAttr("later"), loc), arith::CmpIPredicate::sgt, counter, lower);
  for (BlockArgument sum : sums)
    groups.push_back(carriedGroup(sum, sum, later));
}

LogicalResult Expander::leavePendingBody(scf::ForOp op) {
  auto sums = carriedSums(op);
  auto carries = [&](const ProductGroup &group) {
    return llvm::any_of(sums, [&](BlockArgument sum) {
      return op.getTiedLoopYieldedValue(sum)->get() == group.pending;
    });
  };
  for (size_t i = groups.size(); i-- > 0;)
    if (!carries(groups[i])) {
      retire(groups.size() - 1 - i);
      break;
    }
  if (groups.size() != sums.size())
    return op.emitError() << "awaits a product that its pending sums came before; await those too, "
                          << "and carry them as tiles";
  for (auto [sum, group] : llvm::zip(sums, groups))
    for (auto [ring, index] : group.releases)
      builder.create<cuda::SetOp>(loc, index, held[{sum, ring}], constant(0));
  groups.clear();
  return success();
}

void Expander::leavePendingLoop(scf::ForOp op, Value lower, Value upper) {
  auto sums = carriedSums(op);
  if (sums.empty())
    return;
  Value ran = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lower, upper);
  for (BlockArgument sum : sums)
    groups.push_back(carriedGroup(sum, op.getTiedLoopResult(sum), ran));
}

} // namespace tilewright::passes
