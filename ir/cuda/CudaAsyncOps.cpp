//===- CudaAsyncOps.cpp - rules of barriers, copies and products of a warpgroup ---------------===//
#include "ir/PanelLayout.h"
#include "ir/cuda/Cuda.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cuda;

LogicalResult MbarrierInitOp::verify() {
  if (getCount() < 1 || getCount() >= 1 << 20) // C1
    return emitOpError() << "takes 1 to 1048575 arrivals, not " << getCount();
  return success();
}

/// Checks how many threads meet at a named barrier.
static LogicalResult verifyThreads(Operation *op, int64_t threads) {
  if (threads < 32 || threads > 1024 || threads % 32 != 0) // C1
    return op->emitOpError() << "counts 32 to 1024 threads in whole warps, not " << threads;
  return success();
}
LogicalResult NamedBarrierSyncOp::verify() { return verifyThreads(*this, getThreads()); }
LogicalResult NamedBarrierArriveOp::verify() { return verifyThreads(*this, getThreads()); }

static LogicalResult verifyBudget(Operation *op, int64_t count) {
  if (count < 24 || count > 256 || count % 8 != 0) // C1
    return op->emitOpError() << "sets a multiple of 8 from 24 to 256 registers, not " << count;
  return success();
}
LogicalResult IncreaseRegistersOp::verify() { return verifyBudget(*this, getCount()); }
LogicalResult DecreaseRegistersOp::verify() { return verifyBudget(*this, getCount()); }

//===- Tensor maps and TMA --------------------------------------------------------------------===//

int64_t TensorMapType::getBytes() const {
  return getBox().getNumElements() * getBox().getElementTypeBitWidth() / 8;
}

LogicalResult TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                                    RankedTensorType box, int64_t swizzle, bool tf32) {
  if (!box.getElementType().isIntOrFloat() || box.getElementTypeBitWidth() % 8 != 0)
    return emitError() << "a tensor map has no elements of " << box.getElementType();
  if (box.getRank() < 1 || box.getRank() > 5) // C1
    return emitError() << "a box has 1 to 5 axes, not " << box.getRank();
  for (int64_t extent : box.getShape())
    if (extent < 1 || extent > 256)
      return emitError() << "an axis of a box has 1 to 256 elements, not " << extent;
  if (!isSwizzle(swizzle)) // C3
    return emitError() << "a swizzle is 0, 32, 64 or 128 bytes wide, not " << swizzle;
  int64_t inner = box.getShape().back() * box.getElementTypeBitWidth() / 8;
  if (inner % 16 != 0) // C2
    return emitError() << "the innermost axis of a box is a multiple of 16 bytes, not " << inner;
  if (swizzle && inner > swizzle)
    return emitError() << "the innermost axis of a box, " << inner
                       << " bytes, is wider than its swizzle of " << swizzle;
  if (tf32 && !box.getElementType().isF32()) // C4
    return emitError() << "only f32 is rounded to tf32, not " << box.getElementType();
  return success();
}

template <typename Op> static LogicalResult verifyCoordinates(Op op) {
  int64_t rank = op.getMap().getType().getBox().getRank(), given = op.getCoordinates().size();
  if (given != rank) // C1
    return op.emitOpError() << "has " << given << " coordinates for a box of " << rank << " axes";
  return success();
}
LogicalResult TmaLoadOp::verify() { return verifyCoordinates(*this); }
LogicalResult TmaStoreOp::verify() { return verifyCoordinates(*this); }
LogicalResult TmaPrefetchOp::verify() { return verifyCoordinates(*this); }

LogicalResult TmaReduceAddOp::verify() {
  Type type = getMap().getType().getBox().getElementType();
  if (!type.isF32() && !type.isF16() && !type.isBF16() && !type.isInteger(32)) // C2
    return emitOpError() << "adds f32, f16, bf16 or i32, not " << type;
  return verifyCoordinates(*this);
}

//===- Products of a warpgroup ----------------------------------------------------------------===//

LogicalResult MatrixDescriptorOp::verify() {
  if (!isSwizzle(getSwizzle())) // C1
    return emitOpError() << "has a swizzle of 0, 32, 64 or 128 bytes, not " << getSwizzle();
  for (int64_t offset : {getLeading(), getStride()})
    if (offset < 0 || offset >= 1 << 18 || offset % 16 != 0) // C2
      return emitOpError() << "has offsets that are multiples of 16 below 262144, not " << offset;
  return success();
}

static bool isF8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// C2: the pairs of element types that can be multiplied.
static bool areOperands(Type a, Type b) {
  bool known = a.isBF16() || a.isF16() || a.isF32() || a.isInteger(8);
  return (a == b && known) || (isF8(a) && isF8(b));
}

static LogicalResult verifyARegisters(WgmmaOp op) {
  auto regs = dyn_cast<RegsType>(op.getA().getType());
  if (bool(regs) != bool(op.getAIndex())) // C4
    return op.emitOpError() << "takes an index with `a` in registers, and only then";
  if (!regs)
    return success();
  if (op.getTransA()) // C5
    return op.emitOpError() << "cannot transpose `a` in registers";
  bool words = regs.getPack() * regs.getValueType().getIntOrFloatBitWidth() == 32;
  if (regs.getValueType() != op.getAType() || !words || regs.getSize() < 4) // C4
    return op.emitOpError() << "takes 4 words of " << op.getAType() << " as `a`, not " << regs;
  return success();
}

LogicalResult WgmmaOp::verify() {
  Type a = getAType(), b = getBType();
  if (!areOperands(a, b)) // C2
    return emitOpError() << "does not multiply " << a << " and " << b;
  int64_t n = getN(), step = a.isInteger(8) && n > 24 ? 16 : 8;
  if (n < 8 || n > 256 || n % step != 0) // C1
    return emitOpError() << "has no form with n = " << n << " for " << a;
  RegsType d = getD().getType();
  Type sum = Float32Type::get(getContext());
  if (a.isInteger(8))
    sum = IntegerType::get(getContext(), 32);
  if (d.getElementType() != sum || d.getSize() < n / 2) // C3
    return emitOpError() << "sums into " << n / 2 << " registers of " << sum << ", not " << d;
  if ((getTransA() || getTransB()) && a.getIntOrFloatBitWidth() != 16) // C5
    return emitOpError() << "transposes 16-bit elements, not " << a;
  return verifyARegisters(*this);
}

LogicalResult SettleOp::verify() {
  if (!getRegs().getType().getElementType().isF32()) // C1
    return emitOpError() << "settles f32, not " << getRegs().getType().getElementType();
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  if (getPending() > 7) // C1
    return emitOpError() << "leaves 0 to 7 groups pending, not " << getPending();
  return success();
}
