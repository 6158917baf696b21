// Channels: rings of slots (Rings.h). A copy is there when it has been started, and a slot is given
// back where its release stands, also `after` a product: products are done at once.
#include "ir/cta/Cta.h"
#include "simulator/reference/Access.h"

#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

static SlotHandle handleAt(Frame &frame, int64_t slot) {
  return SlotHandle::of(*frame.at<int64_t>(slot));
}

/// False, with a failure, when something is wrong with what an op does to a slot.
static bool check(Frame &frame, Operation *op, const char *verb, const char *wrong) {
  if (wrong)
    frame.fail(op, std::string(verb) + " " + wrong);
  return !wrong;
}

//===- channel --------------------------------------------------------------------------------===//

/// The roles in which a channel is used by such an op; null stands for code outside of roles.
template <typename Use> static llvm::SmallSetVector<Operation *, 2> rolesOf(Operation *channel) {
  llvm::SmallSetVector<Operation *, 2> roles;
  for (Operation *user : channel->getUsers())
    if (isa<Use>(user) || (std::is_same_v<Use, cta::AcquireOp> && isa<cta::LoadOp>(user)))
      roles.insert(cta::roleOf(user));
  return roles;
}

static int countCopies(ArrayRef<Operation *> roles) {
  int count = 0;
  for (Operation *role : roles)
    count += role ? int(copiesOf(cast<cta::RoleOp>(role))) : 1;
  return count;
}

static LogicalResult compileChannel(Compiler &compiler, Operation *op) {
  auto type = cast<cta::ChannelOp>(op).getResult().getType();
  auto kind = elementKind(type.getTile());
  auto producers = rolesOf<cta::AcquireOp>(op), consumers = rolesOf<cta::WaitOp>(op);
  if (!kind)
    return emitError(op->getLoc()) << "the interpreter cannot hold slots of " << type.getTile();
  if (producers.size() > 1)
    return emitError(op->getLoc())
           << "a channel that " << producers.size() << " roles fill has no meaning; one does";
  compiler.program.rings.push_back({op, cta::nameOf(op->getResult(0), "a channel"), type.getDepth(),
                                    elementCount(type.getTile()) * storageBytes(storageOf(*kind)),
                                    countCopies(producers.getArrayRef()),
                                    countCopies(consumers.getArrayRef())});
  return success();
}

/// The number of a channel's ring.
static int64_t ringOf(Compiler &compiler, Value channel) {
  const std::vector<RingShape> &rings = compiler.program.rings;
  auto found = llvm::find_if(
      rings, [&](const RingShape &ring) { return ring.channel == channel.getDefiningOp(); });
  assert(found != rings.end() && "no other value than the result of cta.channel has its type");
  return found - rings.begin();
}

//===- acquire, wait --------------------------------------------------------------------------===//

/// parameter: the ring.
static void runAcquire(const Instruction &instruction, Frame &frame) {
  int64_t &count = frame.cursors.acquired[instruction.parameter];
  SlotHandle slot{instruction.parameter, count};
  if (!frame.execution.rings.acquire(slot))
    return frame.wait();
  *frame.at<int64_t>(instruction.result) = slot.bits();
  ++count;
}

static void runWait(const Instruction &instruction, Frame &frame) {
  int64_t &count = frame.cursors.awaited[instruction.parameter];
  SlotHandle slot{instruction.parameter, count};
  if (!frame.execution.rings.isFull(slot))
    return frame.wait();
  *frame.at<int64_t>(instruction.result) = slot.bits();
  ++count;
}

static LogicalResult compileNoSlot(Compiler &compiler, Operation *op) {
  int64_t none = SlotHandle{ringOf(compiler, op->getOperand(0)), SlotHandle::kNone}.bits();
  compiler.alias(op->getResult(0), compiler.constantInteger(ElementKind::I64, none));
  return success();
}

template <Handler run> static LogicalResult compileNext(Compiler &compiler, Operation *op) {
  int64_t ring = ringOf(compiler, op->getOperand(0));
  auto slot = compiler.define(op->getResult(0));
  if (failed(slot))
    return failure();
  compiler.emit(op, {.run = run, .result = slot->offset, .parameter = ring});
  return success();
}

//===- copy, put, load ------------------------------------------------------------------------===//

