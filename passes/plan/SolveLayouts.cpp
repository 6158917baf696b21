// The layouts of all tiles. Anchors get theirs first: products the fragments of their instruction,
// then memory accesses, from the largest tile down, rows in wide vectors. From each anchor its
// layout spreads through every op that keeps it, in both directions, until it meets another's.
#include "passes/plan/SolveLayouts.h"

#include "passes/analysis/Divisibility.h"
#include "passes/analysis/KeptTiles.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

bool passes::isFree(Value value) {
  if (!isTile(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ConstantOp, tile::SplatOp, tile::RangeOp>(op))
    return true;
  bool reshapes = isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(op);
  bool integer =
      isElementwise(op) && tileType(value).getElementType().isInteger() && !isa<tile::CastOp>(op);
  return (reshapes || integer) && llvm::all_of(op->getOperands(), isFree);
}

//===- How layouts relate across an op -------------------------------------------------------===//

/// A scan runs over registers and one run of lanes, within a warp.
static bool scansWithinWarps(const Layout &layout, int64_t axis) {
  auto along = [&](Level level) {
    return llvm::count_if(layout.digits(level), [&](const Digit &d) { return d.dim == axis; });
  };
  return along(Level::Warp) == 0 && along(Level::Lane) <= 1;
}

std::optional<Layout> passes::operandLayout(Operation *op, unsigned index, const Layout &result) {
  if (!isTile(op->getOperand(index)))
    return std::nullopt;
  // Of the sum, not of what it comes after; of the peaks, since the source decides on their layout.
  if (isa<cta::AwaitOp, cta::RaiseOp>(op))
    return index == 0 ? std::optional(result) : std::nullopt;
  if (isElementwise(op) || isa<tile::ScanOp>(op))
    return result;
  if (isa<cta::RescaleOp>(op))
    return index == 0 ? result : result.dropDim(1);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return result.dropDim(expand.getAxis());
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    Layout layout = result;
    auto from = broadcast.getSource().getType().getShape(), to = broadcast.getType().getShape();
    for (size_t dim = 0; dim < from.size(); ++dim)
      if (from[dim] != to[dim])
        layout = layout.collapseDim(dim);
    return layout;
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    SmallVector<int64_t> inverse(transpose.getPermutation().size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      inverse[from] = to;
    return result.permute(inverse);
  }
  return std::nullopt;
}

/// The layout of an op's results, when operand `index` has `operand`; none when it does not follow.
static std::optional<Layout> resultLayout(Operation *op, unsigned index, const Layout &operand) {
  if (isElementwise(op))
    return operand;
  if (isa<cta::RescaleOp, cta::RaiseOp, cta::AwaitOp>(op) && index == 0)
    return operand;
  if (isa<cta::RaiseOp>(op))
    return operand.dropDim(1);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return scansWithinWarps(operand, scan.getAxis()) ? std::optional(operand) : std::nullopt;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return operand.insertDim(expand.getAxis());
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return operand.permute(transpose.getPermutation());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return operand.dropDim(reduce.getAxis());
  if (auto reduce = dyn_cast<tile::ArgReduceOp>(op))
    return operand.dropDim(reduce.getAxis());
  if (isa<cta::PartialSumOp>(op))
    return operand.threadsAlong(1);
  return std::nullopt;
}

Layout passes::indexLayout(const Layout &tile, int64_t rank, int64_t axis) {
  Layout layout = tile;
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    if (dim != axis)
      layout = layout.dropDim(dim);
  return layout;
}

//===- Products -------------------------------------------------------------------------------===//

Layout passes::accumulatorLayout(cta::MmaOp mma, int64_t warps) {
  return mma.getInstruction().getSumLayout(tileType(mma.getAcc()).getShape(), mma.getWarps(),
                                           warps);
}

Layout passes::operandALayout(cta::MmaOp mma, int64_t warps) {
  return mma.getInstruction().getLeftLayout(tileType(mma.getA()).getShape(), mma.getWarps(), warps);
}

//===- Solve ---------------------------------------------------------------------------------===//

namespace {

class LayoutSolver {
public:
  LayoutSolver(Operation *root, int64_t warps) : root(root), warps(warps) {}

  void run() {
    root->walk([&](cta::MmaOp mma) { anchorProduct(mma); });
    root->walk([&](tile::ScanOp scan) {
      assign(scan.getResult(), rowsPerWarp(tileType(scan.getResult()), scan.getAxis()));
    });
    for (Value value : accessesBySize())
      assign(value, blocked(value));
    // Whatever no access reaches: values made of constants, and put into loops.
    root->walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (isTile(result) && !isFree(result))
          assign(result, blocked(result));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (isTile(argument))
              assign(argument, blocked(argument));
    });
  }

  DenseMap<Value, Layout> layouts;

private:
  void anchorProduct(cta::MmaOp mma);
  SmallVector<Value> accessesBySize();
  Layout blocked(Value value);
  Layout rowsPerWarp(RankedTensorType type, int64_t axis);

  /// Gives `value` a layout, unless it has one, and spreads it.
  void assign(Value value, const Layout &layout);
  void spreadDown(OpOperand &use, const Layout &layout);
  void spreadUp(Value value, const Layout &layout);

  /// Gives the results of an mma, there and pending, their layout.
  void assignResult(cta::MmaOp mma, const Layout &layout);

  Operation *root;
  int64_t warps;
  std::vector<std::pair<Value, Layout>> queue;
};

