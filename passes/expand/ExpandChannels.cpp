// Channels on one role. A slot is a stretch of shared memory; the ring is two counters. What makes
// a slot full is, by the channel's kind, a group of asynchronous copies or stores of this block,
// and in both cases a barrier: a wait is `cp.async.wait_group` and `__syncthreads`.
//
// How many younger groups may still be unfinished at a wait is found by running the kernel's
// sequence of commits and waits in the abstract (`planShared`): loops a few times or not at all,
// branches either way, in all combinations, keeping the smallest number that any run allows.
//
// An acquired slot must have been left by all readers of its last contents. That holds when a
// barrier lies between the last release of the channel and the acquire, which is the case in a
// pipelined loop, where the wait for this iteration comes first; elsewhere a barrier is added.
#include "passes/SharedAccesses.h"
#include "passes/expand/Expander.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

//===- Plan
//-----------------------------------------------------------------------------------------===//

namespace {

/// Runs commits and waits in order, to see how many groups are younger than the one waited for.
class GroupCounter {
public:
  explicit GroupCounter(DenseMap<Operation *, int64_t> &pending) : pending(pending) {}

  void run(func::FuncOp kernel) {
    SmallVector<Operation *> branches;
    kernel.walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) && hasChannelOps(op))
        branches.push_back(op);
    });
    if (branches.size() > kMostBranches) { // too many ways: wait for everything
      kernel.walk([&](cta::WaitOp wait) {
        if (kindOf(wait.getChannel()) == cta::ChannelKind::CpAsync)
          pending[wait] = 0;
      });
      return;
    }
    // Each loop not at all, or often enough to reach its steady state; one branch, or the other.
    for (size_t choice = 0; choice < size_t(1) << branches.size(); ++choice) {
      for (auto [i, op] : llvm::enumerate(branches))
        taken[op] = !(choice >> i & 1);
      groups = 0;
      full.clear();
      runBlock(kernel.getBody().front());
    }
  }

private:
  static constexpr int kSteady = 6; // more than any ring is deep
  static constexpr size_t kMostBranches = 10;

  static bool hasChannelOps(Operation *op) {
    return op
        ->walk([](Operation *inner) {
          return isa<cta::CommitOp, cta::WaitOp>(inner) ? WalkResult::interrupt()
                                                        : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static cta::ChannelKind kindOf(Value channel) {
    return channel.getDefiningOp<cta::ChannelOp>().getKind();
  }

  void runBlock(Block &block) {
    for (Operation &op : block) {
      if (auto commit = dyn_cast<cta::CommitOp>(op)) {
        auto channel = commit.getSlot().getDefiningOp()->getOperand(0);
        if (kindOf(channel) == cta::ChannelKind::CpAsync)
          full[channel].push_back(groups++);
      } else if (auto wait = dyn_cast<cta::WaitOp>(op)) {
        std::vector<int64_t> &queue = full[wait.getChannel()];
        if (queue.empty())
          continue;
        int64_t younger = groups - 1 - queue.front();
        queue.erase(queue.begin());
        auto [entry, isNew] = pending.try_emplace(&op, younger);
        entry->second = std::min(entry->second, younger);
      } else if (taken.contains(&op)) {
        runBranch(&op, taken[&op]);
      }
    }
  }

  void runBranch(Operation *op, bool isTaken) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Region &region = isTaken ? branch.getThenRegion() : branch.getElseRegion();
      if (!region.empty())
        runBlock(region.front());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (int i = 0; i < (isTaken ? kSteady : 0); ++i)
        runBlock(*loop.getBody());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      runBlock(*loop.getBeforeBody());
      for (int i = 0; i < (isTaken ? kSteady : 0); ++i) {
        runBlock(*loop.getAfterBody());
        runBlock(*loop.getBeforeBody());
      }
    }
  }

  DenseMap<Operation *, int64_t> &pending;
  DenseMap<Operation *, bool> taken;          // loops that run, branches that hold
  DenseMap<Value, std::vector<int64_t>> full; // groups committed and not waited for, per channel
  int64_t groups = 0;
};

} // namespace

/// The wait on the acquire's channel that stands before it in its block.
static cta::WaitOp waitBefore(cta::AcquireOp acquire) {
  for (Operation *op = acquire->getPrevNode(); op; op = op->getPrevNode())
    if (auto wait = dyn_cast<cta::WaitOp>(op); wait && wait.getChannel() == acquire.getChannel())
      return wait;
  return {};
}

