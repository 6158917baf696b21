// Reductions that do not need each other, for which threads meet once. In the gradient of a norm a
// row has two to four of them; each is two barriers of the block and, where a cluster shares the
// row, a message to every other block, and nothing is loaded meanwhile.
#include "passes/plan/Meetings.h"
#include "passes/say/Explain.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_JOINREDUCTIONS
#include "passes/Passes.h.inc"

using namespace mlir;

static constexpr StringLiteral kFlag = "join-reductions";

static bool isLike(const Meeting &a, const Meeting &b) {
  return a.sources().front().getType() == b.sources().front().getType() &&
         a.reduce->getResultTypes() == b.reduce->getResultTypes() && a.axis() == b.axis() &&
         a.kind() == b.kind() && !a.cluster == !b.cluster;
}

/// Makes one reduction of several, at the place of the first.
static void join(MutableArrayRef<Meeting> meetings) {
  Meeting first = meetings.front();
  OpBuilder builder(first.reduce);
  SmallVector<Value> sources;
  for (const Meeting &meeting : meetings)
    sources.push_back(meeting.sources().front());
  SmallVector<Type> types(sources.size(), first.reduce->getResult(0).getType());
  Operation *joint = builder.create<cta::JointReduceOp>(first.reduce->getLoc(), types, first.kind(),
                                                        sources, first.axis());
  if (first.cluster)
    joint = builder.create<cta::ClusterReduceOp>(first.cluster.getLoc(), types, first.kind(),
                                                 joint->getResults(), /*moments=*/IntegerAttr());
  for (auto [meeting, whole] : llvm::zip(meetings, joint->getResults())) {
    meeting.last()->getResult(0).replaceAllUsesWith(whole);
    meeting.erase();
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
      (isLike(later, open.front()) && open.front().mayEndBefore(later) &&
               bringBefore(later.sources().front(), open.front().reduce)
           ? together
           : others)
          .push_back(later);
    if (together.size() > 1)
      join(together);
    open = std::move(others);
  }
}

namespace {
struct JoinReductions : impl::JoinReductionsBase<JoinReductions> {
  void runOnOperation() override { forEachBlock(getOperation(), joinIn); }
};
} // namespace

} // namespace tilewright::passes
