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

/// Writes the record that `make` gives for a lane to the place that it names, for the active lanes
/// whose cursor is not at the end of their part.
static void write(Warp &warp, const Instruction &instruction,
                  function_ref<std::pair<uint32_t, TimelineEvent>(int)> make, bool alsoFull) {
  warp.requireDefined(instruction, instruction.b, warp.active, "the cursor of a timeline");
  GlobalAccess access(warp, instruction, instruction.a, Direction::Write, kTimelineRecordBytes,
                      warp.accessor(instruction));
  const uint32_t *cursors = warp.lanes<uint32_t>(instruction.b);
  forLanes(warp.active, [&](int lane) {
    bool isOpen = alsoFull ? cursors[lane] != 0 : cursors[lane] % instruction.parameter != 0;
    if (!isOpen)
      return;
    auto [place, record] = make(lane);
    constexpr int64_t kWords = kTimelineRecordBytes / sizeof(uint32_t);
    if (auto at = access.at(lane, place * kWords))
      std::memcpy(access.memory.data + *at, &record, sizeof(record));
  });
}

// a: the pointer argument's number; b: the cursor; c: when the event began, if that was before;
// target: the event; parameter: the capacity.
static Step runStamp(Warp &warp, const Instruction &instruction) {
  auto now = uint32_t(warp.clock.moment);
  uint32_t *cursors = warp.lanes<uint32_t>(instruction.b);
  auto make = [&](int lane) {
    uint32_t begin = instruction.c == kNoSlot ? now : warp.lanes<uint32_t>(instruction.c)[lane];
    return std::pair(cursors[lane]++, TimelineEvent{instruction.target, begin, now, 0});
  };
  write(warp, instruction, make, /*alsoFull=*/false);
  return Step::Next;
}

// target: whether it is the last edge.
static Step runEdge(Warp &warp, const Instruction &instruction) {
  uint64_t now = warp.clock.moment;
  const uint32_t *cursors = warp.lanes<uint32_t>(instruction.b);
  auto make = [&](int lane) {
    uint32_t behind = cursors[lane], capacity = uint32_t(instruction.parameter);
    uint32_t first = (behind - 1) / capacity * capacity;
    uint32_t number = instruction.target ? behind - first - kTimelineEdges : 0;
    return std::pair(first + instruction.target,
                     TimelineEvent{number, uint32_t(now), uint32_t(now), uint32_t(now >> 32)});
  };
  write(warp, instruction, make, /*alsoFull=*/true);
  return Step::Next;
}

template <typename Op>
static Instruction &emitRecord(Translator &translator, Op op, Handler run, uint32_t target) {
  Instruction &instruction = translator.emit(op, run);
  instruction.a = translator.global(op.getEvents(), /*written=*/true);
  instruction.b = translator.slot(op.getCursor());
  instruction.target = target;
  instruction.parameter = op.getCapacity();
  return instruction;
}

LogicalResult translate(Translator &translator, cuda::ClockOp op) {
  translator.emit(op, runClock).result = translator.define(op);
  return success();
}
LogicalResult translate(Translator &translator, cuda::StampOp op) {
  Instruction &instruction = emitRecord(translator, op, runStamp, uint32_t(op.getEvent()));
  if (op.getFrom())
    instruction.c = translator.slot(op.getFrom());
  return success();
}
LogicalResult translate(Translator &translator, cuda::StampEdgeOp op) {
  emitRecord(translator, op, runEdge, op.getLast());
  return success();
}

} // namespace tilewright::simulator::machine
