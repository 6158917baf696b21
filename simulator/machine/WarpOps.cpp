// Operations of a whole warp: matrices between shared memory and registers, values across lanes.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Moves.h"
#include "simulator/machine/Semantics.h"

using namespace mlir;

namespace tilewright::simulator::machine {

static constexpr int kRows = 8;      // of a matrix
static constexpr int kRowBytes = 16; // 8 elements of 16 bits

//===- Matrices -------------------------------------------------------------------------------===//

/// Where in shared memory the rows of the matrices lie; lane 8m + r gives row r of matrix m.
static bool findRows(Warp &warp, const Instruction &instruction, Direction direction,
                     int64_t (&rows)[kLanes]) {
  int lanes = int(instruction.parameter) * kRows;
  uint32_t mask = lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
  warp.requireConverged(instruction);
  warp.requireDefined(instruction, instruction.a, mask, "an address");
  SharedAccess access(warp, instruction, direction, kRowBytes);
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  bool found = true;
  forLanes(mask, [&](int lane) {
    auto offset = access.at(lane, addresses[lane]);
    rows[lane] = offset.value_or(0);
    found &= offset.has_value();
  });
  access.count();
  return found;
}

/// The offsets of the two elements that a lane holds of a matrix.
static std::pair<int64_t, int64_t> elementsOf(const int64_t *rows, int lane, bool transposed) {
  int major = lane / 4, minor = 2 * (lane % 4);
  if (transposed)
    return {rows[minor] + 2 * major, rows[minor + 1] + 2 * major};
  return {rows[major] + 2 * minor, rows[major] + 2 * minor + 2};
}

// parameter: matrices; target: whether they are transposed.
static Step runLdmatrix(Warp &warp, const Instruction &instruction) {
  int64_t rows[kLanes];
  auto first = warp.registerSlot(instruction, instruction.regs[0], instruction.parameter);
  if (!findRows(warp, instruction, Direction::Read, rows) || !first)
    return Step::Next;
  const SharedMemory &memory = warp.block.shared;
  for (int matrix = 0; matrix < instruction.parameter; ++matrix) {
    uint32_t *words = warp.lanes<uint32_t>(*first + matrix), undefined = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      auto [low, high] = elementsOf(rows + matrix * kRows, lane, instruction.target);
      uint16_t halves[2];
      std::memcpy(&halves[0], &memory.bytes[low], 2);
      std::memcpy(&halves[1], &memory.bytes[high], 2);
      words[lane] = halves[0] | uint32_t(halves[1]) << 16;
      undefined |= uint32_t(memory.poison[low] | memory.poison[low + 1] | memory.poison[high] |
                            memory.poison[high + 1])
                   << lane;
    }
    warp.undefined(*first + matrix) = undefined;
  }
  return Step::Next;
}

static Step runStmatrix(Warp &warp, const Instruction &instruction) {
  int64_t rows[kLanes];
  auto first = warp.registerSlot(instruction, instruction.regs[0], instruction.parameter);
  if (!findRows(warp, instruction, Direction::Write, rows) || !first)
    return Step::Next;
  SharedMemory &memory = warp.block.shared;
  for (int matrix = 0; matrix < instruction.parameter; ++matrix) {
    const uint32_t *words = warp.lanes<uint32_t>(*first + matrix);
    for (int lane = 0; lane < kLanes; ++lane) {
      auto [low, high] = elementsOf(rows + matrix * kRows, lane, instruction.target);
      uint16_t halves[2] = {uint16_t(words[lane]), uint16_t(words[lane] >> 16)};
      std::memcpy(&memory.bytes[low], &halves[0], 2);
      std::memcpy(&memory.bytes[high], &halves[1], 2);
      uint8_t undefined = warp.undefined(*first + matrix) >> lane & 1;
      std::memset(&memory.poison[low], undefined, 2);
      std::memset(&memory.poison[high], undefined, 2);
    }
  }
  return Step::Next;
}

template <typename Op>
static LogicalResult translateMatrices(Translator &translator, Op op, Handler run) {
  Instruction &instruction = translator.emit(op, run);
  instruction.regs[0] = translator.registers(op.getRegs(), op.getIndex());
  instruction.a = translator.slot(op.getAddress());
  instruction.parameter = op.getCount();
  instruction.target = op.getTrans();
  translator.noteShared(kRowBytes);
  return success();
}

LogicalResult translate(Translator &translator, cuda::LdmatrixOp op) {
  return translateMatrices(translator, op, runLdmatrix);
}
LogicalResult translate(Translator &translator, cuda::StmatrixOp op) {
  return translateMatrices(translator, op, runStmatrix);
}

//===- Shuffles -------------------------------------------------------------------------------===//

// The lane whose value `lane` gets, for an operand of `by`.
static int laneXor(int lane, int by) { return (lane ^ by) & (kLanes - 1); }
static int laneUp(int lane, int by) { return lane - by < 0 ? lane : lane - by; }
static int laneIndex(int, int by) { return by & (kLanes - 1); }

template <typename T, int (*source)(int, int)>
static Step runShuffle(Warp &warp, const Instruction &i) {
  warp.requireConverged(i);
  warp.requireDefined(i, i.b, warp.active, "the lane of a shuffle");
  const T *values = warp.lanes<T>(i.a);
  const int32_t *by = warp.lanes<int32_t>(i.b);
  T result[kLanes];
  uint32_t undefined = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    int from = source(lane, by[lane]);
    result[lane] = values[from];
    undefined |= (warp.undefined(i.a) >> from & 1) << lane;
  }
  std::copy_n(result, kLanes, warp.lanes<T>(i.result));
  warp.undefined(i.result) = undefined;
  return Step::Next;
}

template <int (*source)(int, int), typename Op>
static LogicalResult translateShuffle(Translator &translator, Op op) {
  Slot value = translator.slot(op.getValue());
  Handler run = value.isWide() ? runShuffle<uint64_t, source> : runShuffle<uint32_t, source>;
  Instruction &instruction = translator.emit(op, run);
  instruction.a = value;
  instruction.b = translator.slot(op.getLanes());
  instruction.result = translator.define(op.getResult());
  return success();
}

LogicalResult translate(Translator &translator, cuda::ShuffleXorOp op) {
  return translateShuffle<laneXor>(translator, op);
}
LogicalResult translate(Translator &translator, cuda::ShuffleUpOp op) {
  return translateShuffle<laneUp>(translator, op);
}
LogicalResult translate(Translator &translator, cuda::ShuffleIdxOp op) {
  return translateShuffle<laneIndex>(translator, op);
}

static Step runVoteAny(Warp &warp, const Instruction &i) {
  warp.requireConverged(i);
  warp.requireDefined(i, i.a, warp.active, "the predicate of a vote");
  const int32_t *predicate = warp.lanes<int32_t>(i.a);
  bool any = std::any_of(predicate, predicate + kLanes, [](int32_t lane) { return lane != 0; });
  std::fill_n(warp.lanes<int32_t>(i.result), kLanes, any ? -1 : 0);
  warp.undefined(i.result) = 0;
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::VoteAnyOp op) {
  Instruction &instruction = translator.emit(op, runVoteAny);
  instruction.a = translator.slot(op.getPredicate());
  instruction.result = translator.define(op);
  return success();
}

// The lanes of a warp go in step here: what one did before is done.
static Step runWarpSync(Warp &warp, const Instruction &i) {
  warp.requireConverged(i);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::WarpSyncOp op) {
  translator.emit(op, runWarpSync);
  return success();
}

} // namespace tilewright::simulator::machine
