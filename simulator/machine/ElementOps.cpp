// Elementwise instructions: the reference's kernels over 32 lanes, active or not.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::simulator::machine {

static void compute(Warp &warp, const Instruction &instruction) {
  auto lanes = [&](uint32_t slot) -> const void * {
    return slot == kNoSlot ? nullptr : warp.lanes<char>(slot);
  };
  instruction.kernel(warp.lanes<char>(instruction.result), lanes(instruction.a),
                     lanes(instruction.b), lanes(instruction.c), kLanes, instruction.parameter);
}

static uint32_t undefinedOperands(Warp &warp, const Instruction &instruction) {
  uint32_t lanes = warp.undefined(instruction.a);
  if (instruction.b != kNoSlot)
    lanes |= warp.undefined(instruction.b);
  if (instruction.c != kNoSlot)
    lanes |= warp.undefined(instruction.c);
  return lanes;
}

static Step runKernel(Warp &warp, const Instruction &instruction) {
  compute(warp, instruction);
  warp.undefined(instruction.result) = undefinedOperands(warp, instruction);
  return Step::Next;
}

static Step runCopy(Warp &warp, const Instruction &instruction) {
  warp.copy(instruction.result, instruction.a, instruction.parameter != 0, warp.active);
  return Step::Next;
}

void Translator::emitKernel(Operation *op, ElementKernel kernel, Slot result, Slot a,
                            int64_t parameter) {
  Instruction &instruction = emit(op, runKernel);
  instruction.kernel = kernel;
  instruction.result = result;
  instruction.a = a;
  instruction.parameter = parameter;
}

void Translator::emitCopy(Operation *op, Slot target, Slot source) {
  Instruction &instruction = emit(op, runCopy);
  instruction.result = target;
  instruction.a = source;
  instruction.parameter = target.isWide();
}

/// Emits a kernel over an op's operands into the slot `result`; floats are widened before.
static LogicalResult emitElements(Translator &translator, Operation *op, ElementOp element,
                                  Handler run, Slot result) {
  SmallVector<Slot, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(translator.widened(op, translator.slot(operand)));
  ElementKernel kernel = kernels().element[int(element)][int(operands[0].storage())];
  if (!kernel)
    return emitError(op->getLoc())
           << "the simulator has no `" << op->getName() << "` of " << op->getOperand(0).getType();
  Instruction &instruction = translator.emit(op, run);
  instruction.kernel = kernel;
  instruction.result = result;
  instruction.a = operands[0];
  if (operands.size() > 1)
    instruction.b = operands[1];
  if (operands.size() > 2)
    instruction.c = operands[2];
  instruction.parameter = bitsOf(operands[0].kind);
  return success();
}

LogicalResult translateElements(Translator &translator, Operation *op, ElementOp element) {
  Slot result = translator.define(op->getResult(0)), wide = translator.wideResult(result);
  if (failed(emitElements(translator, op, element, runKernel, wide)))
    return failure();
  if (isFloat(result.kind) || result.storage() == Storage::Int32)
    translator.emitNarrow(op, wide);
  translator.narrowInto(op, result, wide);
  return success();
}

//===- Bits and choices -----------------------------------------------------------------------===//

/// `and` of booleans: false if one is, whatever the other is. With `ends` -1 the same for `or`.
template <int32_t ends> static Step runLogical(Warp &warp, const Instruction &instruction) {
  uint32_t decided = 0;
  for (uint32_t slot : {instruction.a, instruction.b}) {
    uint32_t isTrue = warp.trueLanes(slot);
    decided |= (ends ? isTrue : ~isTrue) & ~warp.undefined(slot);
  }
  compute(warp, instruction);
  warp.undefined(instruction.result) = undefinedOperands(warp, instruction) & ~decided;
  return Step::Next;
}

