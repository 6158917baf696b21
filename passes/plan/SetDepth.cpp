// Cuts the depth of products into other pieces than the kernel does. A loop that does nothing but
// add up products over consecutive pieces of their depth gives the same sum with any pieces, since
// the last one is filled with zeros. So a depth that is a number of the kernel's text can become
// one whose rows fill the lines of swizzled shared memory.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/analysis/AxisClasses.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SETDEPTH
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

class DepthSetter {
public:
  DepthSetter(func::FuncOp kernel, int64_t depth)
      : kernel(kernel), depth(depth), classes(kernel), dims(kernel) {}

  LogicalResult run();

private:
  /// An index at which pieces begin, in a loop.
  struct Start {
    tile::LoadOp load;
    int64_t axis; ///< Of the view.
    OpOperand &index() { return load.getIndicesMutable()[axis]; }
  };
  struct Loop {
    scf::ForOp op;
    SmallVector<Start> starts;
    int64_t extent = 0; ///< Of the kernel's pieces.
    AffineForm size;    ///< Of the depth.
  };

  InFlightDiagnostic refuse(Operation *op) {
    return op->emitError() << "stands against a depth of " << depth << ": ";
  }
  std::optional<int64_t> depthAxis(Value tile);
  LogicalResult check(Loop &loop);
  LogicalResult check(Loop &loop, Operation &op);
  LogicalResult checkLoad(Loop &loop, tile::LoadOp load);
  LogicalResult checkCarried(Loop &loop);
  LogicalResult checkCounter(Loop &loop);
  LogicalResult checkEnd(Loop &loop);
  void change(Loop &loop);

  func::FuncOp kernel;
  int64_t depth;
  AxisClasses classes;
  Dims dims;
  llvm::SmallDenseSet<unsigned> found; ///< Classes of the axes along which products add up.
};

} // namespace

LogicalResult DepthSetter::run() {
  SmallVector<Loop> loops;
  kernel.walk([&](scf::ForOp loop) {
    for (auto dot : loop.getOps<tile::DotOp>()) {
      if (loops.empty() || loops.back().op != loop)
        loops.push_back({loop});
      found.insert(classes.idOf(dot.getA(), 1));
    }
  });
  if (loops.empty())
    return refuse(kernel) << "it adds up no products in a loop";
  for (Loop &loop : loops)
    if (failed(check(loop)))
      return failure();
  for (Value tile : classes.tiles())
    if (Operation *op = tile.getParentBlock()->getParentOp();
        depthAxis(tile) && llvm::none_of(loops, [&](Loop &loop) { return loop.op == op; }))
      return refuse(tile.getDefiningOp() ? tile.getDefiningOp() : op)
             << "it makes a piece outside of such a loop";
  for (Loop &loop : loops)
    change(loop);
  for (Value tile : classes.tiles())
    if (std::optional<int64_t> axis = depthAxis(tile)) {
      auto type = cast<RankedTensorType>(tile.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[*axis] = depth;
      tile.setType(type.clone(shape));
    }
  return success();
}

/// The axis of a tile along which products add up, if any.
std::optional<int64_t> DepthSetter::depthAxis(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  for (int64_t axis = 0; type && classes.contains(tile) && axis < type.getRank(); ++axis)
    if (found.contains(classes.idOf(tile, axis)))
      return axis;
  return std::nullopt;
}

LogicalResult DepthSetter::check(Loop &loop) {
  if (!matchPattern(loop.op.getLowerBound(), m_Zero()) || !matchPattern(loop.op.getStep(), m_One()))
    return refuse(loop.op) << "it does not count from 0 in steps of 1";
  for (Operation &op : loop.op.getBody()->without_terminator())
    if (failed(check(loop, op)))
      return failure();
  return success(succeeded(checkCarried(loop)) && succeeded(checkCounter(loop)) &&
                 succeeded(checkEnd(loop)));
}

/// Checks that an op of the loop treats all pieces alike, and leaves zeros as they are.
LogicalResult DepthSetter::check(Loop &loop, Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](tile::LoadOp load) { return checkLoad(loop, load); })
      .Case([&](tile::DotOp dot) {
        return depthAxis(dot.getResult())
                   ? LogicalResult(refuse(dot) << "its rows or columns are as long as its depth")
                   : success();
      })
      .Case<tile::TransposeOp, tile::CastOp>([](auto) { return success(); })
      .Default([&](Operation *op) -> LogicalResult {
        if (!isPure(op) || op->getNumRegions())
          return refuse(op) << "it is done once for each piece";
        auto isPiece = [&](Value each) { return depthAxis(each).has_value(); };
        if (llvm::any_of(op->getOperands(), isPiece) || llvm::any_of(op->getResults(), isPiece))
          return refuse(op) << "what it does to elements of a piece need not keep zeros";
        return success();
      });
}

