// Products, which are done where they are started, and arithmetic of the cta level.
#include "ir/cta/Cta.h"
#include "simulator/reference/Compiler.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

//===- begin, mma, await ----------------------------------------------------------------------===//

/// count: bytes.
static void runZeros(const Instruction &instruction, Frame &frame) {
  std::memset(frame.at<char>(instruction.result), 0, instruction.count);
}

static LogicalResult compileBegin(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runZeros, .result = result->offset, .count = result->bytes()});
  return success();
}

/// A copy of an operand as the product sees it, in registers or a slot.
static FailureOr<Slot> emitOperand(Compiler &compiler, cta::MmaOp mma, Value operand,
                                   bool transposed) {
  RankedTensorType tile = cta::tileOf(operand.getType());
  auto copy = compiler.allocate(tile, mma);
  if (failed(copy))
    return failure();
  if (isa<cta::SlotType>(operand.getType()))
    emitGet(compiler, mma, *copy, operand);
  else
    compiler.emitCopy(mma, *copy, compiler.slot(operand));
  if (mma.getTf32())
    compiler.emitKernel(mma, kernels().element[int(ElementOp::RoundTf32)][0], *copy, *copy);
  if (!transposed)
    return copy;
  Slot turned = compiler.allocate(copy->kind, copy->count);
  emitTranspose(compiler, mma, turned, *copy, tile.getDimSize(0), tile.getDimSize(1));
  compiler.release(*copy);
  return turned;
}

static LogicalResult compileMma(Compiler &compiler, Operation *op) {
  auto mma = cast<cta::MmaOp>(op);
  auto result = compiler.define(mma.getResult());
  auto a = emitOperand(compiler, mma, mma.getA(), mma.getATransposed());
  auto b = emitOperand(compiler, mma, mma.getB(), mma.getBTransposed());
  if (failed(result) || failed(a) || failed(b))
    return failure();
  ArrayRef<int64_t> acc = cta::tileOf(mma.getAcc().getType()).getShape();
  int64_t k = a->count / acc[0];
  emitDot(compiler, op, *result, *a, *b, compiler.slot(mma.getAcc()), acc[0], acc[1], k);
  compiler.release(*a);
  compiler.release(*b);
  return success();
}

//===- Peaks and sums of rows -----------------------------------------------------------------===//

namespace {
struct Rows {
  int64_t rows, columns;
};
} // namespace

static const Rows *ownRows(Compiler &compiler, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return compiler.program.own(Rows{type.getDimSize(0), type.getDimSize(1)});
}

static void countElements(const Rows &rows, Frame &frame) {
  frame.execution.statistics.elementOps += rows.rows * rows.columns;
}

/// a: the tile, b: factors of its rows.
static void runRescale(const Instruction &instruction, Frame &frame) {
  auto &rows = *static_cast<const Rows *>(instruction.detail);
  countElements(rows, frame);
  const float *source = frame.at<float>(instruction.a), *factors = frame.at<float>(instruction.b);
  float *result = frame.at<float>(instruction.result);
  for (int64_t i = 0; i < rows.rows * rows.columns; ++i)
    result[i] = source[i] * factors[i / rows.columns];
}

static LogicalResult compileRescale(Compiler &compiler, Operation *op) {
  auto rescale = cast<cta::RescaleOp>(op);
  auto result = compiler.define(rescale.getResult());
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runRescale,
                     .result = result->offset,
                     .a = compiler.slot(rescale.getSource()).offset,
                     .b = compiler.slot(rescale.getFactors()).offset,
                     .detail = ownRows(compiler, rescale.getSource())});
  return success();
}

namespace {
struct RaiseDetail {
  Rows rows;
  int64_t shrink, factor; // slots
  float tolerance;
  std::optional<float> whole;
};
} // namespace

/// The largest element of a row times a factor; NaN if one is.
static float peakOf(const float *row, int64_t columns, float factor) {
  float peak = -INFINITY;
  for (int64_t i = 0; i < columns; ++i) {
    float value = row[i] * factor;
    if (std::isnan(value))
      return value;
    peak = std::max(peak, value);
  }
  return peak;
}

/// a: the peaks before, b: the tile.
static void runRaise(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const RaiseDetail *>(instruction.detail);
  countElements(detail.rows, frame);
  const float *before = frame.at<float>(instruction.a), *source = frame.at<float>(instruction.b);
  float factor = *frame.at<float>(detail.factor);
  for (int64_t row = 0; row < detail.rows.rows; ++row) {
    float top = peakOf(source + row * detail.rows.columns, detail.rows.columns, factor);
    if (detail.whole)
      top = std::ceil(top) - *detail.whole;
    float peak = top - before[row] > detail.tolerance ? top : before[row];

    frame.at<float>(detail.shrink)[row] = std::exp2(before[row] - peak);
    frame.at<float>(instruction.result)[row] = peak;
  }
}