static bool runsAhead(cta::ChannelOp channel, func::FuncOp kernel) {
  int64_t before = 0;
  for (Operation *user : channel.getResult().getUsers())
    if (auto acquire = dyn_cast<cta::AcquireOp>(user)) {
      if (acquire->getParentOp() == kernel)
        ++before;
      else if (!waitBefore(acquire))
        return false;
    }
  return before == channel.getResult().getType().getDepth() - 1;
}

void Expander::planShared() {
  GroupCounter(pendingGroups).run(kernel);
  kernel.walk([&](cta::ChannelOp channel) {
    auto type = channel.getResult().getType();
    auto tile = type.getTile();
    ChannelState &state = channels[channel.getResult()];
    if (channel.isPanel()) {
      state.panels = cta::panelsOf(type);
      state.layout = state.panels->panel();
      state.slotBytes = llvm::alignTo(state.panels->bytes(), 1024);
      channelBytes += state.slotBytes * type.getDepth();
      return;
    }
    state.layout = channel.getShared() ? channel.getShared()->getLayout()
                                       : SharedLayout{tile.getShape().back(), 0, 0};
    state.slotBytes = slotBytes(tile, state.layout);
    for (Operation *user : channel.getResult().getUsers()) {
      Operation *top = kernel.getBody().front().findAncestorOpInBlock(*user);
      // A slot is used until it is released.
      for (Operation *slotUser : user->getUsers())
        top = kernel.getBody().front().findAncestorOpInBlock(*slotUser);
      if (!lastChannelUse || lastChannelUse->isBeforeInBlock(top))
        lastChannelUse = top;
      for (Operation *slotUser : user->getUsers())
        if (Operation *t = kernel.getBody().front().findAncestorOpInBlock(*slotUser))
          if (lastChannelUse->isBeforeInBlock(t))
            lastChannelUse = t;
    }
    state.runsAhead = runsAhead(channel, kernel);
    channelBytes += state.slotBytes * type.getDepth();
  });
  sharedBytes = channelBytes;
  planRings();
}

Value Expander::scratch(int64_t bytes) {
  // Once the channels are done with, their memory is free.
  bool channelsDone = lastChannelUse && lastChannelUse->isBeforeInBlock(current);
  int64_t start = channelsDone ? 0 : channelBytes;
  sharedBytes = std::max(sharedBytes, start + bytes);
  return builder.create<cuda::SharedOp>(NameLoc::get(builder.getStringAttr("scratch"), loc),
                                        builder.getI32Type(), start, bytes);
}

void Expander::barrier() {
  if (role)
    builder.create<cuda::NamedBarrierSyncOp>(loc, constant(roleBarrier()), warps * kLanes);
  else
    builder.create<cuda::BarrierOp>(loc);
}

//===- Ops
//------------------------------------------------------------------------------------------===//

/// A name for what belongs to a channel: the variable that its tile was loaded into.
static std::string nameOf(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getName().str();
  return "tile";
}

LogicalResult Expander::expandChannel(cta::ChannelOp op) {
  ChannelState &state = channels[op.getResult()];
  auto type = op.getResult().getType();
  std::string name = nameOf(op.getLoc());
  auto named = [&](StringRef suffix) {
    return NameLoc::get(builder.getStringAttr(name + suffix.str()), op.getLoc());
  };
  state.base = builder.create<cuda::SharedOp>(named("_shared"), builder.getI32Type(), nextShared,
                                              state.slotBytes * type.getDepth());
  nextShared += state.slotBytes * type.getDepth();
  if (type.getDepth() == 1 || op.isPanel())
    return success();
  for (auto [counter, suffix] :
       {std::pair(&state.filling, "_filling"), std::pair(&state.reading, "_reading")}) {
    if (counter == &state.filling && state.runsAhead)
      continue;
    *counter = declare(named(suffix), 1, builder.getI32Type());
    builder.create<cuda::SetOp>(loc, constant(0), *counter, constant(0));
  }
  return success();
}

Value Expander::slotAt(ChannelState &state, Value index) {
  return builder.createOrFold<arith::AddIOp>(loc, state.base, mul(index, state.slotBytes));
}

/// The address of the slot at `counter`, which then moves on.
Value Expander::nextSlot(ChannelState &state, cta::ChannelType type, Value counter,
                         SlotState &slot) {
  if (type.getDepth() == 1)
    return state.base;
  slot.index = nextIndex(counter, type.getDepth());
  return slotAt(state, slot.index);
}

