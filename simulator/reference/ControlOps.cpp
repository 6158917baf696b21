// scf: loops and branches. A loop's results, its carried arguments and the values it yields share
// slots, so an iteration costs one copy per carried value.
#include "simulator/reference/Compiler.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::simulator {

static void runJump(const Instruction &instruction, Frame &frame) {
  frame.pc = instruction.parameter;
}

static void runJumpUnless(const Instruction &instruction, Frame &frame) {
  if (!*frame.at<int32_t>(instruction.a))
    frame.pc = instruction.parameter;
}

//===- for ------------------------------------------------------------------------------------===//

/// result: the induction variable, a: lower, b: upper, c: step, count: 8 for 64-bit loops.
template <typename T> static void runForBegin(const Instruction &instruction, Frame &frame) {
  if (*frame.at<T>(instruction.c) <= 0)
    return frame.fail(instruction.op, "the step of a loop must be positive, not " +
                                          std::to_string(int64_t(*frame.at<T>(instruction.c))));
  T lower = *frame.at<T>(instruction.a);
  *frame.at<T>(instruction.result) = lower;
  if (lower >= *frame.at<T>(instruction.b))
    frame.pc = instruction.parameter;
}

template <typename T> static void runForNext(const Instruction &instruction, Frame &frame) {
  T &index = *frame.at<T>(instruction.result);
  T next;
  if (__builtin_add_overflow(index, *frame.at<T>(instruction.c), &next) ||
      next >= *frame.at<T>(instruction.b))
    return;
  index = next;
  frame.pc = instruction.parameter;
}

static LogicalResult compileFor(Compiler &compiler, Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  auto carried = compiler.defineAll(loop.getResults());
  auto index = compiler.allocate(loop.getInductionVar().getType(), op);
  if (failed(carried) || failed(index))
    return failure();
  for (auto [slot, init] : llvm::zip(*carried, loop.getInitArgs()))
    compiler.emitCopy(op, slot, compiler.slot(init));
  compiler.alias(loop.getInductionVar(), *index);
  for (auto [argument, slot] : llvm::zip(loop.getRegionIterArgs(), *carried))
    compiler.alias(argument, slot);

  bool wide = index->storage() == Storage::Int64;
  Instruction bounds{.result = index->offset,
                     .a = compiler.slot(loop.getLowerBound()).offset,
                     .b = compiler.slot(loop.getUpperBound()).offset,
                     .c = compiler.slot(loop.getStep()).offset};
  bounds.run = wide ? runForBegin<int64_t> : runForBegin<int32_t>;
  size_t begin = compiler.emit(op, bounds);
  auto body = compiler.compileBlock(*loop.getBody(), [&](Operation *yield) {
    compiler.emitParallelCopy(yield, *carried, yield->getOperands());
    return success();
  });
  if (failed(body))
    return failure();
  bounds.run = wide ? runForNext<int64_t> : runForNext<int32_t>;
  bounds.parameter = begin + 1;
  compiler.emit(op, bounds);
  compiler.instruction(begin).parameter = compiler.here();
  compiler.release(*index);
  return success();
}

//===- while ----------------------------------------------------------------------------------===//

static LogicalResult compileWhile(Compiler &compiler, Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  auto passed = compiler.defineAll(loop.getResults());
  if (failed(passed))
    return failure();
  SmallVector<Slot> carried;
  for (auto [argument, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits())) {
    auto slot = compiler.allocate(argument.getType(), op);
    if (failed(slot))
      return failure();
    compiler.emitCopy(op, *slot, compiler.slot(init));
    compiler.alias(argument, *slot);
    carried.push_back(*slot);
  }
  for (auto [argument, slot] : llvm::zip(loop.getAfterArguments(), *passed))
    compiler.alias(argument, slot);

  size_t head = compiler.here(), leave = 0;
  auto before = compiler.compileBlock(*loop.getBeforeBody(), [&](Operation *terminator) {
    auto condition = cast<scf::ConditionOp>(terminator);
    compiler.emitParallelCopy(terminator, *passed, condition.getArgs());
    leave = compiler.emit(
        op, {.run = runJumpUnless, .a = compiler.slot(condition.getCondition()).offset});
    return success();
  });
  if (failed(before))
    return failure();
  auto after = compiler.compileBlock(*loop.getAfterBody(), [&](Operation *yield) {
    compiler.emitParallelCopy(yield, carried, yield->getOperands());
    return success();
  });
  if (failed(after))
    return failure();
  compiler.emit(op, {.run = runJump, .parameter = int64_t(head)});
  compiler.instruction(leave).parameter = compiler.here();
  for (Slot slot : carried)
    compiler.release(slot);
  return success();
}

//===- if -------------------------------------------------------------------------------------===//

static LogicalResult compileIf(Compiler &compiler, Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  auto results = compiler.defineAll(branch.getResults());
  if (failed(results))
    return failure();
  auto yieldResults = [&](Operation *yield) {
    compiler.emitParallelCopy(yield, *results, yield->getOperands());
    return success();
  };
  size_t skip =
      compiler.emit(op, {.run = runJumpUnless, .a = compiler.slot(branch.getCondition()).offset});
  if (failed(compiler.compileBlock(*branch.thenBlock(), yieldResults)))
    return failure();
  if (Block *other = branch.elseBlock()) {
    size_t leave = compiler.emit(op, {.run = runJump});
    compiler.instruction(skip).parameter = compiler.here();
    if (failed(compiler.compileBlock(*other, yieldResults)))
      return failure();
    compiler.instruction(leave).parameter = compiler.here();
  } else {
    compiler.instruction(skip).parameter = compiler.here();
  }
  return success();
}

/// Terminators are compiled by the op whose region they end.
static LogicalResult compileNothing(Compiler &, Operation *) { return success(); }

void addControlOps(OpTable &table) {
  table["scf.for"] = compileFor;
  table["scf.while"] = compileWhile;
  table["scf.if"] = compileIf;
  for (StringRef name : {"scf.yield", "scf.condition", "func.return"})
    table[name] = compileNothing;
}

} // namespace tilewright::simulator
