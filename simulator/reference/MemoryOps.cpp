// Loads, stores and atomic updates of views.
#include "simulator/reference/Access.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

/// Where the slot of a part of a view holds its size along an axis.
static int64_t sizeSlot(Slot part, int64_t axis) { return part.offset + 8 * (1 + axis); }

Access makeAccess(Compiler &compiler, Value view, ValueRange indices, ArrayRef<int64_t> extents,
                  std::optional<ArrayRef<int64_t>> valid, std::optional<ArrayRef<bool>> inBounds) {
  Access access;
  access.view = &compiler.view(view);
  access.kind = *elementKind(cast<tile::ViewType>(view.getType()).getElementType());
  const ViewValue &value = *access.view->view;
  bool isPart = view.getDefiningOp() != nullptr;
  if (isPart)
    access.part = compiler.slot(view).offset;
  for (auto [i, index] : llvm::enumerate(indices)) {
    Slot slot = compiler.slot(index);
    bool gathers = extents[i] == tile::kGather;
    AccessAxis axis{gathers ? slot.count : extents[i],
                    gathers,
                    slot.offset,
                    isPart ? sizeSlot(compiler.slot(view), i) : value.shape[i],
                    value.strides[i],
                    valid && (*valid)[i] ? (*valid)[i]
                    : gathers            ? slot.count
                                         : extents[i],
                    inBounds && (*inBounds)[i],
                    1};
    (axis.extent == 0 ? access.scalars : access.kept).push_back(axis);
  }
  for (size_t i = access.kept.size(); i-- > 1;)
    access.kept[i - 1].tileStride = access.kept[i].tileStride * access.kept[i].extent;
  return access;
}

static char *addressOf(const Access &access, int64_t element) {
  return static_cast<char *>(access.view->view->buffer->data) + element * memoryBytes(access.kind);
}

/// Notes a row in the shadow, and tells whoever waits for this element which op touched it.
static void record(const Access &access, Frame &frame, Operation *op, Touch touch, const Row &row) {
  Shadow *shadow = access.view->shadow;
  if (!shadow)
    return;
  if (Watch *watch = frame.execution.watch) {
    if (watch->shadow != shadow || watch->touch != touch || watch->found)
      return;
    for (int64_t i = row.low; i < row.high; ++i)
      if (row.first + i * row.stride == watch->element)
        watch->found = op;
    return;
  }
  shadow->record(touch, frame.execution.id, row.begin(), row.stride, row.inside());
}

/// Fails when the row reads an element that this program has not written.
static void checkPoison(const Access &access, Frame &frame, Operation *op, const Row &row) {
  if (!access.view->poison)
    return;
  for (int64_t i = row.low; i < row.high; ++i) {
    int64_t element = row.first + i * row.stride;
    if (!access.view->shadow->isWrittenBy(frame.execution.id, element))
      return frame.fail(op, "reads element " + std::to_string(element) + " of `" +
                                access.view->name +
                                "`, which is uninitialized and was not written by this program");
  }
}

//===- subview --------------------------------------------------------------------------------===//

namespace {
struct SubviewDetail {
  std::optional<int64_t> part; // slot, if the view itself is a part
  int64_t offset;              // of the view otherwise
  SmallVector<int64_t> shape;  // of the view otherwise
  int64_t axis, stride;
};
} // namespace

/// a, b: start and size.
static void runSubview(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const SubviewDetail *>(instruction.detail);
  int64_t *result = frame.at<int64_t>(instruction.result), rank = detail.shape.size();
  if (detail.part)
    std::memmove(result, frame.at<int64_t>(*detail.part), (1 + rank) * sizeof(int64_t));
  else {
    result[0] = detail.offset;
    llvm::copy(detail.shape, result + 1);
  }
  int64_t start = *frame.at<int32_t>(instruction.a), size = *frame.at<int32_t>(instruction.b);
  int64_t &length = result[1 + detail.axis];
  if (start < 0 || size < 0 || start + size > length)
    return frame.fail(instruction.op, "takes " + std::to_string(size) + " from " +
                                          std::to_string(start) + " on, of " +
                                          std::to_string(length));
  result[0] += start * detail.stride;
  length = size;
}

