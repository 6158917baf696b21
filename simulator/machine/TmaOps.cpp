// Copies of boxes between tensors and shared memory. The bytes that a copy accesses are checked
// when it is issued, as an event of its engine. Its data moves when it completes. Loads have an
// engine per mbarrier, on which warps wait for them. Stores have two, since a wait may cover only
// their reads of shared memory.
#include "simulator/NarrowFloat.h"
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Mbarrier.h"
#include "simulator/machine/Semantics.h"

#include <cstring>

using namespace mlir;

namespace tilewright::simulator::machine {

static constexpr int64_t kChunk = 16;       // bytes that a swizzle keeps together
static constexpr uint32_t kAlignment = 128; // of a box in shared memory

//===- Boxes ----------------------------------------------------------------------------------===//

namespace {
/// One copy: a box, where in the tensor, where in shared memory.
struct BoxCopy {
  const Box *box;
  const TensorMapArgument *map;
  llvm::SmallVector<int64_t, 5> first; // coordinates of the box's first element
  uint32_t address;

  /// Calls `body(place, element)` for each element: its address in shared memory, and its number
  /// from the tensor's pointer, or -1 outside the tensor.
  template <typename Fn> void forElements(Fn body) const {
    int64_t rank = int64_t(box->shape.size()), count = 1;
    for (int64_t extent : box->shape)
      count *= extent;
    for (int64_t number = 0; number < count; ++number) {
      int64_t rest = number, element = 0;
      bool inside = true;
      for (int64_t axis = rank - 1; axis >= 0; --axis) {
        int64_t at = first[axis] + rest % box->shape[axis];
        rest /= box->shape[axis];
        inside &= at >= 0 && at < map->sizes[axis];
        element += at * map->strides[axis];
      }
      body(place(number), inside ? element : -1);
    }
  }

  /// Calls `body(place)` for each chunk of shared memory.
  template <typename Fn> void forChunks(Fn body) const {
    int64_t count = kChunk / box->elementBytes;
    int64_t elements = 1;
    for (int64_t extent : box->shape)
      elements *= extent;
    for (int64_t number = 0; number < elements; number += count)
      body(place(number));
  }

  int64_t bytes() const {
    int64_t bytes = box->elementBytes;
    for (int64_t extent : box->shape)
      bytes *= extent;
    return bytes;
  }