void LayoutSolver::assignResult(cta::MmaOp mma, const Layout &layout) {
  for (Operation *user : mma->getUsers())
    if (auto await = dyn_cast<cta::AwaitOp>(user))
      assign(await.getResult(), layout);
  assign(mma.getResult(), layout);
}

void LayoutSolver::anchorProduct(cta::MmaOp mma) {
  Layout layout = accumulatorLayout(mma, warps);
  assignResult(mma, layout);
  assign(mma.getAcc(), layout);
  if (isTile(mma.getA()))
    assign(mma.getA(), operandALayout(mma, warps));
}

/// Tiles that go to or come from memory, the largest first.
SmallVector<Value> LayoutSolver::accessesBySize() {
  SmallVector<Value> values;
  root->walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      values.push_back(load.getResult());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      values.push_back(store.getValue());
    if (auto atomic = dyn_cast<tile::AtomicOp>(op))
      values.push_back(atomic.getValue());
    if (auto get = dyn_cast<cta::GetOp>(op))
      values.push_back(get.getTile());
  });
  llvm::erase_if(values, [](Value value) { return !isTile(value) || isFree(value); });
  llvm::stable_sort(values, [](Value a, Value b) {
    return tileType(a).getNumElements() > tileType(b).getNumElements();
  });
  return values;
}

/// Rows in vectors as wide as the accesses of this value allow.
Layout LayoutSolver::blocked(Value value) {
  auto type = tileType(value);
  int64_t vector = 0;
  auto consider = [&](tile::ViewType view, ValueRange indices, ArrayRef<int64_t> extents) {
    vector = std::max(vector, accessVector(view, indices, extents));
  };
  if (auto load = value.getDefiningOp<tile::LoadOp>())
    consider(load.getView().getType(), load.getIndices(), load.getExtents());
  for (Operation *user : value.getUsers())
    if (auto store = dyn_cast<tile::StoreOp>(user))
      consider(store.getView().getType(), store.getIndices(), store.getExtents());
  if (!vector) // not an access itself
    vector = std::max<int64_t>(1, 16 / std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
  // Not so wide that threads go without an element.
  while (vector > 1 && type.getNumElements() < vector * kLanes * warps)
    vector /= 2;
  return Layout::blocked(type.getShape(), type.getRank() - 1, vector, warps);
}

/// A layout in which no warp shares a line along `axis` with another.
Layout LayoutSolver::rowsPerWarp(RankedTensorType type, int64_t axis) {
  Layout all = Layout::blocked(type.getShape(), axis, 4, warps);
  for (const Digit &digit : all.digits(Level::Warp))
    if (digit.dim == axis) {
      // Too few rows: every warp does all the work.
      Layout one = Layout::blocked(type.getShape(), axis, 4, 1);
      return Layout(one.digits(Level::Register), one.digits(Level::Lane),
                    {{warps, kReplicated, 0}});
    }
  return all;
}

/// What a loop carries and what it results in are one; so are what a merge takes and gives. All
/// that are one with `value`, and itself.
static SmallVector<Value> sameTile(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned number = argument ? argument.getArgNumber() : cast<OpResult>(value).getResultNumber();
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto combine = dyn_cast<cta::CombineOp>(op)) {
    SmallVector<Value> same = {combine.getSums()[number % combine.getParts().size()]};
    if (!combine.getMerge().empty())
      same.append({combine.getOwn()[number % combine.getParts().size()],
                   combine.getOther()[number % combine.getParts().size()]});
    return same;
  }
  SmallVector<Value> same = {value};
  Value other;
  if (auto testing = dyn_cast<scf::WhileOp>(op)) {
    if (!argument)
      other = testing.getAfterArguments()[number];
    else if (argument.getOwner() == testing.getAfterBody())
      other = testing.getResult(number);
    else
      other = testing.getTiedLoopResult(argument);
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    other = argument ? Value(loop.getTiedLoopResult(argument))
                     : Value(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)));
  }
  if (other)
    same.push_back(other);
  return same;
}