static LogicalResult translateBits(Translator &translator, Operation *op, ElementOp element,
                                   Handler logical) {
  bool isBool = op->getResult(0).getType().isInteger(1);
  return emitElements(translator, op, element, isBool ? logical : runKernel,
                      translator.define(op->getResult(0)));
}
LogicalResult translate(Translator &translator, arith::AndIOp op) {
  return translateBits(translator, op, ElementOp::AndI, runLogical<0>);
}
LogicalResult translate(Translator &translator, arith::OrIOp op) {
  return translateBits(translator, op, ElementOp::OrI, runLogical<-1>);
}

static Step runSelect(Warp &warp, const Instruction &instruction) {
  uint32_t chosen = warp.trueLanes(instruction.a);
  uint32_t undefined =
      (warp.undefined(instruction.b) & chosen) | (warp.undefined(instruction.c) & ~chosen);
  compute(warp, instruction);
  warp.undefined(instruction.result) = undefined | warp.undefined(instruction.a);
  return Step::Next;
}

LogicalResult translate(Translator &translator, arith::SelectOp op) {
  Slot condition = translator.slot(op.getCondition()), yes = translator.slot(op.getTrueValue());
  Slot no = translator.slot(op.getFalseValue()), result = translator.define(op);
  Instruction &instruction = translator.emit(op, runSelect);
  instruction.kernel = result.isWide() ? kernels().select8 : kernels().select4;
  instruction.result = result;
  instruction.a = condition;
  instruction.b = yes;
  instruction.c = no;
  return success();
}

LogicalResult translate(Translator &translator, arith::CmpIOp op) {
  return emitElements(translator, op, ElementOp(int(ElementOp::EQ) + int(op.getPredicate())),
                      runKernel, translator.define(op));
}

LogicalResult translate(Translator &translator, arith::CmpFOp op) {
  return emitElements(translator, op,
                      ElementOp(int(ElementOp::AlwaysFalse) + int(op.getPredicate())), runKernel,
                      translator.define(op));
}

//===- Division -------------------------------------------------------------------------------===//

/// A divisor without zeros: inactive lanes may hold any number.
template <typename T> static Step runDivisor(Warp &warp, const Instruction &instruction) {
  const T *divisor = warp.lanes<T>(instruction.a);
  T *result = warp.lanes<T>(instruction.result);
  uint32_t zero = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    zero |= uint32_t(divisor[lane] == 0) << lane;
    result[lane] = divisor[lane] == 0 ? 1 : divisor[lane];
  }
  warp.undefined(instruction.result) = warp.undefined(instruction.a);
  if (uint32_t lanes = zero & warp.active & ~warp.undefined(instruction.a))
    report(FindingKind::DivisionByZero, warp, instruction, std::countr_zero(lanes),
           "an integer is divided by zero");
  return Step::Next;
}

static LogicalResult translateDivision(Translator &translator, Operation *op, ElementOp element) {
  Slot left = translator.slot(op->getOperand(0)), right = translator.slot(op->getOperand(1));
  Slot divisor = translator.allocate(right.kind);
  Instruction &check =
      translator.emit(op, right.isWide() ? runDivisor<int64_t> : runDivisor<int32_t>);
  check.result = divisor;
  check.a = right;
  Slot result = translator.define(op->getResult(0));
  Instruction &instruction = translator.emit(op, runKernel);
  instruction.kernel = kernels().element[int(element)][int(left.storage())];
  instruction.result = result;
  instruction.a = left;
  instruction.b = divisor;
  instruction.parameter = bitsOf(left.kind);
  translator.emitNarrow(op, result);
  return success();
}

#define DIVISION(op, name)                                                                         \
  LogicalResult translate(Translator &translator, op division) {                                   \
    return translateDivision(translator, division, ElementOp::name);                               \
  }
DIVISION(arith::DivSIOp, DivSI)
DIVISION(arith::DivUIOp, DivUI)
DIVISION(arith::RemSIOp, RemSI)
DIVISION(arith::RemUIOp, RemUI)
DIVISION(arith::FloorDivSIOp, FloorDivSI)
DIVISION(arith::CeilDivSIOp, CeilDivSI)
DIVISION(arith::CeilDivUIOp, CeilDivUI)
#undef DIVISION

} // namespace tilewright::simulator::machine
