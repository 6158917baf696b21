// Verifiers of matrix products.
#include "ir/cta/Cta.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

/// The shape of an operand, as the product uses it.
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
  if (!isa_and_nonnull<WaitOp, AcquireOp, SlotAtOp>(from))
    return std::nullopt;
  auto channel = from->getOperand(0).getDefiningOp<ChannelOp>();
  return channel ? std::optional(channel.getKind()) : std::nullopt;
}

const ProductForm *MmaOp::getForm() {
  Type element = getOperandElementType();
  auto form = llvm::find_if(productForms(), [&](const ProductForm &form) {
    return form.unit == getInstruction().getUnit() && form.hasShape(getShape()) &&
           form.multiplies(element, getTf32());
  });
  return form == productForms().end() ? nullptr : form;
}

/// The sizes m, n and k of a product.
static std::array<int64_t, 3> sizesOf(MmaOp op) {
  auto acc = tileOf(op.getAcc().getType()).getShape();
  return {acc[0], acc[1], operandShape(op.getA().getType(), op.getATransposed())[1]};
}

/// C6: the instruction exists.
static LogicalResult verifyForm(MmaOp op) {
  Type element = op.getOperandElementType();
  if (op.getForm() || op.getInstruction().getUnit() == ProductUnit::Fma)
    return success();
  auto error = op.emitOpError() << "has no instruction `" << op.getInstruction() << "` for "
                                << element << "; there are `#cta.fma`";
  for (const ProductForm &form : productForms())
    if (form.multiplies(element, op.getTf32()))
      error << ", `" << instructionOf(op.getContext(), form) << "`"
            << (form.n == 8            ? ""
                : element.isInteger(8) ? " (columns from 8 on, beyond 24 in steps of 16)"
                                       : " (columns from 8 on)");
  return error;
}

/// C7: the split is over the warps that run the product, or divides them.
static LogicalResult verifySplit(MmaOp op) {
  auto split = op.getWarps();
  bool groups = op.getInstruction().getIssuer() == Issuer::Warpgroup;
  if (split[0] < 1 || split[1] < 1 || (groups && split[0] % kWarpsPerWarpgroup != 0))
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

/// C8: the shape divides the parts of the product.
static LogicalResult verifySizes(MmaOp op) {
  auto shape = op.getShape();
  auto split = op.getWarps();
  auto [m, n, k] = sizesOf(op);
  int64_t together = warpsOf(op.getInstruction().getIssuer());
  int64_t rows = split[0] / together * shape[0];
  int64_t columns = split[1] * shape[1];
  if (m % rows == 0 && n % columns == 0 && k % shape[2] == 0)
    return success();
  return op.emitOpError() << "multiplies " << m << "x" << n << "x" << k
                          << ", which is no multiple of " << rows << "x" << columns << "x"
                          << shape[2] << ", the instructions of all "
                          << (together > 1 ? "warpgroups" : "warps");
}

/// C9: a left operand in registers.
static LogicalResult verifyHeld(MmaOp op) {
  Type element = op.getOperandElementType();
  if (isa<SlotType>(op.getA().getType()))
    return success();
  if (!(op.getInstruction().getLeftPlaces() & InRegisters))
    return op.emitOpError() << "by `" << op.getInstruction()
                            << "` reads its left operand from a slot; put it";
  if (element.getIntOrFloatBitWidth() == 16)
    return success();
  if (!op.takesOrderOfSums() || !op.readsShared())
    return op.emitOpError() << "takes a left operand of 16 bits from registers, not " << element
                            << "; put it";
  auto kind = kindOf(op.getB());
  if (kind && *kind != ChannelKind::Put)
    return op.emitOpError() << "takes a left operand of 8 bits from registers only beside a right "
                            << "one that is put, and not of `" << stringifyChannelKind(*kind)
                            << "`; put the left one too";
  return success();
}

/// C5: pending accumulators, and the operands of asynchronous instructions.
static LogicalResult verifyAsynchronous(MmaOp op) {
  InstructionAttrInterface instruction = op.getInstruction();
  if (isa<PendingType>(op.getAcc().getType()) && !instruction.isAsynchronous())
    return op.emitOpError() << "by `" << instruction << "` is done when it ends; only a product "
                            << "by `#cta.wgmma` adds to a pending sum";
  for (Value operand : {op.getA(), Value(op.getB())}) {
    auto kind = isa<SlotType>(operand.getType()) ? kindOf(operand) : std::nullopt;
    bool readable = kind != ChannelKind::CpAsync && kind != ChannelKind::Store;
    if (kind && !readable && op.readsShared())
      return op.emitOpError() << "by `" << instruction
                              << "` reads slots of `tma`, `registers` or `put` channels, not `"
                              << stringifyChannelKind(*kind) << "`";
  }
  return success();
}

/// C10: operands that the instruction reads from shared memory.
static LogicalResult verifyShared(MmaOp op) {
  Type element = op.getOperandElementType();
  bool alongK = !op.getATransposed() && op.getBTransposed();
  if (op.readsShared() && !alongK && element.getIntOrFloatBitWidth() != 16)
    return op.emitOpError() << "of " << element << " needs operands whose rows run along k";
  return success();
}

/// C4: the element types of operands and accumulator.
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
  if (getWarps().size() != 2) // C3
    return emitOpError() << "is split into rows and columns of warps, not by " << getWarps().size()
                         << " numbers";
  if (failed(verifyElements(*this)) || failed(verifyForm(*this)) || failed(verifySplit(*this)) ||
      failed(verifySizes(*this)) || failed(verifyHeld(*this)) || failed(verifyAsynchronous(*this)))
    return failure();
  return verifyShared(*this);
}

LogicalResult AwaitOp::verify() {
  if (getResult().getType() != getPending().getType().getTile()) // C1
    return emitOpError() << "gives " << getResult().getType() << " from " << getPending().getType();
  return success();
}
