#include "passes/analysis/SameValues.h"

#include "ir/cta/Cta.h"

#include "mlir/IR/OperationSupport.h"

namespace tilewright::passes {

using namespace mlir;

/// True if two loops or branches of two roles compute the same.
static bool sameRegions(Operation *a, Operation *b) {
  llvm::DenseMap<Value, Value> inside;
  auto isSame = [&](Value x, Value y) {
    auto known = inside.find(x);
    return success(known == inside.end() ? sameValue(x, y) : known->second == y);
  };
  return OperationEquivalence::isEquivalentTo(
      a, b, isSame, [&](Value x, Value y) { inside[x] = y; },
      OperationEquivalence::Flags::IgnoreLocations);
}

bool sameValue(Value a, Value b) {
  if (a == b)
    return true;
  auto argumentA = dyn_cast<BlockArgument>(a), argumentB = dyn_cast<BlockArgument>(b);
  if (argumentA || argumentB)
    return argumentA && argumentB && argumentA.getArgNumber() == argumentB.getArgNumber() &&
           isa<cta::TilesOp>(argumentA.getOwner()->getParentOp()) &&
           isa<cta::TilesOp>(argumentB.getOwner()->getParentOp());
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (isa<cta::WarpgroupOp>(opA) && cta::roleOf(opA) != cta::roleOf(opB))
    return false;
  if (cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber())
    return false;
  if (opA->getNumRegions())
    return sameRegions(opA, opB);
  return opA->getName() == opB->getName() && opA->getAttrDictionary() == opB->getAttrDictionary() &&
         opA->getNumOperands() == opB->getNumOperands() &&
         llvm::all_of(llvm::zip(opA->getOperands(), opB->getOperands()),
                      [](auto pair) { return sameValue(std::get<0>(pair), std::get<1>(pair)); });
}

} // namespace tilewright::passes
