#include "passes/plan/Meetings.h"
#include "passes/analysis/CheapOps.h"
#include "passes/analysis/SharedMemory.h"

using namespace mlir;

namespace tilewright::passes {

std::optional<Meeting> Meeting::of(Operation *op) {
  if (!isa<tile::ReduceOp, cta::JointReduceOp>(op))
    return std::nullopt;
  Meeting meeting{op, {}};
  if (op->getResult(0).hasOneUse())
    meeting.cluster = dyn_cast<cta::ClusterReduceOp>(*op->user_begin());
  if (meeting.cluster && (meeting.cluster->getBlock() != op->getBlock() ||
                          !llvm::equal(meeting.cluster.getParts(), op->getResults())))
    return std::nullopt;
  if (!meeting.cluster && !scratchBytes(op))
    return std::nullopt;
  return meeting;
}

int64_t Meeting::axis() const {
  auto joint = dyn_cast<cta::JointReduceOp>(reduce);
  return joint ? joint.getAxis() : cast<tile::ReduceOp>(reduce).getAxis();
}

tile::ReduceKind Meeting::kind() const {
  auto joint = dyn_cast<cta::JointReduceOp>(reduce);
  return joint ? joint.getKind() : cast<tile::ReduceOp>(reduce).getKind();
}

Operation *Meeting::last() const {
  return cluster ? cta::ClusterReduceOp(cluster).getOperation() : reduce;
}

bool Meeting::mayEndBefore(const Meeting &later) const {
  if (!later.cluster)
    return true;
  for (Operation *op = reduce; op != later.reduce; op = op->getNextNode())
    if (isa<tile::LoadOp>(op) || op->getNumRegions() > 0)
      return false;
  return true;
}

void Meeting::erase() {
  if (cluster)
    cluster.erase();
  reduce->erase();
}

void forEachBlock(func::FuncOp function, function_ref<void(Block &)> visit) {
  if (!function->hasAttr(tile::kKernelAttr))
    return;
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    visit(*block);
}

/// Collects what must move in front of `place` so that `op` can, in order. False if it cannot: it
/// needs a reduction, or an op that is more than arithmetic.
static bool collect(Operation *op, Operation *place, SetVector<Operation *> &moved) {
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return true;
  if (!isPure(op) || op->getNumRegions() > 0 || meets(op) || isa<cta::ConvertOp>(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand.getDefiningOp(), place, moved))
      return false;
  moved.insert(op);
  return true;
}

bool bringBefore(Value tile, Operation *place) {
  SetVector<Operation *> moved;
  if (!collect(tile.getDefiningOp(), place, moved))
    return false;
  for (Operation *op : moved)
    op->moveBefore(place);
  return true;
}

} // namespace tilewright::passes
