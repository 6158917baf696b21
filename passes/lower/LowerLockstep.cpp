// Slots that one role both fills and reads, in lockstep. The ring is two counters. What makes a
// slot full is, by the channel's kind, a group of asynchronous copies or stores of the role's
// threads, and in both cases a barrier: a wait is `cp.async.wait_group` and a barrier of the role.
// Nothing else in the compiler knows groups of copies.
//
// How many younger groups may still be unfinished at a wait is found by running the kernel's
// sequence of commits and waits in the abstract: loops a few times or not at all, branches either
// way, in all combinations, keeping the smallest number that any run allows.
//
// An acquired slot must have been left by all readers of its last contents. That holds when a
// barrier lies between the last release of the channel and the acquire, which is the case in a
// pipelined loop, where the wait for this iteration comes first; elsewhere a barrier is added.
#include "passes/analysis/SharedAccesses.h"
#include "passes/lower/ChannelLowering.h"

namespace tilewright::passes {

using namespace mlir;

//===- Plan ----------------------------------------------------------------------------------===//

namespace {

/// Runs commits and waits in order, to count the groups younger than the one waited for.
class GroupCounter {
public:
  explicit GroupCounter(DenseMap<Operation *, int64_t> &pending) : pending(pending) {}

  void run(func::FuncOp kernel) {
    for (auto role : kernel.getOps<cta::RoleOp>())
      tryAll(role, role.getBody().front());
    if (kernel.getOps<cta::RoleOp>().empty())
      tryAll(kernel, kernel.getBody().front());
  }

private:
  static constexpr int kSteady = 6; // more than any ring is deep
  static constexpr size_t kMostBranches = 10;