  /// Instructions in which the 32 lanes of a warp move 16 bytes each.
  uint64_t work() const { return uint64_t(bytes() + kLanes * kChunk - 1) / (kLanes * kChunk); }

private:
  uint32_t place(int64_t number) const {
    uint32_t at = address + uint32_t(number * box->elementBytes);
    uint32_t permutes = box->swizzle ? uint32_t(box->swizzle / kChunk - 1) : 0;
    return at ^ (at >> 7 & permutes) << 4;
  }
};
} // namespace

/// The copy that a lane issues; nothing, after a report, if its place in shared memory is bad, or
/// where it starts in a row.
static std::optional<BoxCopy> boxOf(Warp &warp, const Instruction &instruction, int lane) {
  const Program &program = warp.cluster().session.program;
  const Box &box = program.boxes[instruction.parameter];
  BoxCopy copy{&box, &program.maps[box.map], {}, warp.lanes<uint32_t>(instruction.a)[lane]};
  for (uint32_t slot : box.coordinates) {
    warp.requireDefined(instruction, slot, 1u << lane, "a coordinate");
    copy.first.push_back(warp.lanes<int32_t>(slot)[lane]);
  }
  warp.requireDefined(instruction, instruction.a, 1u << lane, "an address");
  if (copy.address % kAlignment != 0) {
    report(FindingKind::Misaligned, warp, instruction, lane,
           "the box lies at shared-memory address 0x" +
               llvm::utohexstr(copy.address, /*LowerCase=*/true) + ", no multiple of " +
               std::to_string(kAlignment));
    return std::nullopt;
  }
  if (copy.first.back() * box.elementBytes % kChunk != 0) { // an H200: illegal instruction
    report(FindingKind::Misaligned, warp, instruction, lane,
           "the box starts at element " + std::to_string(copy.first.back()) + " of " +
               std::to_string(box.elementBytes) + " bytes, no multiple of 16 bytes");
    return std::nullopt;
  }
  return copy;
}

/// An access by an engine, now.
static Accessor accessorOf(Warp &warp, const Instruction &instruction, AgentId agent,
                           uint32_t time) {
  Accessor result = warp.accessor(instruction);
  result.access.agent = agent;
  result.access.time = time;
  result.access.proxy = Proxy::Async;
  return result;
}

/// Checks what the copy touches in the shared memory of `block`; false if it is out of bounds.
static bool touchShared(Warp &warp, const Instruction &instruction, int lane, Direction direction,
                        Block &block, const BoxCopy &copy, const Accessor &accessor) {
  SharedAccess access(warp, instruction, direction, kChunk, block, accessor);
  bool inside = true;
  copy.forChunks([&](uint32_t place) {
    if (inside)
      inside = access.at(lane, place).has_value();
  });
  return inside;
}

static bool touchGlobal(Warp &warp, const Instruction &instruction, int lane, Direction direction,
                        const BoxCopy &copy, const Accessor &accessor) {
  GlobalAccess access(warp, instruction, copy.map->global, direction, copy.box->elementBytes,
                      accessor);
  bool inside = true;
  copy.forElements([&](uint32_t, int64_t element) {
    if (inside && element >= 0)
      inside = access.at(0, element).has_value();
  });
  return inside;
}

//===- Loads ----------------------------------------------------------------------------------===//

namespace {
/// A load on its way to one block.
struct Landing {
  Block *block;
  int64_t barrier; // its mbarrier's place
};
} // namespace

static void roundInPlace(char *place) {
  float value;
  std::memcpy(&value, place, sizeof(value));
  value = roundToTf32(value);
  std::memcpy(place, &value, sizeof(value));
}

static void land(Warp &warp, const Instruction &instruction, const BoxCopy &copy,
                 const Landing &landing, AgentId agent, uint32_t time) {
  const Allocation &from = *warp.cluster().session.global.ofArgument[copy.map->global];
  SharedMemory &to = landing.block->shared;
  int64_t bytes = copy.box->elementBytes;
  const Pointer &base = warp.cluster().session.program.globals[copy.map->global].pointer;
  copy.forElements([&](uint32_t place, int64_t element) {
    int64_t at = to.offsetOf(place), source = (base.offset + element) * bytes;
    if (element < 0)
      std::memset(&to.bytes[at], 0, bytes);
    else
      std::memcpy(&to.bytes[at], from.data + source, bytes);
    if (element >= 0 && copy.box->tf32)
      roundInPlace(&to.bytes[at]);
    bool undefined = element >= 0 && !from.poison.empty() && from.poison[source];
    std::memset(&to.poison[at], undefined, bytes);
  });
  if (auto barrier = landing.block->mbarriers.find(landing.barrier);
      barrier != landing.block->mbarriers.end())
    barrier->second.bring(warp, instruction, copy.bytes(), agent, time);
}

/// The blocks that a lane's load goes to; bit r of the mask is the cluster's block r.
static llvm::SmallVector<Block *, 2> targetsOf(Warp &warp, const Instruction &instruction,
                                               int lane) {
  if (instruction.c == kNoSlot)
    return {&warp.block};
  warp.requireDefined(instruction, instruction.c, 1u << lane, "the blocks of a multicast");
  uint32_t mask = warp.lanes<uint32_t>(instruction.c)[lane];
  llvm::SmallVector<Block *, 2> targets;
  std::deque<Block> &blocks = warp.cluster().blocks;
  for (size_t rank = 0; rank < blocks.size(); ++rank)
    if (mask >> rank & 1)
      targets.push_back(&blocks[rank]);
  if (mask == 0 || mask >> blocks.size())
    report(FindingKind::OutOfBounds, warp, instruction, lane,
           "multicasts to blocks 0x" + llvm::utohexstr(mask, /*LowerCase=*/true) +
               " of a cluster of " + std::to_string(blocks.size()));
  return targets;
}

static void startLoad(Warp &warp, const Instruction &instruction, int lane, const BoxCopy &copy) {
  uint32_t barrier = warp.lanes<uint32_t>(instruction.b)[lane];
  Engine &engine = warp.async.loads[barrier];
  if (!engine.agent)
    engine.agent = warp.cluster().addAgent(warp.block, warp.index, "TMA load");
  Accessor accessor = accessorOf(warp, instruction, engine.agent, ++engine.time);
  if (!touchGlobal(warp, instruction, lane, Direction::Read, copy, accessor))
    return;
  llvm::SmallVector<Landing, 2> landings;
  for (Block *block : targetsOf(warp, instruction, lane)) {
    Mbarrier *found = findMbarrier(warp, instruction, lane, barrier, *block, accessor);
    if (!found || !touchShared(warp, instruction, lane, Direction::Write, *block, copy, accessor))
      return;
    found->expectCopy(copy.bytes());
    block->visits[engine.agent] = {engine.time, block != &warp.block, &instruction, &warp};
    landings.push_back({block, found->offset});
  }
  AgentId agent = engine.agent;
  uint32_t time = engine.time;
  warp.cluster().issue(warp, instruction, agent, time, copy.work(), [=, &warp, &instruction] {
    for (const Landing &landing : landings)
      land(warp, instruction, copy, landing, agent, time);
  });
}

// a: the shared address; b: the mbarrier; c: the blocks of a multicast; parameter: the box.
static Step runLoad(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.b, warp.active, "an address");
  forLanes(warp.active, [&](int lane) {
    if (auto copy = boxOf(warp, instruction, lane))
      startLoad(warp, instruction, lane, *copy);
  });
  return Step::Next;
}

