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
#include "passes/analysis/SharedAccesses.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

//===- Plan ----------------------------------------------------------------------------------===//

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
        Value channel = cta::channelOf(commit.getSlot());
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

/// What a channel's slots take; each channel starts where any tile may.
static int64_t ringBytes(const ChannelState &state, cta::ChannelType type) {
  return llvm::alignTo(state.slotBytes * type.getDepth(), 1024);
}

void Expander::planShared() {
  GroupCounter(pendingGroups).run(kernel);
  kernel.walk([&](cta::ChannelOp channel) {
    auto type = channel.getResult().getType();
    auto tile = type.getTile();
    ChannelState &state = channels[channel.getResult()];
    if (channel.isPanel()) {
      state.panels = cta::panelsOf(tile);
      state.layout = state.panels->panel();
      // A store may put another matrix where this one lies.
      state.slotBytes = llvm::alignTo(state.panels->bytes(), tile.getRank() > 1 ? 1024 : 128);
      channelBytes += ringBytes(state, type);
      return;
    }
    state.layout = channel.getShared() ? channel.getShared()->getLayout()
                                       : SharedLayout{tile.getShape().back(), 0, 0};
    state.slotBytes = slotBytes(tile, state.layout);
    channelBytes += ringBytes(state, type);
    if (!kernel.getOps<cta::RoleOp>().empty()) // others go on behind a role's last use
      return;
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
  if (insideTurn)
    metInTurn = loc;
  needAllWarps("is where all warps meet");
  if (role)
    builder.create<cuda::NamedBarrierSyncOp>(loc, constant(NamedBarriers(kernel).of(role)),
                                             warps * kLanes);
  else
    builder.create<cuda::BarrierOp>(loc);
}

void Expander::needAllWarps(StringRef how) {
  if (!apart || misplaced)
    return;
  misplaced = true;
  emitError(loc) << how << ", in a loop or branch of role \"" << role.getName()
                 << "\" that depends on `cta.warpgroup`; move it out of there";
}

//===- Ops -----------------------------------------------------------------------------------===//

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
                                              ringBytes(state, type));
  nextShared += ringBytes(state, type);
  if (type.getDepth() == 1 || op.isPanel() || ringOf(op.getResult()))
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
static bool barrierSinceRelease(cta::AcquireOp acquire, const DenseSet<Operation *> &afterBarrier) {
  auto releases = [&](Operation *op) {
    return op
        ->walk([&](cta::ReleaseOp release) {
          return cta::channelOf(release.getSlot()).getResult() == acquire.getChannel()
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
    enterSlot(op, slots[op.getSlot()]);
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

LogicalResult Expander::expandCommit(cta::CommitOp op) {
  SlotState &slot = slots[op.getSlot()];
  if (slot.channel.getKind() == cta::ChannelKind::CpAsync)
    builder.create<cuda::CpAsyncCommitOp>(loc);
  if (slot.staged)
    writeSlot(slot, slot.staged, stagedLayouts[op.getSlot()], op.getSlot().getType().getTile());
  if (Ring *ring = ringOf(slot.channel.getResult()); ring && closesAll(filling[ring], *ring, slot))
    handOver(*ring, slot.index);
  return success();
}

LogicalResult Expander::expandWait(cta::WaitOp op) {
  if (ringOf(op.getChannel())) {
    enterSlot(op, slots[op.getSlot()]);
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

} // namespace tilewright::passes
