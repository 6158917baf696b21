#include "passes/analysis/StoredRows.h"

#include "ir/LayoutInterface.h"
#include "ir/cta/Cta.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::passes {

static bool mixesRows(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return reduce.getAxis() != 1;
  return isa<tile::TransposeOp, tile::ScanOp, tile::ArgReduceOp, tile::StoreOp, tile::AtomicOp>(op);
}

bool keepsRowsApart(Operation *root) {
  return !root->walk([](Operation *op) {
                return mixesRows(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether row r of each result depends on row r of this operand alone.
static bool isByRows(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return expand.getAxis() > 0;
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return use.get() != dot.getB();
  if (auto mma = dyn_cast<cta::MmaOp>(op))
    return use.get() == mma.getAcc() || (use.get() == mma.getA() && !mma.getATransposed());
  return !mixesRows(op) &&
         (isElementwise(op) ||
          isa<tile::ReduceOp, tile::BroadcastOp, tile::CastOp, cta::AwaitOp, cta::WaitGroupOp,
              cta::PartialSumOp, cta::RaiseOp, cta::RescaleOp>(op));
}

/// The rows of a store, if they are along one axis of the tensor.
static std::optional<StoredRows> rowsOf(tile::StoreOp store, Dims &dims) {
  Access access = *Access::of(store);
  for (int64_t axis = 0, rank = int64_t(access.extents.size()); axis < rank; ++axis)
    if (access.isRange(axis) && access.tileAxis(axis) == 0) {
      if (access.isInBounds(axis) || access.validElements(axis) != access.extents[axis])
        return std::nullopt;
      int64_t rows = access.extents[axis];
      return StoredRows{Bounds::of(access, axis, dims).above + -rows, rows};
    }
  return std::nullopt;
}

std::optional<StoredRows> storedRows(scf::ForOp loop, Dims &dims) {
  llvm::SetVector<Value> values(loop.result_begin(), loop.result_end());
  std::optional<StoredRows> rows;
  for (size_t number = 0; number < values.size(); ++number)
    for (OpOperand &use : values[number].getUses()) {
      if (auto store = dyn_cast<tile::StoreOp>(use.getOwner())) {
        auto own = rowsOf(store, dims);
        if (use.get() != store.getValue() || !own || (rows && *rows != *own))
          return std::nullopt;
        rows = own;
      } else if (isByRows(use)) {
        values.insert(use.getOwner()->result_begin(), use.getOwner()->result_end());
      } else {
        return std::nullopt;
      }
    }
  return rows;
}

} // namespace tilewright::passes