//===- Stores ---------------------------------------------------------------------------------===//

/// Adds what lies at `from` to what lies at `to`.
template <typename T> static void addPlain(char *to, const char *from) {
  T sum, value;
  std::memcpy(&sum, to, sizeof(T));
  std::memcpy(&value, from, sizeof(T));
  sum = T(sum + value);
  std::memcpy(to, &sum, sizeof(T));
}
template <typename Format> static void addNarrow(char *to, const char *from) {
  uint16_t sum, value;
  std::memcpy(&sum, to, 2);
  std::memcpy(&value, from, 2);
  sum = uint16_t(encode<Format>(decode<Format>(sum) + decode<Format>(value)));
  std::memcpy(to, &sum, 2);
}

static void (*adderOf(Type type))(char *, const char *) {
  if (type.isF32())
    return addPlain<float>;
  if (type.isInteger(32))
    return addPlain<uint32_t>;
  return type.isBF16() ? addNarrow<BFloat16> : addNarrow<Float16>;
}

/// Moves a store's data.
static void depart(Warp &warp, const Instruction &instruction, const BoxCopy &copy) {
  const SharedMemory &from = warp.block.shared;
  Allocation &to = *warp.cluster().session.global.ofArgument[copy.map->global];
  const Pointer &base = warp.cluster().session.program.globals[copy.map->global].pointer;
  int64_t bytes = copy.box->elementBytes;
  bool undefined = false;
  copy.forElements([&](uint32_t place, int64_t element) {
    if (element < 0)
      return;
    int64_t source = from.offsetOf(place), at = (base.offset + element) * bytes;
    undefined |= from.poison[source];
    if (copy.box->add)
      copy.box->add(to.data + at, &from.bytes[source]);
    else
      std::memcpy(to.data + at, &from.bytes[source], bytes);
    if (!to.poison.empty())
      std::memset(&to.poison[at], 0, bytes);
  });
  if (undefined)
    report(FindingKind::Uninitialised, warp, instruction, -1,
           "a store of shared memory that was never written");
}

static void startStore(Warp &warp, const Instruction &instruction, int lane, const BoxCopy &copy) {
  WarpAsync &async = warp.async;
  if (!async.reads) {
    async.reads = warp.cluster().addAgent(warp.block, warp.index, "TMA store");
    async.writes = warp.cluster().addAgent(warp.block, warp.index, "TMA store to global memory");
  }
  uint32_t time = ++async.stores.issued;
  async.stores.last = &instruction;
  Accessor reads = accessorOf(warp, instruction, async.reads, time);
  Accessor writes = accessorOf(warp, instruction, async.writes, time);
  writes.access.atomic = copy.box->add != nullptr;
  if (touchShared(warp, instruction, lane, Direction::Read, warp.block, copy, reads) &&
      touchGlobal(warp, instruction, lane, Direction::Write, copy, writes))
    warp.cluster().issue(warp, instruction, async.reads, time, copy.work(),
                         [=, &warp, &instruction] { depart(warp, instruction, copy); });
}

/// Whether a store's box starts where a store may. A load may start before the tensor, and brings
/// zeros.
static bool storeMayStart(Warp &warp, const Instruction &instruction, int lane,
                          const BoxCopy &copy) {
  for (auto [axis, at] : llvm::enumerate(copy.first))
    if (at < 0) { // an H200: illegal instruction
      report(FindingKind::OutOfBounds, warp, instruction, lane,
             "the box starts at " + std::to_string(at) + " along axis " + std::to_string(axis) +
                 "; a store starts at 0 or behind it");
      return false;
    }
  return true;
}

