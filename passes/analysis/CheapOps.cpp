#include "passes/analysis/CheapOps.h"

#include "ir/cta/Cta.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

bool passes::isCheap(Operation *op) {
  if (auto cast = dyn_cast<tile::CastOp>(op))
    return getElementTypeOrSelf(cast.getType()).isF32();
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp>(op);
}

bool passes::isCheapForRows(Operation *op) {
  return isCheap(op) || isa<math::ExpOp, math::Exp2Op>(op);
}

bool passes::isSelection(Operation *op) {
  return isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp>(op);
}

bool passes::isShape(Operation *op) {
  return isa<arith::ConstantOp, tile::SplatOp, tile::RangeOp, tile::ExpandDimsOp,
             tile::BroadcastOp>(op);
}

bool passes::hasProducts(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa<tile::DotOp, cta::MmaOp, cta::RoleOp>(op) ? WalkResult::interrupt()
                                                             : WalkResult::advance();
      })
      .wasInterrupted();
}

bool passes::meets(Operation *op) {
  return isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp, cta::JointReduceOp, cta::MomentsOp,
             cta::ClusterReduceOp, LoopLikeOpInterface>(op);
}
