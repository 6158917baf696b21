#include "passes/analysis/Rings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::passes {

//===- Blocks that share slots ----------------------------------------------------------------===//

SmallVector<int64_t> sharedAxes(ArrayRef<cta::ChannelOp> ring) {
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < int64_t(cta::Cluster::kAxes); ++axis)
    if (llvm::any_of(ring, [&](cta::ChannelOp each) { return each.getMulticast() == axis; }))
      axes.push_back(axis);
  return axes;
}

int64_t fillersOf(ArrayRef<cta::ChannelOp> ring) {
  cta::Cluster cluster =
      cta::clusterOf(cta::ChannelOp(ring.front())->getParentOfType<func::FuncOp>());
  int64_t blocks = 1;
  for (int64_t axis : sharedAxes(ring))
    blocks += cluster.along[axis] - 1;
  return blocks;
}

//===- Which channels share barriers ----------------------------------------------------------===//

/// The acquires and waits of a channel, in program order.
static SmallVector<Operation *> opensOf(cta::ChannelOp channel) {
  SmallVector<Operation *> opens;
  channel->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    if (isa<cta::AcquireOp, cta::WaitOp>(op) && op->getOperand(0) == channel.getResult())
      opens.push_back(op);
  });
  return opens;
}

/// Finds the releases of a slot, also under the names that loops give it. Finds none if a tile
/// passes it to the next one.
static void findReleases(Value slot, SmallVector<Operation *> &releases) {
  for (OpOperand &use : slot.getUses()) {
    if (isa<cta::ReleaseOp>(use.getOwner()))
      releases.push_back(use.getOwner());
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (!loop || !isa<scf::YieldOp>(use.getOwner()))
      continue;
    findReleases(loop.getRegionIterArg(use.getOperandNumber()), releases);
    findReleases(loop.getResult(use.getOperandNumber()), releases);
  }
}

/// The commits or releases of the slot that an op opens.
static SmallVector<Operation *> closesOf(Operation *open) {
  SmallVector<Operation *> closes;
  for (Operation *user : open->getResult(0).getUsers())
    if (isa<cta::CommitOp>(user))
      closes.push_back(user);
  findReleases(open->getResult(0), closes);
  return closes;
}

namespace {
/// Whether two channels change hands together, if all of `ring` are to.
class SharedRing {
public:
  explicit SharedRing(ArrayRef<cta::ChannelOp> ring) : ring(ring) {}

  bool holds() const {
    return llvm::all_of(llvm::seq<size_t>(1, ring.size()),
                        [&](size_t i) { return alike(ring[i - 1], ring[i]); });
  }

private:
  bool alike(cta::ChannelOp first, cta::ChannelOp second) const {
    auto opens = opensOf(first), others = opensOf(second);
    return first.getKind() == second.getKind() && opens.size() == others.size() &&
           first.getResult().getType().getDepth() == second.getResult().getType().getDepth() &&
           llvm::all_of(llvm::zip(opens, others), [&](auto pair) {
             return sideBySide(std::get<0>(pair), std::get<1>(pair));
           });
  }

  /// A producer acquires, fills and commits both slots in one go. A consumer waits for both at
  /// once, and releases both at once.
  bool sideBySide(Operation *open, Operation *other) const {
    auto closes = closesOf(open), others = closesOf(other);
    return open->getName() == other->getName() && goesOn(open, other) && !closes.empty() &&
           closes.size() == others.size() &&
           llvm::all_of(llvm::zip(closes, others), [&](auto pair) {
             auto [close, otherClose] = pair;
             bool together = conditionOf(close) == conditionOf(otherClose) &&
                             (goesOn(close, otherClose) || goesOn(otherClose, close));
             return together && (isa<cta::WaitOp>(open) || goesOn(open, otherClose));
           });
  }

  static Value conditionOf(Operation *close) {
    auto release = dyn_cast<cta::ReleaseOp>(close);
    return release ? release.getCondition() : Value();
  }

  /// True if a role waits for nothing between two ops of a block, except for slots of the ring that
  /// are filled together.
  bool goesOn(Operation *first, Operation *second) const {
    if (first->getBlock() != second->getBlock() || !first->isBeforeInBlock(second))
      return false;
    for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode()) {
      bool waits = isa<cta::AcquireOp, cta::WaitOp, cta::EnterOp, cta::WaitGroupOp>(op) ||
                   op->getNumRegions() > 0;
      if (waits && !isFilledWith(first, op))
        return false;
    }
    return true;
  }

  /// Whether `op` acquires a slot of a channel of the ring other than that of `first`.
  bool isFilledWith(Operation *first, Operation *op) const {
    if (!isa<cta::AcquireOp, cta::CommitOp>(first))
      return false;
    auto acquire = dyn_cast<cta::AcquireOp>(op);
    auto channel =
        acquire ? acquire.getChannel().getDefiningOp<cta::ChannelOp>() : cta::ChannelOp();
    Value own = isa<cta::CommitOp>(first) ? cta::channelOf(first->getOperand(0)).getResult()
                                          : first->getOperand(0);
    return channel && llvm::is_contained(ring, channel) && channel.getResult() != own;
  }

