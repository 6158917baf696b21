// The rules that a program with roles must keep, so that it ends with the right numbers. Barriers
// are derived from the program. So a slot that is never released, or two roles whose loops differ,
// would give a kernel that hangs. Here they are errors at the line that has them.
//
//   slots      opened and closed once, in one block; accessed in between (SlotAccesses.h); not
//              released while a product reads them
//   sums       every product is awaited, or another is added to it, once
//   rings      the producer fills as many slots as the consumers take
//   sources    channels, slots, sums and turns come from where they can be found (CheckFlow.h)
//   resources  what the target has (CheckTarget.h)
#include "passes/Passes.h"
#include "passes/check/CheckFlow.h"
#include "passes/check/CheckOrders.h"
#include "passes/check/CheckParts.h"
#include "passes/check/CheckRates.h"
#include "passes/check/CheckRounding.h"
#include "passes/check/CheckTarget.h"
#include "passes/check/SlotAccesses.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "llvm/ADT/SmallSet.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_CHECKPROGRAM
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

std::string quoted(Value value, StringRef otherwise) {
  return "`" + cta::nameOf(value, otherwise) + "`";
}

//===- Slots ----------------------------------------------------------------------------------===//

/// How the op that closes a slot leaves it. The next tile may continue with it.
StringRef outcomeOf(Operation *close) {
  return isa<cta::CommitOp>(close)    ? "committed"
         : isa<cta::ReleaseOp>(close) ? "released"
                                      : "handed on to a tile";
}

/// Checks that nothing uses a slot after the op that closes it.
LogicalResult checkUses(Value slot, Operation *close) {
  for (Operation *user : slot.getUsers()) {
    Operation *inBlock = close->getBlock()->findAncestorOpInBlock(*user);
    if (user != close && !inBlock->isBeforeInBlock(close)) {
      auto error = user->emitError() << "uses slot " << quoted(slot, "slot")
                                     << " after it has been " << outcomeOf(close);
      error.attachNote(close->getLoc()) << "here";
      return error;
    }
  }
  return success();
}

/// Checks that products which read a slot are done when it is released or passed on.
LogicalResult checkReaders(Value slot, Operation *close) {
  auto release = dyn_cast<cta::ReleaseOp>(close);
  Value product = release ? release.getProduct() : Value();
  auto last = product ? product.getDefiningOp<cta::MmaOp>() : cta::MmaOp();
  if (product && (!last || last->getBlock() != release->getBlock()))
    return release.emitError() << "waits for a product of another loop; release the slot `after` "
                               << "one that stands beside it";
  for (Operation *user : slot.getUsers()) {
    auto mma = dyn_cast<cta::MmaOp>(user);
    if (!mma)
      continue;
    bool covered =
        last && mma->getBlock() == last->getBlock() && (mma == last || mma->isBeforeInBlock(last));
    if (!covered && !awaitedBefore(mma, close)) {
      auto error = close->emitError()
                   << (release ? "gives back" : "hands on") << " slot " << quoted(slot, "slot")
                   << " while a product reads it; await the product first"
                   << (release ? ", or release the slot `after` it" : "");
      error.attachNote(mma.getLoc()) << "the product";
      return error;
    }
  }
  return success();
}

