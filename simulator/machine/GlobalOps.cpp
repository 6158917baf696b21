// Global memory by plain loads and stores, and atomics.
#include "simulator/NarrowFloat.h"
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Moves.h"
#include "simulator/machine/Semantics.h"

using namespace mlir;

namespace tilewright::simulator::machine {

// a: the pointer argument's number; b: the offset, 64 bits wide if `target`; c: the predicate;
// parameter: array elements moved.
static Step runLoad(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  auto first = warp.registerSlot(instruction, range, instruction.parameter);
  uint32_t mask = warp.predicated(instruction, instruction.c);
  warp.requireDefined(instruction, instruction.b, mask, "an address");
  if (!first)
    return Step::Next;
  GlobalAccess access(warp, instruction, instruction.a, Direction::Read,
                      instruction.parameter * instruction.format.bytes, warp.accessor(instruction));
  LaneElements elements(warp, *first, range, instruction.format, instruction.parameter);
  const Allocation &memory = access.memory;
  forLanes(mask, [&](int lane) {
    if (auto at = access.at(lane, integerAt(warp, instruction.b, instruction.target, lane)))
      elements.load(lane, memory.data + *at, memory.poison.empty() ? nullptr : &memory.poison[*at]);
  });
  access.count();
  return Step::Next;
}

static Step runStore(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  auto first = warp.registerSlot(instruction, range, instruction.parameter);
  uint32_t mask = warp.predicated(instruction, instruction.c);
  warp.requireDefined(instruction, instruction.b, mask, "an address");
  if (!first)
    return Step::Next;
  int64_t bytes = instruction.parameter * instruction.format.bytes;
  GlobalAccess access(warp, instruction, instruction.a, Direction::Write, bytes,
                      warp.accessor(instruction));
  LaneElements elements(warp, *first, range, instruction.format, instruction.parameter);
  Allocation &memory = access.memory;
  forLanes(mask, [&](int lane) {
    char stored[kMostBytes];
    uint8_t poison[kMostBytes];
    elements.store(lane, stored);
    if (elements.storePoison(lane, poison))
      report(FindingKind::Uninitialised, warp, instruction, lane,
             "a value that was never written is stored to `" +
                 warp.cluster().session.program.globals[instruction.a].name + "`");
    int64_t element = integerAt(warp, instruction.b, instruction.target, lane);
    if (auto at = access.at(lane, element, stored)) {
      std::memcpy(memory.data + *at, stored, bytes);
      if (!memory.poison.empty())
        std::memset(&memory.poison[*at], 0, bytes);
    }
  });
  access.count();
  return Step::Next;
}

template <typename Op>
static void translateAccess(Translator &translator, Op op, bool writes, Handler run) {
  cuda::RegsType type = op.getRegs().getType();
  Instruction &instruction = translator.emit(op, run);
  instruction.regs[0] = translator.registers(op.getRegs(), op.getIndex());
  instruction.a = translator.global(op.getPtr(), writes);
  instruction.b = translator.slot(op.getOffset());
  instruction.target = op.getOffset().getType().isInteger(64);
  if (op.getPredicate())
    instruction.c = translator.slot(op.getPredicate());
  instruction.format = formatOf(type);
  instruction.parameter = int64_t(op.getCount()) / type.getPack();
}

LogicalResult translate(Translator &translator, cuda::LoadGlobalOp op) {
  translateAccess(translator, op, /*writes=*/false, runLoad);
  return success();
}

LogicalResult translate(Translator &translator, cuda::StoreGlobalOp op) {
  translateAccess(translator, op, /*writes=*/true, runStore);
  return success();
}

//===- Atomics --------------------------------------------------------------------------------===//

// Each combines the element at `at` with a lane's value. A maximum or minimum takes a NaN as the
// loser; which of two zeros wins follows the order of their bits, as the integer atomics have it.
using Combine = void (*)(char *at, const void *value);

template <typename T, typename Fn> static void update(char *at, const void *value, Fn combine) {
  T old, operand;
  std::memcpy(&old, at, sizeof(T));
  std::memcpy(&operand, value, sizeof(T));
  T result = combine(old, operand);
  std::memcpy(at, &result, sizeof(T));
}

/// Integers in the order of the floats with these bits.
static int32_t ordered(float value) {
  int32_t bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

static void addF32(char *at, const void *value) {
  update<float>(at, value, [](float a, float b) { return a + b; });
}
static void addI32(char *at, const void *value) {
  update<uint32_t>(at, value, [](uint32_t a, uint32_t b) { return a + b; });
}
static void maxI32(char *at, const void *value) {
  update<int32_t>(at, value, [](int32_t a, int32_t b) { return std::max(a, b); });
}
static void minI32(char *at, const void *value) {
  update<int32_t>(at, value, [](int32_t a, int32_t b) { return std::min(a, b); });
}
static void maxF32(char *at, const void *value) {
  update<float>(at, value, [](float a, float b) {
    return b != b ? a : a != a || ordered(b) > ordered(a) ? b : a;
  });
}
static void minF32(char *at, const void *value) {
  update<float>(at, value, [](float a, float b) {
    return b != b ? a : a != a || ordered(b) < ordered(a) ? b : a;
  });
}
template <typename Format> static void addNarrow(char *at, const void *value) {
  update<uint16_t>(at, value, [](uint16_t a, uint16_t b) {
    return uint16_t(encode<Format>(decode<Format>(a) + decode<Format>(b)));
  });
}

static Combine combineOf(StringRef kind, Type type) {
  if (kind == "add")
    return type.isF32()    ? addF32
           : type.isF16()  ? addNarrow<Float16>
           : type.isBF16() ? addNarrow<BFloat16>
                           : addI32;
  bool isFloat = type.isF32();
  if (kind == "max")
    return isFloat ? maxF32 : maxI32;
  return isFloat ? minF32 : minI32;
}

// a, b, c and `target` as of a load; d: the value.
template <typename Fn>
static Step updateLanes(Warp &warp, const Instruction &instruction, Fn combine) {
  uint32_t mask = warp.predicated(instruction, instruction.c);
  warp.requireDefined(instruction, instruction.b, mask, "an address");
  warp.requireDefined(instruction, instruction.d, mask, "an atomic update");
  GlobalAccess access(warp, instruction, instruction.a, Direction::Write, instruction.format.bytes,
                      warp.accessor(instruction, /*atomic=*/true));
  const uint32_t *values = warp.lanes<uint32_t>(instruction.d);
  forLanes(mask, [&](int lane) {
    int64_t element = integerAt(warp, instruction.b, instruction.target, lane);
    if (auto at = access.at(lane, element))
      combine(access.memory.data + *at, &values[lane]);
  });
  access.count();
  return Step::Next;
}

static Step runAtomic(Warp &warp, const Instruction &instruction) {
  return updateLanes(warp, instruction, reinterpret_cast<Combine>(instruction.parameter));
}

LogicalResult translate(Translator &translator, cuda::AtomicOp op) {
  Type type = op.getValue().getType();
  bool wide = type.isF32() || type.isInteger(32);
  bool known = wide || ((type.isF16() || type.isBF16()) && op.getKind() == "add");
  if (!known || !llvm::is_contained({"add", "max", "min"}, op.getKind()))
    return emitError(op.getLoc()) << "there is no atomic `" << op.getKind() << "` of " << type;
  Instruction &instruction = translator.emit(op, runAtomic);
  instruction.a = translator.global(op.getPtr(), /*written=*/true);
  instruction.b = translator.slot(op.getOffset());
  instruction.target = op.getOffset().getType().isInteger(64);
  if (op.getPredicate())
    instruction.c = translator.slot(op.getPredicate());
  instruction.d = translator.slot(op.getValue());
  instruction.format = formatOf(type);
  instruction.parameter = reinterpret_cast<int64_t>(combineOf(op.getKind(), type));
  return success();
}

// a: the pointer argument's number; b: the last value before 0.
static Step runAtomicInc(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.b, warp.active, "the last value of a counter");
  GlobalAccess access(warp, instruction, instruction.a, Direction::Write, sizeof(uint32_t),
                      warp.accessor(instruction, /*atomic=*/true));
  const uint32_t *last = warp.lanes<uint32_t>(instruction.b);
  uint32_t *result = warp.lanes<uint32_t>(instruction.result);
  forLanes(warp.active, [&](int lane) {
    if (auto at = access.at(lane, /*element=*/0))
      update<uint32_t>(access.memory.data + *at, &last[lane], [&](uint32_t old, uint32_t most) {
        result[lane] = old;
        return old >= most ? 0 : old + 1;
      });
  });
  warp.undefined(instruction.result) &= ~warp.active;
  access.count();
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::AtomicIncOp op) {
  Instruction &instruction = translator.emit(op, runAtomicInc);
  instruction.a = translator.global(op.getPtr(), /*written=*/true);
  instruction.b = translator.slot(op.getLast());
  instruction.result = translator.define(op.getResult());
  return success();
}

//===- Flags ----------------------------------------------------------------------------------===//

/// Calls `body` for each flag that a lane names (a: the pointer argument's number; b: the index).
static void forFlags(Warp &warp, const Instruction &instruction,
                     function_ref<void(char *, int lane)> body) {
  warp.requireDefined(instruction, instruction.b, warp.active, "the number of a flag");
  GlobalAccess access(warp, instruction, instruction.a, Direction::Write, sizeof(uint32_t),
                      warp.accessor(instruction, /*atomic=*/true));
  const int32_t *indices = warp.lanes<int32_t>(instruction.b);
  forLanes(warp.active, [&](int lane) {
    if (auto at = access.at(lane, indices[lane]))
      body(access.memory.data + *at, lane);
  });
  access.count();
  warp.cluster().mayPause();
}

static int32_t &stateOf(char *flag) { return *reinterpret_cast<int32_t *>(flag); }

static Step runFlagRaise(Warp &warp, const Instruction &instruction) {
  Cluster &cluster = warp.cluster();
  forFlags(warp, instruction, [&](char *flag, int) {
    if (stateOf(flag))
      report(FindingKind::ArriveOverCount, warp, instruction, -1,
             "raises a flag that nobody has taken since it was raised last");
    stateOf(flag) = 1;
    cluster.session.flags[flag] = {uint32_t(cluster.id), warp.clock};
  });
  warp.tick();
  return Step::Next;
}

/// Orders a warp behind what was before an operation on a flag.
static void acquire(Warp &warp, const Flag &by) {
  Cluster &cluster = warp.cluster();
  if (by.cluster == uint32_t(cluster.id))
    return warp.clock.join(by.before);
  AgentId taken = cluster.addAgent(warp.block, warp.index, "flag");
  cluster.told.insert({by.cluster, {taken, by.before}});
  warp.clock.raise(taken, 1);
  warp.clock.moment = std::max(warp.clock.moment, by.before.moment);
}

static Step runFlagTake(Warp &warp, const Instruction &instruction) {
  Cluster &cluster = warp.cluster();
  SmallVector<char *> flags;
  forFlags(warp, instruction, [&](char *flag, int) { flags.push_back(flag); });
  if (!llvm::all_of(flags, [](char *flag) { return stateOf(flag) != 0; })) {
    if (cluster.explaining) {
      warp.waitsForWarps.clear();
      warp.waitsFor = "a flag that no block before this one has raised";
    }
    return Step::Wait;
  }
  for (char *flag : flags) {
    stateOf(flag) = 0;
    acquire(warp, cluster.session.flags[flag]);
  }
  return Step::Next;
}

// c: the last value before 0.
template <cuda::FlagOrder order>
static Step runFlagCount(Warp &warp, const Instruction &instruction) {
  Cluster &cluster = warp.cluster();
  warp.requireDefined(instruction, instruction.c, warp.active, "the last value of a counter");
  const int32_t *last = warp.lanes<int32_t>(instruction.c);
  int32_t *result = warp.lanes<int32_t>(instruction.result);
  Clock before = warp.clock;
  forFlags(warp, instruction, [&](char *flag, int lane) {
    std::vector<Flag> &counts = cluster.session.counts[flag];
    if (order == cuda::FlagOrder::AcqRel)
      for (const Flag &by : counts)
        acquire(warp, by);
    if (order != cuda::FlagOrder::Relaxed)
      counts.push_back({uint32_t(cluster.id), before});
    result[lane] = stateOf(flag);
    stateOf(flag) = result[lane] >= last[lane] ? 0 : result[lane] + 1;
    if (stateOf(flag) == 0)
      counts.clear();
  });
  warp.undefined(instruction.result) &= ~warp.active;
  warp.tick();
  return Step::Next;
}

// c: the count to wait for.
static Step runFlagAwait(Warp &warp, const Instruction &instruction) {
  Cluster &cluster = warp.cluster();
  warp.requireDefined(instruction, instruction.c, warp.active, "the count to wait for");
  const int32_t *least = warp.lanes<int32_t>(instruction.c);
  SmallVector<char *> flags;
  bool areCounted = true;
  forFlags(warp, instruction, [&](char *flag, int lane) {
    flags.push_back(flag);
    areCounted &= stateOf(flag) >= least[lane];
  });
  if (!areCounted) {
    if (cluster.explaining) {
      warp.waitsForWarps.clear();
      warp.waitsFor = "a flag that the blocks before this one have not counted so far";
    }
    return Step::Wait;
  }
  for (char *flag : flags)
    for (const Flag &by : cluster.session.counts[flag])
      acquire(warp, by);
  return Step::Next;
}

// c: what a flag that is 0 becomes.
static Step runFlagSettle(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.c, warp.active, "what a flag is set to");
  const int32_t *own = warp.lanes<int32_t>(instruction.c);
  int32_t *result = warp.lanes<int32_t>(instruction.result);
  forFlags(warp, instruction, [&](char *flag, int lane) {
    if (stateOf(flag) == 0)
      stateOf(flag) = own[lane];
    result[lane] = stateOf(flag);
  });
  warp.undefined(instruction.result) &= ~warp.active;
  warp.tick();
  return Step::Next;
}

