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

// Of all ops that write. a: when an event began, if that was before; c: the cursor; d: whether the
// lane writes; target: the place of a stamp; parameter: the number of the pointer argument.
constexpr int64_t kStampWords = kTimelineStampBytes / sizeof(uint32_t);

/// Writes what `make` gives for a lane, and at which stamp, for the lanes that are open.
template <typename Record>
static void write(Warp &warp, const Instruction &instruction,
                  function_ref<std::pair<uint32_t, Record>(int)> make) {
  warp.requireDefined(instruction, instruction.c, warp.active, "the cursor of a timeline");
  GlobalAccess access(warp, instruction, uint32_t(instruction.parameter), Direction::Write,
                      sizeof(Record), warp.accessor(instruction));
  forLanes(warp.active & warp.trueLanes(instruction.d), [&](int lane) {
    auto [place, record] = make(lane);
    if (auto at = access.at(lane, place * kStampWords))
      std::memcpy(access.memory.data + *at, &record, sizeof(record));
  });
}

static Step runStamp(Warp &warp, const Instruction &instruction) {
  auto now = uint32_t(warp.clock.moment);
  const uint32_t *cursors = warp.lanes<uint32_t>(instruction.c);
  const uint32_t *begins = instruction.a == kNoSlot ? nullptr : warp.lanes<uint32_t>(instruction.a);
  write<TimelineStamp>(warp, instruction, [&](int lane) {
    return std::pair(cursors[lane] + instruction.target,
                     TimelineStamp{begins ? begins[lane] : now, now});
  });
  return Step::Next;
}

static Step runHead(Warp &warp, const Instruction &instruction) {
  auto op = cast<cuda::StampRunOp>(instruction.op);
  uint32_t *cursors = warp.lanes<uint32_t>(instruction.c);
  write<uint32_t>(warp, instruction,
                  [&](int lane) { return std::pair(cursors[lane], uint32_t(op.getRun())); });
  uint64_t full = op.getCapacity() - 2 * op.getLongest();
  forLanes(warp.active, [&](int lane) {
    if (cursors[lane] % op.getCapacity() < full)
      cursors[lane] += uint32_t(op.getTakes());
  });
  return Step::Next;
}

static Step runEdge(Warp &warp, const Instruction &instruction) {
  auto op = cast<cuda::StampEdgeOp>(instruction.op);
  uint64_t now = warp.clock.moment;
  const uint32_t *cursors = warp.lanes<uint32_t>(instruction.c);
  write<TimelineEdge>(warp, instruction, [&](int lane) {
    uint32_t inside = cursors[lane] % uint32_t(op.getCapacity()), first = cursors[lane] - inside;
    uint32_t number = op.getLast() ? inside - kTimelineEdgeStamps : 0;
    return std::pair(first + op.getLast() * kTimelineEdgeStamps / 2,
                     TimelineEdge{number, uint32_t(now), uint32_t(now), uint32_t(now >> 32)});
  });
  return Step::Next;
}

template <typename Op> static Instruction &emitWrite(Translator &translator, Op op, Handler run) {
  Instruction &instruction = translator.emit(op, run);
  instruction.c = translator.slot(op.getCursor());
  instruction.d = translator.slot(op.getOpen());
  instruction.parameter = translator.global(op.getEvents(), /*written=*/true);
  return instruction;
}

template <typename Op> static Instruction &emitStamp(Translator &translator, Op op) {
  Instruction &instruction = emitWrite(translator, op, runStamp);
  instruction.target = uint32_t(op.getPlace());
  return instruction;
}

LogicalResult translate(Translator &translator, cuda::ClockOp op) {
  translator.emit(op, runClock).result = translator.define(op);
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
  emitWrite(translator, op, runHead);
  return success();
}
LogicalResult translate(Translator &translator, cuda::StampEdgeOp op) {
  emitWrite(translator, op, runEdge);
  return success();
}

} // namespace tilewright::simulator::machine