static LogicalResult compileSubview(Compiler &compiler, Operation *op) {
  auto subview = cast<tile::SubviewOp>(op);
  const ViewValue &tensor = *compiler.view(subview.getView()).view;
  int64_t axis = subview.getAxis();
  SubviewDetail detail{{}, tensor.offset, tensor.shape, axis, tensor.strides[axis]};
  if (subview.getView().getDefiningOp())
    detail.part = compiler.slot(subview.getView()).offset;
  auto result = compiler.define(subview.getResult());
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runSubview,
                     .result = result->offset,
                     .a = compiler.slot(subview.getStart()).offset,
                     .b = compiler.slot(subview.getSize()).offset,
                     .detail = compiler.program.own(std::move(detail))});
  return success();
}

//===- load -----------------------------------------------------------------------------------===//

void loadTile(const Access &access, Frame &frame, Operation *op, char *tile, const void *fill) {
  LoadRow loadRow = frame.table.loadRow[int(access.kind)];
  int64_t bytes = storageBytes(storageOf(access.kind));
  auto fillWith = [&]<typename T>(const T *value, int64_t from, int64_t to) {
    std::fill_n(reinterpret_cast<T *>(tile) + from, to - from, *value);
  };
  auto fillRange = [&](int64_t from, int64_t to) {
    if (bytes == 8)
      fillWith(static_cast<const int64_t *>(fill), from, to);
    else
      fillWith(static_cast<const int32_t *>(fill), from, to);
  };
  RowWalk(access, frame).run(op, [&](const Row &row) {
    fillRange(row.tile, row.tile + row.low);
    fillRange(row.tile + row.high, row.tile + row.count);
    if (row.inside() == 0)
      return;
    checkPoison(access, frame, op, row);
    record(access, frame, op, Touch::Read, row);
    frame.execution.statistics.bytesLoaded += row.inside() * memoryBytes(access.kind);
    loadRow(tile + (row.tile + row.low) * bytes, addressOf(access, row.begin()), row.stride,
            row.inside());
  });
}

/// a: the fill value, or a slot holding 0.
static void runLoad(const Instruction &instruction, Frame &frame) {
  loadTile(*static_cast<const Access *>(instruction.detail), frame, instruction.op,
           frame.at<char>(instruction.result), frame.at<void>(instruction.a));
}

static LogicalResult compileLoad(Compiler &compiler, Operation *op) {
  auto load = cast<tile::LoadOp>(op);
  auto result = compiler.define(load.getResult());
  if (failed(result))
    return failure();
  Slot fill = load.getFill() ? compiler.slot(load.getFill())
                             : compiler.constant(result->kind, 1, std::vector<char>(8));
  Access access = makeAccess(compiler, load.getView(), load.getIndices(), load.getExtents(),
                             load.getValid(), load.getInBounds());
  compiler.emit(op, {.run = runLoad,
                     .result = result->offset,
                     .a = fill.offset,
                     .detail = compiler.program.own(std::move(access))});
  return success();
}

//===- store ----------------------------------------------------------------------------------===//

/// The part of a row of the tile that is stored here: if each warpgroup runs the role, its own
/// rows.
static Row ownPart(const Access &access, const Frame &frame, Row row) {
  if (!frame.role || access.kept.empty())
    return row;
  const AccessAxis &rows = access.kept.front();
  auto [first, end] = frame.ownRows(rows.extent);
  row.low = std::clamp(first * rows.tileStride - row.tile, row.low, row.high);
  row.high = std::clamp(end * rows.tileStride - row.tile, row.low, row.high);
  return row;
}

void storeTile(const Access &access, Frame &frame, Operation *op, const char *tile) {
  StoreRow storeRow = frame.table.storeRow[int(access.kind)];
  int64_t bytes = storageBytes(storageOf(access.kind));
  RowWalk(access, frame).run(op, [&](const Row &whole) {
    Row row = ownPart(access, frame, whole);
    if (row.inside() == 0)
      return;
    record(access, frame, op, Touch::Write, row);
    frame.execution.statistics.bytesStored += row.inside() * memoryBytes(access.kind);
    storeRow(addressOf(access, row.begin()), tile + (row.tile + row.low) * bytes, row.stride,
             row.inside());
  });
}

static void runStore(const Instruction &instruction, Frame &frame) {
  storeTile(*static_cast<const Access *>(instruction.detail), frame, instruction.op,
            frame.at<char>(instruction.a));
}

