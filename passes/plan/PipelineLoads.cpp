// Copies into channels run ahead of the products that read them. A loop
//
//   for n in [lo, hi): acquire; copy(n); commit; wait; multiply; release
//
// becomes, with d slots,
//
//   for s in [0, d-1): acquire; copy(lo+s) if lo+s < hi; commit          (prologue)
//   for n in [lo, hi): wait; acquire; copy(n+d-1) if n+d-1 < hi; commit; multiply; release
//
// so that d-1 copies are under way while the loop multiplies. The last d-1 slots stay committed,
// and hold nothing; where the ring is used again, because a loop around this one comes back, they
// are waited for and released behind it (epilogue). The slot acquired in an iteration is the one
// released in the iteration before, which every thread has left once it passed the wait. Channels
// filled through registers (where the hardware has no asynchronous copy, or the data no alignment
// for it) have two slots and commit at the end of the iteration instead: the loads are in flight
// during the products, the stores to shared memory follow them. (Loads of single narrow elements
// would take more registers than products leave; they too follow the products.)
//
// Loops that were split from one loop are one iteration space: the prologue stands before the
// first, and each prefetches into the next.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/plan/Adjust.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_PIPELINELOADS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The producer's side of a load in a loop body.
struct Fill {
  cta::AcquireOp acquire;
  cta::CopyOp copy;
  cta::CommitOp commit;
  cta::WaitOp wait;
  /// `in_bounds` that holds in every loop of the group.
  DenseBoolArrayAttr inBounds;
  cta::ChannelOp channel() { return acquire.getChannel().getDefiningOp<cta::ChannelOp>(); }
};

/// Loops that run one after the other over one iteration space, with the fills of each.
struct LoopGroup {
  SmallVector<scf::ForOp> loops;
  SmallVector<SmallVector<Fill>> fills; // for each loop, with channels in the same order
};

/// Collects the scalar ops in the loop that `value` needs, in order. Fails if it depends on
/// anything except the counter and values from outside.
LogicalResult collectScalars(Value value, scf::ForOp loop, SetVector<Operation *> &ops) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return success();
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != loop || op->getNumRegions() || !isMemoryEffectFree(op))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collectScalars(operand, loop, ops)))
      return failure();
  ops.insert(op);
  return success();
}

/// Collects those that the address of a copy needs.
LogicalResult collectPlace(cta::CopyOp copy, scf::ForOp loop, SetVector<Operation *> &ops) {
  if (failed(collectScalars(copy.getView(), loop, ops)))
    return failure();
  return success(llvm::all_of(
      copy.getIndices(), [&](Value index) { return succeeded(collectScalars(index, loop, ops)); }));
}

/// True if the loop writes to a view's tensor: a later iteration may load what this one stores.
bool writesTo(scf::ForOp loop, Value view) {
  return llvm::any_of(usersOf(view), [&](Operation *user) {
    return isa<tile::StoreOp, tile::AtomicOp>(user) && loop->isAncestor(user);
  });
}

/// The fills that stand directly in the loop's body and depend only on its counter.
SmallVector<Fill> findFills(scf::ForOp loop) {
  SmallVector<Fill> fills;
  for (auto copy : loop.getBody()->getOps<cta::CopyOp>()) {
    Fill fill;
    fill.copy = copy;
    fill.acquire = copy.getSlot().getDefiningOp<cta::AcquireOp>();
    for (Operation *user : copy.getSlot().getUsers())
      if (auto commit = dyn_cast<cta::CommitOp>(user))
        fill.commit = commit;
    for (Operation *user : fill.acquire.getChannel().getUsers())
      if (auto wait = dyn_cast<cta::WaitOp>(user); wait && wait->getBlock() == loop.getBody())
        fill.wait = wait;
    SetVector<Operation *> scalars;
    // One with a predicate runs ahead already (load-ahead).
    bool movable = !copy.getPredicate() && succeeded(collectPlace(copy, loop, scalars));
    if (movable && fill.commit && fill.wait && !writesTo(loop, copy.getView()))
      fills.push_back(fill);
  }
  return fills;
}

SmallVector<LoopGroup> findGroups(func::FuncOp kernel) {
  SmallVector<LoopGroup> groups;
  kernel.walk([&](scf::ForOp loop) {
    SmallVector<Fill> fills = findFills(loop);
    if (fills.empty())
      return;
    auto segment = loop->getAttrOfType<IntegerAttr>(tile::kSegmentAttr);
    bool continues = segment && segment.getInt() > 0;
    auto before = llvm::find_if(llvm::reverse(groups), [&](const LoopGroup &group) {
      return group.loops.back()->getBlock() == loop->getBlock();
    });
    if (continues && before != groups.rend() && before->fills.front().size() == fills.size()) {
      bool same = true;
      for (auto [a, b] : llvm::zip(before->fills.front(), fills))
        same &= a.channel() == b.channel();
      if (same) {
        before->loops.push_back(loop);
        before->fills.push_back(fills);
        return;
      }
    }
    groups.push_back({{loop}, {fills}});
  });
  return groups;
}