LogicalResult DepthSetter::checkLoad(Loop &loop, tile::LoadOp load) {
  std::optional<int64_t> along = depthAxis(load.getResult());
  if (!along)
    return success();
  Access access = *Access::of(load);
  int64_t axis = 0;
  while (!access.isRange(axis) || access.tileAxis(axis) != *along)
    ++axis;
  int64_t extent = access.extents[axis];
  AffineForm first;
  first.add(loop.op.getInductionVar(), extent);
  if (AffineForm::of(access.indices[axis]) != first)
    return refuse(load) << "piece i does not begin at " << extent << " * i";
  if (load.getFill())
    return refuse(load) << "it fills the last piece with a number of its own";
  AffineForm size = dims.size(access.view, axis);
  if (!loop.starts.empty() && (extent != loop.extent || size != loop.size))
    return refuse(load) << "its depth is not that of the loop's other loads";
  loop.extent = extent;
  loop.size = size;
  loop.starts.push_back({load, axis});
  return success();
}

/// Checks that the loop carries nothing but sums of products.
LogicalResult DepthSetter::checkCarried(Loop &loop) {
  auto isSum = [&](Value before, Value after) {
    while (after != before) {
      auto dot = after.getDefiningOp<tile::DotOp>();
      if (!dot || dot->getParentOp() != loop.op || !after.hasOneUse())
        return false;
      after = dot.getAcc();
    }
    return before.hasOneUse();
  };
  for (auto [before, after] : llvm::zip(loop.op.getRegionIterArgs(), loop.op.getYieldedValues()))
    if (!isSum(before, after))
      return refuse(loop.op) << "it carries more than sums of products";
  return success();
}

/// Checks that only the starts of pieces depend on the iteration.
LogicalResult DepthSetter::checkCounter(Loop &loop) {
  SmallVector<Value> follow = {loop.op.getInductionVar()};
  while (!follow.empty())
    for (OpOperand &use : follow.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (llvm::any_of(loop.starts, [&](Start &each) { return &each.index() == &use; }))
        continue;
      if (!isa<arith::MulIOp, arith::AddIOp, arith::SubIOp>(user))
        return refuse(user) << "it asks which of the pieces it is";
      follow.push_back(user->getResult(0));
    }
  return success();
}

/// Checks that the pieces cover the whole depth: what lies behind it is zero, however much it is.
LogicalResult DepthSetter::checkEnd(Loop &loop) {
  Value end = loop.op.getUpperBound();
  auto quotient = end.getDefiningOp<arith::CeilDivSIOp>();
  APInt number;
  bool isWhole = quotient
                     ? matchPattern(quotient.getRhs(), m_ConstantInt(&number)) &&
                           number == loop.extent && AffineForm::of(quotient.getLhs()) == loop.size
                     : matchPattern(end, m_ConstantInt(&number)) && loop.size.isConstant() &&
                           number.getSExtValue() * loop.extent >= loop.size.constant;
  if (!isWhole)
    return refuse(loop.op) << "it may end before the depth does; as many as `cdiv(depth, "
                           << loop.extent << ")` pieces are all of it";
  return success();
}

void DepthSetter::change(Loop &loop) {
  OpBuilder builder(loop.op);
  Location loc = loop.op.getLoc();
  Value each = builder.create<arith::ConstantIntOp>(loc, depth, 32);
  Value size = loop.size.materialize(builder, loc);
  loop.op.setUpperBound(builder.create<arith::CeilDivSIOp>(loc, size, each));
  builder.setInsertionPointToStart(loop.op.getBody());
  Value first = builder.create<arith::MulIOp>(loc, loop.op.getInductionVar(), each);
  for (Start &start : loop.starts) {
    start.index().set(first);
    SmallVector<int64_t> extents(start.load.getExtents());
    extents[start.axis] = depth;
    start.load.setExtents(extents);
  }
}

namespace {

struct SetDepth : impl::SetDepthBase<SetDepth> {
  using SetDepthBase::SetDepthBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    ErrorOr<Plan> plan = readPlan(kernel, text);
    if (!plan) {
      kernel.emitError() << plan.error().message;
      return signalPassFailure();
    }
    if (!plan->depth)
      return;
    if (failed(DepthSetter(kernel, plan->depth).run()))
      return signalPassFailure();
    kernel->setAttr(kDepthAttr, Builder(&getContext()).getI64IntegerAttr(plan->depth));
  }
};

} // namespace
} // namespace tilewright::passes
