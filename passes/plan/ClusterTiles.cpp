#include "passes/plan/ClusterTiles.h"

#include "passes/analysis/Accesses.h"
#include "passes/analysis/Facts.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

/// Whether a value, or how often it is computed, depends on the program's number along an axis.
bool followsFromAxis(Value value, int64_t axis, llvm::DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (isa<func::FuncOp>(op))
    return false;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return int64_t(id.getAxis()) == axis;
  auto follows = [&](Value each) { return followsFromAxis(each, axis, seen); };
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && value == loop.getInductionVar())
    return follows(loop.getLowerBound()) || follows(loop.getUpperBound()) ||
           follows(loop.getStep()); // but not on carried values
  SmallVector<Value> from(op->getOperands());
  for (Region &region : op->getRegions())
    if (!region.empty() && region.front().mightHaveTerminator())
      llvm::append_range(from, region.front().getTerminator()->getOperands());
  return llvm::any_of(from, follows);
}

/// Whether the index of a single row in an access depends on an axis.
bool followsFromAxis(const Access &access, int64_t axis) {
  return llvm::any_of(llvm::zip(access.indices, access.extents), [&](auto each) {
    llvm::DenseSet<Value> seen;
    return std::get<1>(each) == 0 && followsFromAxis(std::get<0>(each), axis, seen);
  });
}

class ClusterTiles {
public:
  /// `blocks` of a cluster are neighbours along `axis`.
  ClusterTiles(func::FuncOp kernel, int64_t axis, int64_t blocks)
      : kernel(kernel), dims(kernel), blocks(blocks), axis(axis),
        extent((*kernel.getOps<tile::GridOp>().begin()).getExtents()[axis]) {}

  LogicalResult run() {
    return failure(kernel
                       .walk([&](Operation *op) {
                         auto access = Access::of(op);
                         return !access || succeeded(prepare(*access)) ? WalkResult::advance()
                                                                       : WalkResult::interrupt();
                       })
                       .wasInterrupted());
  }

private:
  LogicalResult prepare(Access access) {
    if (followsFromAxis(access, axis))
      return access.op->emitError()
             << "has an index that follows from axis " << axis << " of the grid, and stands past "
             << "its end where that is no multiple of the " << blocks << " blocks of a cluster; "
             << "let `axes` start with one of rows, or take `clusters` away";
    for (auto [place, index] : llvm::enumerate(access.indices)) {
      llvm::DenseSet<Value> seen;
      if (followsFromAxis(index, axis, seen) && access.isInBounds(place))
        access.setInBounds(place, false);
    }
    if (isa<tile::LoadOp>(access.op) || isCutOff(access))
      return success();
    return access.op->emitError()
           << "writes inside of its view, or may, in tiles past the end of axis " << axis
           << " of the grid, which are there where that is no multiple of the " << blocks
           << " blocks of a cluster; take `clusters` away, or let `axes` start with an axis of "
           << "`cdiv(size, tile)` tiles";
  }

  /// Whether an access has no effect in tiles past the end.
  bool isCutOff(const Access &access) {
    Facts facts;
    for (auto loop = access.op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      facts.addLoop(loop);
    kernel.walk([&](tile::ProgramIdOp id) {
      if (int64_t(id.getAxis()) == axis)
        facts.add(AffineForm::of(extent) - AffineForm::of(id));
    });
    for (auto [place, index] : llvm::enumerate(access.indices)) {
      if (!access.isRange(place))
        continue;
      AffineForm start = AffineForm::of(index);
      if (facts.proveNonPositive(dims.size(access.view, place) - start) ||
          facts.proveNonPositive(start + access.validElements(place)))
        return true;
    }
    return false;
  }

  func::FuncOp kernel;
  Dims dims;
  int64_t blocks, axis;
  Value extent;
};

} // namespace

LogicalResult prepareForClusters(func::FuncOp kernel, const Plan::Blocks &blocks) {
  for (auto [place, along] : llvm::enumerate(blocks.cluster)) {
    int64_t axis = blocks.axes.empty() ? int64_t(place) : blocks.axes[place];
    if (along > 1 && failed(ClusterTiles(kernel, axis, along).run()))
      return failure();
  }
  return success();
}

bool decidesRow(func::FuncOp kernel, int64_t axis) {
  return kernel
      .walk([&](Operation *op) {
        auto access = Access::of(op);
        return access && followsFromAxis(*access, axis) ? WalkResult::interrupt()
                                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tilewright::passes