class LoopPipeliner {
public:
  LoopPipeliner(LoopGroup &group, int64_t depth) : group(group), depth(depth) {}

  void run() {
    // Before any copy goes: the bounds of one are those of all.
    for (auto &fills : group.fills)
      for (auto [position, fill] : llvm::enumerate(fills))
        fill.inBounds = commonBounds(position);
    for (Fill &fill : group.fills.front())
      deepen(fill.channel(), depthOf(fill));
    emitPrologue();
    if (!isa<func::FuncOp>(group.loops.front()->getParentOp()))
      emitEpilogue();
    for (auto [loop, fills] : llvm::zip(group.loops, group.fills))
      for (Fill &fill : llvm::reverse(fills)) // each is inserted right after the waits
        prefetch(loop, fill);
  }

private:
  bool staged(Fill &fill) { return fill.channel().getKind() == cta::ChannelKind::Registers; }
  int64_t depthOf(Fill &fill) { return staged(fill) ? 2 : depth; }
  /// Whether a fill loads elements of less than a word, each of which takes a register: too many to
  /// hold during a product.
  bool narrow(Fill &fill) {
    return fill.copy.getVector() * fill.copy.getView().getType().getElementBytes() < 4;
  }
  Value upperBound() { return group.loops.back().getUpperBound(); }

  static void deepen(cta::ChannelOp channel, int64_t depth) {
    auto type = channel.getResult().getType();
    channel.getResult().setType(cta::ChannelType::get(type.getContext(), depth, type.getTile()));
  }

  /// Emits acquire and copy for the iteration `counter`. The caller emits the commit.
  Value emitCopy(OpBuilder &builder, scf::ForOp loop, Fill &fill, Value counter);
  /// The counter of the iteration that follows `iterations` after that of `counter`.
  Value later(OpBuilder &builder, Location loc, Value counter, int64_t iterations);
  DenseBoolArrayAttr commonBounds(size_t position);
  void emitPrologue();
  void emitEpilogue();
  void prefetch(scf::ForOp loop, Fill &fill);

  LoopGroup &group;
  int64_t depth;
};

DenseBoolArrayAttr LoopPipeliner::commonBounds(size_t position) {
  SmallVector<bool> common;
  for (auto &fills : group.fills) {
    auto bounds = fills[position].copy.getInBounds();
    if (!bounds)
      return {};
    if (common.empty())
      common.assign(bounds->begin(), bounds->end());
    for (size_t i = 0; i < common.size(); ++i)
      common[i] = common[i] && (*bounds)[i];
  }
  return DenseBoolArrayAttr::get(group.loops.front().getContext(), common);
}

Value LoopPipeliner::emitCopy(OpBuilder &builder, scf::ForOp loop, Fill &fill, Value counter) {
  Location loc = fill.copy.getLoc();
  SetVector<Operation *> scalars;
  (void)collectPlace(fill.copy, loop, scalars);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), counter);
  for (Operation *op : scalars)
    builder.clone(*op, mapping);
  SmallVector<Value> indices;
  for (Value index : fill.copy.getIndices())
    indices.push_back(mapping.lookupOrDefault(index));
  Value inside =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, counter, upperBound());
  Value slot = builder.create<cta::AcquireOp>(loc, fill.acquire.getSlot().getType(),
                                              fill.acquire.getChannel());
  Value view = mapping.lookupOrDefault<Value>(fill.copy.getView());
  builder.create<cta::CopyOp>(loc, view, indices, slot, inside, fill.copy.getExtentsAttr(),
                              fill.copy.getValidAttr(), fill.inBounds, fill.copy.getVectorAttr(),
                              fill.copy.getFillAttr());
  return slot;
}

Value LoopPipeliner::later(OpBuilder &builder, Location loc, Value counter, int64_t iterations) {
  if (iterations == 0)
    return counter;
  Value distance = builder.createOrFold<arith::MulIOp>(
      loc, group.loops.front().getStep(),
      builder.create<arith::ConstantIntOp>(loc, iterations, 32));
  return builder.create<arith::AddIOp>(loc, counter, distance);
}

void LoopPipeliner::emitPrologue() {
  scf::ForOp first = group.loops.front();
  OpBuilder builder(first);
  // Waits for other data that the loops need come after the copies of the prologue have started.
  Operation *before = first;
  while (isa_and_nonnull<cta::WaitOp>(before->getPrevNode()))
    before = before->getPrevNode();
  // The bound of the last loop must be defined there.
  Operation *boundOp = upperBound().getDefiningOp();
  if (boundOp && boundOp->getBlock() == first->getBlock() && !boundOp->isBeforeInBlock(before))
    before = first;
  builder.setInsertionPoint(before);
  for (int64_t stage = 0; stage + 1 < depth; ++stage)
    for (Fill &fill : group.fills.front()) {
      if (stage + 1 >= depthOf(fill))
        continue;
      Location loc = fill.copy.getLoc();
      Value counter = later(builder, loc, first.getLowerBound(), stage);
      Value slot = emitCopy(builder, first, fill, counter);
      builder.create<cta::CommitOp>(loc, slot);
    }
}

