// Blocks of a cluster, kernels that overlap, register budgets, elect.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Mbarrier.h"
#include "simulator/machine/Moves.h"
#include "simulator/machine/Semantics.h"

#include <array>

using namespace mlir;

namespace tilewright::simulator::machine {

//===- Ranks and addresses --------------------------------------------------------------------===//

static Step runRank(Warp &warp, const Instruction &instruction) {
  int64_t size = warp.cluster().session.program.clusterSize;
  std::fill_n(warp.lanes<int32_t>(instruction.result), kLanes, int32_t(warp.block.id % size));
  warp.undefined(instruction.result) = 0;
  return Step::Next;
}

static Step runMapa(Warp &warp, const Instruction &instruction) {
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  const uint32_t *ranks = warp.lanes<uint32_t>(instruction.b);
  uint32_t *result = warp.lanes<uint32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = Cluster::addressIn(ranks[lane], addresses[lane]);
  warp.undefined(instruction.result) =
      warp.undefined(instruction.a) | warp.undefined(instruction.b);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::ClusterRankOp op) {
  translator.emit(op, runRank).result = translator.define(op);
  return success();
}

LogicalResult translate(Translator &translator, cuda::MapaOp op) {
  Instruction &instruction = translator.emit(op, runMapa);
  instruction.a = translator.slot(op.getAddress());
  instruction.b = translator.slot(op.getRank());
  instruction.result = translator.define(op);
  return success();
}

//===- Stores to other blocks -----------------------------------------------------------------===//

namespace {
/// A word on its way.
struct Word {
  std::array<char, 4> bytes;
  std::array<uint8_t, 4> poison;
};
} // namespace

/// Stores a lane's word, through an engine for each mbarrier.
static void startStore(Warp &warp, const Instruction &instruction, int lane, const Word &word) {
  Cluster &cluster = warp.cluster();
  uint32_t place = warp.lanes<uint32_t>(instruction.b)[lane];
  auto [block, address] = cluster.resolve(warp.block, warp.lanes<uint32_t>(instruction.a)[lane]);
  auto [owner, barrier] = cluster.resolve(warp.block, place);
  if (!block || owner != block) {
    report(FindingKind::OutOfBounds, warp, instruction, lane,
           block ? "the word and its mbarrier are in different blocks"
                 : "the address names a block that the cluster does not have");
    return;
  }
  Engine &engine = warp.async.loads[place];
  if (!engine.agent)
    engine.agent = cluster.addAgent(warp.block, warp.index, "asynchronous store");
  AgentId agent = engine.agent;
  uint32_t time = ++engine.time;
  Accessor accessor = warp.accessor(instruction);
  accessor.access.agent = agent;
  accessor.access.time = time;
  Mbarrier *found = findMbarrier(warp, instruction, lane, barrier, *block, accessor);
  SharedAccess access(warp, instruction, Direction::Write, word.bytes.size(), *block, accessor);
  std::optional<int64_t> offset = access.at(lane, address);
  if (!found || !offset)
    return;
  found->expectCopy(word.bytes.size());
  block->visits[agent] = {time, block != &warp.block, &instruction, &warp};
  int64_t mbarrier = found->offset;
  cluster.issue(warp, instruction, agent, time, /*work=*/1,
                [=, &warp, &instruction, knows = warp.clock] {
                  std::copy(word.bytes.begin(), word.bytes.end(), &block->shared.bytes[*offset]);
                  std::copy(word.poison.begin(), word.poison.end(), &block->shared.poison[*offset]);
                  if (auto at = block->mbarriers.find(mbarrier); at != block->mbarriers.end())
                    at->second.bring(warp, instruction, word.bytes.size(), agent, time, &knows);
                });
}

// a: the address, b: that of the mbarrier.
static Step runStoreAsync(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  auto first = warp.registerSlot(instruction, range, 1);
  uint32_t mask = warp.active;
  warp.requireDefined(instruction, instruction.a, mask, "an address");
  warp.requireDefined(instruction, instruction.b, mask, "an address");
  if (!first)
    return Step::Next;
  LaneElements elements(warp, *first, range, instruction.format, 1);
  forLanes(mask, [&](int lane) {
    Word word;
    elements.store(lane, word.bytes.data());
    elements.storePoison(lane, word.poison.data());
    startStore(warp, instruction, lane, word);
  });
  warp.tick();
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::StoreAsyncOp op) {
  Instruction &instruction = translator.emit(op, runStoreAsync);
  instruction.regs[0] = translator.registers(op.getRegs(), op.getIndex());
  instruction.a = translator.slot(op.getAddress());
  instruction.b = translator.slot(op.getBarrier());
  instruction.format = formatOf(op.getRegs().getType());
  return success();
}

//===- The cluster's barrier ------------------------------------------------------------------===//

static Step runArrive(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  if (warp.async.clusterTicket)
    report(FindingKind::BarrierClash, warp, instruction, -1,
           "arrives at the cluster's barrier again without having waited");
  warp.async.clusterTicket = warp.cluster().arrive(warp);
  return Step::Next;
}

static Step runWait(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  if (!warp.async.clusterTicket) {
    report(FindingKind::BarrierClash, warp, instruction, -1,
           "waits at the cluster's barrier without having arrived");
    return Step::Next;
  }
  if (!warp.cluster().barrier.pass(warp, warp.async.clusterTicket)) {
    if (warp.cluster().explaining) {
      warp.waitsForWarps.clear();
      warp.waitsFor = warp.cluster().barrier.missing() + " at the cluster's barrier";
    }
    return Step::Wait;
  }
  warp.async.clusterTicket = 0;
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::ClusterArriveOp op) {
  translator.emit(op, runArrive);
  return success();
}
LogicalResult translate(Translator &translator, cuda::ClusterWaitOp op) {
  translator.emit(op, runWait);
  return success();
}

//===- Kernels that overlap -------------------------------------------------------------------===//

// One kernel runs at a time here.
static Step runNothing(Warp &, const Instruction &) { return Step::Next; }

LogicalResult translate(Translator &translator, cuda::GridWaitOp op) {
  translator.emit(op, runNothing);
  return success();
}
LogicalResult translate(Translator &translator, cuda::GridLaunchDependentsOp op) {
  translator.emit(op, runNothing);
  return success();
}

//===- Registers ------------------------------------------------------------------------------===//

// parameter: registers per thread.
static Step runDecrease(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  if (instruction.parameter > warp.async.registers)
    report(FindingKind::RegisterBudget, warp, instruction, -1,
           "gives registers back, down to " + std::to_string(instruction.parameter) + ", but has " +
               std::to_string(warp.async.registers));
  warp.block.freeRegisters += (warp.async.registers - instruction.parameter) * kLanes;
  warp.async.registers = instruction.parameter;
  return Step::Next;
}

static Step runIncrease(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  if (instruction.parameter < warp.async.registers)
    report(FindingKind::RegisterBudget, warp, instruction, -1,
           "asks for up to " + std::to_string(instruction.parameter) + " registers, but has " +
               std::to_string(warp.async.registers));
  int64_t more = (instruction.parameter - warp.async.registers) * kLanes;
  if (more > warp.block.freeRegisters) {
    warp.waitsForWarps.clear();
    if (warp.cluster().explaining)
      warp.waitsFor = std::to_string(more) + " registers, of which the block has " +
                      std::to_string(warp.block.freeRegisters) + " left";
    return Step::Wait;
  }
  warp.block.freeRegisters -= more;
  warp.async.registers = instruction.parameter;
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::IncreaseRegistersOp op) {
  translator.emit(op, runIncrease).parameter = op.getCount();
  return success();
}
LogicalResult translate(Translator &translator, cuda::DecreaseRegistersOp op) {
  translator.emit(op, runDecrease).parameter = op.getCount();
  return success();
}

//===- Elect ----------------------------------------------------------------------------------===//

static Step runElect(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  int32_t *result = warp.lanes<int32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = lane == 0 ? -1 : 0;
  warp.undefined(instruction.result) = 0;
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::ElectOp op) {
  translator.emit(op, runElect).result = translator.define(op);
  return success();
}

} // namespace tilewright::simulator::machine