/// a: the slot, b: the predicate, if parameter is 1, c: the fill value.
static void runCopyTile(const Instruction &instruction, Frame &frame) {
  if (instruction.parameter && !*frame.at<int32_t>(instruction.b))
    return;
  Rings &rings = frame.execution.rings;
  SlotHandle slot = handleAt(frame, instruction.a);
  if (check(frame, instruction.op, "fills", rings.checkWrite(slot, frame.number)))
    loadTile(*static_cast<const Access *>(instruction.detail), frame, instruction.op,
             rings.data(slot), frame.at<void>(instruction.c));
}

static LogicalResult compileCopy(Compiler &compiler, Operation *op) {
  auto copy = cast<cta::CopyOp>(op);
  Access access = makeAccess(compiler, copy.getView(), copy.getIndices(), copy.getExtents(),
                             copy.getValid(), copy.getInBounds());
  Value predicate = copy.getPredicate();
  Type element = copy.getView().getType().getElementType();
  TypedAttr fill = copy.getFillAttr() ? copy.getFillAttr() : Builder(op).getZeroAttr(element);
  compiler.emit(op, {.run = runCopyTile,
                     .a = compiler.slot(copy.getSlot()).offset,
                     .b = predicate ? compiler.slot(predicate).offset : 0,
                     .c = compiler.constantElement(access.kind, fill).offset,
                     .parameter = bool(predicate),
                     .detail = compiler.program.own(std::move(access))});
  return success();
}

/// a: the tile, b: the slot, count: rows, parameter: bytes of one.
static void runPut(const Instruction &instruction, Frame &frame) {
  Rings &rings = frame.execution.rings;
  SlotHandle slot = handleAt(frame, instruction.b);
  if (!check(frame, instruction.op, "fills", rings.checkWrite(slot, frame.number)))
    return;
  auto [first, end] = frame.ownRows(instruction.count);
  int64_t from = first * instruction.parameter;
  std::memcpy(rings.data(slot) + from, frame.at<char>(instruction.a) + from,
              (end - first) * instruction.parameter);
}

static LogicalResult compilePut(Compiler &compiler, Operation *op) {
  auto put = cast<cta::PutOp>(op);
  Slot tile = compiler.slot(put.getTile());
  int64_t rows = cast<RankedTensorType>(put.getTile().getType()).getDimSize(0);
  compiler.emit(op, {.run = runPut,
                     .a = tile.offset,
                     .b = compiler.slot(put.getSlot()).offset,
                     .count = rows,
                     .parameter = tile.bytes() / rows});
  return success();
}

static void runCommit(const Instruction &instruction, Frame &frame) {
  SlotHandle slot = handleAt(frame, instruction.a);
  check(frame, instruction.op, "commits", frame.execution.rings.commit(slot, frame.number));
}

/// a: the slot, b: a condition, if parameter is 1.
static void runRelease(const Instruction &instruction, Frame &frame) {
  if (instruction.parameter && !*frame.at<int32_t>(instruction.b))
    return;
  SlotHandle slot = handleAt(frame, instruction.a);
  check(frame, instruction.op, "releases", frame.execution.rings.release(slot, frame.number));
}

static LogicalResult compileCommit(Compiler &compiler, Operation *op) {
  Value slot = cast<cta::CommitOp>(op).getSlot();
  compiler.emit(op, {.run = runCommit, .a = compiler.slot(slot).offset});
  return success();
}

static LogicalResult compileRelease(Compiler &compiler, Operation *op) {
  auto release = cast<cta::ReleaseOp>(op);
  Value condition = release.getCondition();
  compiler.emit(op, {.run = runRelease,
                     .a = compiler.slot(release.getSlot()).offset,
                     .b = condition ? compiler.slot(condition).offset : 0,
                     .parameter = bool(condition)});
  return success();
}

static LogicalResult compileLoad(Compiler &compiler, Operation *op) {
  auto load = cast<cta::LoadOp>(op);
  Slot slot = compiler.allocate(ElementKind::I64, 1);
  Access access = makeAccess(compiler, load.getView(), load.getIndices(), load.getExtents(),
                             std::nullopt, std::nullopt);
  int64_t ring = ringOf(compiler, load.getChannel());
  compiler.emit(op, {.run = runAcquire, .result = slot.offset, .parameter = ring});
  compiler.emit(
      op,
      {.run = runCopyTile, .a = slot.offset, .detail = compiler.program.own(std::move(access))});
  compiler.emit(op, {.run = runCommit, .a = slot.offset});
  compiler.release(slot);
  return success();
}