/// Whether a store writes nothing behind the tensor's rows. It writes chunks: behind the end of a
/// row, zeros (an H100).
static bool storeMayEnd(Warp &warp, const Instruction &instruction, int lane, const BoxCopy &copy) {
  int64_t size = copy.map->sizes.back(), first = copy.first.back();
  int64_t beyond = size * copy.box->elementBytes % kChunk;
  if (beyond == 0 || size <= first || first + copy.box->shape.back() <= size)
    return true;
  report(FindingKind::OutOfBounds, warp, instruction, lane,
         "the box goes past the end of rows of " + std::to_string(size) +
             " elements, no multiple of 16 bytes: a store writes zeros behind them");
  return false;
}

static Step runStore(Warp &warp, const Instruction &instruction) {
  forLanes(warp.active, [&](int lane) {
    auto copy = boxOf(warp, instruction, lane);
    if (copy && storeMayStart(warp, instruction, lane, *copy) &&
        storeMayEnd(warp, instruction, lane, *copy))
      startStore(warp, instruction, lane, *copy);
  });
  return Step::Next;
}

static Step runCommit(Warp &warp, const Instruction &) {
  warp.async.stores.close();
  return Step::Next;
}

// parameter: groups; target: whether only for the reads of shared memory.
static Step runWait(Warp &warp, const Instruction &instruction) {
  WarpAsync &async = warp.async;
  uint32_t done = async.stores.doneWith(instruction.parameter);
  if (!done)
    return Step::Next;
  warp.cluster().completeUpTo(async.reads, done);
  async.storesRead = std::max(async.storesRead, done);
  warp.cluster().learn(warp.clock, async.reads, done);
  if (!instruction.target)
    warp.clock.raise(async.writes, done);
  return Step::Next;
}

//===- Translation ----------------------------------------------------------------------------===//

template <typename Op> static int64_t addBox(Translator &translator, Op op) {
  cuda::TensorMapType type = op.getMap().getType();
  Box box;
  box.map = translator.slot(op.getMap());
  box.shape.assign(type.getBox().getShape().begin(), type.getBox().getShape().end());
  box.elementBytes = type.getBox().getElementTypeBitWidth() / 8;
  box.swizzle = type.getSwizzle();
  box.tf32 = type.getTf32();
  for (Value coordinate : op.getCoordinates())
    box.coordinates.push_back(translator.slot(coordinate));
  translator.noteShared(kChunk);
  translator.program.boxes.push_back(std::move(box));
  return int64_t(translator.program.boxes.size()) - 1;
}

LogicalResult translate(Translator &translator, cuda::TmaLoadOp op) {
  translator.noteShared(8); // its mbarrier
  int64_t box = addBox(translator, op);
  Instruction &instruction = translator.emit(op, runLoad);
  instruction.parameter = box;
  instruction.a = translator.slot(op.getShared());
  instruction.b = translator.slot(op.getBarrier());
  if (op.getMulticast())
    instruction.c = translator.slot(op.getMulticast());
  return success();
}

template <typename Op> static Box &emitStore(Translator &translator, Op op) {
  int64_t box = addBox(translator, op);
  Instruction &instruction = translator.emit(op, runStore);
  instruction.parameter = box;
  instruction.a = translator.slot(op.getShared());
  Box &added = translator.program.boxes.back();
  translator.program.globals[translator.program.maps[added.map].global].written = true;
  return added;
}

LogicalResult translate(Translator &translator, cuda::TmaStoreOp op) {
  emitStore(translator, op);
  return success();
}
LogicalResult translate(Translator &translator, cuda::TmaReduceAddOp op) {
  emitStore(translator, op).add = adderOf(op.getMap().getType().getBox().getElementType());
  return success();
}
LogicalResult translate(Translator &translator, cuda::BulkCommitOp op) {
  translator.emit(op, runCommit);
  return success();
}
LogicalResult translate(Translator &translator, cuda::BulkWaitOp op) {
  Instruction &instruction = translator.emit(op, runWait);
  instruction.parameter = op.getPending();
  instruction.target = op.getRead();
  return success();
}

// Nothing that a program could tell from its results.
static Step runPrefetch(Warp &, const Instruction &) { return Step::Next; }

LogicalResult translate(Translator &translator, cuda::TmaPrefetchOp op) {
  translator.emit(op, runPrefetch);
  return success();
}
LogicalResult translate(Translator &translator, cuda::TmaPrefetchMapOp op) {
  translator.emit(op, runPrefetch);
  return success();
}

} // namespace tilewright::simulator::machine