static LogicalResult compileStore(Compiler &compiler, Operation *op) {
  auto store = cast<tile::StoreOp>(op);
  Access access = makeAccess(compiler, store.getView(), store.getIndices(), store.getExtents(),
                             store.getValid(), store.getInBounds());
  compiler.emit(op, {.run = runStore,
                     .a = compiler.slot(store.getValue()).offset,
                     .detail = compiler.program.own(std::move(access))});
  return success();
}

//===- atomic ---------------------------------------------------------------------------------===//

/// Only integers meet other threads here: updates of floats run on one thread.
static void updateInteger(int32_t *address, int32_t value, tile::AtomicKind kind) {
  std::atomic_ref<int32_t> element(*address);
  int32_t seen = element.load(std::memory_order_relaxed), next;
  do {
    if (kind == tile::AtomicKind::Add)
      next = int32_t(uint32_t(seen) + uint32_t(value));
    else
      next = kind == tile::AtomicKind::Max ? std::max(seen, value) : std::min(seen, value);
  } while (!element.compare_exchange_weak(seen, next, std::memory_order_relaxed));
}

static void updateFloat(char *address, const char *value, const Access &access,
                        tile::AtomicKind kind, Frame &frame) {
  constexpr ElementOp kCombine[] = {ElementOp::AddF, ElementOp::MaximumF, ElementOp::MinimumF};
  double element; // or an f32
  ElementKernel combine =
      frame.table.element[int(kCombine[int(kind)])][int(storageOf(access.kind))];
  frame.table.loadRow[int(access.kind)](&element, address, 1, 1);
  combine(&element, &element, value, nullptr, 1, 32);
  frame.table.storeRow[int(access.kind)](address, &element, 1, 1);
}

void updateTile(const Access &access, Frame &frame, Operation *op, const char *tile,
                tile::AtomicKind kind) {
  RowWalk(access, frame).run(op, [&](const Row &whole) {
    Row row = ownPart(access, frame, whole);
    if (row.inside() == 0)
      return;
    checkPoison(access, frame, op, row);
    record(access, frame, op, Touch::Update, row);
    frame.execution.statistics.bytesStored += row.inside() * memoryBytes(access.kind);
    for (int64_t i = row.low; i < row.high && !frame.execution.failure; ++i) {
      char *address = addressOf(access, row.first + i * row.stride);
      const char *value = tile + (row.tile + i) * storageBytes(storageOf(access.kind));
      if (isFloat(access.kind))
        updateFloat(address, value, access, kind, frame);
      else
        updateInteger(reinterpret_cast<int32_t *>(address),
                      *reinterpret_cast<const int32_t *>(value), kind);
    }
  });
}

/// parameter: the kind.
static void runAtomic(const Instruction &instruction, Frame &frame) {
  updateTile(*static_cast<const Access *>(instruction.detail), frame, instruction.op,
             frame.at<char>(instruction.a), tile::AtomicKind(instruction.parameter));
}

static LogicalResult compileAtomic(Compiler &compiler, Operation *op) {
  auto atomic = cast<tile::AtomicOp>(op);
  Access access = makeAccess(compiler, atomic.getView(), atomic.getIndices(), atomic.getExtents(),
                             atomic.getValid(), atomic.getInBounds());
  bool narrow = access.kind == ElementKind::F16 || access.kind == ElementKind::BF16;
  bool full = access.kind == ElementKind::F32 || access.kind == ElementKind::F64 ||
              access.kind == ElementKind::I32;
  if (!full && !(narrow && atomic.getKind() == tile::AtomicKind::Add))
    return emitError(op->getLoc()) << "has no `" << tile::stringifyAtomicKind(atomic.getKind())
                                   << "` of " << atomic.getView().getType().getElementType();
  compiler.emit(op, {.run = runAtomic,
                     .a = compiler.slot(atomic.getValue()).offset,
                     .parameter = int64_t(atomic.getKind()),
                     .detail = compiler.program.own(std::move(access))});
  return success();
}

void addMemoryOps(OpTable &table) {
  table["tile.subview"] = compileSubview;
  table["tile.load"] = compileLoad;
  table["tile.store"] = compileStore;
  table["tile.atomic"] = compileAtomic;
}

} // namespace tilewright::simulator