template <typename Op> static Instruction &emitFlag(Translator &translator, Op op, Handler run) {
  Instruction &instruction = translator.emit(op, run);
  instruction.a = translator.global(op.getPtr(), /*written=*/true);
  instruction.b = translator.slot(op.getIndex());
  return instruction;
}

LogicalResult translate(Translator &translator, cuda::FlagRaiseOp op) {
  emitFlag(translator, op, runFlagRaise);
  return success();
}

LogicalResult translate(Translator &translator, cuda::FlagTakeOp op) {
  emitFlag(translator, op, runFlagTake);
  return success();
}

LogicalResult translate(Translator &translator, cuda::FlagAwaitOp op) {
  emitFlag(translator, op, runFlagAwait).c = translator.slot(op.getLeast());
  return success();
}

LogicalResult translate(Translator &translator, cuda::FlagSettleOp op) {
  Instruction &instruction = emitFlag(translator, op, runFlagSettle);
  instruction.c = translator.slot(op.getOwn());
  instruction.result = translator.define(op.getResult());
  return success();
}

LogicalResult translate(Translator &translator, cuda::FlagCountOp op) {
  constexpr std::array<Handler, 3> kRuns{runFlagCount<cuda::FlagOrder::AcqRel>,
                                         runFlagCount<cuda::FlagOrder::Release>,
                                         runFlagCount<cuda::FlagOrder::Relaxed>};
  Instruction &instruction = emitFlag(translator, op, kRuns[size_t(op.getOrder())]);
  instruction.c = translator.slot(op.getLast());
  instruction.result = translator.define(op.getResult());
  return success();
}

} // namespace tilewright::simulator::machine
