// Shared memory by plain loads and stores, and the block's barrier.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Moves.h"
#include "simulator/machine/Semantics.h"

using namespace mlir;

namespace tilewright::simulator::machine {

LogicalResult translate(Translator &translator, cuda::SharedOp op) {
  int64_t end = op.getOffset() + op.getBytes();
  if (end > translator.program.sharedBytes)
    return emitError(op.getLoc()) << "a region up to byte " << end << " in "
                                  << translator.program.sharedBytes << " bytes of shared memory";
  translator.alias(op,
                   translator.constant(ElementKind::I32, SharedMemory::baseOf(translator.program) +
                                                             int64_t(op.getOffset())));
  return success();
}

// parameter: array elements moved.
static Step runLoad(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  auto first = warp.registerSlot(instruction, range, instruction.parameter);
  warp.requireDefined(instruction, instruction.a, warp.active, "an address");
  if (!first)
    return Step::Next;
  int64_t bytes = instruction.parameter * instruction.format.bytes;
  SharedAccess access(warp, instruction, Direction::Read, bytes);
  LaneElements elements(warp, *first, range, instruction.format, instruction.parameter);
  SharedMemory &memory = warp.block.shared;
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  forLanes(warp.active, [&](int lane) {
    if (auto offset = access.at(lane, addresses[lane]))
      elements.load(lane, &memory.bytes[*offset], &memory.poison[*offset]);
  });
  access.count();
  return Step::Next;
}

static Step runStore(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  auto first = warp.registerSlot(instruction, range, instruction.parameter);
  uint32_t mask = warp.predicated(instruction, instruction.b);
  warp.requireDefined(instruction, instruction.a, mask, "an address");
  if (!first)
    return Step::Next;
  int64_t bytes = instruction.parameter * instruction.format.bytes;
  SharedAccess access(warp, instruction, Direction::Write, bytes);
  LaneElements elements(warp, *first, range, instruction.format, instruction.parameter);
  SharedMemory &memory = warp.block.shared;
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  forLanes(mask, [&](int lane) {
    char stored[kMostBytes];
    elements.store(lane, stored);
    if (auto offset = access.at(lane, addresses[lane], stored)) {
      std::memcpy(&memory.bytes[*offset], stored, bytes);
      elements.storePoison(lane, &memory.poison[*offset]);
    }
  });
  access.count();
  return Step::Next;
}

template <typename Op> static Instruction &emitAccess(Translator &translator, Op op, Handler run) {
  cuda::RegsType type = op.getRegs().getType();
  Instruction &instruction = translator.emit(op, run);
  instruction.regs[0] = translator.registers(op.getRegs(), op.getIndex());
  instruction.a = translator.slot(op.getAddress());
  instruction.format = formatOf(type);
  instruction.parameter = int64_t(op.getCount()) / type.getPack();
  translator.noteShared(instruction.parameter * instruction.format.bytes);
  return instruction;
}

LogicalResult translate(Translator &translator, cuda::LoadSharedOp op) {
  emitAccess(translator, op, runLoad);
  return success();
}

LogicalResult translate(Translator &translator, cuda::StoreSharedOp op) {
  Instruction &instruction = emitAccess(translator, op, runStore);
  if (op.getPredicate())
    instruction.b = translator.slot(op.getPredicate());
  return success();
}

//===- Barrier --------------------------------------------------------------------------------===//

static void explainBarrier(Warp &warp, const Barrier &barrier) {
  warp.waitsForWarps.clear();
  warp.waitsFor = "the block's barrier until";
  for (Warp &other : warp.block.warps)
    if (!barrier.hasArrived(other.index)) {
      warp.waitsFor += (warp.waitsForWarps.empty() ? " warp " : ", ") + std::to_string(other.index);
      warp.waitsForWarps.push_back(&other);
    }
  warp.waitsFor += warp.waitsForWarps.size() == 1 ? " arrives" : " arrive";
}

static Step runBarrier(Warp &warp, const Instruction &instruction) {
  Barrier &barrier = warp.block.barriers[0];
  if (!warp.ticket) {
    warp.requireConverged(instruction);
    unsigned expected = unsigned(warp.block.warps.size());
    if (std::string clash = barrier.clash(warp, expected); !clash.empty())
      report(FindingKind::BarrierClash, warp, instruction, -1, clash);
    warp.ticket = barrier.arrive(warp, expected);
  }
  if (!barrier.pass(warp, warp.ticket)) {
    if (warp.cluster().explaining)
      explainBarrier(warp, barrier);
    return Step::Wait;
  }
  warp.ticket = 0;
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::BarrierOp op) {
  translator.emit(op, runBarrier);
  return success();
}

} // namespace tilewright::simulator::machine
