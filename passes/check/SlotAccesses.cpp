// Accesses to a slot while it is open. One that was acquired is written, one that was waited for is
// read. Once a TMA store reads from it, threads leave it alone.
#include "passes/check/SlotAccesses.h"
#include "ir/tile/Parts.h"

#include "passes/analysis/Divisibility.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

static std::string quoted(Value value, StringRef otherwise) {
  return "`" + cta::nameOf(value, otherwise) + "`";
}

/// Whether an accumulator is awaited before an op: itself, as part of a later accumulator, or
/// behind the loop that carries it.
static bool isAwaitedBefore(Value pending, Operation *op) {
  Operation *source = pending.getDefiningOp();
  return llvm::any_of(pending.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getBlock() != source->getBlock())
      return false;
    if (isa<cta::AwaitOp>(user))
      return !op || op->getBlock() != user->getBlock() || user->isBeforeInBlock(op);
    if (isa<cta::MmaOp>(user))
      return isAwaitedBefore(user->getResult(0), op);
    auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
    bool carries = loop && isa<scf::YieldOp>(user) && op && op->getBlock() == loop->getBlock();
    return carries && isAwaitedBefore(loop.getResult(use.getOperandNumber()), op);
  });
}

bool awaitedBefore(cta::MmaOp mma, Operation *op) { return isAwaitedBefore(mma.getResult(), op); }

//===- Filling --------------------------------------------------------------------------------===//

static LogicalResult checkFill(cta::AcquireOp acquire) {
  cta::ChannelKind kind = cta::channelOf(acquire.getSlot()).getKind();
  bool puts = kind == cta::ChannelKind::Put;
  int64_t fills = 0;
  for (Operation *user : acquire->getUsers()) {
    if (isa<cta::GetOp, cta::ElementOp, cta::MmaOp>(user))
      return user->emitError()
             << "reads slot " << quoted(acquire.getSlot(), "slot")
             << ", which was acquired to be filled; only a consumer, which waits for it, reads it";
    if (!isa<cta::CopyOp, cta::PutOp>(user))
      continue;
    if (isa<cta::PutOp>(user) != puts)
      return user->emitError() << "fills a slot of a `" << cta::stringifyChannelKind(kind)
                               << "` channel, which takes "
                               << (puts ? "a register tile: `cta.put`" : "a copy: `cta.copy`");
    if (user->getBlock() != acquire->getBlock())
      return user->emitError()
             << "fills slot " << quoted(acquire.getSlot(), "slot")
             << " in another loop or branch than where it was acquired, which may "
             << "run never or several times; acquire, fill and commit a slot side "
             << "by side";
    ++fills;
  }
  if (fills == 1)
    return success();
  return acquire.emitError() << "is filled by " << fills << (puts ? " puts" : " copies")
                             << "; one fills a slot whole";
}

LogicalResult checkBoxStart(Operation *op, tile::ViewType view, ValueRange indices) {
  int64_t bytes = view.getElementBytes(), step = 16 / std::gcd<int64_t>(16, bytes);
  int64_t divisor = knownDivisor(indices.back());
  if (divisor % step == 0)
    return success();
  return op->emitError() << "starts at an element of a row that is known to be a multiple of "
                         << divisor << " only, not of " << step << "; TMA starts at multiples of "
                         << "16 bytes, and faults elsewhere; multiply the index by the tile's "
                         << "width, or round it with `arith.andi`";
}

LogicalResult checkVector(cta::CopyOp copy) {
  int64_t widest = accessVector(copy.getView().getType(), copy.getIndices(), copy.getExtents());
  int64_t bytes = copy.getView().getType().getElementBytes(), vector = copy.getVector();
  if (vector < 1 || widest % vector != 0)
    return copy.emitError() << "moves " << vector
                            << " elements at a time, but its rows and indices "
                            << "are known to allow " << widest << " only; set `vector` to that, or "
                            << "multiply the last index by the tile's width";
  bool async = cta::channelOf(copy.getSlot()).getKind() == cta::ChannelKind::CpAsync;
  if (async && vector * bytes < 4)
    return copy.emitError() << "moves " << vector * bytes
                            << " bytes at a time; cp.async moves 4, 8 "
                            << "or 16: set `vector` to " << 4 / bytes << " or more"
                            << (widest * bytes < 4
                                    ? ", which takes a view of aligned rows; or take "
                                      "a channel of kind `registers`"
                                    : "");
  return success();
}

LogicalResult checkStoreStart(cta::StoreOp store) {
  for (auto [axis, index] : llvm::enumerate(store.getIndices())) {
    if (!knownNonNegative(index))
      return store.emitError()
             << "starts at an index along axis " << axis << " that is not known "
             << "to be 0 or more; TMA loads zeros from before a view, but a store "
             << "there faults; let the first tile start at 0, or bound the index "
             << "with `arith.maxsi`";
  }
  return success();
}

