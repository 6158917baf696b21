// Time stamps (docs/timeline.md). A lane is written by one thread: of its role, or, in a role of
// whole warpgroups, of a warpgroup: the thread whose `open` is true, which does not change. All
// threads have the lane.
#include "passes/lower/Expander.h"
#include "support/Timeline.h"

namespace tilewright::passes {

using namespace mlir;

/// A number of the kernel's timeline, or how many entries a list of it has; 0 without a timeline.
int64_t Expander::timelineNumber(StringRef key) {
  auto timeline = kernel->getAttrOfType<DictionaryAttr>(cta::kTimelineAttr);
  if (!timeline)
    return 0;
  Attribute entry = timeline.get(key);
  auto list = dyn_cast<ArrayAttr>(entry);
  return list ? int64_t(list.size()) : cast<IntegerAttr>(entry).getInt();
}

void Expander::startLane() {
  if (!events)
    return;
  int64_t capacity = timelineNumber("capacity"), lanes = timelineNumber("lanes");
  int64_t number = role ? role->getAttrOfType<IntegerAttr>(cta::kLaneAttr).getInt() : 0;
  bool byWarpgroup = role && !elected && cta::firstWarp(role) % cta::kWarpsPerWarpgroup == 0 &&
                     warps % cta::kWarpsPerWarpgroup == 0;
  auto isZero = [&](Value number) { return equal(number, constant(0)); };
  Value own = constant(number), writes;
  if (byWarpgroup) {
    writes = isZero(warpgroupThread);
    own = add(own, div(warp, cta::kWarpsPerWarpgroup));
  } else if (!elected) {
    writes = isZero(role ? add(mul(warp, kLanes), lane) : thread);
  }
  Value block = builder.create<cuda::BlockIdOp>(loc, builder.getI32Type());
  Value recorded = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, block,
                                                 constant(kTimelineBlocks));
  Value first = mul(add(mul(block, lanes), own), capacity);
  timelineLane = builder.create<cuda::StartLaneOp>(
      NameLoc::get(builder.getStringAttr("timeline"), loc),
      cuda::LaneType::get(builder.getContext()), events, first, capacity, timelineNumber("longest"),
      both(writes, recorded));
}

void Expander::endLane() {
  if (!events)
    return;
  builder.create<cuda::EndLaneOp>(loc, timelineLane);
  timelineLane = {};
}

LogicalResult Expander::expandStamp(cta::StampOp op) {
  Value from = op.getFrom() ? scalar(op.getFrom()) : Value();
  builder.create<cuda::StampOp>(loc, timelineLane, op.getPlace(), from);
  return success();
}

LogicalResult Expander::expandStampRun(cta::StampRunOp op) {
  builder.create<cuda::StampRunOp>(loc, timelineLane, op.getRun(), op.getTakes());
  return success();
}

LogicalResult Expander::expandMbarrierWait(cuda::MbarrierWaitOp op) {
  if (auto place = op->getAttrOfType<IntegerAttr>(cta::kStampAttr))
    builder.create<cuda::StampedWaitOp>(loc, scalar(op.getBarrier()), scalar(op.getParity()),
                                        timelineLane, place.getInt());
  else
    builder.clone(*op, scalars);
  return success();
}

} // namespace tilewright::passes
