// Time stamps. The clock and the timer are the warp's moment, and stamps take no time.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"
#include "support/Timeline.h"

#include <cstring>

using namespace mlir;

namespace tilewright::simulator::machine {

static Step runClock(Warp &warp, const Instruction &instruction) {
  std::fill_n(warp.lanes<uint32_t>(instruction.result), kLanes, uint32_t(warp.clock.moment));
  warp.undefined(instruction.result) = 0;
  return Step::Next;
}

// Of all ops that write. a: when an event began, if that was before; c: the lane: the number of the
// stamp at which its next record begins; d: whether the thread writes; target: the place of a
// stamp; parameter: the number of the pointer argument.
constexpr int64_t kStampWords = kTimelineStampBytes / sizeof(uint32_t);

/// Writes what `make` gives for a thread, and at which stamp, for the threads that are open.
template <typename Record>
static void write(Warp &warp, const Instruction &instruction,
                  function_ref<std::pair<uint32_t, Record>(int)> make) {
  warp.requireDefined(instruction, instruction.c, warp.active, "a lane of a timeline");
  GlobalAccess access(warp, instruction, uint32_t(instruction.parameter), Direction::Write,
                      sizeof(Record), warp.accessor(instruction));
  forLanes(warp.active & warp.trueLanes(instruction.d), [&](int lane) {
    auto [place, record] = make(lane);
    if (auto at = access.at(lane, place * kStampWords))
      std::memcpy(access.memory.data + *at, &record, sizeof(record));
  });
}

static TimelineEdge edgeNow(const Warp &warp, uint32_t number) {
  uint64_t now = warp.clock.moment;
  return {number, uint32_t(now), uint32_t(now), uint32_t(now >> 32)};
}

/// `c` is here the number of the lane's first stamp, which becomes that of its first record.
static Step runStart(Warp &warp, const Instruction &instruction) {
  uint32_t *stamps = warp.lanes<uint32_t>(instruction.c);
  write<TimelineEdge>(warp, instruction,
                      [&](int lane) { return std::pair(stamps[lane], edgeNow(warp, 0)); });
  forLanes(warp.active, [&](int lane) { stamps[lane] += uint32_t(kTimelineEdgeStamps); });
  return Step::Next;
}

static Step runStamp(Warp &warp, const Instruction &instruction) {
  auto now = uint32_t(warp.clock.moment);
  const uint32_t *next = warp.lanes<uint32_t>(instruction.c);
  const uint32_t *begins = instruction.a == kNoSlot ? nullptr : warp.lanes<uint32_t>(instruction.a);
  write<TimelineStamp>(warp, instruction, [&](int lane) {
    return std::pair(next[lane] + instruction.target,
                     TimelineStamp{begins ? begins[lane] : now, now});
  });
  return Step::Next;
}

/// The first stamp of each thread's lane, from an instruction whose `a` has it.
static const uint32_t *firstStamps(Warp &warp, const Instruction &instruction) {
  return warp.lanes<uint32_t>(instruction.a);
}

static Step runHead(Warp &warp, const Instruction &instruction) {
  auto op = cast<cuda::StampRunOp>(instruction.op);
  auto start = op.getLane().getDefiningOp<cuda::StartLaneOp>();
  const uint32_t *first = firstStamps(warp, instruction);
  uint32_t *next = warp.lanes<uint32_t>(instruction.c);
  write<uint32_t>(warp, instruction,
                  [&](int lane) { return std::pair(next[lane], uint32_t(op.getRun())); });
  uint64_t full = start.getCapacity() - 2 * start.getLongest();
  forLanes(warp.active, [&](int lane) {
    if (next[lane] - first[lane] < full)
      next[lane] += uint32_t(op.getTakes());
  });
  return Step::Next;
}

static Step runEnd(Warp &warp, const Instruction &instruction) {
  const uint32_t *first = firstStamps(warp, instruction);
  const uint32_t *next = warp.lanes<uint32_t>(instruction.c);
  write<TimelineEdge>(warp, instruction, [&](int lane) {
    uint32_t number = next[lane] - first[lane] - uint32_t(kTimelineEdgeStamps);
    return std::pair(first[lane] + uint32_t(kTimelineEdgeStamps / 2), edgeNow(warp, number));
  });
  return Step::Next;
}

/// An instruction that writes to a lane that is in `slot`.
static Instruction &emitWrite(Translator &translator, Operation *op, cuda::StartLaneOp start,
                              Slot slot, Handler run) {
  Instruction &instruction = translator.emit(op, run);
  instruction.c = slot;
  instruction.d = translator.slot(start.getOpen());
  instruction.parameter = translator.global(start.getEvents(), /*written=*/true);
  return instruction;
}

template <typename Op> static Instruction &emitWrite(Translator &translator, Op op, Handler run) {
  auto start = op.getLane().template getDefiningOp<cuda::StartLaneOp>();
  return emitWrite(translator, op, start, translator.slot(op.getLane()), run);
}

template <typename Op> static Instruction &emitStamp(Translator &translator, Op op) {
  Instruction &instruction = emitWrite(translator, op, runStamp);
  instruction.target = uint32_t(op.getPlace());
  return instruction;
}

/// An instruction that also needs to know where the lane begins.
template <typename Op> static void emitWithFirst(Translator &translator, Op op, Handler run) {
  auto start = op.getLane().template getDefiningOp<cuda::StartLaneOp>();
  emitWrite(translator, op, run).a = translator.slot(start.getFirst());
}

LogicalResult translate(Translator &translator, cuda::ClockOp op) {
  translator.emit(op, runClock).result = translator.define(op);
  return success();
}
LogicalResult translate(Translator &translator, cuda::StartLaneOp op) {
  Slot slot = translator.allocate(ElementKind::I32);
  translator.alias(op, slot);
  translator.emitCopy(op, slot, translator.slot(op.getFirst()));
  emitWrite(translator, op, op, slot, runStart);
  return success();
}
LogicalResult translate(Translator &translator, cuda::StampOp op) {
  Instruction &instruction = emitStamp(translator, op);
  if (op.getFrom())
    instruction.a = translator.slot(op.getFrom());
  return success();
}
/// Stamps waits that are over at once too: it costs nothing here.
LogicalResult translate(Translator &translator, cuda::StampedWaitOp op) {
  Slot began = translator.allocate(ElementKind::I32);
  translator.emit(op, runClock).result = began;
  emitMbarrierWait(translator, op, op.getBarrier(), op.getParity());
  emitStamp(translator, op).a = began;
  return success();
}
LogicalResult translate(Translator &translator, cuda::StampRunOp op) {
  emitWithFirst(translator, op, runHead);
  return success();
}
LogicalResult translate(Translator &translator, cuda::EndLaneOp op) {
  emitWithFirst(translator, op, runEnd);
  return success();
}

} // namespace tilewright::simulator::machine
