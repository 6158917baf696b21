// Reductions that do not need each other, for which threads meet once. In the gradient of a norm a
// row has two to four of them; each is two barriers of the block and, where a cluster shares the
// row, a message to every other block, and nothing is loaded meanwhile.
#include "passes/Passes.h"
#include "passes/analysis/SharedMemory.h"
#include "passes/say/Explain.h"

#include "ir/cta/Cta.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_JOINREDUCTIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "join-reductions";

/// A reduction for which warps or blocks meet.
struct Meeting {
  tile::ReduceOp reduce;
  cta::ClusterReduceOp cluster; ///< Null if blocks do not.

  static std::optional<Meeting> of(tile::ReduceOp reduce) {
    cta::ClusterReduceOp cluster;
    if (reduce->hasOneUse())
      cluster = dyn_cast<cta::ClusterReduceOp>(*reduce->user_begin());
    if (cluster && cluster->getBlock() != reduce->getBlock())
      return std::nullopt;
    if (!cluster && !scratchBytes(reduce))
      return std::nullopt;
    return Meeting{reduce, cluster};
  }

  bool isLike(const Meeting &other) const {
    tile::ReduceOp mine = reduce, others = other.reduce;
    return mine.getSource().getType() == others.getSource().getType() &&
           mine.getResult().getType() == others.getResult().getType() &&
           mine.getAxis() == others.getAxis() && mine.getKind() == others.getKind() &&
           !cluster == !other.cluster;
  }
  /// The op whose result the kernel uses.
  Operation *last() const { return cluster ? cluster : static_cast<Operation *>(reduce); }
};

} // namespace

/// Collects what must move in front of `place` so that `op` can, in order. False if it cannot: it
/// needs a reduction, or an op that is more than arithmetic.
static bool collect(Operation *op, Operation *place, SetVector<Operation *> &moved) {
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return true;
  bool isArithmetic =
      isPure(op) && op->getNumRegions() == 0 &&
      !isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp, cta::JointReduceOp, cta::ConvertOp>(op);
  if (!isArithmetic)
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand.getDefiningOp(), place, moved))
      return false;
  moved.insert(op);
  return true;
}

/// Moves what `later` reduces in front of `place`, if that is possible.
static bool bring(const Meeting &later, Operation *place) {
  tile::ReduceOp reduce = later.reduce;
  SetVector<Operation *> moved;
  if (!collect(reduce.getSource().getDefiningOp(), place, moved))
    return false;
  for (Operation *op : moved)
    op->moveBefore(place);
  return true;
}

/// Makes one reduction of several, at the place of the first.
static void join(ArrayRef<Meeting> meetings) {
  Meeting first = meetings.front();
  OpBuilder builder(first.reduce);
  SmallVector<Value> sources;
  for (Meeting meeting : meetings)
    sources.push_back(meeting.reduce.getSource());
  SmallVector<Type> types(sources.size(), first.reduce.getResult().getType());
  Operation *joint = builder.create<cta::JointReduceOp>(
      first.reduce.getLoc(), types, first.reduce.getKind(), sources, first.reduce.getAxis());
  if (first.cluster)
    joint = builder.create<cta::ClusterReduceOp>(first.cluster.getLoc(), types,
                                                 first.cluster.getKind(), joint->getResults());
  for (auto [meeting, whole] : llvm::zip(meetings, joint->getResults())) {
    meeting.last()->getResult(0).replaceAllUsesWith(whole);
    if (meeting.cluster)
      cta::ClusterReduceOp(meeting.cluster).erase();
    tile::ReduceOp(meeting.reduce).erase();
  }
  explain(joint, kFlag).with("reductions", int64_t(meetings.size()))
      << meetings.size() << " reductions do not need each other, and threads meet once for them";
}

static void joinIn(Block &block) {
  SmallVector<Meeting> open;
  for (auto reduce : block.getOps<tile::ReduceOp>())
    if (auto meeting = Meeting::of(reduce))
      open.push_back(*meeting);
  while (open.size() > 1) {
    SmallVector<Meeting> together{open.front()}, others;
    for (const Meeting &later : ArrayRef(open).drop_front())
      (later.isLike(open.front()) && bring(later, open.front().reduce) ? together : others)
          .push_back(later);
    if (together.size() > 1)
      join(together);
    open = std::move(others);
  }
}

namespace {
struct JoinReductions : impl::JoinReductionsBase<JoinReductions> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      joinIn(*block);
  }
};
} // namespace

} // namespace tilewright::passes
