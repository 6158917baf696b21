//===- CudaTimelineOps.cpp - rules of the ops that write a timeline ---------------------------===//
#include "ir/cuda/Cuda.h"
#include "support/Timeline.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cuda;

LogicalResult StartLaneOp::verify() {
  if (Type element = getEvents().getType().getElementType(); !element.isInteger(32)) // C1
    return emitOpError() << "writes stamps of i32, not of " << element;
  int64_t least = kTimelineEdgeStamps + 2 * int64_t(getLongest());
  if (int64_t(getCapacity()) < least) // C2
    return emitOpError() << "has room for " << getCapacity() << " stamps; it needs " << least;
  return success();
}

template <typename Op> static LogicalResult verifyLane(Op op) {
  if (!op.getLane().template getDefiningOp<StartLaneOp>()) // C1
    return op.emitOpError() << "has a lane that no `cuda.start_lane` has started";
  return success();
}

template <typename Op> static LogicalResult verifyPlace(Op op) {
  if (op.getPlace() < 1) // C2
    return op.emitOpError() << "stamps places from 1 on, not " << op.getPlace();
  return verifyLane(op);
}

LogicalResult StampOp::verify() { return verifyPlace(*this); }
LogicalResult StampedWaitOp::verify() { return verifyPlace(*this); }
LogicalResult EndLaneOp::verify() { return verifyLane(*this); }
LogicalResult StampRunOp::verify() {
  if (failed(verifyLane(*this)))
    return failure();
  uint64_t longest = getLane().getDefiningOp<StartLaneOp>().getLongest();
  if (getTakes() < 1 || getTakes() > longest) // C2
    return emitOpError() << "has records of 1 to " << longest << " stamps, not " << getTakes();
  if (getRun() < 1) // C3
    return emitOpError() << "counts runs from 1 on, not " << getRun();
  return success();
}