static LogicalResult compileRaise(Compiler &compiler, Operation *op) {
  auto raise = cast<cta::RaiseOp>(op);
  auto peak = compiler.define(raise.getPeak()), shrink = compiler.define(raise.getShrink());
  if (failed(peak) || failed(shrink))
    return failure();
  RaiseDetail detail{*ownRows(compiler, raise.getSource()), shrink->offset,
                     compiler.slot(raise.getFactor()).offset, raise.getTolerance().convertToFloat(),
                     raise.getWhole() ? std::optional(raise.getWhole()->convertToFloat())
                                      : std::nullopt};
  compiler.emit(op, {.run = runRaise,
                     .result = peak->offset,
                     .a = compiler.slot(raise.getBefore()).offset,
                     .b = compiler.slot(raise.getSource()).offset,
                     .detail = compiler.program.own(detail)});
  return success();
}

/// a: the tile, parameter: columns of the result, of which the first has the rows' sums.
static void runPartialSum(const Instruction &instruction, Frame &frame) {
  auto &rows = *static_cast<const Rows *>(instruction.detail);
  countElements(rows, frame);
  const float *source = frame.at<float>(instruction.a);
  float *result = frame.at<float>(instruction.result);
  std::fill_n(result, rows.rows * instruction.parameter, 0.0f);
  for (int64_t row = 0; row < rows.rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < rows.columns; ++i)
      sum += source[row * rows.columns + i];
    result[row * instruction.parameter] = float(sum);
  }
}

static LogicalResult compilePartialSum(Compiler &compiler, Operation *op) {
  auto sum = cast<cta::PartialSumOp>(op);
  auto result = compiler.define(sum.getResult());
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runPartialSum,
                     .result = result->offset,
                     .a = compiler.slot(sum.getSource()).offset,
                     .parameter = cast<RankedTensorType>(sum.getResult().getType()).getDimSize(1),
                     .detail = ownRows(compiler, sum.getSource())});
  return success();
}

//===- combine, before ------------------------------------------------------------------------===//

/// Blocks make all tiles whole, so each part is the sum.
static LogicalResult compileCombine(Compiler &compiler, Operation *op) {
  auto combine = cast<cta::CombineOp>(op);
  auto sums = compiler.defineAll(combine.getSums());
  if (failed(sums))
    return failure();
  for (auto [sum, part] : llvm::zip(*sums, combine.getParts()))
    compiler.emitCopy(op, sum, compiler.slot(part));
  compiler.alias(combine.getWhole(), compiler.constantInteger(ElementKind::I1, -1));
  return success();
}

/// Blocks run one after the other here, and each has a part of its rows.
static LogicalResult compileClusterReduce(Compiler &, Operation *op) {
  return op->emitError() << "`" << op->getName()
                         << "` has no meaning for one block: the interpreter runs the kernel that "
                            "it was made of, and the simulator what becomes of it";
}

static void runBefore(const Instruction &instruction, Frame &frame) {
  bool before = *frame.at<int32_t>(instruction.a) < *frame.at<int32_t>(instruction.b);
  *frame.at<int32_t>(instruction.result) = before ? -1 : 0;
}

static LogicalResult compileBefore(Compiler &compiler, Operation *op) {
  auto before = cast<cta::BeforeOp>(op);
  auto result = compiler.define(before.getResult());
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runBefore,
                     .result = result->offset,
                     .a = compiler.slot(before.getCounter()).offset,
                     .b = compiler.slot(before.getBound()).offset});
  return success();
}

void addProductOps(OpTable &table) {
  table["cta.begin"] = compileBegin;
  table["cta.mma"] = compileMma;
  table["cta.rescale"] = compileRescale;
  table["cta.raise"] = compileRaise;
  table["cta.partial_sum"] = compilePartialSum;
  table["cta.combine"] = compileCombine;
  table["cta.cluster_reduce"] = compileClusterReduce;
  table["cta.before"] = compileBefore;
  // A pending sum is the sum, and a tile has no layout here.
  for (StringRef name : {"cta.await", "cta.convert", "cta.opaque"})
    table[name] = compileIdentity;
}

} // namespace tilewright::simulator
