// Roles, the tiles of a block, and what only says when something happens.
#include "ir/cta/Cta.h"
#include "simulator/reference/Compiler.h"

using namespace mlir;

namespace tilewright::simulator {

static void runJump(const Instruction &instruction, Frame &frame) {
  frame.pc = instruction.parameter;
}

//===- role -----------------------------------------------------------------------------------===//

int64_t copiesOf(cta::RoleOp role) {
  bool parts = role.walk([](cta::WarpgroupOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return parts ? role.getWarps() / cta::kWarpsPerWarpgroup : 1;
}

/// Rows are what warpgroups that part share out; a product split otherwise has no meaning here.
static LogicalResult checkRows(cta::RoleOp role) {
  auto result = role.walk([&](cta::MmaOp mma) {
    if (mma.getWarps()[1] == 1)
      return WalkResult::advance();
    emitError(mma.getLoc()) << "the interpreter runs warpgroups that part only where each has rows "
                               "of its own, not where warps are "
                            << mma.getWarps()[0] << "x" << mma.getWarps()[1];
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The code before the roles jumps over them; each role then runs its own part.
static LogicalResult compileRole(Compiler &compiler, Operation *op) {
  auto role = cast<cta::RoleOp>(op);
  int64_t copies = copiesOf(role);
  if (copies > 1 && failed(checkRows(role)))
    return failure();
  size_t over = compiler.emit(op, {.run = runJump});
  size_t begin = compiler.here();
  if (failed(compiler.compileBlock(role.getBody().front(), [](Operation *) { return success(); })))
    return failure();
  compiler.instruction(over).parameter = compiler.here();
  compiler.program.roles.push_back({role.getName().str(), begin, compiler.here(), copies});
  return success();
}

/// Of the one that runs it; 0 in a role that runs once.
static void runWarpgroup(const Instruction &instruction, Frame &frame) {
  *frame.at<int32_t>(instruction.result) = int32_t(frame.warpgroup);
}

static LogicalResult compileWarpgroup(Compiler &compiler, Operation *op) {
  auto result = compiler.define(op->getResult(0));
  if (failed(result))
    return failure();
  compiler.emit(op, {.run = runWarpgroup, .result = result->offset});
  return success();
}

//===- tiles ----------------------------------------------------------------------------------===//

// Program b of n takes the tiles b, b + n, b + 2n and so on, whole, the first axis fastest, however
// they are grouped, queued or split: tiles are independent. All roles take the same ones.

namespace {
struct TilesDetail {
  SmallVector<int64_t> extents, coordinates; // slots
  int64_t turn, turns;
};
} // namespace

/// result: the tile's number, of 64 bits.
static void runFirstTile(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const TilesDetail *>(instruction.detail);
  *frame.at<int64_t>(instruction.result) =
      frame.execution.id + detail.turn * int64_t(frame.execution.programs);
}

/// Leaves the loop behind the last tile, or else sets the coordinates.
static void runTile(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const TilesDetail *>(instruction.detail);
  int64_t rest = *frame.at<int64_t>(instruction.result), count = 1;
  for (int64_t extent : detail.extents)
    count *= std::max(0, *frame.at<int32_t>(extent));
  if (rest >= count) {
    frame.pc = instruction.parameter;
    return;
  }
  for (auto [extent, coordinate] : llvm::zip(detail.extents, detail.coordinates)) {
    *frame.at<int32_t>(coordinate) = int32_t(rest % *frame.at<int32_t>(extent));
    rest /= *frame.at<int32_t>(extent);
  }
}

static void runNextTile(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const TilesDetail *>(instruction.detail);
  *frame.at<int64_t>(instruction.result) += detail.turns * int64_t(frame.execution.programs);
  frame.pc = instruction.parameter;
}

/// result: how many steps a tile has, `a`, or none.
static void runSteps(const Instruction &instruction, Frame &frame) {
  *frame.at<int32_t>(instruction.result) = std::max(0, *frame.at<int32_t>(instruction.a));
}

/// Sets the part that is made of a tile: all of its steps.
static LogicalResult compilePart(Compiler &compiler, cta::TilesOp tiles) {
  if (!tiles.isSplit())
    return success();
  compiler.alias(tiles.getPart()[0], compiler.constantInteger(ElementKind::I32, 0));
  if (Value steps = tiles.getSteps()) {
    compiler.alias(tiles.getPart()[1], compiler.slot(steps));
    return success();
  }
  Slot end = compiler.allocate(ElementKind::I32, 1);
  compiler.alias(tiles.getPart()[1], end);
  for (auto [argument, coordinate] :
       llvm::zip(tiles.getLengths().getArguments(), tiles.getCoordinates()))
    compiler.alias(argument, compiler.slot(coordinate));
  return compiler.compileBlock(tiles.getLengths().front(), [&](Operation *yield) {
    Slot steps = compiler.slot(yield->getOperand(0));
    compiler.emit(yield, {.run = runSteps, .result = end.offset, .a = steps.offset});
    return success();
  });
}

/// The slots of the loop's extents and coordinates.
static TilesDetail bindTiles(Compiler &compiler, cta::TilesOp tiles) {
  TilesDetail detail{
      {}, {}, int64_t(tiles.getTurn().value_or(0)), int64_t(tiles.getTurns().value_or(1))};
  for (auto [extent, coordinate] : llvm::zip(tiles.getExtents(), tiles.getCoordinates())) {
    Slot slot = compiler.allocate(ElementKind::I32, 1);
    compiler.alias(coordinate, slot);
    detail.extents.push_back(compiler.slot(extent).offset);
    detail.coordinates.push_back(slot.offset);
  }
  return detail;
}

static LogicalResult compileTiles(Compiler &compiler, Operation *op) {
  auto tiles = cast<cta::TilesOp>(op);
  auto carried = compiler.defineAll(tiles.getResults());
  if (failed(carried))
    return failure();
  for (auto [slot, init] : llvm::zip(*carried, tiles.getInitArgs()))
    compiler.emitCopy(op, slot, compiler.slot(init));
  for (auto [argument, slot] : llvm::zip(tiles.getRegionIterArgs(), *carried))
    compiler.alias(argument, slot);
  auto *detail = compiler.program.own(bindTiles(compiler, tiles));
  Slot number = compiler.allocate(ElementKind::I64, 1);
  compiler.emit(op, {.run = runFirstTile, .result = number.offset, .detail = detail});
  size_t head = compiler.emit(op, {.run = runTile, .result = number.offset, .detail = detail});
  if (failed(compilePart(compiler, tiles)))
    return failure();
  auto body = compiler.compileBlock(tiles.getBody().front(), [&](Operation *yield) {
    compiler.emitParallelCopy(yield, *carried, yield->getOperands());
    return success();
  });
  if (failed(body))
    return failure();
  compiler.emit(
      op,
      {.run = runNextTile, .result = number.offset, .parameter = int64_t(head), .detail = detail});
  compiler.instruction(head).parameter = compiler.here();
  compiler.release(number);
  return success();
}

static LogicalResult compileSms(Compiler &compiler, Operation *op) {
  compiler.alias(op->getResult(0),
                 compiler.constantInteger(ElementKind::I32, compiler.multiprocessors));
  return success();
}

//===- What says when -------------------------------------------------------------------------===//

static LogicalResult compileNothing(Compiler &, Operation *) { return success(); }

void addRoleOps(OpTable &table) {
  table["cta.role"] = compileRole;
  table["cta.warpgroup"] = compileWarpgroup;
  table["cta.tiles"] = compileTiles;
  table["cta.sms"] = compileSms;
  // Terminators are compiled by the op whose region they end; turns, meetings,
  // waits for products and time stamps change no value.
  for (StringRef name : {"cta.yield", "cta.order", "cta.enter", "cta.leave", "cta.sync",
                         "cta.wait_group", "cta.await_grids", "cta.stamp", "cta.stamp_run"})
    table[name] = compileNothing;
}

} // namespace tilewright::simulator
