// Mbarriers, named barriers, fences.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Mbarrier.h"
#include "simulator/machine/Semantics.h"

using namespace mlir;

namespace tilewright::simulator::machine {

static constexpr int64_t kMbarrierBytes = 8;

//===- Finding an mbarrier --------------------------------------------------------------------===//

/// Reports a use that nothing orders after the barrier's initialisation.
static void checkMade(Warp &warp, const Instruction &instruction, int lane,
                      const Accessor &accessor, const Mbarrier &barrier) {
  const Access &made = barrier.access;
  Conflict conflict{made, /*earlierWrites=*/true, /*fence=*/false};
  if (accessor.clock->covers(made.agent, made.time)) {
    conflict.fence =
        accessor.access.proxy == Proxy::Async && !accessor.fenced->covers(made.agent, made.time);
    if (!conflict.fence)
      return;
  }
  reportConflict(warp, instruction, lane, /*writes=*/true, accessor, conflict,
                 {"shared memory", barrier.offset, barrier.offset + kMbarrierBytes});
}

Mbarrier *findMbarrier(Warp &warp, const Instruction &instruction, int lane, uint32_t address,
                       Block &block, Accessor accessor) {
  accessor.access.atomic = true;
  SharedAccess access(warp, instruction, Direction::Write, kMbarrierBytes, block, accessor);
  auto offset = access.at(lane, address);
  if (!offset)
    return nullptr;
  auto found = block.mbarriers.find(*offset);
  if (found == block.mbarriers.end()) {
    report(FindingKind::Uninitialised, warp, instruction, lane,
           "no mbarrier has been made at byte " + std::to_string(*offset) + " of shared memory",
           {"shared memory", *offset, *offset + kMbarrierBytes});
    return nullptr;
  }
  checkMade(warp, instruction, lane, accessor, found->second);
  return &found->second;
}

/// Calls `body(mbarrier)` for the barrier of every active lane.
template <typename Fn>
static void forMbarriers(Warp &warp, const Instruction &instruction, Fn body) {
  warp.requireDefined(instruction, instruction.a, warp.active, "an address");
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  forLanes(warp.active, [&](int lane) {
    if (Mbarrier *barrier = findMbarrier(warp, instruction, lane, addresses[lane], warp.block,
                                         warp.accessor(instruction)))
      body(*barrier, lane);
  });
}

//===- Mbarriers ------------------------------------------------------------------------------===//

// a: the address; parameter: the count.
static Step runInit(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.a, warp.active, "an address");
  SharedAccess access(warp, instruction, Direction::Write, kMbarrierBytes);
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  forLanes(warp.active, [&](int lane) {
    auto offset = access.at(lane, addresses[lane]);
    if (!offset)
      return;
    warp.block.mbarriers.erase(*offset);
    warp.block.mbarriers.try_emplace(*offset, *offset, instruction.parameter, instruction,
                                     warp.accessor(instruction).access);
    std::fill_n(&warp.block.shared.poison[*offset], kMbarrierBytes, 1);
  });
  return Step::Next;
}

static Step runInval(Warp &warp, const Instruction &instruction) {
  forMbarriers(warp, instruction, [&](Mbarrier &barrier, int) {
    barrier.finish(warp);
    warp.block.mbarriers.erase(barrier.offset);
  });
  return Step::Next;
}

// b: the bytes, if any.
static Step runArrive(Warp &warp, const Instruction &instruction) {
  if (instruction.b != kNoSlot)
    warp.requireDefined(instruction, instruction.b, warp.active, "the bytes of a phase");
  forMbarriers(warp, instruction, [&](Mbarrier &barrier, int lane) {
    int64_t bytes = instruction.b == kNoSlot ? 0 : warp.lanes<int32_t>(instruction.b)[lane];
    barrier.arrive(warp, instruction, bytes);
  });
  warp.tick();
  return Step::Next;
}

// a: an address in the cluster.
static Step runArriveRemote(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.a, warp.active, "an address");
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  forLanes(warp.active, [&](int lane) {
    auto [block, address] = warp.cluster().resolve(warp.block, addresses[lane]);
    if (!block) {
      report(FindingKind::OutOfBounds, warp, instruction, lane,
             "the address names a block that the cluster does not have");
      return;
    }
    if (block != &warp.block)
      block->visits[warp.agent] = {warp.time, true, &instruction, &warp};
    if (Mbarrier *barrier =
            findMbarrier(warp, instruction, lane, address, *block, warp.accessor(instruction)))
      barrier->arrive(warp, instruction, 0);
  });
  warp.tick();
  return Step::Next;
}

// b: the parity.
static Step runWait(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.b, warp.active, "the parity of a wait");
  const int32_t *parities = warp.lanes<int32_t>(instruction.b);
  bool done = true;
  Mbarrier *waited = nullptr;
  forMbarriers(warp, instruction, [&](Mbarrier &barrier, int lane) {
    if (&barrier == waited)
      return; // another lane has asked
    waited = &barrier;
    if (barrier.wait(warp, instruction, parities[lane] & 1))
      return;
    done = false;
    if (!warp.cluster().explaining)
      return;
    warp.waitsFor = barrier.str();
    warp.waitsForWarps = barrier.missingWarps();
    if (barrier.owesOnlyBytes())
      barrier.finish(warp);
  });
  return done ? Step::Next : Step::Wait;
}

