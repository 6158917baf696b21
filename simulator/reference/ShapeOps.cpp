// Ops that rearrange elements: each is a copy with the source's strides seen from the result.
#include "simulator/reference/Compiler.h"

#include <algorithm>
#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

namespace {
struct StridedCopy {
  SmallVector<int64_t> shape;   // of the result
  SmallVector<int64_t> strides; // of the source, for each axis of the result
};
} // namespace

template <typename T>
static void copyRow(T *target, const T *source, int64_t stride, int64_t count) {
  if (stride == 0)
    std::fill_n(target, count, *source);
  else if (stride == 1)
    std::copy_n(source, count, target);
  else
    for (int64_t i = 0; i < count; ++i)
      target[i] = source[i * stride];
}

/// Copies the part of the result below `axis`; returns where the result continues.
template <typename T>
static T *copyAxis(T *target, const T *source, const StridedCopy &copy, size_t axis) {
  int64_t size = copy.shape[axis], stride = copy.strides[axis];
  if (axis + 1 == copy.shape.size()) {
    copyRow(target, source, stride, size);
    return target + size;
  }
  for (int64_t i = 0; i < size; ++i)
    target = copyAxis(target, source + i * stride, copy, axis + 1);
  return target;
}

template <typename T> static void runStridedCopy(const Instruction &instruction, Frame &frame) {
  copyAxis(frame.at<T>(instruction.result), frame.at<T>(instruction.a),
           *static_cast<const StridedCopy *>(instruction.detail), 0);
}

/// A plain transpose in squares, so that neither side strides through the whole cache.
template <typename T> static void runTranspose(const Instruction &instruction, Frame &frame) {
  constexpr int64_t kSquare = 16;
  auto &copy = *static_cast<const StridedCopy *>(instruction.detail);
  int64_t rows = copy.shape[0], columns = copy.shape[1]; // of the result
  T *target = frame.at<T>(instruction.result);
  const T *source = frame.at<T>(instruction.a);
  for (int64_t row = 0; row < rows; row += kSquare)
    for (int64_t column = 0; column < columns; column += kSquare) {
      int64_t lastRow = std::min(rows, row + kSquare);
      int64_t lastColumn = std::min(columns, column + kSquare);
      for (int64_t i = row; i < lastRow; ++i)
        for (int64_t j = column; j < lastColumn; ++j)
          target[i * columns + j] = source[j * rows + i];
    }
}

static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

static LogicalResult emitStrided(Compiler &compiler, Operation *op, Value source,
                                 SmallVector<int64_t> strides) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  bool wide = storageBytes(result->storage()) == 8;
  StridedCopy copy{SmallVector<int64_t>(shapeOf(op->getResult(0))), std::move(strides)};
  if (copy.shape.empty()) {
    compiler.emitCopy(op, *result, compiler.slot(source));
    return success();
  }
  Handler run = wide ? runStridedCopy<int64_t> : runStridedCopy<int32_t>;
  if (copy.shape.size() == 2 && copy.strides[0] == 1 && copy.strides[1] == copy.shape[0])
    run = wide ? runTranspose<int64_t> : runTranspose<int32_t>;
  compiler.emit(op, {.run = run,
                     .result = result->offset,
                     .a = compiler.slot(source).offset,
                     .detail = compiler.program.own(std::move(copy))});
  return success();
}

void emitTranspose(Compiler &compiler, Operation *op, Slot result, Slot source, int64_t rows,
                   int64_t columns) {
  StridedCopy copy{{columns, rows}, {1, columns}};
  bool wide = storageBytes(result.storage()) == 8;
  compiler.emit(op, {.run = wide ? runTranspose<int64_t> : runTranspose<int32_t>,
                     .result = result.offset,
                     .a = source.offset,
                     .detail = compiler.program.own(std::move(copy))});
}

//===- Ops ------------------------------------------------------------------------------------===//

static LogicalResult compileSplat(Compiler &compiler, Operation *op) {
  return emitStrided(compiler, op, op->getOperand(0),
                     SmallVector<int64_t>(shapeOf(op->getResult(0)).size(), 0));
}

LogicalResult compileIdentity(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  compiler.emitCopy(op, *result, compiler.slot(op->getOperand(0)));
  return success();
}

static LogicalResult compileBroadcast(Compiler &compiler, Operation *op) {
  ArrayRef<int64_t> source = shapeOf(op->getOperand(0));
  SmallVector<int64_t> strides = rowMajorStrides(source);
  for (size_t axis = 0; axis < source.size(); ++axis)
    if (source[axis] == 1)
      strides[axis] = 0;
  return emitStrided(compiler, op, op->getOperand(0), std::move(strides));
}

static LogicalResult compileTranspose(Compiler &compiler, Operation *op) {
  SmallVector<int64_t> from = rowMajorStrides(shapeOf(op->getOperand(0))), strides;
  for (int64_t axis : cast<tile::TransposeOp>(op).getPermutation())
    strides.push_back(from[axis]);
  return emitStrided(compiler, op, op->getOperand(0), std::move(strides));
}

static void runRange(const Instruction &instruction, Frame &frame) {
  uint32_t start = *frame.at<uint32_t>(instruction.a);
  uint32_t *result = frame.at<uint32_t>(instruction.result);
  for (int64_t i = 0; i < instruction.count; ++i)
    result[i] = start + uint32_t(i);
}

static LogicalResult compileRange(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runRange,
                     .result = result->offset,
                     .a = compiler.slot(op->getOperand(0)).offset,
                     .count = result->count});
  return success();
}

void addShapeOps(OpTable &table) {
  table["tile.range"] = compileRange;
  table["tile.splat"] = compileSplat;
  table["tile.expand_dims"] = compileIdentity;
  table["tile.broadcast"] = compileBroadcast;
  table["tile.transpose"] = compileTranspose;
}

} // namespace tilewright::simulator