void LayoutSolver::assign(Value value, const Layout &layout) {
  if (!isTile(value) || isFree(value) || layouts.contains(value))
    return;
  // What uses a product does not decide its layout: its instruction does.
  auto await = value.getDefiningOp<cta::AwaitOp>();
  auto mma = (await ? await.getPending() : value).getDefiningOp<cta::MmaOp>();
  if (mma && layout != accumulatorLayout(mma, warps))
    return;
  // What uses a scan does not decide its layout, unless it can be scanned in.
  if (auto scan = value.getDefiningOp<tile::ScanOp>())
    if (!scansWithinWarps(layout, scan.getAxis()))
      return;
  bool outermost = queue.empty();
  for (Value one : sameTile(value)) {
    layouts[one] = layout;
    queue.push_back({one, layout});
  }
  if (!outermost)
    return;
  // Breadth first, so that a layout reaches its neighbourhood before anything far away.
  for (size_t next = 0; next < queue.size(); ++next) {
    auto [current, currentLayout] = std::pair(queue[next]);
    for (OpOperand &use : current.getUses())
      spreadDown(use, currentLayout);
    spreadUp(current, currentLayout);
  }
  queue.clear();
}

void LayoutSolver::spreadDown(OpOperand &use, const Layout &layout) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    assign(loop.getTiedLoopRegionIterArg(&use), layout);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    if (number > 0)
      assign(loop.getResult(number - 1), layout);
  } else if (isa<scf::YieldOp, cta::YieldOp>(op)) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp()))
      assign(loop.getRegionIterArgs()[number], layout);
    else
      assign(op->getParentOp()->getResult(number), layout);
  } else if (auto combine = dyn_cast<cta::CombineOp>(op)) {
    assign(combine.getSums()[number], layout);
  } else if (auto mma = dyn_cast<cta::MmaOp>(op)) {
    if (number == 0)
      assignResult(mma, layout);
  } else if (op->getNumResults() != 0) {
    if (auto result = resultLayout(op, number, layout)) {
      for (Value each : op->getResults())
        assign(each, *result);
      // Siblings follow at once: `x + broadcast(load)`.
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (auto operand = operandLayout(op, i, *result))
          assign(op->getOperand(i), *operand);
    }
  }
}

void LayoutSolver::spreadUp(Value value, const Layout &layout) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto testing = dyn_cast<scf::WhileOp>(parent);
    if (auto combine = dyn_cast<cta::CombineOp>(parent))
      assign(combine.getParts()[argument.getArgNumber() % combine.getParts().size()], layout);
    else if (testing && argument.getOwner() == testing.getAfterBody()) {
      assign(testing.getConditionOp().getArgs()[argument.getArgNumber()], layout);
    } else if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      assign(loop.getTiedLoopInit(argument)->get(), layout);
      assign(loop.getTiedLoopYieldedValue(argument)->get(), layout);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    assign(branch.thenYield().getOperand(number), layout);
    assign(branch.elseYield().getOperand(number), layout);
  } else if (auto combine = dyn_cast<cta::CombineOp>(op)) {
    assign(combine.getParts()[number], layout);
    if (!combine.getMerge().empty())
      assign(combine.getMerge().front().getTerminator()->getOperand(number), layout);
  } else if (auto await = dyn_cast<cta::AwaitOp>(op)) {
    if (auto mma = await.getPending().getDefiningOp<cta::MmaOp>())
      assign(mma.getAcc(), layout);
    assign(await.getPending(), layout);
  } else if (auto mma = dyn_cast<cta::MmaOp>(op)) {
    assign(mma.getAcc(), layout);
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    forEachGather(load, [&](OpOperand &index, int64_t axis) {
      assign(index.get(), indexLayout(layout, tileType(value).getRank(), axis));
    });
  } else {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (auto operand = operandLayout(op, i, layout))
        assign(op->getOperand(i), *operand);
  }
}

} // namespace

DenseMap<Value, Layout> passes::solveLayouts(Operation *root, int64_t warps) {
  LayoutSolver solver(root, warps);
  solver.run();
  return std::move(solver.layouts);
}