template <typename Op>
static Instruction &emitMbarrier(Translator &translator, Op op, Handler run) {
  translator.noteShared(kMbarrierBytes);
  Instruction &instruction = translator.emit(op, run);
  instruction.a = translator.slot(op.getBarrier());
  return instruction;
}

void emitMbarrierWait(Translator &translator, Operation *op, Value barrier, Value parity) {
  translator.noteShared(kMbarrierBytes);
  Instruction &instruction = translator.emit(op, runWait);
  instruction.a = translator.slot(barrier);
  instruction.b = translator.slot(parity);
}

LogicalResult translate(Translator &translator, cuda::MbarrierInitOp op) {
  emitMbarrier(translator, op, runInit).parameter = op.getCount();
  return success();
}
LogicalResult translate(Translator &translator, cuda::MbarrierInvalOp op) {
  emitMbarrier(translator, op, runInval);
  return success();
}
LogicalResult translate(Translator &translator, cuda::MbarrierArriveOp op) {
  emitMbarrier(translator, op, runArrive);
  return success();
}
LogicalResult translate(Translator &translator, cuda::MbarrierArriveExpectTxOp op) {
  emitMbarrier(translator, op, runArrive).b = translator.slot(op.getBytes());
  return success();
}
LogicalResult translate(Translator &translator, cuda::MbarrierArriveRemoteOp op) {
  emitMbarrier(translator, op, runArriveRemote);
  return success();
}
LogicalResult translate(Translator &translator, cuda::MbarrierWaitOp op) {
  emitMbarrierWait(translator, op, op.getBarrier(), op.getParity());
  return success();
}

//===- Named barriers -------------------------------------------------------------------------===//

static constexpr int64_t kNamedBarriers = 16;

/// The barrier that the warp names, after all checks.
static Barrier *namedBarrier(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  warp.requireDefined(instruction, instruction.a, kAllLanes, "the number of a barrier");
  int64_t id = warp.lanes<int32_t>(instruction.a)[0];
  if (id < 0 || id >= kNamedBarriers) {
    report(FindingKind::OutOfBounds, warp, instruction, -1,
           "a block has barriers 0 to 15, not " + std::to_string(id));
    return nullptr;
  }
  return &warp.block.barriers[unsigned(id)];
}

// a: the id; parameter: threads; target: whether to wait.
static Step runNamed(Warp &warp, const Instruction &instruction) {
  Barrier *barrier = namedBarrier(warp, instruction);
  if (!barrier)
    return Step::Next;
  unsigned expected = unsigned(instruction.parameter / kLanes);
  if (!warp.ticket) {
    if (std::string clash = barrier->clash(warp, expected); !clash.empty())
      report(FindingKind::BarrierClash, warp, instruction, -1, clash);
    warp.ticket = barrier->arrive(warp, expected);
  }
  if (!instruction.target)
    barrier->leave(warp.ticket);
  else if (!barrier->pass(warp, warp.ticket)) {
    if (warp.cluster().explaining) {
      warp.waitsForWarps = barrier->missingWarps(warp.block);
      warp.waitsFor = barrier->missing() + " at barrier " +
                      std::to_string(warp.lanes<int32_t>(instruction.a)[0]);
    }
    return Step::Wait;
  }
  warp.ticket = 0;
  return Step::Next;
}

template <typename Op>
static LogicalResult translateNamed(Translator &translator, Op op, bool waits) {
  Instruction &instruction = translator.emit(op, runNamed);
  instruction.a = translator.slot(op.getId());
  instruction.parameter = op.getThreads();
  instruction.target = waits;
  return success();
}

LogicalResult translate(Translator &translator, cuda::NamedBarrierSyncOp op) {
  return translateNamed(translator, op, /*waits=*/true);
}
LogicalResult translate(Translator &translator, cuda::NamedBarrierArriveOp op) {
  return translateNamed(translator, op, /*waits=*/false);
}

//===- Fences ---------------------------------------------------------------------------------===//

// All that the warp knows of is then in order for the async proxy as well.
static Step runProxyFence(Warp &warp, const Instruction &) {
  warp.fenced.join(warp.clock);
  warp.tick();
  return Step::Next;
}

// Arrivals and waits carry what a fence of the cluster would order.
static Step runNothing(Warp &, const Instruction &) { return Step::Next; }

LogicalResult translate(Translator &translator, cuda::FenceOp op) {
  bool isProxy = op.getKind() != cuda::FenceKind::AcqRelCluster;
  translator.emit(op, isProxy ? runProxyFence : runNothing);
  return success();
}

} // namespace tilewright::simulator::machine