Value Expander::nextIndex(Value counter, int64_t depth) {
  Value index = builder.create<cuda::GetOp>(loc, builder.getI32Type(), counter, constant(0));
  Value next = builder.create<arith::AddIOp>(loc, index, constant(1));
  Value wraps = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, constant(depth));
  builder.create<cuda::SetOp>(loc, builder.create<arith::SelectOp>(loc, wraps, constant(0), next),
                              counter, constant(0));
  return index;
}

/// True when the waits that stand directly behind this one make a barrier for it.
static bool followedByWait(cta::WaitOp wait) {
  return isa_and_nonnull<cta::WaitOp>(wait->getNextNode());
}

/// True when every path from the channel's last release to `acquire` passes a barrier. Those of
/// `afterBarrier` have one of their own.
static bool barrierSinceRelease(cta::AcquireOp acquire,
                                const DenseSet<Operation *> &afterBarrier) {
  auto releases = [&](Operation *op) {
    return op
        ->walk([&](cta::ReleaseOp release) {
          return release.getSlot().getDefiningOp()->getOperand(0) == acquire.getChannel()
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  Operation *from = acquire;
  while (from) {
    for (Operation *op = from->getPrevNode(); op; op = op->getPrevNode()) {
      if (isa<cta::WaitOp>(op) || afterBarrier.contains(op))
        return true;
      if (releases(op))
        return false;
    }
    // From the start of a loop's body its end of the round before is reached.
    Operation *parent = from->getParentOp();
    if (isa<scf::ForOp, scf::WhileOp>(parent) && releases(parent))
      return false;
    from = isa<func::FuncOp>(parent) ? nullptr : parent;
  }
  return true; // nothing was released yet
}

LogicalResult Expander::expandAcquire(cta::AcquireOp op) {
  if (ringOf(op.getChannel())) {
    enterSlot(op.getChannel(), slots[op.getSlot()], /*fills=*/true);
    return success();
  }
  ChannelState &state = channels[op.getChannel()];
  if (!barrierSinceRelease(op, acquiredAfterBarrier)) {
    barrier();
    acquiredAfterBarrier.insert(op);
  }
  SlotState &slot = slots[op.getSlot()];
  slot.channel = op.getChannel().getDefiningOp<cta::ChannelOp>();
  auto type = op.getChannel().getType();
  if (type.getDepth() == 1 || !state.runsAhead) {
    slot.address = nextSlot(state, type, state.filling, slot);
    return success();
  }
  if (op->getParentOp() == kernel) {
    slot.address = slotAt(state, constant(state.acquired++));
    return success();
  }
  Value full = slots[waitBefore(op).getSlot()].index;
  Value wraps = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, full, constant(0));
  Value behind = builder.create<arith::AddIOp>(loc, full, constant(-1));
  slots[op.getSlot()].address = slotAt(
      state, builder.create<arith::SelectOp>(loc, wraps, constant(type.getDepth() - 1), behind));
  return success();
}

Value Expander::slotAddress(const SlotState &slot, Value row, Value column) {
  cta::ChannelOp channel = slot.channel;
  const SharedLayout &layout = channels[channel.getResult()].layout;
  int64_t bytes = channel.getResult().getType().getTile().getElementTypeBitWidth() / 8;
  Value rowBytes = mul(row, layout.pitch * bytes), panelBytes;
  if (auto &panels = channels[channel.getResult()].panels; panels && panels->panels() > 1) {
    panelBytes = mul(div(column, panels->panelColumns()), panels->panelBytes());
    column = rem(column, panels->panelColumns());
  }
  Value columnBytes = mul(column, bytes);
  if (layout.bits) {
    // The xor's source bits lie in the row, its target bits in the column (swizzle-layout sees to
    // that), so that it can be formed before the two are added.
    int64_t mask = ((int64_t(1) << layout.bits) - 1) << 4;
    Value source = builder.createOrFold<arith::AndIOp>(
        loc, builder.createOrFold<arith::ShRUIOp>(loc, rowBytes, constant(layout.shift)),
        constant(mask));
    columnBytes = bitXor(columnBytes, source);
  }
  return add(add(add(slot.address, panelBytes), rowBytes), columnBytes);
}

Layout Expander::copyLayout(cta::CopyOp op) {
  auto shape = op.getSlot().getType().getTile().getShape();
  return Layout::blocked(shape, int64_t(shape.size()) - 1, op.getVector(), warps);
}

LogicalResult Expander::expandCopy(cta::CopyOp op) {
  SlotState &slot = slots[op.getSlot()];
  if (slot.channel.getKind() == cta::ChannelKind::Tma)
    return expandTmaCopy(op);
  Access access = accessOf(op);
  Layout layout = copyLayout(op);
  Type element = access.view->type.getElementType();
  int64_t vector = op.getVector(), bytes = vector * access.view->type.getElementBytes();
  Value predicate = op.getPredicate() ? scalar(op.getPredicate()) : Value();
  auto kind = slot.channel.getKind();
  int64_t rank = op.getSlot().getType().getTile().getRank();

  if (kind == cta::ChannelKind::Registers && bytes < 4) {
    copyNarrow(slot, access, layout, predicate);
    return success();
  }
  if (kind == cta::ChannelKind::Registers) {
    int64_t pack = packOf(element, layout.registers());
    slot.staged = declare(op.getLoc(), layout.registers() / pack,
                          pack == 1 ? element : Type(VectorType::get({pack}, element)));
    loadTile(access, layout, slot.staged, vector, constantOf(computeType(element), 0), predicate);
    stagedLayouts[op.getSlot()] = layout;
    return success();
  }

  // Threads that hold the same elements copy them once.
  predicate = both(predicate, firstReplica(layout));
  auto copies = [&] {
    // In a loop a copy's addresses would be kept in registers from one iteration to the next, which
    // its accumulators need more; from the thread's number they are a few instructions away.
    bool inLoop = op->getParentOfType<scf::ForOp>() != nullptr;
    FreshThread fresh(*this, inLoop);
    unrolled(layout.registers() / vector, [&](Value group) {
      Value first = mul(group, vector);
      Value column = coordinate(layout, rank - 1, first);
      Value row = rank > 1 ? coordinate(layout, 0, first) : constant(0);
      Place where = place(access, layout, first);
      Value valid;
      if (where.remaining) {
        Value left = builder.createOrFold<arith::MulIOp>(
            loc, where.remaining, constant(access.view->type.getElementBytes()));
        left = builder.createOrFold<arith::MinSIOp>(loc, left, constant(bytes));
        valid = builder.createOrFold<arith::MaxSIOp>(loc, left, constant(0));
      }
      if (where.inside)
        valid = builder.createOrFold<arith::SelectOp>(loc, where.inside,
                                                      valid ? valid : constant(bytes), constant(0));
      builder.create<cuda::CpAsyncOp>(loc, slotAddress(slot, row, column), access.view->ptr,
                                      where.offset, valid, bytes);
    });
  };
  if (!predicate) {
    copies();
    return success();
  }
  auto branch = builder.create<scf::IfOp>(loc, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  copies();
  return success();
}

/// Elements narrower than a word go to the slot at once, some at a time: all of a tile's together
/// would take more registers than there are.
void Expander::copyNarrow(const SlotState &slot, const Access &access, const Layout &layout,
                          Value predicate) {
  Type element = access.view->type.getElementType();
  int64_t registers = layout.registers(), chunk = std::gcd<int64_t>(registers, 16);
  int64_t rank = llvm::count_if(access.extents, [](int64_t extent) { return extent != 0; });
  auto loop = builder.create<scf::ForOp>(loc, constant(0), constant(registers), constant(chunk));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value first = loop.getInductionVar(), zero = constantOf(computeType(element), 0);
  Value singles = declare(loc, chunk, element);
  unrolled(chunk, [&](Value i) {
    loadVector(access, layout, singles, add(first, i), i, 1, zero, predicate);
  });
  Value replica = firstReplica(layout);
  unrolled(chunk, [&](Value i) {
    Value index = add(first, i);
    Value row = rank > 1 ? coordinate(layout, 0, index) : constant(0);
    Value address = slotAddress(slot, row, coordinate(layout, rank - 1, index));
    builder.create<cuda::StoreSharedOp>(loc, singles, i, address, replica, 1);
  });
}

LogicalResult Expander::expandPut(cta::PutOp op) {
  SlotState &slot = slots[op.getSlot()];
  auto type = cast<RankedTensorType>(op.getTile().getType());
  const Layout &layout = cta::layoutOf(type);
  Value array = registersOf(op.getTile());
  writeSlot(slot, array, layout, type);
  return success();
}

/// Stores an array that holds a tile in `layout` to a slot, in vectors as wide as the layout holds.
void Expander::writeSlot(const SlotState &slot, Value array, const Layout &layout,
                         RankedTensorType type) {
  int64_t rank = type.getRank(), pack = cast<cuda::RegsType>(array.getType()).getPack();
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  auto addressOf = [&](const Layout &places, Value index) {
    Value row = rank > 1 ? coordinate(places, 0, index) : constant(0);
    return slotAddress(slot, row, coordinate(places, rank - 1, index));
  };
  auto wordsAt = [&](Value first, int64_t) { return std::pair(array, div(first, pack)); };
  if (pack == 2 && storeMatrices(type, layout, wordsAt, addressOf))
    return;
  int64_t vector = sharedVector(layout, rank, bytes);
  vector = std::max(vector, pack) == pack || vector % pack == 0 ? vector : 1;
  Value replica = firstReplica(layout);
  if (vector < pack || (pack == 1 && bytes < 4))
    return writeSlotByElement(slot, array, layout, type, replica);
  unrolled(layout.registers() / vector, [&](Value group) {
    Value first = mul(group, vector);
    builder.create<cuda::StoreSharedOp>(loc, array, div(first, pack), addressOf(layout, first),
                                        replica, vector);
  });
}

void Expander::writeSlotByElement(const SlotState &slot, Value array, const Layout &layout,
                                  RankedTensorType type, Value replica) {
  int64_t rank = type.getRank();
  Value single = declare(loc, 1, type.getElementType());
  unrolled(layout.registers(), [&](Value index) {
    Value row = rank > 1 ? coordinate(layout, 0, index) : constant(0);
    Value address = slotAddress(slot, row, coordinate(layout, rank - 1, index));
    writeElements(single, constant(0), readElement(array, index));
    builder.create<cuda::StoreSharedOp>(loc, single, constant(0), address, replica, 1);
  });
}

LogicalResult Expander::expandCommit(cta::CommitOp op) {
  SlotState &slot = slots[op.getSlot()];
  if (slot.channel.getKind() == cta::ChannelKind::CpAsync)
    builder.create<cuda::CpAsyncCommitOp>(loc);
  if (slot.staged)
    writeSlot(slot, slot.staged, stagedLayouts[op.getSlot()], op.getSlot().getType().getTile());
  return success();
}

LogicalResult Expander::expandWait(cta::WaitOp op) {
  if (ringOf(op.getChannel())) {
    enterSlot(op.getChannel(), slots[op.getSlot()], /*fills=*/false);
    return success();
  }
  ChannelState &state = channels[op.getChannel()];
  SlotState &slot = slots[op.getSlot()];
  slot.channel = op.getChannel().getDefiningOp<cta::ChannelOp>();
  if (!followedByWait(op)) {
    // One barrier for all waits that stand together.
    std::optional<int64_t> pending;
    for (Operation *wait = op; isa_and_nonnull<cta::WaitOp>(wait); wait = wait->getPrevNode())
      if (auto found = pendingGroups.find(wait); found != pendingGroups.end())
        pending = std::min(pending.value_or(found->second), found->second);
    if (pending)
      builder.create<cuda::CpAsyncWaitOp>(loc, *pending);
    barrier();
  }
  slot.address = nextSlot(state, op.getChannel().getType(), state.reading, slot);
  return success();
}

LogicalResult Expander::expandGet(cta::GetOp op) {
  SlotState &slot = slots[op.getSlot()];
  auto type = cast<RankedTensorType>(op.getTile().getType());
  const Layout &layout = cta::layoutOf(type);
  Value array = declareTile(op.getLoc(), type);
  tiles[op.getTile()] = array;
  int64_t pack = cast<cuda::RegsType>(array.getType()).getPack(), rank = type.getRank();
  Value single = pack > 1 ? declare(loc, pack, type.getElementType()) : Value();
  unrolled(layout.registers() / pack, [&](Value entry) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < pack; ++i) {
      Value index = add(mul(entry, pack), constant(i));
      Value row = rank > 1 ? coordinate(layout, 0, index) : constant(0);
      Value address = slotAddress(slot, row, coordinate(layout, rank - 1, index));
      Value target = pack > 1 ? single : array;
      Value at = pack > 1 ? constant(i) : entry;
      builder.create<cuda::LoadSharedOp>(loc, address, target, at, 1);
      if (pack > 1)
        values.push_back(readElement(single, constant(i)));
    }
    if (pack > 1)
      writeElements(array, entry, values);
  });
  return success();
}

} // namespace tilewright::passes
