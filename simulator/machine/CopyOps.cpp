// Asynchronous copies of a warp (cp.async), their groups, and arrivals that wait for them. A group,
// or the copies before an arrival, is an event of the warp's copy engine. Waiting for it also
// covers all older ones.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Mbarrier.h"
#include "simulator/machine/Moves.h"
#include "simulator/machine/Semantics.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace tilewright::simulator::machine {

namespace {
/// The copy of one lane.
struct LaneCopy {
  int64_t to, from, valid;
};

/// The copies of one instruction, whose data has yet to move.
struct WarpCopy {
  SharedMemory *shared;
  const Allocation *global;
  int64_t bytes;
  llvm::SmallVector<LaneCopy, kLanes> lanes;

  void operator()() const {
    for (const LaneCopy &lane : lanes) {
      std::memcpy(&shared->bytes[lane.to], global->data + lane.from, lane.valid);
      std::memset(&shared->bytes[lane.to] + lane.valid, 0, bytes - lane.valid);
      std::memset(&shared->poison[lane.to], 0, bytes);
      if (!global->poison.empty())
        std::memcpy(&shared->poison[lane.to], &global->poison[lane.from], lane.valid);
    }
  }
};
} // namespace

/// The engine of the warp's copies.
static AgentId engineOf(Warp &warp) {
  CopyGroups &copies = warp.copies;
  if (!copies.agent)
    copies.agent = warp.cluster().addAgent(warp.block, warp.index, "cp.async");
  return copies.agent;
}

/// The open stretch of the warp's copies as an event.
static Accessor openStretch(Warp &warp, const Instruction &instruction) {
  CopyGroups &copies = warp.copies;
  copies.last = copies.open;
  copies.lastCopy = &instruction;
  Accessor result = warp.accessor(instruction);
  result.access.agent = engineOf(warp);
  result.access.time = copies.last;
  return result;
}

// a: the shared address; b: the pointer argument's number; c: the offset, 64 bits wide if
// `target`; d: how many bytes are valid; parameter: bytes.
static Step runCopy(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.a, warp.active, "an address");
  warp.requireDefined(instruction, instruction.c, warp.active, "an address");
  if (instruction.d != kNoSlot)
    warp.requireDefined(instruction, instruction.d, warp.active, "the bytes of a copy");
  int64_t bytes = instruction.parameter;
  Accessor group = openStretch(warp, instruction);
  SharedAccess to(warp, instruction, Direction::Write, bytes, warp.block, group);
  GlobalAccess from(warp, instruction, instruction.b, Direction::Read, bytes, group);
  WarpCopy copy{&warp.block.shared, &from.memory, bytes, {}};
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  forLanes(warp.active, [&](int lane) {
    int64_t valid = bytes;
    if (instruction.d != kNoSlot)
      valid = std::clamp<int64_t>(warp.lanes<int32_t>(instruction.d)[lane], 0, bytes);
    auto source = from.at(lane, integerAt(warp, instruction.c, instruction.target, lane), valid,
                          /*stored=*/nullptr);
    // Where a tile is smaller than its block, warps copy the same bytes to the same place.
    to.setSource(source ? uint32_t(llvm::hash_combine(instruction.b, *source, valid)) | 1 : 0);
    auto target = to.at(lane, addresses[lane]);
    if (target && source)
      copy.lanes.push_back({*target, valid ? *source : 0, valid});
  });
  to.count();
  from.count();
  warp.cluster().issue(warp, instruction, group.access.agent, group.access.time, /*work=*/1,
                       std::move(copy));
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::CpAsyncOp op) {
  Instruction &instruction = translator.emit(op, runCopy);
  instruction.a = translator.slot(op.getShared());
  instruction.b = translator.global(op.getPtr());
  instruction.c = translator.slot(op.getOffset());
  instruction.target = op.getOffset().getType().isInteger(64);
  if (op.getValid())
    instruction.d = translator.slot(op.getValid());
  instruction.parameter = op.getBytes();
  translator.noteShared(instruction.parameter);
  return success();
}

//===- Groups ---------------------------------------------------------------------------------===//

static Step runCommit(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  warp.copies.closed.push_back(warp.copies.open++);
  return Step::Next;
}

static Step runWait(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  const CopyGroups &copies = warp.copies;
  int64_t groups = int64_t(copies.closed.size());
  if (!copies.agent || groups <= instruction.parameter)
    return Step::Next;
  uint32_t done = copies.closed[size_t(groups - 1 - instruction.parameter)];
  warp.cluster().completeUpTo(copies.agent, done);
  warp.cluster().learn(warp.clock, copies.agent, done);
  return Step::Next;
}

// a: the address of an mbarrier. Each lane arrives when all of the warp's copies so far are there.
static Step runArrive(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.a, warp.active, "an address");
  llvm::SmallVector<int64_t, kLanes> barriers; // where each lane's is
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  forLanes(warp.active, [&](int lane) {
    if (Mbarrier *barrier = findMbarrier(warp, instruction, lane, addresses[lane], warp.block,
                                         warp.accessor(instruction)))
      barriers.push_back(barrier->offset);
  });
  AgentId agent = engineOf(warp);
  uint32_t time = warp.copies.counted = warp.copies.open++;
  warp.block.visits[agent] = {time, false, &instruction, &warp};
  warp.cluster().issue(warp, instruction, agent, time, /*work=*/0, [=, &warp, &instruction] {
    warp.cluster().completeUpTo(agent, time);
    for (int64_t offset : barriers)
      if (auto found = warp.block.mbarriers.find(offset); found != warp.block.mbarriers.end())
        found->second.arriveFor(warp, instruction, agent, time);
  });
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::CpAsyncArriveOp op) {
  translator.emit(op, runArrive).a = translator.slot(op.getBarrier());
  return success();
}

LogicalResult translate(Translator &translator, cuda::CpAsyncCommitOp op) {
  translator.emit(op, runCommit);
  return success();
}

LogicalResult translate(Translator &translator, cuda::CpAsyncWaitOp op) {
  translator.emit(op, runWait).parameter = op.getPending();
  return success();
}

} // namespace tilewright::simulator::machine