LogicalResult checkPartStart(cta::CopyOp copy) {
  for (int64_t axis : tile::cutAxes(copy.getView()))
    if (!knownNonNegativeAt(copy, copy.getIndices()[axis]))
      return copy.emitError()
             << "starts at an index along axis " << axis << " that is not known to be 0 or more, "
             << "in a part of a tensor, before which TMA would bring what lies in the tensor; "
             << "let the first tile start at 0, or bound the index with `arith.maxsi`";
  return success();
}

//===- Reading and writing over ---------------------------------------------------------------===//

/// Checks that no other role uses a slot that a store goes through.
static LogicalResult checkOtherReaders(cta::StoreOp store, Value slot) {
  Value channel = cta::channelOf(slot);
  for (Operation *user : channel.getUsers())
    if (isa<cta::WaitOp>(user) && cta::roleOf(user) != cta::roleOf(store)) {
      auto error = store.emitError() << "writes over a slot of " << quoted(channel, "channel")
                                     << ", which role \"" << cta::roleOf(user).getName()
                                     << "\" reads as well; store through a channel of kind `store`";
      error.attachNote(user->getLoc()) << "where it does";
      return error;
    }
  return success();
}

/// Checks that all reads of a slot are over when a store goes through it.
static LogicalResult checkStore(cta::StoreOp store, Value slot, Operation *close) {
  if (!isa<cta::ReleaseOp>(close))
    return store.emitError() << "writes over slot " << quoted(slot, "slot")
                             << ", which is handed on to the next tile; store through one that is "
                             << "released here";
  Block *block = slot.getParentBlock();
  Operation *writes = block->findAncestorOpInBlock(*store);
  for (Operation *user : slot.getUsers()) {
    if (!isa<cta::GetOp, cta::ElementOp, cta::MmaOp>(user))
      continue;
    Operation *reads = block->findAncestorOpInBlock(*user);
    auto mma = dyn_cast<cta::MmaOp>(user);
    bool before = reads->isBeforeInBlock(writes), awaited = !mma || awaitedBefore(mma, store);
    if (before && awaited)
      continue;
    auto error = store.emitError() << "writes over slot " << quoted(slot, "slot");
    if (before)
      error << " while a product reads it; await the product first";
    else
      error << ", which is read again; store when it is done with";
    error.attachNote(user->getLoc()) << (before ? "the product" : "the read");
    return error;
  }
  return checkOtherReaders(store, slot);
}

static LogicalResult checkTake(Value slot, Operation *close) {
  for (Operation *user : slot.getUsers()) {
    if (isa<cta::CopyOp, cta::PutOp>(user))
      return user->emitError() << "fills slot " << quoted(slot, "slot")
                               << ", which was waited for; acquire one to fill it";
    auto store = dyn_cast<cta::StoreOp>(user);
    if (store && failed(checkStore(store, slot, close)))
      return failure();
  }
  return success();
}

LogicalResult checkAccesses(Value slot, Operation *close) {
  auto acquire = slot.getDefiningOp<cta::AcquireOp>();
  return acquire ? checkFill(acquire) : checkTake(slot, close);
}

/// Checks that one role stores through a channel: only its own threads know when TMA has read a
/// slot.
static LogicalResult checkStores(cta::ChannelOp channel) {
  Operation *first = nullptr;
  SmallVector<Operation *> users(channel.getResult().getUsers());
  for (Operation *user : llvm::reverse(users)) { // as they stand in the program
    if (!isa<cta::StoreOp>(user))
      return user->emitError() << "opens a slot of " << quoted(channel.getResult(), "channel")
                               << ", a channel of kind `store`; its slots belong to stores";
    if (first && cta::roleOf(first) != cta::roleOf(user)) {
      auto error =
          user->emitError()
          << "goes through slots of " << quoted(channel.getResult(), "channel") << " beside role \""
          << cta::roleOf(first).getName()
          << "\", whose stores it would overwrite; declare a `store` channel for each role";
      error.attachNote(first->getLoc()) << "where that role does";
      return error;
    }
    first = user;
  }
  return success();
}

LogicalResult checkWithinRole(cta::ChannelOp channel) {
  if (channel.getKind() == cta::ChannelKind::Store)
    return checkStores(channel);
  for (Operation *turn : channel.getResult().getUsers())
    for (Operation *access : turn->getUsers())
      if (isa<cta::StoreOp>(access))
        return access->emitError() << "goes through a slot that no other role has filled; store "
                                   << "through a channel of kind `store`";
  return success();
}

} // namespace tilewright::passes
