// Constants and conversions. The steps of a cast are the reference's.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"
#include "simulator/reference/Casts.h"

using namespace mlir;

namespace tilewright::simulator::machine {

//===- Constants ------------------------------------------------------------------------------===//

static APInt bitsOfAttribute(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(value).getValue();
}

/// A constant as its slot holds it; a packed word has its first value in the lowest bits.
static std::optional<int64_t> bitsOfConstant(TypedAttr value) {
  if (isa<FloatAttr>(value))
    return int64_t(bitsOfAttribute(value).getZExtValue());
  if (isa<IntegerAttr>(value))
    return bitsOfAttribute(value).getSExtValue();
  auto values = dyn_cast<DenseElementsAttr>(value);
  if (!values)
    return std::nullopt;
  APInt word(32, 0);
  unsigned position = 0;
  for (Attribute element : values.getValues<Attribute>()) {
    APInt bits = bitsOfAttribute(element);
    word.insertBits(bits, position);
    position += bits.getBitWidth();
  }
  return int64_t(word.getZExtValue());
}

LogicalResult translate(Translator &translator, arith::ConstantOp op) {
  std::optional<int64_t> bits = bitsOfConstant(op.getValue());
  if (!bits)
    return emitError(op.getLoc()) << "the simulator cannot read this constant";
  translator.alias(op, translator.constant(*kindOf(op.getType()), *bits));
  return success();
}

//===- Casts ----------------------------------------------------------------------------------===//

using Cast = CastEmitter<Translator, Slot>;

/// A cast between what the op's operand and result are as f32 or integers.
static LogicalResult translateCast(Translator &translator, Operation *op, Sign sign) {
  Slot source = translator.widened(op, translator.slot(op->getOperand(0)));
  Slot result = translator.define(op->getResult(0)), wide = translator.wideResult(result);
  Cast(translator, op, source, wide).emit(sign);
  translator.narrowInto(op, result, wide);
  return success();
}

/// Integers to integers: an i1 is one bit here, not a truth value.
static LogicalResult translateResize(Translator &translator, Operation *op, Sign sign) {
  Slot source = translator.slot(op->getOperand(0)), result = translator.define(op->getResult(0));
  Cast(translator, op, source, result).integerToInteger(sign);
  return success();
}

LogicalResult translate(Translator &translator, cuda::ConvertOp op) {
  // A bool is 0 or 1; other integers are signed.
  bool fromBool = op.getSource().getType().isInteger(1);
  return translateCast(translator, op, fromBool ? Sign::Unsigned : Sign::Signed);
}

#define CAST(op, function, sign)                                                                   \
  LogicalResult translate(Translator &translator, op cast) {                                       \
    return function(translator, cast, Sign::sign);                                                 \
  }
CAST(arith::ExtFOp, translateCast, Signed)
CAST(arith::TruncFOp, translateCast, Signed)
CAST(arith::FPToSIOp, translateCast, Signed)
CAST(arith::FPToUIOp, translateCast, Unsigned)
CAST(arith::SIToFPOp, translateCast, Signed)
CAST(arith::UIToFPOp, translateCast, Unsigned)
CAST(arith::ExtSIOp, translateResize, Signed)
CAST(arith::ExtUIOp, translateResize, Unsigned)
CAST(arith::TruncIOp, translateResize, Signed)
CAST(arith::IndexCastOp, translateResize, Signed)
CAST(arith::IndexCastUIOp, translateResize, Unsigned)
#undef CAST

/// Slots hold bits already; only the sign of a narrow integer is not in them.
LogicalResult translate(Translator &translator, arith::BitcastOp op) {
  Slot source = translator.slot(op.getIn()), result = translator.define(op);
  if (source.isWide() != result.isWide())
    return emitError(op.getLoc()) << "the simulator has no bitcast of " << op.getIn().getType()
                                  << " to " << op.getType();
  translator.emitCopy(op, result, source);
  if (isFloat(result.kind) && !isFloat(source.kind) && bitsOf(result.kind) < 32)
    translator.emitKernel(op, kernels().element[int(ElementOp::ZeroExtend32)][0], result, result,
                          bitsOf(result.kind));
  else if (!isFloat(result.kind))
    translator.emitNarrow(op, result);
  return success();
}

LogicalResult translate(Translator &translator, cuda::RoundTf32Op op) {
  Slot source = translator.slot(op.getSource());
  translator.emitKernel(op, kernels().element[int(ElementOp::RoundTf32)][0], translator.define(op),
                        source);
  return success();
}

} // namespace tilewright::simulator::machine