/// Checks a slot from the op that opens it, or the tile that passes it on, to the op that closes
/// it.
LogicalResult checkSlot(Value slot) {
  bool fills = isa_and_nonnull<cta::AcquireOp>(slot.getDefiningOp());
  StringRef closing = fills ? "commit" : "release", opened = fills ? "acquired" : "waited for";
  Operation *close = nullptr;
  SmallVector<Operation *> users(slot.getUsers());
  for (Operation *user : llvm::reverse(users)) { // as they stand in the program
    if (!isa<cta::CommitOp, cta::ReleaseOp, cta::TilesOp, cta::YieldOp>(user))
      continue;
    if (isa<cta::CommitOp>(user) != fills)
      return user->emitError() << "closes a slot that was " << opened << "; `cta." << closing
                               << "` does that";
    if (close) {
      StringRef closes = isa<cta::ReleaseOp>(user) ? "releases" : fills ? "commits" : "hands on";
      auto error = user->emitError()
                   << closes << " slot " << quoted(slot, "slot") << " a second time";
      error.attachNote(close->getLoc()) << "the first time";
      return error;
    }
    close = user;
  }
  if (!close)
    return emitError(slot.getLoc())
           << "gives a slot that is never " << closing << (fills ? "ted" : "d") << "; "
           << (fills ? "its consumer" : "its producer") << " would wait forever";
  if (close->getBlock() != slot.getParentBlock())
    return close->emitError() << "stands in another loop or branch than where its slot was "
                              << opened << "; close a slot beside where it was opened";
  if (failed(checkUses(slot, close)) || failed(checkAccesses(slot, close)))
    return failure();
  return fills ? success() : checkReaders(slot, close);
}

/// Checks that the slots which a tile passes to the next one are of the same channels as the first
/// tile's.
LogicalResult checkHandedOn(cta::TilesOp tiles) {
  for (auto [init, next] : llvm::zip(tiles.getInitArgs(), tiles.getYieldedValues())) {
    if (!isa<cta::SlotType>(init.getType()))
      continue;
    cta::ChannelOp first = cta::channelOf(init), channel = cta::channelOf(next);
    Operation *end = tiles.getBody().front().getTerminator();
    if (first != channel)
      return end->emitError() << "hands on a slot of " << quoted(channel.getResult(), "channel")
                              << " where the first tile has one of "
                              << quoted(first.getResult(), "channel");
    if (!cta::usesMbarriers(channel))
      return end->emitError() << "hands on a slot of " << quoted(channel.getResult(), "channel")
                              << ", which no other role fills; release it, and carry what it holds "
                              << "as a tile";
  }
  return success();
}

//===- Sums -----------------------------------------------------------------------------------===//

/// The loop whose body defines a value; null outside of loops.
LoopLikeOpInterface loopOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->getParentOfType<LoopLikeOpInterface>();
  Operation *around = value.getParentRegion()->getParentOp();
  auto loop = dyn_cast<LoopLikeOpInterface>(around);
  return loop ? loop : around->getParentOfType<LoopLikeOpInterface>();
}

LogicalResult checkSum(Value pending) {
  Operation *first = nullptr;
  for (OpOperand &use : pending.getUses()) {
    Operation *user = use.getOwner();
    if (isa<cta::ReleaseOp>(user))
      continue;
    if (first) {
      auto error =
          user->emitError()
          << "uses a pending sum that is used already; it stands for registers that change";
      error.attachNote(first->getLoc()) << "the other use";
      return error;
    }
    first = user;
    if (user->getParentOfType<LoopLikeOpInterface>() != loopOf(pending)) {
      auto error = user->emitError()
                   << "uses a pending sum of outside the loop in every iteration; it stands for "
                   << "registers that change; carry it through the loop, or await it before";
      error.attachNote(pending.getLoc()) << "the sum";
      return error;
    }
  }
  if (!first)
    return emitError(pending.getLoc())
           << "a product that is never awaited; `cta.await` makes its result readable";
  return success();
}

//===- The pass -------------------------------------------------------------------------------===//