  ArrayRef<cta::ChannelOp> ring;
};
} // namespace

std::vector<Channels> ringsOf(func::FuncOp kernel) {
  SmallVector<cta::ChannelOp> channels;
  for (auto channel : kernel.getOps<cta::ChannelOp>())
    if (cta::usesMbarriers(channel))
      channels.push_back(channel);
  std::vector<Channels> rings;
  for (ArrayRef<cta::ChannelOp> left = channels; !left.empty();) {
    size_t count = left.size(); // the channels that go together
    while (count > 1 && !SharedRing(left.take_front(count)).holds())
      --count;
    rings.emplace_back(left.take_front(count));
    left = left.drop_front(count);
  }
  return rings;
}

//===- Who arrives ----------------------------------------------------------------------------===//

static SmallVector<cta::RoleOp> rolesOf(ArrayRef<cta::ChannelOp> ring, bool filling) {
  llvm::SmallSetVector<Operation *, 4> roles;
  for (Operation *open : opensOf(ring.front()))
    if (isa<cta::AcquireOp>(open) == filling)
      roles.insert(cta::roleOf(open));
  return llvm::map_to_vector(roles, [](Operation *role) { return cast<cta::RoleOp>(role); });
}

/// Whether threads of a role read the slots of a ring, rather than wgmma.
static bool readsByThreads(cta::RoleOp role, ArrayRef<cta::ChannelOp> ring) {
  auto isOfRing = [&](Value operand) {
    return isa<cta::SlotType>(operand.getType()) &&
           llvm::is_contained(ring, cta::channelOf(operand));
  };
  return role
      .walk([&](Operation *op) {
        auto mma = dyn_cast<cta::MmaOp>(op);
        bool reads = isa<cta::GetOp, cta::ElementOp>(op) || (mma && !mma.readsShared());
        return reads && llvm::any_of(op->getOperands(), isOfRing) ? WalkResult::interrupt()
                                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a wgmma product or a store has used a slot before an op. A slot that a loop carries is
/// followed to all its sources.
static bool isUsedByAllBefore(Value slot, Operation *op, SmallPtrSetImpl<Operation *> &loops) {
  if (isa_and_nonnull<cta::NoSlotOp>(slot.getDefiningOp()))
    return true;
  bool used = llvm::any_of(slot.getUsers(), [&](Operation *user) {
    auto mma = dyn_cast<cta::MmaOp>(user);
    bool byAll = (mma && mma.readsShared()) || isa<cta::StoreOp>(user);
    return byAll && DominanceInfo().properlyDominates(user, op);
  });
  auto argument = dyn_cast<BlockArgument>(slot);
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument ? argument.getOwner()->getParentOp()
                                                             : slot.getDefiningOp());
  if (used || !loop)
    return used;
  BlockArgument carried = argument ? argument : loop.getTiedLoopRegionIterArg(cast<OpResult>(slot));
  Operation *end = carried.getOwner()->getTerminator();
  return !loops.insert(loop).second ||
         (isUsedByAllBefore(loop.getTiedLoopInit(carried)->get(), loop, loops) &&
          isUsedByAllBefore(loop.getTiedLoopYieldedValue(carried)->get(), end, loops));
}

bool haveAllWaited(cta::ReleaseOp release) {
  SmallPtrSet<Operation *, 4> loops;
  return isUsedByAllBefore(release.getSlot(), release, loops);
}

Returner returnerOf(cta::RoleOp role, ArrayRef<cta::ChannelOp> ring) {
  if (cta::isElected(role))
    return Returner::Thread;
  bool multiplies =
      role.walk([&](cta::ReleaseOp release) {
            bool own = llvm::is_contained(ring, cta::channelOf(release.getSlot()));
            return own && haveAllWaited(release) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  return multiplies && !readsByThreads(role, ring) ? Returner::Warpgroup : Returner::Warp;
}

int64_t fillsOf(ArrayRef<cta::ChannelOp> ring) {
  cta::ChannelKind kind = cta::ChannelOp(ring.front()).getKind();
  if (kind == cta::ChannelKind::Tma)
    return 1;
  int64_t warps = rolesOf(ring, /*filling=*/true).front().getWarps();
  return kind == cta::ChannelKind::CpAsync ? warps * kLanes : warps;
}

int64_t reopensOf(ArrayRef<cta::ChannelOp> ring) {
  int64_t returns = 0;
  for (cta::RoleOp role : rolesOf(ring, /*filling=*/false))
    switch (returnerOf(role, ring)) {
    case Returner::Thread:
      returns += 1;
      break;
    case Returner::Warp:
      returns += role.getWarps();
      break;
    case Returner::Warpgroup:
      returns += role.getWarps() / cta::kWarpsPerWarpgroup;
      break;
    }
  return returns;
}

} // namespace tilewright::passes
