// Stream-K: blocks divide the steps of the last tiles evenly among themselves. The partial sums are
// combined, and one block finishes the tile.
#include "passes/Passes.h"
#include "passes/analysis/CarriedState.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SPLITTILES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

struct SplitTiles : impl::SplitTilesBase<SplitTiles> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    if (!plan.blocks.least)
      return;
    kernel.walk([&](cta::TilesOp tiles) {
      if (failed(split(tiles, plan.blocks)))
        signalPassFailure();
    });
  }

private:
  static LogicalResult split(cta::TilesOp tiles, const Plan::Blocks &blocks) {
    for (auto loop : tiles.getBody().getOps<scf::ForOp>())
      if (idOf(loop) == StringRef(blocks.splitLoop)) {
        if (failed(check(loop)) || failed(stateSteps(tiles, loop, blocks)))
          return failure();
        splitAt(tiles, loop, blocks.least);
        return success();
      }
    return tiles.emitError() << "has no loop `" << blocks.splitLoop << "`, whose iterations blocks "
                             << "are to share, at the top level of the kernel";
  }

  static LogicalResult refuse(scf::ForOp loop, const Twine &why) {
    return loop.emitError() << "is a loop whose iterations blocks are to share, and " << why;
  }

  static LogicalResult check(scf::ForOp loop) {
    if (!matchPattern(loop.getLowerBound(), m_Zero()) || !matchPattern(loop.getStep(), m_One()))
      return refuse(loop, "does not count from 0 by 1");
    // Then the results of two ranges of iterations can be combined by addition.
    for (auto [init, state] : llvm::zip(loop.getInits(), carriedStates(loop)))
      if (state != State::Sum || !isZero(init))
        return refuse(loop, "carries other than sums from zero on");
    for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
      auto isRead = op->walk([&](tile::LoadOp load) {
        if (!idOf(load))
          return WalkResult::advance();
        load.emitError() << "is stream `" << *idOf(load) << "`, which stands behind a loop "
                         << "whose iterations blocks share: only the one that ends the tile "
                         << "needs it; take its channel and role away";
        return WalkResult::interrupt();
      });
      if (isRead.wasInterrupted())
        return failure();
    }
    return success();
  }

  /// States the number of steps of a tile: a constant, or a value that depends on its coordinates.
  static LogicalResult stateSteps(cta::TilesOp tiles, scf::ForOp loop, const Plan::Blocks &blocks) {
    Value steps = loop.getUpperBound();
    auto isOwn = [&](Value value) {
      return tiles->isAncestor(value.getParentBlock()->getParentOp());
    };
    if (!isOwn(steps)) {
      tiles.getStepsMutable().assign(steps);
      return success();
    }
    if (!blocks.cluster.empty())
      return refuse(loop, "may run a different number of times in each of the " +
                              Twine(blocks.clusterBlocks()) +
                              " blocks of a cluster; take `clusters` or `split` away");
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return tiles->isProperAncestor(op); };
    getBackwardSlice(steps, &slice, options);
    for (Operation *op : slice)
      if (!isa<arith::ArithDialect>(op->getDialect()) ||
          isa<RankedTensorType>(op->getResult(0).getType()))
        return refuse(loop, "has a number of them that `" + op->getName().getStringRef().str() +
                                "` gives; one that follows from the tile's place, sizes and "
                                "scalar arguments can be shared");
    Block &lengths = tiles.getLengths().emplaceBlock();
    IRMapping values;
    for (BlockArgument coordinate : tiles.getCoordinates())
      values.map(coordinate, lengths.addArgument(coordinate.getType(), coordinate.getLoc()));
    OpBuilder builder = OpBuilder::atBlockEnd(&lengths);
    for (Operation *op : slice)
      builder.clone(*op, values);
    builder.create<cta::YieldOp>(loop.getLoc(), values.lookup(steps));
    return success();
  }

  static void splitAt(cta::TilesOp tiles, scf::ForOp loop, int64_t least) {
    Location loc = loop.getLoc();
    OpBuilder builder(loop->getContext());
    tiles.setLeast(least);
    Type i32 = builder.getI32Type();
    loop.setLowerBound(tiles.getBody().addArgument(i32, loc));
    loop.setUpperBound(tiles.getBody().addArgument(i32, loc));

    builder.setInsertionPointAfter(loop);
    auto combine = builder.create<cta::CombineOp>(loc, loop.getResults());
    loop->replaceUsesWithIf(combine.getSums(),
                            [&](OpOperand &use) { return use.getOwner() != combine; });
    Block *body = combine->getBlock();
    auto whole = builder.create<scf::IfOp>(loc, combine.getWhole(), /*withElseRegion=*/false);
    Block *then = whole.thenBlock();
    then->getOperations().splice(then->begin(), body->getOperations(),
                                 std::next(whole->getIterator()),
                                 body->getTerminator()->getIterator());
  }
};

} // namespace
} // namespace tilewright::passes
