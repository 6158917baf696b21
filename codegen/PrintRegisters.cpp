#include "codegen/Spellings.h"
#include "ir/cuda/Cuda.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

static LogicalResult printRegs(Printer &p, cuda::RegsOp op) {
  auto type = op.getType();
  auto element = typeName(type.getElementType());
  if (!element)
    return op.emitOpError("has no CUDA spelling: no C++ type holds ") << type.getElementType();
  std::string name = p.names.fresh(wantedName(op));
  p.line(*element + " " + name + "[" + Twine(type.getSize()) + "];");
  p.bind(op, name);
  return success();
}

static Text printGet(Printer &p, cuda::GetOp op) {
  p.noteRead(op.getRegs());
  return {p.element(op.getRegs(), op.getIndex())};
}

static LogicalResult printSet(Printer &p, cuda::SetOp op) {
  std::string place = p.element(op.getRegs(), op.getIndex());
  p.line(place + " = " + p.operand(op.getValue()) + ";");
  return success();
}

/// `unpack_bf16(word, i)`, `pack_i8(a, b, c, d)`: functions per element type.
static std::string elementName(Type word) { return typeName(getElementTypeOrSelf(word))->str(); }

static Text printUnpack(Printer &p, cuda::UnpackOp op) {
  return p.call("unpack_" + elementName(op.getWord().getType()), op.getOperands());
}

static Text printExtract(Printer &p, cuda::ExtractOp op) {
  unsigned bits = op.getResult().getType().getIntOrFloatBitWidth();
  return p.call("extract_b" + Twine(bits), op.getOperands());
}

static Text printPack(Printer &p, cuda::PackOp op) {
  bool floats = isa<FloatType>(op.getValues().front().getType());
  if (floats != isa<FloatType>(getElementTypeOrSelf(op.getWord().getType())))
    return {};
  return p.call("pack_" + elementName(op.getWord().getType()), op.getValues());
}

static Text printPermuteBytes(Printer &p, cuda::PermuteBytesOp op) {
  std::string digits = "0x" + llvm::utohexstr(op.getDigits(), /*LowerCase=*/true, /*Width=*/4);
  return {"__byte_perm(" + p.operand(op.getLow()) + ", " + p.operand(op.getHigh()) + ", " + digits +
          ")"};
}

static Text printKeep(Printer &p, cuda::KeepOp op) {
  return p.call("keep<" + Twine(op.getLeast()) + ">", op.getOperands());
}

void codegen::addRegisters(Spellings &spellings) {
  spellings.expression<cuda::ThreadIdOp>(
      [](Printer &, cuda::ThreadIdOp) { return Text{"i32(threadIdx.x)"}; });
  spellings.expression<cuda::BlockIdOp>(
      [](Printer &, cuda::BlockIdOp) { return Text{"i32(blockIdx.x)"}; });
  spellings.expression<cuda::GridSizeOp>(
      [](Printer &, cuda::GridSizeOp) { return Text{"i32(gridDim.x)"}; });
  spellings.statement<cuda::RegsOp>(printRegs);
  spellings
      .expression<cuda::OpaqueOp>(
          [](Printer &p, cuda::OpaqueOp op) { return p.call("opaque", op.getValue()); })
      .alwaysNamed = true;
  spellings.expression<cuda::ReciprocalOp>(
      [](Printer &p, cuda::ReciprocalOp op) { return p.call("reciprocal", op.getDivisor()); });
  spellings.expression<cuda::QuotientOp>(
      [](Printer &p, cuda::QuotientOp op) { return p.call("quotient", op.getOperands()); });
  spellings.expression<cuda::GetOp>(printGet);
  spellings.statement<cuda::SetOp>(printSet);
  spellings.expression<cuda::UnpackOp>(printUnpack);
  spellings.expression<cuda::ExtractOp>(printExtract);
  spellings.expression<cuda::PackOp>(printPack);
  spellings.expression<cuda::ReinterpretOp>( // all packed words are of one type
      [](Printer &p, cuda::ReinterpretOp op) { return Text{p.operand(op.getBits())}; });
  spellings.expression<cuda::PermuteBytesOp>(printPermuteBytes);
  spellings.expression<cuda::KeepOp>(printKeep);
}
