// The place of everything in shared memory, and how slots change hands. Later passes do not count
// again: expansion reads offsets, strides and numbers of arrivals.
//
// The order is: the slots of all channels, in the order of the kernel; for each ring the barriers
// of full slots, then of empty slots; those of the queue; scratch memory. Ops of one role do not
// use scratch memory at the same time, so the largest need decides. Each role has its own scratch
// memory. In a kernel without roles, scratch memory reuses the channels' memory after their last
// use, and small reductions of loops have memory of their own behind it, so that threads need not
// wait before they write there.
#include "passes/Passes.h"
#include "passes/analysis/Rings.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/analysis/TileSearch.h"

#include "ir/Target.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_PLANCHANNELS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The op at the kernel's top level after which no channel is used; null in a kernel without
/// channels.
Operation *lastChannelUse(func::FuncOp kernel) {
  Operation *last = nullptr;
  auto reach = [&](Operation *user) {
    Operation *top = kernel.getBody().front().findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(top))
      last = top;
  };
  kernel.walk([&](cta::ChannelOp channel) {
    for (Operation *user : channel.getResult().getUsers()) {
      reach(user);
      llvm::for_each(user->getUsers(), reach); // a slot is used until it is released
    }
  });
  return last;
}

struct PlanChannels : impl::PlanChannelsBase<PlanChannels> {
  void runOnOperation() override {
    kernel = getOperation();
    auto name = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr);
    if (!name || !cta::warpsOf(kernel))
      return;
    end = 0;
    parts.clear();
    std::vector<Channels> rings = ringsOf(kernel);
    placeChannels(rings);
    placeScratch();
    placeOwnScratch();
    placeExchanges();
    kernel->setAttr(cta::kSharedBytesAttr, number(end));
    // A compiled kernel is tried again with smaller tiles. A program is taken as it is written.
    if (!kernel.getOps<cta::RoleOp>().empty() && failed(check(*findTarget(name))))
      signalPassFailure();
  }

