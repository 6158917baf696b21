#include "codegen/Accesses.h"
#include "codegen/Spellings.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::codegen;

template <typename Op> static std::string matricesSuffix(Op op) {
  return "_x" + std::to_string(op.getCount()) + (op.getTrans() ? "_trans" : "");
}

static LogicalResult printLdmatrix(Printer &p, cuda::LdmatrixOp op) {
  std::string to = registers(p, op.getRegs(), op.getIndex());
  p.line("ldmatrix" + matricesSuffix(op) + "(" + to + ", " + p.operand(op.getAddress()) + ");");
  return success();
}

static LogicalResult printStmatrix(Printer &p, cuda::StmatrixOp op) {
  std::string to = p.operand(op.getAddress());
  std::string from = registers(p, op.getRegs(), op.getIndex());
  p.line("stmatrix" + matricesSuffix(op) + "(" + to + ", " + from + ");");
  return success();
}

static LogicalResult printMma(Printer &p, cuda::MmaOp op) {
  Type value = op.getA().getType().getValueType();
  std::string shape =
      ("m" + Twine(op.getM()) + "n" + Twine(op.getN()) + "k" + Twine(op.getK())).str();
  std::string d = registers(p, op.getD(), op.getDIndex());
  std::string a = registers(p, op.getA(), op.getAIndex());
  std::string b = registers(p, op.getB(), op.getBIndex());
  p.line("mma_" + shape + "_" + (value.isF32() ? "tf32" : *typeName(value)) + "(" + d + ", " + a +
         ", " + b + ");");
  return success();
}

/// A call that all lanes of a warp take part in.
template <typename Op> static void addShuffle(Spellings &spellings, StringRef function) {
  spellings
      .expression<Op>([function](Printer &p, Op op) { return p.call(function, op->getOperands()); })
      .convergent = true;
}

void codegen::addWarp(Spellings &spellings) {
  spellings.statement<cuda::LdmatrixOp>(printLdmatrix);
  spellings.statement<cuda::StmatrixOp>(printStmatrix);
  spellings.statement<cuda::MmaOp>(printMma);
  spellings.expression<cuda::ElectOp>([](Printer &, cuda::ElectOp) { return Text{"elect_one()"}; })
      .convergent = true;
  spellings.statement<cuda::WarpSyncOp>([](Printer &p, cuda::WarpSyncOp) {
    p.line("__syncwarp();");
    return success();
  });
  addShuffle<cuda::VoteAnyOp>(spellings, "vote_any");
  addShuffle<cuda::ShuffleXorOp>(spellings, "shuffle_xor");
  addShuffle<cuda::ShuffleUpOp>(spellings, "shuffle_up");
  addShuffle<cuda::ShuffleIdxOp>(spellings, "shuffle_idx");
}
