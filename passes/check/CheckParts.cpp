// Tiles that are split among blocks (stream-K: `cta.tiles … split`). Several blocks compute parts
// of such a tile, and one of them finishes it. Side effects outside of that last step would happen
// more than once, so they are refused.
#include "passes/check/CheckParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::passes {

using namespace mlir;

LogicalResult checkParts(func::FuncOp kernel) {
  cta::TilesOp split;
  cta::CombineOp combine;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto tiles = dyn_cast<cta::TilesOp>(op); tiles && tiles.isSplit())
      split = tiles;
    auto next = dyn_cast<cta::CombineOp>(op);
    if (!next)
      return WalkResult::advance();
    if (combine) {
      next.emitError() << "puts parts together in role \"" << cta::roleOf(next).getName()
                       << "\" beside role \"" << cta::roleOf(combine).getName()
                       << "\"; let one role do it";
      return WalkResult::interrupt();
    }
    combine = next;
    return WalkResult::advance();
  });
  if (!split || result.wasInterrupted())
    return failure(result.wasInterrupted());
  if (!combine)
    return split.emitError() << "splits tiles whose parts are never combined; use "
                             << "`cta.combine` on what a part sums up to";
  auto isOfWhole = [&](Operation *op) {
    for (auto around = op->getParentOfType<scf::IfOp>(); around;
         around = around->getParentOfType<scf::IfOp>())
      if (around.getCondition() == combine.getWhole() &&
          around.getThenRegion().isAncestor(op->getParentRegion()))
        return true;
    return false;
  };
  result = kernel.walk([&](Operation *op) {
    if (!isa<cta::StoreOp, tile::StoreOp, tile::AtomicOp>(op) ||
        !op->getParentOfType<cta::TilesOp>() || isOfWhole(op))
      return WalkResult::advance();
    auto error = op->emitError() << "stores what may be a part of a tile; put it in an `scf.if` "
                                 << "on the last result of `cta.combine`";
    error.attachNote(combine.getLoc()) << "where the tile is whole";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace tilewright::passes
