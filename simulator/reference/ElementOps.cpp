// Elementwise `arith` and `math`, on tiles and on scalars.
#include "simulator/reference/Compiler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

namespace {
struct ElementRow {
  ElementOp op;
  bool divides = false;
};
} // namespace

static const llvm::StringMap<ElementRow> &elementRows() {
  static const llvm::StringMap<ElementRow> rows = {
#define FLOAT_1(name, op, expression) {op, {ElementOp::name}},
#define FLOAT_2 FLOAT_1
#define FLOAT_3 FLOAT_1
#define INTEGER_1 FLOAT_1
#define INTEGER_2 FLOAT_1
#define DIVIDE(name, op, expression) {op, {ElementOp::name, true}},
#include "simulator/reference/ElementOps.def"
  };
  return rows;
}

static void runElements(const Instruction &instruction, Frame &frame) {
  frame.execution.statistics.elementOps += instruction.count;
  runKernel(instruction, frame);
}

template <typename T> static void runCheckDivisor(const Instruction &instruction, Frame &frame) {
  const T *divisor = frame.at<T>(instruction.b);
  for (int64_t i = 0; i < instruction.count; ++i)
    if (divisor[i] == 0)
      return frame.fail(instruction.op, instruction.count == 1
                                            ? "division by zero"
                                            : "division by zero in element " + std::to_string(i));
}

/// One kernel over the op's one to three operands.
static LogicalResult emitElements(Compiler &compiler, Operation *op, ElementOp element) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  Slot operands[3];
  for (unsigned i = 0; i < op->getNumOperands() && i < 3; ++i)
    operands[i] = compiler.slot(op->getOperand(i));
  ElementKernel kernel = kernels().element[int(element)][int(operands[0].storage())];
  assert(kernel && "an op of floats has a kernel in both storages of floats, as one of integers");
  compiler.emit(op, {.run = runElements,
                     .kernel = kernel,
                     .result = result->offset,
                     .a = operands[0].offset,
                     .b = operands[1].offset,
                     .c = operands[2].offset,
                     .count = result->count,
                     .parameter = bitsOf(operands[0].kind)});
  compiler.emitNarrow(op, *result);
  return success();
}

static LogicalResult compileElements(Compiler &compiler, Operation *op) {
  ElementRow row = elementRows().lookup(op->getName().getStringRef());
  if (row.divides) {
    Slot divisor = compiler.slot(op->getOperand(1));
    compiler.emit(op, {.run = divisor.storage() == Storage::Int64 ? runCheckDivisor<int64_t>
                                                                  : runCheckDivisor<int32_t>,
                       .b = divisor.offset,
                       .count = divisor.count});
  }
  return emitElements(compiler, op, row.op);
}

static LogicalResult compileCompareIntegers(Compiler &compiler, Operation *op) {
  auto predicate = cast<arith::CmpIOp>(op).getPredicate();
  return emitElements(compiler, op, ElementOp(int(ElementOp::EQ) + int(predicate)));
}

static LogicalResult compileCompareFloats(Compiler &compiler, Operation *op) {
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  return emitElements(compiler, op, ElementOp(int(ElementOp::AlwaysFalse) + int(predicate)));
}

/// A scalar condition that chooses between whole tiles.
static void runSelectTile(const Instruction &instruction, Frame &frame) {
  int64_t chosen = *frame.at<int32_t>(instruction.a) ? instruction.b : instruction.c;
  std::memcpy(frame.at<char>(instruction.result), frame.at<char>(chosen), instruction.count);
}

static LogicalResult compileSelect(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  Slot condition = compiler.slot(op->getOperand(0));
  Instruction select{.result = result->offset,
                     .a = condition.offset,
                     .b = compiler.slot(op->getOperand(1)).offset,
                     .c = compiler.slot(op->getOperand(2)).offset};
  if (condition.count != result->count) {
    select.run = runSelectTile;
    select.count = result->bytes();
  } else {
    select.run = runElements;
    select.kernel = storageBytes(result->storage()) == 8 ? kernels().select8 : kernels().select4;
    select.count = result->count;
  }
  compiler.emit(op, select);
  return success();
}

//===- Constants ------------------------------------------------------------------------------===//

static LogicalResult compileConstant(Compiler &compiler, Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  auto kind = elementKind(constant.getType());
  if (!kind)
    return emitError(op->getLoc())
           << "the interpreter cannot hold a value of type " << constant.getType();
  std::vector<char> bytes;
  int64_t count = elementCount(constant.getType());
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
    std::vector<char> element;
    appendElement(element, storageOf(*kind), splat.getSplatValue<Attribute>());
    bytes.reserve(count * element.size());
    for (int64_t i = 0; i < count; ++i)
      bytes.insert(bytes.end(), element.begin(), element.end());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    for (Attribute element : dense.getValues<Attribute>())
      appendElement(bytes, storageOf(*kind), element);
  } else if (isa<FloatAttr, IntegerAttr>(constant.getValue())) {
    appendElement(bytes, storageOf(*kind), constant.getValue());
  } else {
    return emitError(op->getLoc()) << "the interpreter cannot read this constant";
  }
  compiler.alias(constant.getResult(), compiler.constant(*kind, count, std::move(bytes)));
  return success();
}

void addElementOps(OpTable &table) {
  for (const auto &row : elementRows())
    table[row.getKey()] = compileElements;
  table["arith.cmpi"] = compileCompareIntegers;
  table["arith.cmpf"] = compileCompareFloats;
  table["arith.select"] = compileSelect;
  table["arith.constant"] = compileConstant;
}

} // namespace tilewright::simulator
