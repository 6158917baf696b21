// Loops, branches and the grid. A tile that a loop or branch carries is one array, declared before
// it and written in place; scalars stay values.
#include "passes/lower/Expander.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {

using namespace mlir;

LogicalResult Expander::expandGrid(tile::GridOp op) {
  SmallVector<Value> extents;
  for (Value extent : op.getExtents())
    extents.push_back(scalar(extent));
  // Programs are numbered with axis 0 fastest. The launch is one-dimensional, since the second and
  // third axis of a launch are limited to 65535 blocks.
  Value rest = builder.create<cuda::BlockIdOp>(loc, builder.getI32Type());
  SmallVector<Value> ids;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (axis + 1 == extents.size()) {
      ids.push_back(rest);
      break;
    }
    auto [quotient, coordinate] = divideWithRest(rest, divisor(extents[axis], "extent"));
    ids.push_back(coordinate);
    rest = quotient;
  }
  kernel.walk([&](tile::ProgramIdOp id) {
    ids[id.getAxis()].getDefiningOp()->setLoc(id.getLoc());
    scalars.map(id.getResult(), ids[id.getAxis()]);
  });
  return success();
}

void Expander::copyRegisters(Value from, Value to) {
  auto type = cast<cuda::RegsType>(from.getType());
  unrolled(type.getSize(), [&](Value index) {
    Value entry = builder.create<cuda::GetOp>(loc, type.getElementType(), from, index);
    builder.create<cuda::SetOp>(loc, entry, to, index);
  });
}

void Expander::assignTiles(ValueRange values, ArrayRef<Value> arrays) {
  // First computes, then copies: a yielded tile may depend on any of the carried ones.
  SmallVector<Value> sources;
  for (Value value : values)
    sources.push_back(registersOf(value));
  // A carried tile that would be overwritten before it is copied is saved.
  for (auto [i, source] : llvm::enumerate(sources))
    if (source != arrays[i] && llvm::is_contained(arrays.take_front(i), source)) {
      auto type = cast<cuda::RegsType>(source.getType());
      Value kept = declare(values[i].getLoc(), type.getSize(), type.getElementType());
      copyRegisters(source, kept);
      source = kept;
    }
  for (auto [source, array] : llvm::zip(sources, arrays))
    if (source != array)
      copyRegisters(source, array);
}

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }
static bool isScalar(Value value) { return value.getType().isIntOrFloat(); }

