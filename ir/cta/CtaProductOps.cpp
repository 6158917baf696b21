// Rules of products.
#include "ir/cta/Cta.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

/// The tile that an operand holds, as the product sees it.
static SmallVector<int64_t> operandShape(Type type, bool transposed) {
  SmallVector<int64_t> shape(tileOf(type).getShape());
  if (transposed)
    std::swap(shape[0], shape[1]);
  return shape;
}

Type MmaOp::getOperandElementType() { return getB().getType().getTile().getElementType(); }

/// The kind of channel that a slot comes from, if that is known.
static std::optional<ChannelKind> kindOf(Value slot) {
  Operation *from = slot.getDefiningOp();
  if (!isa_and_nonnull<WaitOp, AcquireOp>(from))
    return std::nullopt;
  auto channel = from->getOperand(0).getDefiningOp<ChannelOp>();
  return channel ? std::optional(channel.getKind()) : std::nullopt;
}

/// Rules of products that are no warpgroup's.
static LogicalResult verifyPlain(MmaOp op) {
  bool boxed = kindOf(op.getA()) == ChannelKind::Tma || kindOf(op.getB()) == ChannelKind::Tma;
  if (isa<PendingType>(op.getAcc().getType()) || boxed) // C5
    return op.emitOpError() << "with a pending sum or slots of `tma` channels is a warpgroup's: "
                            << "`shape` starts with 64";
  return success();
}

/// Rules of a warpgroup's products (C6).
static LogicalResult verifyWgmma(MmaOp op) {
  auto shape = op.getShape(), warps = op.getWarps();
  Type element = op.getOperandElementType();
  if (warps[0] < 1 || warps[0] % kWarpsPerGroup != 0 || warps[1] < 1)
    return op.emitOpError() << "is split over " << warps[0] << "x" << warps[1]
                            << " warps; the first is a multiple of 4";
  if (roleOf(op) && warps[0] * warps[1] != warpsAt(op))
    return op.emitOpError() << "is split over " << warps[0] << "x" << warps[1]
                            << " warps of a role of " << warpsAt(op);
  if (int64_t k = 256 / element.getIntOrFloatBitWidth(); shape[2] != k)
    return op.emitOpError() << "of " << element << " has instructions of depth " << k << ", not "
                            << shape[2];
  if (shape[1] < 8 || shape[1] > 256 || shape[1] % 8 != 0)
    return op.emitOpError() << "has instructions of 8 to 256 columns in steps of 8, not "
                            << shape[1];
  auto acc = tileOf(op.getAcc().getType()).getShape();
  int64_t rows = warps[0] / kWarpsPerGroup * 64, columns = warps[1] * shape[1];
  auto a = operandShape(op.getA().getType(), op.getATransposed());
  if (acc[0] % rows != 0 || acc[1] % columns != 0 || a[1] % shape[2] != 0)
    return op.emitOpError() << "multiplies " << acc[0] << "x" << acc[1] << "x" << a[1]
                            << ", which is no multiple of " << rows << "x" << columns << "x"
                            << shape[2] << ", the instructions of all warpgroups";
  if (element.getIntOrFloatBitWidth() != 16 && (op.getATransposed() || !op.getBTransposed()))
    return op.emitOpError() << "of " << element << " needs operands whose rows run along k";
  for (Value operand : {op.getA(), Value(op.getB())})
    if (isa<SlotType>(operand.getType()))
      if (auto kind = kindOf(operand);
          kind && *kind != ChannelKind::Tma && *kind != ChannelKind::Put)
        return op.emitOpError() << "of a warpgroup reads slots of `tma` or `put` channels, not `"
                                << stringifyChannelKind(*kind) << "`";
  return success();
}

LogicalResult MmaOp::verify() {
  if (getATransposed() && !isa<SlotType>(getA().getType())) // C2
    return emitOpError() << "cannot transpose an operand in registers";
  for (Value operand : {getAcc(), getA(), Value(getB())})
    if (tileOf(operand.getType()).getRank() != 2) // C1
      return emitOpError() << "multiplies matrices";
  auto a = operandShape(getA().getType(), getATransposed());
  auto b = operandShape(getB().getType(), getBTransposed());
  auto acc = tileOf(getAcc().getType()).getShape();
  if (a[0] != acc[0] || a[1] != b[0] || b[1] != acc[1]) // C1
    return emitOpError() << "cannot multiply [" << a << "] by [" << b << "] into [" << acc << "]";
  if (getShape().size() != 3 || getWarps().size() != 2) // C3
    return emitOpError() << "needs an instruction shape m, n, k and a split of warps";
  Type elementA = tileOf(getA().getType()).getElementType();
  if (elementA != getOperandElementType()) // C4
    return emitOpError() << "multiplies " << elementA << " by " << getOperandElementType();
  return isWgmma() ? verifyWgmma(*this) : verifyPlain(*this);
}

LogicalResult AwaitOp::verify() {
  if (getResult().getType() != getPending().getType().getTile()) // C1
    return emitOpError() << "gives " << getResult().getType() << " from " << getPending().getType();
  return success();
}
