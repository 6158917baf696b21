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

const ProductForm *MmaOp::getForm() {
  Type element = getOperandElementType();
  auto form = llvm::find_if(productForms(), [&](const ProductForm &form) {
    return form.hasShape(getShape()) && form.multiplies(element, getTf32());
  });
  return form == productForms().end() ? nullptr : form;
}

/// The sizes of a product: m, n, k.
static std::array<int64_t, 3> sizesOf(MmaOp op) {
  auto acc = tileOf(op.getAcc().getType()).getShape();
  return {acc[0], acc[1], operandShape(op.getA().getType(), op.getATransposed())[1]};
}

/// C6: the instruction exists.
static LogicalResult verifyForm(MmaOp op) {
  auto shape = op.getShape();
  Type element = op.getOperandElementType();
  if (op.getForm() || shape == ArrayRef<int64_t>{1, 1, 1})
    return success();
  auto error = op.emitOpError() << "has no instruction " << shape[0] << "x" << shape[1] << "x"
                                << shape[2] << " for " << element << "; there are 1x1x1";
  for (const ProductForm &form : productForms())
    if (form.multiplies(element, op.getTf32()))
      error << ", " << form.m << "x" << (form.n > 8 ? "8 to " : "") << form.n << "x" << form.k;
  return error;
}

/// C7: warps that split a product are those that run it, or each part is made as often.
static LogicalResult verifySplit(MmaOp op) {
  auto split = op.getWarps();
  bool groups = op.isWgmma();
  if (split[0] < 1 || split[1] < 1 || (groups && split[0] % kWarpsPerGroup != 0))
    return op.emitOpError() << "is split over " << split[0] << "x" << split[1] << " warps; the "
                            << (groups ? "first is a multiple of 4" : "least is 1x1");
  auto function = op->getParentOfType<func::FuncOp>();
  int64_t all = roleOf(op) || function ? warpsAt(op) : 0, used = split[0] * split[1];
  if (all == 0 || (groups ? all == used : all % used == 0))
    return success();
  auto error = op.emitOpError() << "is split over " << split[0] << "x" << split[1] << " warps of ";
  error << (roleOf(op) ? "a role of " : "a block of ") << all;
  return groups ? error : error << ", which is no multiple of " << used;
}

/// C8: instructions make up a product.
static LogicalResult verifySizes(MmaOp op) {
  auto shape = op.getShape(), split = op.getWarps();
  auto [m, n, k] = sizesOf(op);
  int64_t rows = split[0] / (op.isWgmma() ? kWarpsPerGroup : 1) * shape[0];
  int64_t columns = split[1] * shape[1];
  if (m % rows == 0 && n % columns == 0 && k % shape[2] == 0)
    return success();
  return op.emitOpError() << "multiplies " << m << "x" << n << "x" << k
                          << ", which is no multiple of " << rows << "x" << columns << "x"
                          << shape[2] << ", the instructions of all "
                          << (op.isWgmma() ? "warpgroups" : "warps");
}

/// C9: what is multiplied from registers.
static LogicalResult verifyHeld(MmaOp op) {
  Type element = op.getOperandElementType();
  if (isa<SlotType>(op.getA().getType()))
    return success();
  if (op.isFma())
    return op.emitOpError() << "by fused multiply-adds reads its left operand from a slot; put it";
  if (element.getIntOrFloatBitWidth() != 16)
    return op.emitOpError() << "takes a left operand of 16 bits from registers, not " << element
                            << "; put it";
  return success();
}

/// Rules of products that are no warpgroup's.
static LogicalResult verifyPlain(MmaOp op) {
  bool boxed = kindOf(op.getA()) == ChannelKind::Tma || kindOf(op.getB()) == ChannelKind::Tma;
  if (isa<PendingType>(op.getAcc().getType()) || boxed) // C5
    return op.emitOpError() << "with a pending sum or slots of `tma` channels is a warpgroup's: "
                            << "`shape` starts with 64";
  return success();
}

/// Rules of a warpgroup's products.
static LogicalResult verifyWgmma(MmaOp op) {
  Type element = op.getOperandElementType();
  if (element.getIntOrFloatBitWidth() != 16 && (op.getATransposed() || !op.getBTransposed())) // C10
    return op.emitOpError() << "of " << element << " needs operands whose rows run along k";
  for (Value operand : {op.getA(), Value(op.getB())})
    if (isa<SlotType>(operand.getType()))
      if (auto kind = kindOf(operand);
          kind && *kind != ChannelKind::Tma && *kind != ChannelKind::Put)
        return op.emitOpError() << "of a warpgroup reads slots of `tma` or `put` channels, not `"
                                << stringifyChannelKind(*kind) << "`";
  return success();
}

/// C4: what is multiplied, and what the sum is of.
static LogicalResult verifyElements(MmaOp op) {
  Type a = tileOf(op.getA().getType()).getElementType(), element = op.getOperandElementType();
  Type sum = tileOf(op.getAcc().getType()).getElementType();
  if (a != element)
    return op.emitOpError() << "multiplies " << a << " by " << element;
  bool isFloat = isa<FloatType>(element), fits = isFloat ? sum.isF32() : sum.isSignlessInteger(32);
  if (!fits || tileOf(op.getAcc().getType()) != op.getResult().getType().getTile())
    return op.emitOpError() << "sums products of " << element << " as " << (isFloat ? "f32" : "i32")
                            << ", and gives what it adds to, not " << op.getAcc().getType()
                            << " and " << op.getResult().getType();
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
  if (failed(verifyElements(*this)) || failed(verifyForm(*this)) || failed(verifySplit(*this)) ||
      failed(verifySizes(*this)) || failed(verifyHeld(*this)))
    return failure();
  return isWgmma() ? verifyWgmma(*this) : verifyPlain(*this);
}

LogicalResult AwaitOp::verify() {
  if (getResult().getType() != getPending().getType().getTile()) // C1
    return emitOpError() << "gives " << getResult().getType() << " from " << getPending().getType();
  return success();
}