/// True for a loop with products whose operand addresses depend on the thread's number.
static bool multiplies(Operation *loop) {
  return loop
      ->walk([](cta::MmaOp mma) {
        return mma.readsShared() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The values that decide the trip count of a loop, or the branch that is taken.
static SmallVector<Value> decidersOf(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  return {cast<scf::IfOp>(op).getCondition()};
}

LogicalResult Expander::expandControl(Operation *op) {
  bool parts = llvm::any_of(decidersOf(op), cta::differsAmongWarpgroups);
  llvm::SaveAndRestore parted(apart, apart || parts);
  LogicalResult done = TypeSwitch<Operation *, LogicalResult>(op)
                           .Case([&](scf::ForOp loop) { return expandFor(loop); })
                           .Case([&](scf::IfOp branch) { return expandIf(branch); })
                           .Case([&](scf::WhileOp loop) { return expandWhile(loop); });
  return failure(failed(done) || misplaced);
}

LogicalResult Expander::expandFor(scf::ForOp op) {
  enterSums(op);
  SmallVector<Value> inits, arrays;
  for (auto [init, argument] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs())) {
    if (isScalar(init))
      inits.push_back(scalar(init));
    if (!isTile(init))
      continue;
    Value array = declareTile(argument.getLoc(), cast<RankedTensorType>(argument.getType()));
    writeTile(init, array);
    tiles[argument] = array;
    arrays.push_back(array);
  }
  if (failed(expandLoop(op, inits, arrays)))
    return failure();
  // Code behind the last products computes its coordinates again, so that loops do not keep them in
  // registers.
  if (op->getParentOp() == kernel && multiplies(op)) {
    bool last = true;
    for (Operation *later = op->getNextNode(); later; later = later->getNextNode())
      last &= !multiplies(later);
    if (last)
      renewThread();
  }
  return success();
}

LogicalResult Expander::expandLoop(scf::ForOp op, ValueRange inits, ArrayRef<Value> arrays) {
  Value lower = scalar(op.getLowerBound()), upper = scalar(op.getUpperBound());
  auto loop = builder.create<scf::ForOp>(op.getLoc(), lower, upper, scalar(op.getStep()), inits);
  loop.getInductionVar().setLoc(op.getInductionVar().getLoc());
  scalars.map(op.getInductionVar(), loop.getInductionVar());
  unsigned next = 0;
  for (auto [argument, outcome] : llvm::zip(op.getRegionIterArgs(), op.getResults()))
    if (isScalar(argument)) {
      loop.getRegionIterArg(next).setLoc(argument.getLoc());
      scalars.map(argument, loop.getRegionIterArg(next));
      scalars.map(outcome, loop.getResult(next++));
    } else if (isTile(argument)) {
      tiles[outcome] = tiles.lookup(argument);
    }
  if (inits.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(loop.getBody());
  // A loop with products computes its coordinates from the thread's number, so that no register
  // holds them beside the accumulators, nor through later loops.
  {
    FreshThread fresh(*this, multiplies(op));
    markBegun(op, op.getRegionIterArgs(), [&] {
      return builder.createOrFold<arith::CmpIOp>(NameLoc::get(builder.getStringAttr("later"), loc),
                                                 arith::CmpIPredicate::sgt, loop.getInductionVar(),
                                                 lower);
    });
    if (failed(expandBlock(*op.getBody())))
      return failure();
    SmallVector<Value> yieldedTiles, yieldedScalars;
    for (Value value : op.getYieldedValues())
      if (isTile(value))
        yieldedTiles.push_back(value);
      else if (isScalar(value))
        yieldedScalars.push_back(scalar(value));
    assignTiles(yieldedTiles, arrays);
    if (!inits.empty())
      builder.create<scf::YieldOp>(op.getLoc(), yieldedScalars);
  }
  builder.setInsertionPointAfter(loop);
  markBegun(op, op.getResults(), [&] {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lower, upper);
  });
  return success();
}

/// A product's result that one branch leaves unchanged, and from which the other selects elements,
/// if nothing else reads it. Then the branch may update its registers in place.
static Value selectedInPlace(scf::IfOp op, unsigned result) {
  if (op.getElseRegion().empty())
    return nullptr;
  Value taken = op.thenYield()->getOperand(result), other = op.elseYield()->getOperand(result);
  if (!taken.getDefiningOp<cta::AwaitOp>())
    std::swap(taken, other);
  auto await = taken.getDefiningOp<cta::AwaitOp>();
  auto select = other.getDefiningOp<arith::SelectOp>();
  if (!await || await->getBlock() != op->getBlock() || !select || op->getNumResults() != 1)
    return nullptr;
  Value first = await.getPending();
  while (auto product = first.getDefiningOp<cta::MmaOp>())
    first = product.getAcc();
  auto begin = first.getDefiningOp<cta::BeginOp>();
  bool isOwn = begin && begin->getBlock() == op->getBlock();
  bool isReadHere = llvm::all_of(taken.getUsers(), [&](Operation *user) {
    return user == select || user == op.thenYield() || user == op.elseYield();
  });
  bool isElement = select.getTrueValue() == taken || select.getFalseValue() == taken;
  return isOwn && isReadHere && isElement && select.getCondition() != taken ? taken : nullptr;
}

LogicalResult Expander::expandIf(scf::IfOp op) {
  SmallVector<Value> arrays;
  SmallVector<Type> types;
  for (OpResult outcome : op.getResults()) {
    if (!isTile(outcome)) {
      types.push_back(computeType(outcome.getType()));
      continue;
    }
    if (Value own = selectedInPlace(op, outcome.getResultNumber())) {
      taken.insert(own); // no later product reuses its registers
      arrays.push_back(tiles.lookup(own));
    } else {
      arrays.push_back(declareTile(op.getLoc(), cast<RankedTensorType>(outcome.getType())));
    }
    tiles[outcome] = arrays.back();
  }
  bool hasElse = !op.getElseRegion().empty();
  auto branch = builder.create<scf::IfOp>(op.getLoc(), types, scalar(op.getCondition()), hasElse);
  auto expandRegion = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = to.front();
    if (block.mightHaveTerminator())
      builder.setInsertionPoint(block.getTerminator());
    else
      builder.setInsertionPointToEnd(&block);
    if (failed(expandBlock(from.front())))
      return failure();
    SmallVector<Value> yieldedScalars;
    const Value *array = arrays.begin();
    for (Value value : from.front().getTerminator()->getOperands())
      if (isTile(value)) {
        if (tiles.lookup(value) != *array) // else it is there already
          writeTile(value, *array);
        ++array;
      } else
        yieldedScalars.push_back(scalar(value));
    if (!types.empty())
      builder.create<scf::YieldOp>(op.getLoc(), yieldedScalars);
    return success();
  };
  if (failed(expandRegion(op.getThenRegion(), branch.getThenRegion())) ||
      (hasElse && failed(expandRegion(op.getElseRegion(), branch.getElseRegion()))))
    return failure();
  unsigned next = 0;
  for (Value outcome : op.getResults())
    if (!isTile(outcome))
      scalars.map(outcome, branch.getResult(next++));
  return success();
}

LogicalResult Expander::expandWhile(scf::WhileOp op) {
  SmallVector<Value> inits, before, after;
  SmallVector<Type> initTypes, outTypes;
  SmallVector<Location> initLocs, outLocs;
  for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
    if (!isTile(init)) {
      inits.push_back(scalar(init));
      initTypes.push_back(inits.back().getType());
      initLocs.push_back(argument.getLoc());
      continue;
    }
    before.push_back(declareTile(argument.getLoc(), cast<RankedTensorType>(argument.getType())));
    writeTile(init, before.back());
    tiles[argument] = before.back();
  }
  for (auto [argument, outcome] : llvm::zip(op.getAfterArguments(), op.getResults())) {
    if (!isTile(argument)) {
      outTypes.push_back(computeType(argument.getType()));
      outLocs.push_back(argument.getLoc());
      continue;
    }
    after.push_back(declareTile(argument.getLoc(), cast<RankedTensorType>(argument.getType())));
    tiles[argument] = after.back();
    tiles[outcome] = after.back();
  }
  auto loop = builder.create<scf::WhileOp>(op.getLoc(), outTypes, inits);
  OpBuilder::InsertionGuard guard(builder);
  auto mapScalars = [&](ValueRange from, ValueRange to) {
    unsigned next = 0;
    for (Value value : from)
      if (!isTile(value))
        scalars.map(value, to[next++]);
  };
  auto split = [&](ValueRange values, SmallVector<Value> &scalarValues,
                   SmallVector<Value> &tileValues) {
    for (Value value : values)
      isTile(value) ? tileValues.push_back(value) : scalarValues.push_back(scalar(value));
  };
  builder.createBlock(&loop.getBefore(), {}, initTypes, initLocs);
  mapScalars(op.getBeforeArguments(), loop.getBeforeArguments());
  if (failed(expandBlock(*op.getBeforeBody())))
    return failure();
  SmallVector<Value> conditionScalars, conditionTiles, yieldScalars, yieldTiles;
  split(op.getConditionOp().getArgs(), conditionScalars, conditionTiles);
  assignTiles(conditionTiles, after);
  builder.create<scf::ConditionOp>(op.getLoc(), scalar(op.getConditionOp().getCondition()),
                                   conditionScalars);
  builder.createBlock(&loop.getAfter(), {}, outTypes, outLocs);
  mapScalars(op.getAfterArguments(), loop.getAfterArguments());
  if (failed(expandBlock(*op.getAfterBody())))
    return failure();
  split(op.getYieldOp().getOperands(), yieldScalars, yieldTiles);
  assignTiles(yieldTiles, before);
  builder.create<scf::YieldOp>(op.getLoc(), yieldScalars);
  mapScalars(op.getResults(), loop.getResults());
  return success();
}

} // namespace tilewright::passes
