#include "passes/KeptTiles.h"

#include "ir/cta/Cta.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

bool passes::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<tile::CastOp, arith::SelectOp>(op);
}

/// A mask of integers that are no arrays: cheap to compute and dear to keep.
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

bool passes::isEvaluatedAtUse(Operation *op) {
  if (isa<arith::ConstantOp, tile::SplatOp, tile::RangeOp, tile::ExpandDimsOp, tile::BroadcastOp,
          tile::TransposeOp>(op))
    return true;
  if (!isElementwise(op))
    return false;
  if (isMaskOfIndices(op))
    return true;
  if (!op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  return user->getBlock() == op->getBlock() &&
         (isElementwise(user) || isa<tile::StoreOp, tile::ReduceOp, cta::ConvertOp>(user));
}
