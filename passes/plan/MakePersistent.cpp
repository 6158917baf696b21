// Makes blocks persistent: the body of a program becomes a loop over tiles in a single role, and
// what is the same for all tiles stays in front of the loop.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"
#include "passes/plan/ClusterTiles.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_MAKEPERSISTENT
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Whether an op gives all programs the same scalars, which the host may compute.
bool isShared(Operation *op, const DenseSet<Operation *> &own) {
  bool computes =
      isa<tile::AssertOp, cta::WhenOp>(op) || (isMemoryEffectFree(op) && !op->getNumRegions());
  if (!computes || isa<tile::ProgramIdOp>(op))
    return false;
  return llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrFloat(); }) &&
         llvm::none_of(op->getOperands(), [&](Value operand) {
           return operand.getDefiningOp() && own.contains(operand.getDefiningOp());
         });
}

struct MakePersistent : impl::MakePersistentBase<MakePersistent> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    Block &top = kernel.getBody().front();
    auto grid = *top.getOps<tile::GridOp>().begin();

    if (plan.blocks.perSm && grid.getExtents().empty()) {
      grid.emitError() << "has one program, and a plan with blocks that go through several; take "
                       << "`one per tile`";
      return signalPassFailure();
    }
    if (!plan.blocks.axes.empty() && plan.blocks.axes.size() != grid.getExtents().size()) {
      grid.emitError() << "has " << grid.getExtents().size() << " axes, of which the plan names "
                       << plan.blocks.axes.size();
      return signalPassFailure();
    }
    if (plan.blocks.cluster.size() > grid.getExtents().size()) {
      grid.emitError() << "has one axis, and a plan with clusters along two; take `clusters of "
                       << plan.blocks.clusterBlocks() << "`";
      return signalPassFailure();
    }
    if (failed(prepareForClusters(kernel, plan.blocks)))
      return signalPassFailure();
    SmallVector<Operation *> body;
    DenseSet<Operation *> own;
    for (Operation &op : top.without_terminator())
      if (&op != grid && !isShared(&op, own)) {
        own.insert(&op);
        body.push_back(&op);
      }

    OpBuilder builder(top.getTerminator());
    Location loc = grid.getLoc();
    const Plan::Role &role =
        *llvm::find_if(plan.roles, [](const Plan::Role &each) { return each.doesRest(); });
    auto registers = role.registers ? builder.getI64IntegerAttr(*role.registers) : IntegerAttr();
    auto compute = builder.create<cta::RoleOp>(loc, builder.getStringAttr(role.name),
                                               builder.getI64IntegerAttr(role.warps), registers);
    Block *inner = &compute.getBody().emplaceBlock();
    OpBuilder inRole = OpBuilder::atBlockBegin(inner);
    if (plan.blocks.perSm)
      inner = loopOverTiles(inRole, grid, plan.blocks);
    inRole.setInsertionPointToEnd(&compute.getBody().front());
    inRole.create<cta::YieldOp>(loc);
    for (Operation *op : body) {
      auto id = dyn_cast<tile::ProgramIdOp>(op);
      if (id && plan.blocks.perSm) {
        id.getResult().replaceAllUsesWith(inner->getArgument(placeOf(id.getAxis(), plan.blocks)));
        id.erase();
      } else {
        op->moveBefore(inner->getTerminator());
      }
    }
    if (plan.blocks.perSm)
      makeGrid(compute, grid, plan.blocks);
  }

private:
  /// The position of an axis of the grid among the axes of tiles.
  static int64_t placeOf(int64_t axis, const Plan::Blocks &blocks) {
    return blocks.axes.empty() ? axis : llvm::find(blocks.axes, axis) - blocks.axes.begin();
  }

  Block *loopOverTiles(OpBuilder &builder, tile::GridOp grid, const Plan::Blocks &blocks) {
    OperationState state(grid.getLoc(), cta::TilesOp::getOperationName());
    auto grouped = blocks.grouped ? builder.getI64IntegerAttr(blocks.grouped) : IntegerAttr();
    UnitAttr unit = builder.getUnitAttr();
    SmallVector<Value> extents(grid.getExtents());
    for (auto [place, axis] : llvm::enumerate(blocks.axes))
      extents[place] = grid.getExtents()[axis];
    cta::TilesOp::build(builder, state, TypeRange(), extents, ValueRange(), Value(), Value(),
                        Value(), Value(), ValueRange(), grouped, blocks.folded ? unit : UnitAttr(),
                        blocks.descending ? unit : UnitAttr(), blocks.queue ? unit : UnitAttr(),
                        IntegerAttr(), IntegerAttr(), IntegerAttr());
    Block &body = state.regions.front()->emplaceBlock();
    for (size_t axis = 0; axis < grid.getExtents().size(); ++axis)
      body.addArgument(builder.getI32Type(), grid.getLoc());
    Operation *tiles = builder.create(state);
    if (!blocks.axes.empty())
      tiles->setAttr(kAxesAttr, builder.getDenseI64ArrayAttr(blocks.axes));
    OpBuilder::atBlockEnd(&body).create<cta::YieldOp>(grid.getLoc());
    return &cast<cta::TilesOp>(tiles).getBody().front();
  }

  /// As many blocks as run at once, but no more than there are tiles (except with stream-K); whole
  /// clusters.
  void makeGrid(cta::RoleOp before, tile::GridOp grid, const Plan::Blocks &plan) {
    OpBuilder builder(before);
    Location loc = grid.getLoc();
    auto number = [&](int64_t value) {
      return builder.create<arith::ConstantIntOp>(loc, value, 32).getResult();
    };
    Value blocks = builder.create<cta::SmsOp>(loc, builder.getI32Type());
    if (plan.perSm > 1) {
      blocks = builder.create<arith::MulIOp>(loc, blocks, number(plan.perSm));
      getOperation()->setAttr(cta::kMinBlocksAttr, builder.getI32IntegerAttr(plan.perSm));
    }
    int64_t cluster = plan.clusterBlocks();
    if (cluster > 1 && plan.least) { // one at least
      Value clusters = builder.create<arith::DivSIOp>(loc, blocks, number(cluster));
      clusters = builder.create<arith::MaxSIOp>(loc, clusters, number(1));
      blocks = builder.create<arith::MulIOp>(loc, clusters, number(cluster));
    }
    Value tiles;
    for (size_t place = 0; place < grid.getExtents().size(); ++place) {
      Value extent = grid.getExtents()[plan.axes.empty() ? place : plan.axes[place]];
      if (int64_t along = plan.clusterAlong(place); along > 1)
        extent = builder.create<arith::CeilDivSIOp>(loc, extent, number(along));
      tiles = tiles ? builder.create<arith::MulIOp>(loc, tiles, extent) : extent;
    }
    if (cluster > 1)
      tiles = builder.create<arith::MulIOp>(loc, tiles, number(cluster));
    if (!plan.cluster.empty())
      getOperation()->setAttr(cta::kClusterAttr, builder.getDenseI64ArrayAttr(plan.cluster));
    if (plan.turns)
      tiles = builder.create<arith::CeilDivSIOp>(loc, tiles, number(plan.turns));
    if (plan.least) // if there are tiles at all
      blocks = builder.create<arith::MulIOp>(
          loc, builder.create<arith::MinSIOp>(loc, tiles, number(1)), blocks);
    else
      blocks = builder.create<arith::MinSIOp>(loc, tiles, blocks);
    builder.create<tile::GridOp>(loc, blocks);
    grid.erase();
  }
};

} // namespace
} // namespace tilewright::passes