private:
  IntegerAttr number(int64_t value) { return Builder(&getContext()).getI32IntegerAttr(value); }

  /// Takes the next bytes, for `what`.
  int64_t take(int64_t bytes, const Twine &what) {
    int64_t start = end;
    end += bytes;
    parts.push_back({what.str(), bytes});
    return start;
  }

  cta::RingAttr makeRing(int64_t number, int64_t depth, int64_t fills, int64_t returns,
                         int64_t bytes) {
    int64_t full = barriersEnd, empty = full + depth * kBarrierBytes;
    barriersEnd = empty + depth * kBarrierBytes;
    return cta::RingAttr::get(&getContext(), number, full, empty, fills, returns, bytes);
  }

  cta::RingAttr makeRing(int64_t number, ArrayRef<cta::ChannelOp> ring) {
    cta::ChannelOp first = ring.front();
    bool copied = first.getKind() == cta::ChannelKind::Tma;
    int64_t bytes = 0;
    for (cta::ChannelOp channel : ring)
      bytes += copied ? panelsOf(channel).bytes() : 0;
    return makeRing(number, first.getResult().getType().getDepth(), fillsOf(ring),
                    reopensOf(ring) * fillersOf(ring), bytes);
  }

  void placeChannels(ArrayRef<Channels> rings) {
    DenseMap<Operation *, int64_t> starts;
    kernel.walk([&](cta::ChannelOp channel) {
      starts[channel] =
          take(channelBytes(channel), "`" + cta::nameOf(channel.getResult(), "channel") + "`");
    });
    int64_t slotsEnd = barriersEnd = end;
    DenseMap<Operation *, cta::RingAttr> ringOf;
    for (auto [i, ring] : llvm::enumerate(rings)) {
      cta::RingAttr attribute = makeRing(i, ring);
      for (cta::ChannelOp channel : ring)
        ringOf[channel] = attribute;
    }
    for (auto [op, start] : starts) {
      auto channel = cast<cta::ChannelOp>(op);
      bool byThreads = channel.getKind() != cta::ChannelKind::Tma &&
                       channel.getKind() != cta::ChannelKind::Store;
      channel.setPlanAttr(cta::PlanAttr::get(&getContext(), start, slotBytes(channel),
                                             /*fenced=*/byThreads && channel.hasPanelLayout(),
                                             ringOf.lookup(channel)));
    }
    int64_t queueSlots = placeQueue(rings.size());
    if (barriersEnd > slotsEnd)
      take(barriersEnd - slotsEnd, "barriers");
    if (queueSlots)
      take(queueSlots, "the queue of tiles");
  }

  /// Places the ring through which tile numbers are handed out, behind all others; returns the
  /// bytes of its slots.
  int64_t placeQueue(int64_t ringNumber) {
    int64_t returns = 0;
    bool found = false;
    for (auto role : kernel.getOps<cta::RoleOp>())
      for (auto tiles : role.getBody().getOps<cta::TilesOp>()) {
        found |= tiles.getQueue();
        returns += cta::isElected(role) ? 1 : role.getWarps(); // one arrival per thread or per warp
      }
    if (!found)
      return 0;
    auto ring = makeRing(ringNumber, kQueueSlots, /*fills=*/1, returns, /*bytes=*/0);
    int64_t bytes = kQueueWordBytes * (1 + searchOfTiles(kernel).found.size());
    kernel->setAttr(cta::kQueueAttr, cta::PlanAttr::get(&getContext(), barriersEnd, bytes,
                                                        /*fenced=*/false, ring));
    return kQueueSlots * bytes;
  }

  /// Places the memory of the exchanges of a cluster. Other blocks write there at any time, so it
  /// is for nothing else.
  void placeExchanges() {
    kernel.walk([&](cta::ClusterReduceOp op) {
      end = llvm::alignTo(end, kScratchAlignment);
      int64_t start = take(Exchange::of(op).bytes(), "an exchange of the cluster");
      op->setAttr(cta::kScratchAttr, number(start));
    });
  }

  /// Places the memory of reductions that no other op uses.
  void placeOwnScratch() {
    kernel.walk([&](Operation *op) {
      int64_t turns = scratchTurns(op);
      if (!turns)
        return;
      end = llvm::alignTo(end, kScratchAlignment);
      int64_t start = take(turns * scratchBytes(op), "scratch memory of a reduction");
      op->setAttr(cta::kScratchAttr, number(start));
      op->setAttr(cta::kScratchTurnsAttr, number(turns));
    });
  }

  /// Places the memory that the ops in `top` share at `start`; returns the largest need.
  int64_t placeScratch(Operation &top, int64_t start) {
    int64_t most = 0;
    top.walk([&](Operation *op) {
      int64_t bytes = scratchTurns(op) ? 0 : scratchBytes(op);
      if (bytes)
        op->setAttr(cta::kScratchAttr, number(start));
      most = std::max(most, bytes);
    });
    return most;
  }

  void placeScratch() {
    bool hasRoles = !kernel.getOps<cta::RoleOp>().empty();
    Operation *last = hasRoles ? nullptr : lastChannelUse(kernel);
    int64_t channelsEnd = end;
    for (Operation &top : kernel.getBody().front()) {
      auto role = dyn_cast<cta::RoleOp>(top);
      if (!role) {
        int64_t start = last && last->isBeforeInBlock(&top) ? 0 : channelsEnd;
        end = std::max(end, start + placeScratch(top, start));
        continue;
      }
      int64_t start = llvm::alignTo(end, kScratchAlignment);
      if (int64_t bytes = placeScratch(top, start))
        take(start - end + bytes, "scratch memory of role \"" + role.getName() + "\"");
    }
  }

  LogicalResult check(const Target &target) {
    if (end <= target.smem)
      return success();
    std::string sum;
    for (auto &[what, bytes] : parts)
      sum += (sum.empty() ? "" : ", ") + what + " " + std::to_string(bytes);
    return kernel.emitError() << "takes " << end << " bytes of shared memory (" << sum
                              << "); a block on " << target.name << " has " << target.smem
                              << "; use smaller tiles or fewer slots";
  }

  func::FuncOp kernel;
  int64_t end = 0;                                    // end of the memory that has been placed
  int64_t barriersEnd = 0;                            // end of the barriers behind the channels
  SmallVector<std::pair<std::string, int64_t>> parts; // the sizes of the parts
};

} // namespace
} // namespace tilewright::passes
