#include "codegen/Conversions.h"
#include "codegen/Spellings.h"
#include "ir/cuda/Cuda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

static Text callOn(const std::string &function, const Text &argument) {
  return {function + "(" + argument.text + ")"};
}

static std::string cName(Type type) { return typeName(type)->str(); }

Text codegen::toF32(Text text, Type type) {
  return type.isF32() ? text : callOn(cName(type) + "_to_f32", text);
}

Text codegen::fromF32(Text text, Type type) {
  return type.isF32() ? text : callOn("f32_to_" + cName(type), text);
}

//===- The meaning of tile.cast ---------------------------------------------------------------===//

static Text notZero(Printer &p, Value source) {
  if (isa<IntegerType>(source.getType()))
    return {p.operand(source, Binding::Relation) + " != 0", Binding::Equality};
  Text wide = toF32({p.operand(source, Binding::Relation)}, source.getType());
  return {wide.text + " != 0.0f", Binding::Equality};
}

static Text intToFloat(Printer &p, Value source, Type to) {
  // An i32 or i64 may have more digits than f32, and must not be rounded twice.
  bool rounds = source.getType().getIntOrFloatBitWidth() >= 32 && !to.isF32();
  std::string function = rounds ? cName(source.getType()) + "_to_f32_odd" : "f32";
  return fromF32(callOn(function, p.text(source)), to);
}

static Text convert(Printer &p, Value source, Type to) {
  Type from = source.getType();
  if (cName(from) == cName(to))
    return p.text(source);
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (fromFloat && toFloat)
    return fromF32(toF32(p.text(source), from), to);
  if (to.isInteger(1))
    return notZero(p, source);
  if (fromFloat)
    return callOn("f32_to_" + cName(to), toF32(p.text(source), from));
  if (toFloat)
    return intToFloat(p, source, to);
  return callOn(cName(to), p.text(source));
}

//===- The conversions of arith ---------------------------------------------------------------===//

static std::string unsignedName(Type type) {
  StringRef name = *typeName(type);
  return name.consume_front("i") ? ("u" + name).str() : name.str();
}

static Text printSignExtend(Printer &p, arith::ExtSIOp op) {
  if (!op.getIn().getType().isInteger(1))
    return convert(p, op.getIn(), op.getType());
  return {p.operand(op.getIn(), Binding::Or) + " ? -1 : 0", Binding::Conditional};
}

static Text printZeroExtend(Printer &p, Value source, Type to) {
  if (cName(source.getType()) == cName(to))
    return p.text(source);
  return callOn(cName(to), callOn(unsignedName(source.getType()), p.text(source)));
}

static Text printTruncate(Printer &p, arith::TruncIOp op) {
  if (!op.getType().isInteger(1))
    return convert(p, op.getIn(), op.getType());
  std::string text = p.operand(op.getIn(), Binding::Unary);
  return {("(" + Twine(text) + " & 1) != 0").str(), Binding::Equality};
}

static Text printSignedToFloat(Printer &p, arith::SIToFPOp op) {
  if (!op.getIn().getType().isInteger(1))
    return intToFloat(p, op.getIn(), op.getType());
  Text wide{p.operand(op.getIn(), Binding::Or) + " ? -1.0f : 0.0f", Binding::Conditional};
  return fromF32(wide, op.getType());
}

static Text printUnsignedToFloat(Printer &p, arith::UIToFPOp op) {
  Type from = op.getIn().getType();
  bool rounds = from.getIntOrFloatBitWidth() >= 32 && !op.getType().isF32();
  if (rounds)
    return {};
  return fromF32(callOn("f32", callOn(unsignedName(from), p.text(op.getIn()))), op.getType());
}

static Text printFloatToUnsigned(Printer &p, arith::FPToUIOp op) {
  if (!op.getType().isInteger(32))
    return {};
  Text wide = toF32(p.text(op.getIn()), op.getIn().getType());
  return callOn("i32", callOn("f32_to_u32", wide));
}

static Text printBitcast(Printer &p, arith::BitcastOp op) {
  Type from = op.getIn().getType(), to = op.getType();
  if (cName(from) == cName(to))
    return p.text(op.getIn());
  if (from.isF32())
    return callOn(to.isInteger(32) ? "__float_as_int" : "__float_as_uint", p.text(op.getIn()));
  if (to.isF32())
    return callOn(from.isInteger(32) ? "__int_as_float" : "__uint_as_float", p.text(op.getIn()));
  return callOn(cName(to), p.text(op.getIn()));
}

/// `cuda.convert`, and the ops of arith that mean the same wherever they are defined.
template <typename Op> static void addConvert(Spellings &spellings) {
  spellings.expression<Op>(
      [](Printer &p, Op op) { return convert(p, op->getOperand(0), op->getResult(0).getType()); });
}

void codegen::addConversions(Spellings &spellings) {
  addConvert<cuda::ConvertOp>(spellings);
  addConvert<arith::ExtFOp>(spellings);
  addConvert<arith::TruncFOp>(spellings);
  addConvert<arith::FPToSIOp>(spellings);
  addConvert<arith::IndexCastOp>(spellings);
  spellings.expression<arith::ExtSIOp>(printSignExtend);
  spellings.expression<arith::ExtUIOp>(
      [](Printer &p, arith::ExtUIOp op) { return printZeroExtend(p, op.getIn(), op.getType()); });
  spellings.expression<arith::IndexCastUIOp>([](Printer &p, arith::IndexCastUIOp op) {
    return printZeroExtend(p, op.getIn(), op.getType());
  });
  spellings.expression<arith::TruncIOp>(printTruncate);
  spellings.expression<arith::SIToFPOp>(printSignedToFloat);
  spellings.expression<arith::UIToFPOp>(printUnsignedToFloat);
  spellings.expression<arith::FPToUIOp>(printFloatToUnsigned);
  spellings.expression<arith::BitcastOp>(printBitcast);
  spellings.expression<cuda::RoundTf32Op>(
      [](Printer &p, cuda::RoundTf32Op op) { return p.call("round_tf32", op.getSource()); });
}