//===- get, element ---------------------------------------------------------------------------===//

/// a: the slot, count: bytes.
static void runGet(const Instruction &instruction, Frame &frame) {
  Rings &rings = frame.execution.rings;
  SlotHandle slot = handleAt(frame, instruction.a);
  if (check(frame, instruction.op, "reads", rings.checkRead(slot, frame.number)))
    std::memcpy(frame.at<char>(instruction.result), rings.data(slot), instruction.count);
}

void emitGet(Compiler &compiler, Operation *op, Slot result, Value slot) {
  compiler.emit(op, {.run = runGet,
                     .result = result.offset,
                     .a = compiler.slot(slot).offset,
                     .count = result.bytes()});
}

static LogicalResult compileGet(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  emitGet(compiler, op, *result, op->getOperand(0));
  return success();
}

/// a: the slot, b: the index, count: elements of the row, parameter: bytes of one.
static void runElement(const Instruction &instruction, Frame &frame) {
  Rings &rings = frame.execution.rings;
  SlotHandle slot = handleAt(frame, instruction.a);
  int64_t index = *frame.at<int32_t>(instruction.b);
  if (!check(frame, instruction.op, "reads", rings.checkRead(slot, frame.number)))
    return;
  if (index < 0 || index >= instruction.count)
    return frame.fail(instruction.op, "reads element " + std::to_string(index) + " of a row of " +
                                          std::to_string(instruction.count));
  std::memcpy(frame.at<char>(instruction.result), rings.data(slot) + index * instruction.parameter,
              instruction.parameter);
}

static LogicalResult compileElement(Compiler &compiler, Operation *op) {
  auto element = cast<cta::ElementOp>(op);
  auto result = compiler.define(element.getElement());
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runElement,
                     .result = result->offset,
                     .a = compiler.slot(element.getSlot()).offset,
                     .b = compiler.slot(element.getIndex()).offset,
                     .count = element.getSlot().getType().getTile().getNumElements(),
                     .parameter = result->bytes()});
  return success();
}

//===- store ----------------------------------------------------------------------------------===//

/// parameter: whether it adds.
static void runStore(const Instruction &instruction, Frame &frame) {
  auto &access = *static_cast<const Access *>(instruction.detail);
  const char *tile = frame.at<char>(instruction.a);
  if (instruction.parameter)
    updateTile(access, frame, instruction.op, tile, tile::AtomicKind::Add);
  else
    storeTile(access, frame, instruction.op, tile);
}

static LogicalResult compileStore(Compiler &compiler, Operation *op) {
  auto store = cast<cta::StoreOp>(op);
  Access access = makeAccess(compiler, store.getView(), store.getIndices(), store.getExtents(),
                             std::nullopt, std::nullopt);
  compiler.emit(op, {.run = runStore,
                     .a = compiler.slot(store.getTile()).offset,
                     .parameter = store.getAdd(),
                     .detail = compiler.program.own(std::move(access))});
  return success();
}

/// Ops that `lower-channels` writes are about barriers, which whole tiles do not have.
static LogicalResult refuseLowered(Compiler &, Operation *op) {
  return op->emitError() << "`" << op->getName()
                         << "` is of a program behind `lower-channels`; its "
                         << "meaning is that of the program before";
}

void addChannelOps(OpTable &table) {
  table["cta.channel"] = compileChannel;
  table["cta.acquire"] = compileNext<runAcquire>;
  table["cta.wait"] = compileNext<runWait>;
  table["cta.no_slot"] = compileNoSlot;
  table["cta.copy"] = compileCopy;
  table["cta.put"] = compilePut;
  table["cta.commit"] = compileCommit;
  table["cta.release"] = compileRelease;
  table["cta.load"] = compileLoad;
  table["cta.get"] = compileGet;
  table["cta.element"] = compileElement;
  table["cta.store"] = compileStore;
  for (llvm::StringRef name :
       {"cta.slot_at", "cta.barrier_of", "cta.once", "cta.put_copied", "cta.await_stores"})
    table[name] = refuseLowered;
}

} // namespace tilewright::simulator
