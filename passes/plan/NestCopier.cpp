#include "passes/plan/NestCopier.h"

namespace tilewright::passes {

using namespace mlir;

int64_t rowOf(tile::LoadOp load) {
  Type type = load.getResult().getType();
  return isa<RankedTensorType>(type) ? 0 : 128 / type.getIntOrFloatBitWidth();
}

Value masked(OpBuilder &builder, Location loc, Value index, int64_t mask) {
  return builder.create<arith::AndIOp>(loc, index,
                                       builder.create<arith::ConstantIntOp>(loc, mask, 32));
}

void NestCopier::copy(Block &from, OpBuilder &builder) {
  for (Operation &op : from.without_terminator())
    if (isStream(&op))
      load(cast<tile::LoadOp>(op), builder);
    else if (holdsWanted(&op))
      copyAround(&op, builder);
    else if (isWanted(&op) || isAsked(&op)) // the plan's marks on loops are for loops with products
      builder.clone(op, values)->walk([](scf::ForOp loop) { loop->removeAttr(kIdAttr); });
}

bool NestCopier::isStream(Operation *op) const {
  auto id = idOf(op);
  return isa<tile::LoadOp>(op) && id && llvm::is_contained(role.streams, id->str());
}

bool NestCopier::isWanted(Operation *op) const {
  auto id = tilePutBy(op);
  return isStream(op) || (id && llvm::is_contained(role.tiles, id->str()));
}

bool NestCopier::holdsWanted(Operation *op) const {
  return op->getNumRegions() && op->walk([&](Operation *inner) {
                                    return isWanted(inner) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
                                  }).wasInterrupted();
}

/// Whether the work of a role, or a bound of a loop or branch around it, depends on an op.
bool NestCopier::isAsked(Operation *op) {
  if (auto known = asked.find(op); known != asked.end())
    return known->second;
  return asked[op] = llvm::any_of(op->getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner(), *copied = user; // as a whole
           for (Operation *around = user->getParentOp();
                around != op->getParentOp() && !holdsWanted(around); around = around->getParentOp())
             copied = around;
           bool isCarried = isa<scf::ForOp>(user) && use.getOperandNumber() >= 3;
           if (copied == user && holdsWanted(user))
             return !isCarried;
           return isWanted(copied) || isAsked(copied);
         });
}

void NestCopier::copyAround(Operation *op, OpBuilder &builder) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto copied = builder.create<scf::ForOp>(
        loop.getLoc(), values.lookupOrDefault(loop.getLowerBound()),
        values.lookupOrDefault(loop.getUpperBound()), values.lookupOrDefault(loop.getStep()));
    values.map(loop.getInductionVar(), copied.getInductionVar());
    copied.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    OpBuilder inside = OpBuilder::atBlockTerminator(copied.getBody());
    return copy(*loop.getBody(), inside);
  }
  Operation *copied = builder.cloneWithoutRegions(*op, values);
  for (auto [from, to] : llvm::zip(op->getRegions(), copied->getRegions())) {
    if (from.empty())
      continue;
    if (auto tiles = dyn_cast<cta::TilesOp>(op); tiles && &from == &tiles.getLengths()) {
      from.cloneInto(&to, values); // conditions that all roles state alike
      continue;
    }
    Block &body = to.emplaceBlock();
    for (BlockArgument argument : from.getArguments())
      values.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    Operation *end = inside.clone(*from.front().getTerminator(), values);
    inside.setInsertionPoint(end);
    copy(from.front(), inside);
  }
}

void NestCopier::load(tile::LoadOp load, OpBuilder &builder) {
  SmallVector<Value> indices;
  for (Value index : load.getIndices())
    indices.push_back(values.lookupOrDefault(index));
  SmallVector<int64_t> extents(load.getExtents());
  if (int64_t row = rowOf(load)) {
    extents.back() = row;
    indices.back() = masked(builder, load.getLoc(), indices.back(), -row);
  }
  builder.create<cta::LoadOp>(load.getLoc(), values.lookupOrDefault(load.getView()), indices,
                              channels.lookup(*idOf(load)), extents);
}

} // namespace tilewright::passes
