// The grid, program ids, dimensions and assertions.
#include "simulator/reference/Compiler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

/// The extents are evaluated before any program runs.
static LogicalResult compileGrid(Compiler &, Operation *) { return success(); }

static void runProgramId(const Instruction &instruction, Frame &frame) {
  size_t axis = instruction.parameter;
  if (axis >= frame.execution.coordinates.size())
    return frame.fail(instruction.op, "asks for axis " + std::to_string(axis) +
                                          " of a grid of rank " +
                                          std::to_string(frame.execution.coordinates.size()));
  *frame.at<int32_t>(instruction.result) = int32_t(frame.execution.coordinates[axis]);
}

static LogicalResult compileProgramId(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runProgramId,
                     .result = result->offset,
                     .parameter = cast<tile::ProgramIdOp>(op).getAxis()});
  return success();
}

/// a: the slot of a part of a view. parameter: the axis.
static void runDimOfPart(const Instruction &instruction, Frame &frame) {
  int64_t size = frame.at<int64_t>(instruction.a)[1 + instruction.parameter];
  *frame.at<int32_t>(instruction.result) = int32_t(size);
}

static LogicalResult compileDim(Compiler &compiler, Operation *op) {
  auto dim = cast<tile::DimOp>(op);
  if (dim.getView().getDefiningOp()) {
    auto result = compiler.define(dim.getResult());
    if (failed(result))
      return failure();
    compiler.emit(op, {.run = runDimOfPart,
                       .result = result->offset,
                       .a = compiler.slot(dim.getView()).offset,
                       .parameter = dim.getAxis()});
    return success();
  }
  const ViewValue &view = *compiler.view(dim.getView()).view;
  compiler.alias(dim.getResult(),
                 compiler.constantInteger(ElementKind::I32, view.shape[dim.getAxis()]));
  return success();
}

//===- assert ---------------------------------------------------------------------------------===//

namespace {
struct AssertDetail {
  std::string message;
  SmallVector<int64_t> shape; // of the condition; empty for a scalar
  SmallVector<Slot> compared; // the scalars that the condition compares
};
} // namespace

/// The coordinates of an element of a row-major tile, as `[1, 2]`.
static std::string coordinatesOf(int64_t element, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
    index[axis] = element % shape[axis];
  std::string text = "[";
  for (size_t axis = 0; axis < index.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(index[axis]);
  return text + "]";
}

static std::string scalarText(Frame &frame, Slot slot) {
  if (!isFloat(slot.kind))
    return std::to_string(readInteger(frame, slot.offset, slot.storage()));
  char text[32];
  snprintf(text, sizeof(text), "%g",
           slot.storage() == Storage::Double ? *frame.at<double>(slot.offset)
                                             : *frame.at<float>(slot.offset));
  return text;
}

static void runAssert(const Instruction &instruction, Frame &frame) {
  const int32_t *condition = frame.at<int32_t>(instruction.a);
  const int32_t *end = condition + instruction.count;
  const int32_t *broken = std::find(condition, end, 0);
  if (broken == end)
    return;
  auto &detail = *static_cast<const AssertDetail *>(instruction.detail);
  std::string message = "assertion failed: " + detail.message;
  if (!detail.shape.empty())
    message += " (element " + coordinatesOf(broken - condition, detail.shape) + ")";
  if (!detail.compared.empty()) {
    SmallVector<std::string> values;
    for (Slot slot : detail.compared)
      values.push_back(scalarText(frame, slot));
    message += " (compared " + llvm::join(values, " and ") + ")";
  }
  frame.fail(instruction.op, message);
}

static LogicalResult compileAssert(Compiler &compiler, Operation *op) {
  auto assertion = cast<tile::AssertOp>(op);
  Slot condition = compiler.slot(assertion.getCondition());
  AssertDetail detail{assertion.getMessage().str(), {}, {}};
  if (auto tensor = dyn_cast<RankedTensorType>(assertion.getCondition().getType()))
    detail.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  Operation *source = assertion.getCondition().getDefiningOp();
  // Values of another block may be overwritten by now.
  if (isa_and_nonnull<arith::CmpIOp, arith::CmpFOp>(source) &&
      source->getBlock() == op->getBlock() && condition.count == 1)
    for (Value operand : source->getOperands())
      detail.compared.push_back(compiler.slot(operand));
  compiler.emit(op, {.run = runAssert,
                     .a = condition.offset,
                     .count = condition.count,
                     .detail = compiler.program.own(std::move(detail))});
  return success();
}

/// The host takes a plan for the launches only that it is for.
static LogicalResult compileWhen(Compiler &compiler, Operation *op) {
  Slot condition = compiler.slot(cast<cta::WhenOp>(op).getCondition());
  AssertDetail detail{cta::WhenOp::message().str(), {}, {}};
  compiler.emit(op, {.run = runAssert,
                     .a = condition.offset,
                     .count = condition.count,
                     .detail = compiler.program.own(std::move(detail))});
  return success();
}

void addProgramOps(OpTable &table) {
  table["tile.grid"] = compileGrid;
  table["tile.program_id"] = compileProgramId;
  table["tile.dim"] = compileDim;
  table["tile.assert"] = compileAssert;
  table["cta.when"] = compileWhen;
}

} // namespace tilewright::simulator
