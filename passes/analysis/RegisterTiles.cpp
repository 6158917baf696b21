#include "passes/analysis/RegisterTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

/// A mask of integers that have no array: cheap to compute, expensive to keep.
static bool isMaskOfIndices(Operation *op) {
  auto indexed = [](Value operand) {
    if (!getElementTypeOrSelf(operand.getType()).isInteger())
      return false;
    Operation *source = operand.getDefiningOp();
    return !isa<RankedTensorType>(operand.getType()) || (source && isEvaluatedAtUse(source));
  };
  return getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1) &&
         llvm::all_of(op->getOperands(), indexed);
}

bool passes::isIndexAsFloat(Operation *op) {
  auto cast = dyn_cast<tile::CastOp>(op);
  Operation *source = cast ? cast.getSource().getDefiningOp() : nullptr;
  bool isIndex =
      source && isa<tile::RangeOp>(source) && getElementTypeOrSelf(cast.getType()).isF32();
  return isIndex && llvm::any_of(*op->getBlock(), [](Operation &other) {
           return isa<tile::DotOp, cta::MmaOp>(other);
         });
}

/// True if an accumulator begins between an op and the use of its result in the same block. Then
/// the operands of the op would stay in registers beside the products.
static bool sumBeginsBefore(Operation *use, Operation *op) {
  for (Operation *between = op->getNextNode(); between != use; between = between->getNextNode())
    if (isa<cta::BeginOp>(between))
      return true;
  return false;
}

Value passes::conditionOfRows(arith::SelectOp select) {
  auto broadcast = select.getCondition().getDefiningOp<tile::BroadcastOp>();
  auto expand = broadcast ? broadcast.getSource().getDefiningOp<tile::ExpandDimsOp>() : nullptr;
  bool isOfRows = expand && expand.getAxis() == 1 && broadcast.getType().getRank() == 2;
  return isOfRows ? expand.getSource() : Value();
}

bool passes::isEvaluatedAtUse(Operation *op) {
  if (isa<arith::ConstantOp, tile::SplatOp, tile::RangeOp, tile::ExpandDimsOp, tile::BroadcastOp,
          tile::TransposeOp>(op))
    return true;
  if (!isElementwise(op) || op->hasAttr(kByRowsAttr) || isa<tile::RandomBytesOp>(op))
    return false;
  if (isMaskOfIndices(op) || isIndexAsFloat(op))
    return true;
  if (!op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  bool endsBranch = isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp());
  return user->getBlock() == op->getBlock() && !sumBeginsBefore(user, op) &&
         (isElementwise(user) || endsBranch ||
          isa<tile::StoreOp, tile::ReduceOp, cta::JointReduceOp, cta::ConvertOp, cta::StoreOp>(
              user));
}

bool passes::isStoredFromShared(cta::ConvertOp op) {
  // Booleans are stored as bytes and unpacked after reading.
  if (!op->hasOneUse() || getElementTypeOrSelf(op.getType()).isInteger(1))
    return false;
  auto store = dyn_cast<tile::StoreOp>(*op->user_begin());
  if (!store || store.getValue() != op.getResult() || store->getBlock() != op->getBlock())
    return false;
  // The ops in between do not use the shared memory of the conversion.
  for (Operation *between = op->getNextNode(); between != store; between = between->getNextNode())
    if (!isElementwise(between) && !isEvaluatedAtUse(between))
      return false;
  return true;
}

bool passes::isMadeForEachUse(Value tile, Operation *user) {
  Operation *op = tile.getDefiningOp();
  return op &&
         op->getParentOfType<LoopLikeOpInterface>() == user->getParentOfType<LoopLikeOpInterface>();
}

/// The values that are `value` under another name: what a loop carries, and what branches yield.
/// False if it is read, or made, by anything else than a left operand or an elementwise op.
static bool addNames(Value value, llvm::SetVector<Value> &names) {
  auto addCarried = [&](LoopLikeOpInterface loop, unsigned number) {
    names.insert(loop.getInits()[number]);
    names.insert(loop.getRegionIterArgs()[number]);
    names.insert(loop.getYieldedValues()[number]);
    names.insert((*loop.getLoopResults())[number]);
  };
  auto addYielded = [&](scf::IfOp branch, unsigned number) {
    names.insert(branch.getResult(number));
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      names.insert(region->front().getTerminator()->getOperand(number));
  };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto mma = dyn_cast<cta::MmaOp>(user);
    auto around = dyn_cast<LoopLikeOpInterface>(user->getParentOp());
    if (mma && value == mma.getA() && mma.takesOrderOfSums())
      continue;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(user);
        loop && llvm::is_contained(loop.getInits(), value))
      addCarried(loop, unsigned(llvm::find(loop.getInits(), value) - loop.getInits().begin()));
    else if (isa<scf::YieldOp, cta::YieldOp>(user) && around && around.getLoopResults())
      addCarried(around, use.getOperandNumber());
    else if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
             branch && isa<scf::YieldOp>(user))
      addYielded(branch, use.getOperandNumber());
    else
      return false;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    auto carried = loop ? loop.getRegionIterArgs() : Block::BlockArgListType();
    auto found = llvm::find(carried, argument);
    if (found == carried.end())
      return false;
    addCarried(loop, unsigned(found - carried.begin()));
    return true;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op); loop && loop.getLoopResults())
    addCarried(loop, number);
  else if (auto branch = dyn_cast<scf::IfOp>(op); branch && !branch.getElseRegion().empty())
    addYielded(branch, number);
  else
    return isElementwise(op);
  return true;
}

bool passes::isInOrderOfOperands(Value tile) {
  if (getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth() != 8)
    return false;
  llvm::SetVector<Value> names;
  names.insert(tile);
  for (size_t i = 0; i < names.size(); ++i)
    if (!addNames(names[i], names))
      return false;
  return true;
}