  /// Runs each loop not at all, or often enough to reach its steady state, and each branch either
  /// way.
  void tryAll(Operation *around, Block &body) {
    SmallVector<Operation *> branches;
    around->walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, cta::TilesOp>(op) && hasChannelOps(op))
        branches.push_back(op);
    });
    if (branches.size() > kMostBranches) { // too many combinations: wait for everything
      around->walk([&](cta::WaitOp wait) {
        if (isCounted(wait.getChannel()))
          pending[wait] = 0;
      });
      return;
    }
    for (size_t choice = 0; choice < size_t(1) << branches.size(); ++choice) {
      for (auto [i, op] : llvm::enumerate(branches))
        taken[op] = !(choice >> i & 1);
      groups = 0;
      full.clear();
      runBlock(body);
    }
  }

  static bool hasChannelOps(Operation *op) {
    return op
        ->walk([](Operation *inner) {
          return isa<cta::CommitOp, cta::WaitOp>(inner) ? WalkResult::interrupt()
                                                        : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether a channel's slots become full when a group of copies is done.
  static bool isCounted(Value channel) {
    auto op = channel.getDefiningOp<cta::ChannelOp>();
    return op.getKind() == cta::ChannelKind::CpAsync && !op.getPlan()->getRing();
  }

  void runBlock(Block &block) {
    for (Operation &op : block) {
      if (auto commit = dyn_cast<cta::CommitOp>(op)) {
        Value channel = cta::channelOf(commit.getSlot());
        if (isCounted(channel))
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
    } else if (auto tiles = dyn_cast<cta::TilesOp>(op)) {
      for (int i = 0; i < (isTaken ? kSteady : 0); ++i)
        runBlock(tiles.getBody().front());
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

/// Whether it waits for a slot that its own role fills.
static bool isLockstepWait(Operation *op) {
  auto wait = dyn_cast_or_null<cta::WaitOp>(op);
  return wait && !wait.getChannel().getDefiningOp<cta::ChannelOp>().getPlan()->getRing();
}

/// Whether an op is a barrier for all threads of the role.
bool ChannelLowering::isBarrier(Operation *op) {
  return isLockstepWait(op) && !lockstep[cast<cta::WaitOp>(op).getChannel()].isPrivate;
}

/// Whether each thread reads from a channel's slots only what it has copied to them.
bool ChannelLowering::isPrivate(cta::ChannelOp channel) {
  int64_t warps = kernel->getAttrOfType<IntegerAttr>(cta::kWarpsAttr).getInt();
  std::vector<Layout> layouts;
  for (Operation *opens : channel.getResult().getUsers())
    for (Operation *user : opens->getResult(0).getUsers()) {
      if (auto copy = dyn_cast<cta::CopyOp>(user))
        layouts.push_back(copyLayout(copy, warps));
      else if (auto get = dyn_cast<cta::GetOp>(user))
        layouts.push_back(cta::layoutOf(get.getTile().getType()));
      else if (!isa<cta::CommitOp, cta::ReleaseOp>(user))
        return false;
    }
  auto hasReplicas = [&](Level level) {
    return llvm::any_of(layouts.front().digits(level), [](const Digit &digit) {
      return digit.dim == kReplicated && digit.size > 1;
    });
  };
  return !layouts.empty() && llvm::all_equal(layouts) && !hasReplicas(Level::Lane) &&
         !hasReplicas(Level::Warp);
}

void ChannelLowering::planLockstep() {
  GroupCounter(pendingGroups).run(kernel);
  bool hasRoles = !kernel.getOps<cta::RoleOp>().empty();
  if (!hasRoles)
    for (auto channel : kernel.getOps<cta::ChannelOp>()) {
      bool isCopied = channel.getKind() == cta::ChannelKind::CpAsync;
      lockstep[channel.getResult()].isPrivate = isCopied && isPrivate(channel);
    }
  // The last of waits that stand together waits for all.
  kernel.walk([&](cta::WaitOp wait) {
    auto found = pendingGroups.find(wait);
    if (found == pendingGroups.end() || !isLockstepWait(wait->getNextNode()))
      return;
    int64_t pending = found->second;
    auto [next, isNew] = pendingGroups.try_emplace(wait->getNextNode(), pending);
    next->second = std::min(next->second, pending);
  });
  if (hasRoles)
    return;
  for (auto channel : kernel.getOps<cta::ChannelOp>())
    lockstep[channel.getResult()].runsAhead = runsAhead(channel, kernel);
}

/// The slot that is waited for in front of each wait for a slot of `channel`, if both have the same
/// number then; null if there is none.
static Value slotBefore(cta::ChannelOp channel) {
  auto onlyWait = [](cta::ChannelOp of) {
    cta::WaitOp only;
    for (Operation *user : of.getResult().getUsers())
      if (auto wait = dyn_cast<cta::WaitOp>(user)) {
        if (only)
          return cta::WaitOp();
        only = wait;
      }
    return only;
  };
  cta::WaitOp wait = onlyWait(channel);
  if (!wait || !isLockstepWait(wait->getPrevNode()))
    return {};
  auto before = cast<cta::WaitOp>(wait->getPrevNode());
  auto other = before.getChannel().getDefiningOp<cta::ChannelOp>();
  bool isAlike = other.getResult().getType().getDepth() == channel.getResult().getType().getDepth();
  return isAlike && onlyWait(other) == before ? before.getSlot() : Value();
}

//===- Ops -----------------------------------------------------------------------------------===//

/// Declares the counters of a channel's slots for the role that uses it.
void ChannelLowering::declareCounters(cta::ChannelOp op) {
  bool boxed = op.getKind() == cta::ChannelKind::Tma || op.getKind() == cta::ChannelKind::Store;
  if (op.getResult().getType().getDepth() == 1 || boxed || ringOf(op))
    return;
  Lockstep &state = lockstep[op.getResult()];
  std::string name = cta::nameOf(op.getResult(), "tile");
  if (!state.runsAhead)
    state.filling = counter(name + "_filling", op.getLoc(), 0);
  state.other = slotBefore(op);
  if (!state.other)
    state.reading = counter(name + "_reading", op.getLoc(), 0);
}

/// The other one of two slots.
Value ChannelLowering::otherOf(Value number) {
  return builder.create<arith::XOrIOp>(loc, number, constant(1));
}

/// The slot at a counter, which then advances.
Value ChannelLowering::nextSlot(cta::ChannelOp channel, Value counter) {
  int64_t depth = channel.getResult().getType().getDepth();
  if (depth == 1)
    return constant(0);
  Value number = get(counter), wraps;
  if (depth == 2) {
    set(counter, otherOf(number));
    return number;
  }
  Value next = following(number, depth, wraps);
  set(counter, select(wraps, constant(0), next));
  return number;
}

/// True if every path from the channel's last release to `acquire` has a barrier. Some acquires
/// have one of their own.
bool ChannelLowering::barrierSinceRelease(cta::AcquireOp acquire) {
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
      if (isBarrier(op) || acquiredAfterBarrier.contains(op))
        return true;
      if (releases(op))
        return false;
    }
    // The start of a loop's body is also reached from its end.
    Operation *parent = from->getParentOp();
    if (isa<scf::ForOp, scf::WhileOp, cta::TilesOp>(parent) && releases(parent))
      return false;
    from = isa<func::FuncOp, cta::RoleOp>(parent) ? nullptr : parent;
  }
  return true; // nothing was released yet
}

Value ChannelLowering::acquireInLockstep(cta::AcquireOp op) {
  auto channel = op.getChannel().getDefiningOp<cta::ChannelOp>();
  Lockstep &state = lockstep[op.getChannel()];
  if (!state.isPrivate && !barrierSinceRelease(op)) {
    builder.create<cta::SyncOp>(loc);
    acquiredAfterBarrier.insert(op);
  }
  int64_t depth = channel.getResult().getType().getDepth();
  if (depth == 1 || !state.runsAhead)
    return nextSlot(channel, state.filling);
  if (op->getParentOp() == kernel)
    return constant(state.acquired++);
  Value full = numbers[waitBefore(op).getSlot()];
  if (depth == 2)
    return otherOf(full);
  Value wraps = isEqual(full, constant(0));
  Value behind = builder.create<arith::AddIOp>(loc, full, constant(-1));
  return select(wraps, constant(depth - 1), behind);
}

void ChannelLowering::commitInLockstep(cta::ChannelOp channel) {
  if (channel.getKind() == cta::ChannelKind::CpAsync)
    builder.create<cuda::CpAsyncCommitOp>(loc);
}

Value ChannelLowering::waitInLockstep(cta::WaitOp op) {
  if (!isLockstepWait(op->getNextNode())) {
    // One barrier for all waits that stand together.
    if (auto found = pendingGroups.find(op); found != pendingGroups.end())
      builder.create<cuda::CpAsyncWaitOp>(loc, found->second);
    bool meets = false;
    for (Operation *each = op; isLockstepWait(each); each = each->getPrevNode())
      meets |= isBarrier(each);
    if (meets)
      builder.create<cta::SyncOp>(loc);
  }
  Lockstep &state = lockstep[op.getChannel()];
  if (state.other)
    return numbers[state.other];
  return nextSlot(op.getChannel().getDefiningOp<cta::ChannelOp>(), state.reading);
}

} // namespace tilewright::passes
