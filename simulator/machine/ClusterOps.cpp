// Blocks of a cluster, kernels that overlap, register budgets, elect.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"

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
