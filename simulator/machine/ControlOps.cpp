// Loops and branches: masks and jumps. A region's lanes are `active`; the lanes to come back to are
// on the warp's stack of masks.
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"

using namespace mlir;

namespace tilewright::simulator::machine {

static Step runJump(Warp &warp, const Instruction &instruction) {
  warp.pc = instruction.target;
  return Step::Next;
}

static Step runPush(Warp &warp, const Instruction &instruction) {
  warp.masks.push_back(warp.active);
  return Step::Next;
}

static Step runPop(Warp &warp, const Instruction &instruction) {
  warp.active = warp.masks.pop_back_val();
  return Step::Next;
}

/// Keeps the lanes where slot `a` is true; jumps when none is left.
static Step runKeepTrue(Warp &warp, const Instruction &instruction) {
  warp.requireDefined(instruction, instruction.a, warp.active, "a branch");
  warp.active &= warp.trueLanes(instruction.a);
  if (!warp.active)
    warp.pc = instruction.target;
  return Step::Next;
}

/// Turns to the lanes of the enclosing region where slot `a` is false.
static Step runElse(Warp &warp, const Instruction &instruction) {
  warp.active = warp.masks.back() & ~warp.trueLanes(instruction.a);
  if (!warp.active)
    warp.pc = instruction.target;
  return Step::Next;
}

/// Assigns what a terminator hands on, all at once.
static void emitAssignments(Translator &translator, Operation *op, ArrayRef<Slot> targets,
                            ValueRange values) {
  SmallVector<Slot> sources;
  for (Value value : values) {
    Slot source = translator.slot(value);
    bool overwritten = llvm::any_of(targets.take_front(sources.size()),
                                    [&](Slot target) { return target.number == source.number; });
    if (overwritten) {
      Slot saved = translator.allocate(source.kind);
      translator.emitCopy(op, saved, source);
      source = saved;
    }
    sources.push_back(source);
  }
  for (auto [target, source] : llvm::zip(targets, sources))
    if (target.number != source.number)
      translator.emitCopy(op, target, source);
}

static SmallVector<Slot> defineAll(Translator &translator, ValueRange values) {
  SmallVector<Slot> slots;
  for (Value value : values)
    slots.push_back(translator.define(value));
  return slots;
}

static void aliasAll(Translator &translator, ValueRange values, ArrayRef<Slot> slots) {
  for (auto [value, slot] : llvm::zip(values, slots))
    translator.alias(value, slot);
}

static LogicalResult checkTypes(Operation *op, ValueRange values) {
  for (Value value : values)
    if (!kindOf(value.getType()))
      return emitError(op->getLoc())
             << "the simulator cannot hold a value of type " << value.getType();
  return success();
}

//===- If -------------------------------------------------------------------------------------===//

LogicalResult translate(Translator &translator, scf::IfOp op) {
  Slot condition = translator.slot(op.getCondition());
  SmallVector<Slot> results = defineAll(translator, op.getResults());
  translator.emit(op, runPush);
  uint32_t branch = translator.here();
  translator.emit(op, runKeepTrue).a = condition;
  if (failed(translator.translateBody(*op.thenBlock())))
    return failure();
  emitAssignments(translator, op, results, op.thenYield().getOperands());
  translator.instruction(branch).target = translator.here();
  if (op.elseBlock()) {
    uint32_t otherwise = translator.here();
    translator.emit(op, runElse).a = condition;
    if (failed(translator.translateBody(*op.elseBlock())))
      return failure();
    emitAssignments(translator, op, results, op.elseYield().getOperands());
    translator.instruction(otherwise).target = translator.here();
  }
  translator.emit(op, runPop);
  return success();
}

//===- For ------------------------------------------------------------------------------------===//

/// Keeps the lanes that have another iteration: counter `result` before bound `b`.
template <typename T> static Step runTest(Warp &warp, const Instruction &instruction) {
  const T *counter = warp.lanes<T>(instruction.result), *bound = warp.lanes<T>(instruction.b);
  warp.requireDefined(instruction, instruction.result, warp.active, "a loop's start");
  warp.requireDefined(instruction, instruction.b, warp.active, "a loop's bound");
  uint32_t more = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    more |= uint32_t(counter[lane] < bound[lane]) << lane;
  warp.active &= more;
  if (!warp.active)
    warp.pc = instruction.target;
  return Step::Next;
}

template <typename T> static Step runAdvance(Warp &warp, const Instruction &instruction) {
  T *counter = warp.lanes<T>(instruction.result);
  const T *step = warp.lanes<T>(instruction.a);
  forLanes(warp.active, [&](int lane) { counter[lane] += step[lane]; });
  warp.undefined(instruction.result) |= warp.undefined(instruction.a);
  warp.pc = instruction.target;
  return Step::Next;
}

LogicalResult translate(Translator &translator, scf::ForOp op) {
  if (failed(checkTypes(op, op.getRegionIterArgs())))
    return failure();
  SmallVector<Slot> carried = defineAll(translator, op.getRegionIterArgs());
  Slot counter = translator.define(op.getInductionVar());
  emitAssignments(translator, op, carried, op.getInitArgs());
  translator.emitCopy(op, counter, translator.slot(op.getLowerBound()));
  translator.emit(op, runPush);
  uint32_t test = translator.here();
  Instruction &head = translator.emit(op, counter.isWide() ? runTest<int64_t> : runTest<int32_t>);
  head.result = counter;
  head.b = translator.slot(op.getUpperBound());
  if (failed(translator.translateBody(*op.getBody())))
    return failure();
  emitAssignments(translator, op, carried, op.getYieldedValues());
  Instruction &next =
      translator.emit(op, counter.isWide() ? runAdvance<int64_t> : runAdvance<int32_t>);
  next.result = counter;
  next.a = translator.slot(op.getStep());
  next.target = test;
  translator.instruction(test).target = translator.here();
  translator.emit(op, runPop);
  aliasAll(translator, op.getResults(), carried);
  return success();
}

//===- While ----------------------------------------------------------------------------------===//

LogicalResult translate(Translator &translator, scf::WhileOp op) {
  if (failed(checkTypes(op, op.getBeforeArguments())) ||
      failed(checkTypes(op, op.getAfterArguments())))
    return failure();
  SmallVector<Slot> carried = defineAll(translator, op.getBeforeArguments());
  SmallVector<Slot> forwarded = defineAll(translator, op.getAfterArguments());
  emitAssignments(translator, op, carried, op.getInits());
  translator.emit(op, runPush);
  uint32_t head = translator.here();
  if (failed(translator.translateBody(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  emitAssignments(translator, condition, forwarded, condition.getArgs());
  uint32_t test = translator.here();
  translator.emit(condition, runKeepTrue).a = translator.slot(condition.getCondition());
  if (failed(translator.translateBody(*op.getAfterBody())))
    return failure();
  emitAssignments(translator, op, carried, op.getYieldOp().getOperands());
  translator.emit(op, runJump).target = head;
  translator.instruction(test).target = translator.here();
  translator.emit(op, runPop);
  aliasAll(translator, op.getResults(), forwarded);
  return success();
}

//===- Terminators ----------------------------------------------------------------------------===//

// The op around them has translated what they hand on.
LogicalResult translate(Translator &, scf::YieldOp) { return success(); }
LogicalResult translate(Translator &, scf::ConditionOp) { return success(); }

static Step runReturn(Warp &warp, const Instruction &instruction) {
  const CopyGroups &copies = warp.copies;
  bool elsewhere = copies.last <= copies.counted; // the block finds those (Block::finish)
  if (copies.agent && !elsewhere && !warp.clock.covers(copies.agent, copies.last))
    report(FindingKind::NeverWaited, warp, *copies.lastCopy, -1,
           "the kernel ends without waiting for this copy");
  const WarpAsync &async = warp.async;
  if (async.stores.issued > async.storesRead)
    report(FindingKind::NeverWaited, warp, *async.stores.last, -1,
           "the kernel ends while this store may still read its shared memory");
  if (!async.inFlight.empty())
    report(FindingKind::NeverWaited, warp, *async.inFlight.back().instruction, -1,
           "the kernel ends without waiting for this product");
  warp.block.leave(warp);
  return Step::Exit;
}

LogicalResult translate(Translator &translator, func::ReturnOp op) {
  translator.emit(op, runReturn);
  return success();
}

} // namespace tilewright::simulator::machine