void LoopPipeliner::emitEpilogue() {
  OpBuilder builder(group.loops.back().getContext());
  builder.setInsertionPointAfter(group.loops.back());
  SmallVector<Value> slots;
  for (Fill &fill : group.fills.front())
    for (int64_t stage = 0; stage + 1 < depthOf(fill); ++stage)
      slots.push_back(builder.create<cta::WaitOp>(fill.wait.getLoc(), fill.wait.getSlot().getType(),
                                                  fill.wait.getChannel()));
  for (Value slot : slots)
    builder.create<cta::ReleaseOp>(slot.getLoc(), slot);
}

void LoopPipeliner::prefetch(scf::ForOp loop, Fill &fill) {
  OpBuilder builder(loop.getContext());
  // After all adjacent waits, which then share one barrier.
  Operation *last = fill.wait;
  while (isa<cta::WaitOp>(last->getNextNode()))
    last = last->getNextNode();
  builder.setInsertionPointAfter(last);
  Location loc = fill.copy.getLoc();
  Value ahead = later(builder, loc, loop.getInductionVar(), depthOf(fill) - 1);
  if (staged(fill) && narrow(fill))
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value slot = emitCopy(builder, loop, fill, ahead);
  if (staged(fill))
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  builder.create<cta::CommitOp>(loc, slot);
  fill.commit.erase();
  fill.copy.erase();
  fill.acquire.erase();
}

/// Bytes of all channels if those of `group` have `depth` slots.
int64_t sharedBytes(func::FuncOp kernel, LoopGroup &group, int64_t depth) {
  DenseSet<Operation *> deepened;
  for (Fill &fill : group.fills.front())
    deepened.insert(fill.channel());
  int64_t bytes = 0;
  kernel.walk([&](cta::ChannelOp channel) {
    int64_t slots = deepened.contains(channel) ? depth : channel.getResult().getType().getDepth();
    bytes += channelBytes(channel, slots);
  });
  return bytes;
}

struct PipelineLoads : impl::PipelineLoadsBase<PipelineLoads> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto targetName = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr);
    if (!targetName)
      return;
    const Target &target = *findTarget(targetName);
    int64_t stages = kernel->getAttrOfType<IntegerAttr>(cta::kStagesAttr).getInt();
    int64_t warps = kernel->getAttrOfType<IntegerAttr>(cta::kWarpsAttr).getInt();
    for (LoopGroup &group : findGroups(kernel)) {
      auto why = explain(group.loops.front(), "pipeline-loads");
      int64_t depth = chooseDepth(kernel, group, target, warps, stages, why);
      why.with("slots", depth)
              .with("loads", int64_t(group.fills.front().size()))
              .with("bytes", sharedBytes(kernel, group, depth))
          << depth << " slots for " << group.fills.front().size() << " loads";
      if (depth > 1)
        LoopPipeliner(group, depth).run();
    }
  }

  /// The stated depth, if it fits. Else up to three slots, but no third one that would cost a block
  /// per SM: the blocks that share an SM overlap better than the stages of one block (attention, D
  /// = 128: 341 TFLOP/s with 2 slots and 2 blocks, 252 with 3 and 1).
  static int64_t chooseDepth(func::FuncOp kernel, LoopGroup &group, const Target &target,
                             int64_t warps, int64_t stages, Explanation &why) {
    auto fits = [&](int64_t depth) {
      return sharedBytes(kernel, group, depth) <= target.smem - kReservedSharedBytes;
    };
    auto blocks = [&](int64_t depth) {
      int64_t byRegisters = Target::kRegistersPerSm / (256 * kLanes * warps);
      int64_t bytes = sharedBytes(kernel, group, depth) + kReservedSharedBytes;
      return std::min(std::max<int64_t>(1, byRegisters), target.smemPerSm / bytes);
    };
    int64_t depth = stages ? stages : kUsualStages;
    auto rather = [&](int64_t slots, const Twine &reason) {
      why.rather(std::to_string(slots) + " slots", reason.str());
    };
    for (; depth > 1 && !fits(depth); --depth)
      rather(depth, "they take " + Twine(sharedBytes(kernel, group, depth)) + " bytes, of " +
                        Twine(target.smem - kReservedSharedBytes));
    if (!stages && depth == 3 && blocks(3) < blocks(2)) {
      rather(depth,
             "an SM would hold " + Twine(blocks(3)) + " blocks instead of " + Twine(blocks(2)));
      depth = 2;
    }
    return depth;
  }
};

} // namespace
} // namespace tilewright::passes
