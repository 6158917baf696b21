//===- CudaTimelineOps.cpp - rules of the ops that write a timeline ---------------------------===//
#include "ir/cuda/Cuda.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cuda;

template <typename Op> static LogicalResult verifyRecords(Op op) {
  if (op.getCapacity() < 4 || !llvm::isPowerOf2_64(op.getCapacity())) // C1
    return op.emitOpError() << "has lanes of a power of two records, at least 4, not "
                            << op.getCapacity();
  if (Type element = op.getEvents().getType().getElementType(); !element.isInteger(32)) // C2
    return op.emitOpError() << "writes records of i32, not of " << element;
  RegsType cursor = op.getCursor().getType();
  if (cursor.getSize() != 1 || !cursor.getElementType().isInteger(32)) // C3
    return op.emitOpError() << "has one i32 as cursor, not " << cursor;
  return success();
}

LogicalResult StampOp::verify() {
  if (getEvent() < 1) // C4
    return emitOpError() << "writes events from 1 on, not " << getEvent();
  return verifyRecords(*this);
}
LogicalResult StampEdgeOp::verify() { return verifyRecords(*this); }
