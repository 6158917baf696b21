//===- CudaTimelineOps.cpp - rules of the ops that write a timeline ---------------------------===//
#include "ir/cuda/Cuda.h"
#include "support/Timeline.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cuda;

template <typename Op> static LogicalResult verifyLane(Op op) {
  if (Type element = op.getEvents().getType().getElementType(); !element.isInteger(32)) // C1
    return op.emitOpError() << "writes stamps of i32, not of " << element;
  RegsType cursor = op.getCursor().getType();
  if (cursor.getSize() != 1 || !cursor.getElementType().isInteger(32)) // C2
    return op.emitOpError() << "has one i32 as cursor, not " << cursor;
  return success();
}

template <typename Op> static LogicalResult verifyPlace(Op op) {
  if (op.getPlace() < 1) // C3
    return op.emitOpError() << "stamps places from 1 on, not " << op.getPlace();
  return verifyLane(op);
}

/// C3, for a lane that must have room for so many stamps behind its edges.
template <typename Op> static LogicalResult verifyCapacity(Op op, int64_t room) {
  int64_t least = kTimelineEdgeStamps + room;
  if (!llvm::isPowerOf2_64(op.getCapacity()) || op.getCapacity() < uint64_t(least))
    return op.emitOpError() << "has lanes of a power of two stamps, at least " << least << ", not "
                            << op.getCapacity();
  return verifyLane(op);
}

LogicalResult StampOp::verify() { return verifyPlace(*this); }
LogicalResult StampedWaitOp::verify() { return verifyPlace(*this); }
LogicalResult StampEdgeOp::verify() { return verifyCapacity(*this, /*room=*/0); }
LogicalResult StampRunOp::verify() {
  if (getTakes() < 1 || getTakes() > getLongest()) // C3
    return emitOpError() << "has records of 1 to " << getLongest() << " stamps, not " << getTakes();
  if (getRun() < 1) // C4
    return emitOpError() << "counts runs from 1 on, not " << getRun();
  return verifyCapacity(*this, 2 * int64_t(getLongest()));
}