struct CheckProgram : impl::CheckProgramBase<CheckProgram> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (failed(checkTarget(kernel)))
      return signalPassFailure();
    if (!kernel->hasAttr(cta::kTargetAttr)) // a function for kernels
      return;
    if (failed(checkFlow(kernel)) || failed(checkResources(kernel)) || failed(checkTiles(kernel)) ||
        failed(checkParts(kernel)) || failed(checkRounding(kernel)) ||
        failed(checkValues(kernel)) || failed(checkOrders(kernel)))
      return signalPassFailure();
    for (auto channel : kernel.getOps<cta::ChannelOp>())
      if (failed(checkUse(channel)) ||
          (cta::usesMbarriers(channel) ? failed(checkChannel(channel))
                                       : failed(checkWithinRole(channel))))
        return signalPassFailure();
  }

  LogicalResult checkResources(func::FuncOp kernel) {
    if (int64_t warps = cta::warpsOf(kernel); warps > 32)
      return kernel.emitError() << "has "
                                << (kernel.getOps<cta::RoleOp>().empty() ? "" : "roles of ")
                                << warps << " warps; a block has 32";
    return checkCluster(kernel);
  }

  LogicalResult checkCluster(func::FuncOp kernel) {
    Attribute given = kernel->getAttr(cta::kClusterAttr);
    auto along = dyn_cast_or_null<DenseI64ArrayAttr>(given);
    if (given && (!along || along.empty() || along.size() > int64_t(cta::Cluster::kAxes)))
      return kernel.emitError() << "has `" << cta::kClusterAttr << "` " << given
                                << "; it is the blocks along the first axis of tiles, and along "
                                << "the second: `array<i64: 2>`, `array<i64: 2, 4>`";
    constexpr int64_t kMost = 8;
    int64_t blocks = cta::clusterOf(kernel).blocks();
    if (along &&
        (blocks > kMost || llvm::any_of(along.asArrayRef(), [](int64_t n) { return n < 1; })))
      return kernel.emitError() << "has clusters of " << blocks << " blocks; 1 to " << kMost
                                << " run anywhere";
    return success();
  }

  LogicalResult checkTiles(func::FuncOp kernel) {
    cta::TilesOp first, inTurn;
    llvm::SmallSet<int64_t, 4> taken;
    bool allTaken = false; // a role without turns takes them all
    WalkResult result = kernel.walk([&](cta::TilesOp tiles) {
      if (!first)
        first = tiles;
      Value length = tiles.getLength();
      if (llvm::any_of(tiles->getOperands().drop_back(tiles.getInitArgs().size()),
                       cta::differsAmongWarpgroups) ||
          (length && cta::differsAmongWarpgroups(length))) {
        tiles.emitError() << "goes through other tiles in each warpgroup: an extent, their "
                          << "order, or of how many steps a tile is, depends on `cta.warpgroup`; "
                             "loops and branches "
                          << "in the tiles may";
        return WalkResult::interrupt();
      }
      if (tiles.getTurns() && !inTurn)
        inTurn = tiles;
      if (tiles.getTurn())
        taken.insert(*tiles.getTurn());
      else
        allTaken = true;
      if (tiles.getTurns() && tiles.getTurns() != inTurn.getTurns()) {
        tiles.emitError() << "takes one of " << *tiles.getTurns() << " turns where role \""
                          << cta::roleOf(inTurn).getName() << "\" takes one of "
                          << *inTurn.getTurns() << "; some tiles would be done twice or never";
        return WalkResult::interrupt();
      }
      if (sameTiles(first, tiles))
        return WalkResult::advance();
      auto error = tiles.emitError()
                   << "goes through other tiles than role \"" << cta::roleOf(first).getName()
                   << "\"; all roles share one loop over tiles";
      error.attachNote(first.getLoc()) << "the other loop";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    for (int64_t turn = 0; inTurn && !allTaken && turn < int64_t(*inTurn.getTurns()); ++turn)
      if (!taken.contains(turn))
        return inTurn.emitError() << "takes one of " << *inTurn.getTurns()
                                  << " turns, of which no role "
                                  << "takes turn " << turn << "; its tiles would be left out";
    return success();
  }

  LogicalResult checkValues(func::FuncOp kernel) {
    auto check = [](Value value) {
      if (isa<cta::PendingType>(value.getType()))
        return checkSum(value);
      bool inRole = cta::roleOf(value.getParentBlock()->getParentOp());
      return inRole && isa<cta::SlotType>(value.getType()) ? checkSlot(value) : success();
    };
    WalkResult result = kernel.walk([&](Operation *op) {
      auto tiles = dyn_cast<cta::TilesOp>(op);
      if (tiles && failed(checkHandedOn(tiles)))
        return WalkResult::interrupt();
      if (failed(checkBox(op)))
        return WalkResult::interrupt();
      for (Value value : op->getResults())
        if (failed(check(value)))
          return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Value value : region.getArguments())
          if (failed(check(value)))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkBox(Operation *op) {
    if (auto store = dyn_cast<cta::StoreOp>(op))
      return failure(failed(checkStoreStart(store)) ||
                     failed(checkBoxStart(store, store.getView().getType(), store.getIndices())));
    auto copy = dyn_cast<cta::CopyOp>(op);
    if (!copy)
      return success();
    if (cta::channelOf(copy.getSlot()).getKind() != cta::ChannelKind::Tma)
      return checkVector(copy);
    return failure(failed(checkPartStart(copy)) ||
                   failed(checkBoxStart(copy, copy.getView().getType(), copy.getIndices())));
  }

  /// Somebody fills the slots, and somebody waits for them. Those of stores belong to the stores.
  LogicalResult checkUse(cta::ChannelOp channel) {
    auto users = channel.getResult().getUsers();
    bool isFilled = llvm::any_of(users, llvm::IsaPred<cta::AcquireOp>);
    bool isRead = llvm::any_of(users, llvm::IsaPred<cta::WaitOp>);
    if (channel.getKind() == cta::ChannelKind::Store || (isFilled && isRead))
      return success();
    return channel.emitError() << quoted(channel.getResult(), "channel")
                               << " has slots that nobody " << (isFilled ? "waits for" : "fills");
  }

  LogicalResult checkChannel(cta::ChannelOp channel) {
    SmallVector<Operation *> fills;
    llvm::MapVector<Operation *, SmallVector<Operation *>> takes;
    getOperation().walk([&](Operation *op) {
      if (!isa<cta::AcquireOp, cta::WaitOp>(op) || op->getOperand(0) != channel.getResult())
        return;
      if (isa<cta::AcquireOp>(op))
        fills.push_back(op);
      else
        takes[cta::roleOf(op)].push_back(op);
    });
    std::string name = quoted(channel.getResult(), "channel");
    for (Operation *fill : fills)
      if (cta::roleOf(fill) != cta::roleOf(fills.front()))
        return fill->emitError() << "fills slots of " << name << " in role \""
                                 << cta::roleOf(fill).getName() << "\" beside role \""
                                 << cta::roleOf(fills.front()).getName()
                                 << "\"; one role fills a channel";
    for (auto &[role, slots] : takes)
      if (failed(checkRates(channel, fills, slots)))
        return failure();
    return channel.getMulticast() ? checkMulticast(fills, *channel.getMulticast()) : success();
  }

  /// The blocks of a cluster that are neighbours along an axis differ in it. A tile that they share
  /// must not depend on it.
  LogicalResult checkMulticast(ArrayRef<Operation *> fills, int64_t axis) {
    auto depends = [&](Value value) { return cta::dependsOnTile(value, axis); };
    for (Operation *fill : fills) {
      for (Operation *around : loopsAround(fill))
        if (!isa<cta::TilesOp>(around) && llvm::any_of(around->getOperands(), depends))
          return fill->emitError() << "is `multicast` and stands in a loop or branch that differs "
                                   << "among the blocks of the cluster: it depends on axis " << axis
                                   << " of tiles; take the channel's `multicast` away";
      for (Operation *user : fill->getUsers())
        if (auto copy = dyn_cast<cta::CopyOp>(user))
          if (llvm::any_of(copy.getIndices(), depends))
            return copy.emitError() << "brings each block of the cluster another tile: an index "
                                    << "depends on axis " << axis << " of tiles; take the "
                                    << "channel's `multicast` away, or another index";
    }
    return success();
  }
};

} // namespace
} // namespace tilewright::passes
